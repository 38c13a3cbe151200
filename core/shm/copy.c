// SPDX-License-Identifier: BSD-3-Clause
// Single copies between the private memories of two processes of the node.
#include "shm/control.h"
#include "shm/copy.h"
#include "shm/local_peer.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

typedef ssize_t copy_call(pid_t, const struct iovec *, unsigned long,
                          const struct iovec *, unsigned long, unsigned long);

static bool is_readable(int pid, void *address)
{
    char byte;
    struct iovec here = {&byte, 1}, there = {address, 1};
    return process_vm_readv(pid, &here, 1, &there, 1, 0) == 1;
}

// The kernel does not say which of the two memories is not there.
static bool is_hole_here(copy_call *call, int pid, const struct iovec *there,
                         const struct iovec *here)
{
    return call == process_vm_readv ? is_readable(pid, there->iov_base)
                                    : !is_readable((int)getpid(), here->iov_base);
}

static int copy_failed(int node_rank, int pid, const struct iovec *there, int reason)
{
    int error_class = reason == ESRCH ? MPI_ERR_PROC_ABORTED
                      : reason == EPERM || reason == ENOSYS
                          ? MPI_ERR_UNSUPPORTED_OPERATION
                      : reason == ENOMEM ? MPI_ERR_NO_MEM
                                         : MPI_ERR_OTHER;
    return fail(error_class,
                "copying %zu bytes at %p of process %d on this node (pid %d): %s",
                there->iov_len, there->iov_base, node_rank, pid, strerror(reason));
}

static void span_skip(struct iovec *span, size_t bytes)
{
    span->iov_base = (char *)span->iov_base + bytes;
    span->iov_len -= bytes;
}

// Takes off what has been copied of the first spans; returns how many are done.
static size_t spans_skip(struct iovec *here, struct iovec *there, size_t bytes)
{
    size_t whole = 0;
    for (; bytes > 0 && bytes >= here[whole].iov_len; whole++)
        bytes -= here[whole].iov_len;
    if (bytes > 0) {
        span_skip(&here[whole], bytes);
        span_skip(&there[whole], bytes);
    }
    return whole;
}

// The kernel copies less than it is asked to where it has a limit, 2 GiB in all, and
// where a hole follows; then the next call fails.
static int process_copy(const struct shm *shm, copy_call *call, int node_rank,
                        struct iovec *there, struct iovec *here, size_t count)
{
    int pid = shm_pid(shm, node_rank);
    while (count > 0) {
        ssize_t done = call(pid, here, count, there, count, 0);
        int reason = done < 0 ? errno : EFAULT;
        if (unlikely(done <= 0 && reason == EFAULT &&
                     is_hole_here(call, pid, there, here)))
            return fail(MPI_ERR_BUFFER, "%zu bytes at %p: this memory is not there",
                        here->iov_len, here->iov_base);
        if (unlikely(done <= 0))
            return copy_failed(node_rank, pid, there, reason);
        size_t whole = spans_skip(here, there, (size_t)done);
        here += whole;
        there += whole;
        count -= whole;
    }
    return 0;
}

// ---- permission to copy ------------------------------------------------------------
// Under Yama's ptrace_scope 1 only the tracer that a process names may copy: one
// process with all its descendants, or any of the same user. Elsewhere the call fails
// and is not needed.
static bool name_tracer(unsigned long pid)
{
    return prctl(PR_SET_PTRACER, pid, 0, 0, 0) == 0;
}

// The local peers are not known yet, so any process may copy.
void memory_open_for_trial(const struct shm *shm)
{
    if (shm->node_size > 1)
        name_tracer(PR_SET_PTRACER_ANY);
}

void memory_close_after_trial(const struct shm *shm)
{
    if (shm->node_rank == 0 && shm->node_size > 1)
        name_tracer(0);
}

// The launcher is the ancestor that local peers have in common.
static void open_memory(struct shm *shm)
{
    if (name_tracer(0)) {
        int ancestor = local_peers_ancestor(shm);
        name_tracer(ancestor > 0 ? (unsigned long)ancestor : PR_SET_PTRACER_ANY);
    }
    atomic_store(&shm->opening, MEMORY_OPEN);
}

void shm_open_memory(struct shm *shm)
{
    int state = MEMORY_CLOSED;
    if (shm->node_size == 1 || atomic_load(&shm->opening) == MEMORY_OPEN)
        return;
    if (atomic_compare_exchange_strong(&shm->opening, &state, MEMORY_BEING_OPENED))
        open_memory(shm);
    while (atomic_load(&shm->opening) != MEMORY_OPEN) // by another thread
        sched_yield();
}

void memory_close(struct shm *shm)
{
    if (atomic_exchange(&shm->opening, MEMORY_CLOSED) == MEMORY_OPEN)
        name_tracer(0);
}

bool shm_can_copy(const struct shm *shm)
{
    return !atomic_load(&shm->control->copies_fail);
}

// ---- copies -----------------------------------------------------------------------
static int copy_spans(const struct shm *shm, copy_call *call, int node_rank,
                      struct iovec *remote, struct iovec *local, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += local[i].iov_len;
    int err = process_copy(shm, call, node_rank, remote, local, count);
    if (err)
        return err;
    count_shared(COUNTER_PROCESS_COPIES, 1);
    count_shared(COUNTER_PROCESS_COPY_BYTES, bytes);
    return 0;
}

int shm_copy_spans_to(struct shm *shm, int node_rank, struct iovec *remote,
                      struct iovec *local, size_t count)
{
    return copy_spans(shm, process_vm_writev, node_rank, remote, local, count);
}

int shm_copy_spans_from(struct shm *shm, int node_rank, struct iovec *local,
                        struct iovec *remote, size_t count)
{
    return copy_spans(shm, process_vm_readv, node_rank, remote, local, count);
}

// The two locked instructions of count_shared take as much as a fortieth of a short copy.
static int copy_block(const struct shm *shm, copy_call *call, int node_rank,
                      uint64_t remote, void *local, size_t bytes)
{
    struct iovec there = {(void *)(uintptr_t)remote, bytes}, here = {local, bytes};
    int err = process_copy(shm, call, node_rank, &there, &here, bytes > 0);
    if (err)
        return err;
    count_alone(COUNTER_PROCESS_COPIES, 1);
    count_alone(COUNTER_PROCESS_COPY_BYTES, bytes);
    return 0;
}

int shm_copy_to(struct shm *shm, int node_rank, uint64_t remote, const void *local,
                size_t bytes)
{
    return copy_block(shm, process_vm_writev, node_rank, remote, (void *)local, bytes);
}

int shm_copy_from(struct shm *shm, int node_rank, void *local, uint64_t remote,
                  size_t bytes)
{
    return copy_block(shm, process_vm_readv, node_rank, remote, local, bytes);
}
