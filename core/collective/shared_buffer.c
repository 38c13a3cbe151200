// SPDX-License-Identifier: BSD-3-Clause
// The memory that a communicator's members on one node share, and rounds on it.
#include "collective/shared_buffer.h"

#include <string.h>

static void shared_buffer_retire(struct shared_buffer *buffer)
{
    buffer->next_retired = atomic_load(&process.collectives->retired);
    while (!atomic_compare_exchange_weak(&process.collectives->retired,
                                         &buffer->next_retired, buffer))
        ;
}

// Frees the retired buffers that all members have left.
static void shared_buffers_collect(void)
{
    struct shared_buffer *buffer = atomic_exchange(&process.collectives->retired, NULL);
    while (buffer != NULL) {
        struct shared_buffer *next = buffer->next_retired;
        uint32_t departed =
            atomic_load_explicit(&buffer->departed, memory_order_acquire);
        if ((int)departed == buffer->node_size)
            shm_free(process.shm, buffer);
        else
            shared_buffer_retire(buffer);
        buffer = next;
    }
}

int shared_buffer_make(int node_size, struct shared_buffer **buffer)
{
    shared_buffers_collect();
    void *memory;
    size_t bytes =
        sizeof(struct shared_buffer) + (size_t)node_size * 2 * sizeof(struct slot);
    int err = shm_alloc(process.shm, bytes, CACHE_LINE, &memory);
    if (err)
        return err;
    memset(memory, 0, sizeof(struct shared_buffer));
    *buffer = memory;
    (*buffer)->node_size = node_size;
    return 0;
}

// The message lock may be held: messages keep communicators alive.
void shared_buffer_leave(struct shared_buffer *buffer, bool is_owner)
{
    if (is_owner)
        shared_buffer_retire(buffer);
    atomic_fetch_add_explicit(&buffer->departed, 1, memory_order_release);
    shared_buffers_collect();
}

void shared_buffer_break(const struct communicator *comm)
{
    if (comm->collective->shared_buffer != NULL)
        atomic_store(&comm->collective->shared_buffer->is_broken, true);
}

static __attribute__((noinline)) int fail_broken(void)
{
    int err = message_check_deaths();
    return err ? err
               : fail(MPI_ERR_PROC_ABORTED, "another member has lost the connection to "
                                            "a process of the communicator");
}

int node_arrive(struct communicator *comm)
{
    _Atomic(uint32_t) *arrivals = &comm->collective->shared_buffer->arrivals;
    uint32_t expected = ++comm->collective->sequence * (uint32_t)comm->node_size;
    uint32_t arrived = atomic_fetch_add_explicit(arrivals, 1, memory_order_acq_rel) + 1;
    unsigned spins = 0;
    while ((int32_t)(arrived - expected) < 0) {
        int err = message_backoff(&spins);
        if (err) {
            message_backoff_end(spins);
            shared_buffer_break(comm);
            return err;
        }
        arrived = atomic_load_explicit(arrivals, memory_order_acquire);
    }
    message_backoff_end(spins);
    return unlikely(atomic_load_explicit(&comm->collective->shared_buffer->is_broken,
                                         memory_order_relaxed))
               ? fail_broken()
               : 0;
}

int collective_node_barrier(struct communicator *comm)
{
    return comm->node_size > 1 ? node_arrive(comm) : 0;
}

int slots_agree(const struct communicator *comm, const struct slot *slots,
                uint64_t total)
{
    for (int node_rank = 0; node_rank < comm->node_size; node_rank++) {
        uint64_t other = slot_after(slots, node_rank)->total;
        if (refused_class(other))
            return fail_refused(refused_class(other));
        if (other != total)
            return fail(MPI_ERR_TRUNCATE,
                        "%ju bytes are this process's part and %ju another's",
                        (uintmax_t)total, (uintmax_t)other);
    }
    return 0;
}

// Bytes of `total` that go into a slot when `done` have gone before.
static size_t piece_at(size_t done, size_t total)
{
    return total - done < SLOT_BYTES ? total - done : SLOT_BYTES;
}

// All members take part until the source has shown all its data, also members that want
// less.
int node_broadcast(struct communicator *comm, void *bytes, size_t size, int node_rank,
                   int err)
{
    if (comm->node_size == 1)
        return err;
    bool is_source = comm->node_rank == node_rank;
    uint64_t total = is_source && err ? total_refused(err) : size;
    size_t done = 0;
    do {
        struct slot *slot = member_slot(comm, node_rank);
        if (is_source) {
            slot->total = total;
            if (!refused_class(total) && size > 0)
                memcpy(slot->bytes, (char *)bytes + done, piece_at(done, total));
        }
        int failed = node_arrive(comm);
        if (failed)
            return failed;
        total = slot->total;
        if (refused_class(total))
            return err ? err : fail_refused(refused_class(total));
        if (!is_source && done < size)
            memcpy((char *)bytes + done, slot->bytes,
                   piece_at(done, total < size ? total : size));
        done += SLOT_BYTES;
    } while (done < total);
    return total == size ? 0
                         : fail(MPI_ERR_TRUNCATE,
                                "%zu bytes are broadcast and %zu are to be received",
                                (size_t)total, size);
}

int collective_node_broadcast(struct communicator *comm, void *bytes, size_t size)
{
    return node_broadcast(comm, bytes, size, 0, 0);
}
