// SPDX-License-Identifier: BSD-3-Clause
// Single copies between the private memories of two processes of the node.
#include "shm/private.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>

// The kernel copies at most 2 GiB - 4 KiB in one call.
static const size_t PART_MAX = (size_t)1 << 30;

typedef ssize_t copy_call(pid_t, const struct iovec *, unsigned long,
                          const struct iovec *, unsigned long, unsigned long);

static int copy_failed(int node_rank, int pid, uint64_t remote, size_t bytes,
                       int reason)
{
    int error_class = reason == ESRCH ? MPI_ERR_PROC_ABORTED
                      : reason == EPERM || reason == ENOSYS
                          ? MPI_ERR_UNSUPPORTED_OPERATION
                      : reason == ENOMEM ? MPI_ERR_NO_MEM
                                         : MPI_ERR_OTHER;
    return fail(error_class,
                "copying %zu bytes at %#llx of process %d on this node (pid %d): %s",
                bytes, (unsigned long long)remote, node_rank, pid, strerror(reason));
}

static int copy(const struct shm *shm, copy_call *call, int node_rank, uint64_t remote,
                void *local, size_t bytes)
{
    int pid = shm_pid(shm, node_rank);
    count_shared(COUNTER_PROCESS_COPIES, 1);
    count_shared(COUNTER_PROCESS_COPY_BYTES, bytes);
    while (bytes > 0) {
        size_t part = bytes < PART_MAX ? bytes : PART_MAX;
        struct iovec here = {local, part}, there = {(void *)(uintptr_t)remote, part};
        ssize_t done = call(pid, &here, 1, &there, 1, 0);
        if (done <= 0) // a hole in the middle ends one call early and fails the next
            return copy_failed(node_rank, pid, remote, bytes,
                               done < 0 ? errno : EFAULT);
        local = (char *)local + done;
        remote += (uint64_t)done;
        bytes -= (size_t)done;
    }
    return 0;
}

int shm_copy_to(struct shm *shm, int node_rank, uint64_t remote, const void *local,
                size_t bytes)
{
    return copy(shm, process_vm_writev, node_rank, remote, (void *)local, bytes);
}

int shm_copy_from(struct shm *shm, int node_rank, void *local, uint64_t remote,
                  size_t bytes)
{
    return copy(shm, process_vm_readv, node_rank, remote, local, bytes);
}
