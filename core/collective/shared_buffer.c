// SPDX-License-Identifier: BSD-3-Clause
// The memory that a communicator's members on one node share, and rounds on it.
#include "collective/shared_buffer.h"

#include <sched.h>
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

static _Atomic(bool) *copying_flag(struct shared_buffer *buffer, int node_rank)
{
    _Atomic(bool) *flags = (_Atomic(bool) *)&buffer->slots[2 * buffer->node_size];
    return &flags[node_rank];
}

int shared_buffer_make(int node_size, struct shared_buffer **buffer)
{
    shared_buffers_collect();
    void *memory;
    size_t bytes =
        sizeof(struct shared_buffer) +
        (size_t)node_size * (2 * sizeof(struct slot) + sizeof(_Atomic(bool)));
    int err = shm_alloc(process.shm, bytes, CACHE_LINE, &memory);
    if (err)
        return err;
    memset(memory, 0, sizeof(struct shared_buffer));
    *buffer = memory;
    (*buffer)->node_size = node_size;
    for (int node_rank = 0; node_rank < node_size; node_rank++)
        atomic_init(copying_flag(*buffer, node_rank), false);
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

int member_process(const struct communicator *comm, int node_rank)
{
    int rank = comm->node_members[node_rank];
    return process.boot->node_rank_of[comm_job_rank(comm, rank)];
}

// Dekker: a member that begins to copy sets its flag before it looks whether the shared
// buffer is broken, and one that leaves breaks it before it looks at the flags. So
// either the first does not copy, or the second waits for it. All four accesses are
// sequentially consistent.
static __attribute__((noinline)) int leave_round(struct communicator *comm, int err)
{
    shared_buffer_break(comm);
    for (int node_rank = 0; node_rank < comm->node_size; node_rank++)
        while (atomic_load(copying_flag(comm->collective->shared_buffer, node_rank)) &&
               shm_is_alive(process.shm, member_process(comm, node_rank)))
            sched_yield();
    return err;
}

static bool is_broken(const struct communicator *comm)
{
    return unlikely(atomic_load(&comm->collective->shared_buffer->is_broken));
}

// *is_last: all others had arrived before.
static inline int round_end(struct communicator *comm, bool *is_last)
{
    _Atomic(uint32_t) *arrivals = &comm->collective->shared_buffer->arrivals;
    uint32_t expected = ++comm->collective->sequence * (uint32_t)comm->node_size;
    uint32_t arrived = atomic_fetch_add(arrivals, 1) + 1;
    unsigned spins = 0;
    *is_last = arrived == expected;
    while ((int32_t)(arrived - expected) < 0) {
        int err = message_backoff(&spins);
        if (err) {
            message_backoff_end(spins);
            return leave_round(comm, err);
        }
        arrived = atomic_load_explicit(arrivals, memory_order_acquire);
    }
    message_backoff_end(spins);
    return is_broken(comm) ? leave_round(comm, fail_broken()) : 0;
}

int node_arrive(struct communicator *comm)
{
    bool is_last;
    return round_end(comm, &is_last);
}

static void members_ring(const struct communicator *comm)
{
    for (int node_rank = 0; node_rank < comm->node_size; node_rank++)
        if (node_rank != comm->node_rank)
            shm_ring(process.shm, member_process(comm, node_rank));
}

int copies_begin(struct communicator *comm)
{
    _Atomic(bool) *flag =
        copying_flag(comm->collective->shared_buffer, comm->node_rank);
    atomic_store(flag, true);
    if (!is_broken(comm))
        return 0;
    atomic_store(flag, false);
    return fail_broken();
}

// A death is found, and told, by the round.
int copies_end(struct communicator *comm, int err)
{
    atomic_store_explicit(
        copying_flag(comm->collective->shared_buffer, comm->node_rank), false,
        memory_order_release);
    int failed = node_arrive(comm);
    return failed ? failed : err;
}

int collective_node_barrier(struct communicator *comm)
{
    return comm->node_size > 1 ? node_arrive(comm) : 0;
}

// A member that is one round ahead writes to the other word, and none is further ahead.
// Members may have fallen asleep that have to do something now.
int collective_node_any(struct communicator *comm, bool is_true, bool *any)
{
    *any = is_true;
    if (comm->node_size == 1)
        return 0;
    uint32_t round = comm->collective->sequence + 1;
    _Atomic(uint32_t) *raised = &comm->collective->shared_buffer->raised[round & 1];
    if (is_true)
        atomic_store_explicit(raised, round, memory_order_relaxed);
    bool is_last;
    int err = round_end(comm, &is_last);
    *any = atomic_load_explicit(raised, memory_order_relaxed) == round;
    if (is_last && *any && !err)
        members_ring(comm);
    return err;
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
