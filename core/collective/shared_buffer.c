// SPDX-License-Identifier: BSD-3-Clause
// The memory that a communicator's members on one node share, and rounds on it.
#include "collective/awaited.h"

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
void communicators_collect(void)
{
    if (atomic_load_explicit(&process.collectives->retired, memory_order_relaxed) ==
        NULL)
        return;
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

int barrier_buffer_make(int node_size, size_t bytes, struct shared_buffer **buffer)
{
    communicators_collect();
    void *memory;
    int err = shm_alloc(process.shm, sizeof(struct shared_buffer) + bytes, CACHE_LINE,
                        &memory);
    if (err)
        return err;
    memset(memory, 0, sizeof(struct shared_buffer));
    *buffer = memory;
    (*buffer)->node_size = node_size;
    return 0;
}

int shared_buffer_make(int node_size, struct shared_buffer **buffer)
{
    size_t members = (size_t)node_size * sizeof(struct member_slots);
    int err = barrier_buffer_make(node_size, members, buffer);
    if (err)
        return err;
    (*buffer)->has_slots = true;
    for (int node_rank = 0; node_rank < node_size; node_rank++)
        memset(&(*buffer)->members[node_rank], 0, offsetof(struct member_slots, units));
    return 0;
}

// The message lock may be held: messages keep communicators alive.
void shared_buffer_leave(struct shared_buffer *buffer, bool is_owner)
{
    if (is_owner)
        shared_buffer_retire(buffer);
    atomic_fetch_add_explicit(&buffer->departed, 1, memory_order_release);
    communicators_collect();
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
    return boot_local_rank(process.boot, comm_job_rank(comm, rank));
}

static bool is_broken(const struct communicator *comm)
{
    return unlikely(atomic_load(&comm->collective->shared_buffer->is_broken));
}

static struct member_slots *member_part(const struct communicator *comm, int node_rank)
{
    return &comm->collective->shared_buffer->members[node_rank];
}

// Dekker: a member that begins to copy sets its flag before it looks whether the shared
// buffer is broken, and one that leaves breaks it before it looks at the flags. So
// either the first does not copy, or the second waits for it. All four accesses are
// sequentially consistent.
static __attribute__((noinline)) int leave_round(struct communicator *comm, int err)
{
    shared_buffer_break(comm);
    if (!comm->collective->shared_buffer->has_slots)
        return err; // nobody copies
    for (int node_rank = 0; node_rank < comm->node_size; node_rank++)
        while (atomic_load(&member_part(comm, node_rank)->is_copying) &&
               shm_is_alive(process.shm, member_process(comm, node_rank)))
            sched_yield();
    return err;
}

// ---- rounds
//
// The number of a round is stored after the data of its slot, by a release, and loaded
// before them by an acquire, so that whoever sees the number sees the data.
//
// Slots are used in turn. The writer of a slot must know that nobody reads any more what
// it held SLOTS rounds before, which is so when all members have begun a later round: a
// member stores that it has begun a round, by a release, after all that it reads in the
// rounds before, and the writer loads that by an acquire before it stores. The same holds
// for units. The writer looks only when what it has seen last does not suffice, for slots
// at most every SLOTS - 1 rounds. Nobody waits in a circle, since a member waits only for
// others to begin a round that it has begun itself: data of the round before lie in a
// part of the units only.

static __attribute__((noinline)) int word_await(struct communicator *comm,
                                                word_test *has_come, const void *word,
                                                uint64_t round)
{
    struct member_wait wait = {comm, has_come, word, round};
    unsigned spins = 0;
    int err = 0;
    while (!err && !has_come(word, round))
        err = message_backoff(&spins, member_wait_explain, &wait);
    message_backoff_end(spins);
    return err ? leave_round(comm, err) : 0;
}

static bool member_has_begun(const void *word, uint64_t round)
{
    const _Atomic(uint64_t) *begun = word;
    return atomic_load_explicit(begun, memory_order_acquire) >= round;
}

static bool is_shown(const void *word, uint64_t round)
{
    const _Atomic(uint32_t) *shown = word;
    return atomic_load_explicit(shown, memory_order_acquire) == (uint32_t)round;
}

// Waits until all have begun a round, and keeps which one they all have.
static __attribute__((noinline)) int others_await(struct communicator *comm,
                                                  uint64_t round)
{
    uint64_t least = comm->collective->sequence;
    for (int node_rank = 0; node_rank < comm->node_size; node_rank++) {
        if (node_rank == comm->node_rank)
            continue;
        const _Atomic(uint64_t) *begun = &member_part(comm, node_rank)->begun;
        int err = member_has_begun(begun, round)
                      ? 0
                      : word_await(comm, member_has_begun, begun, round);
        if (err)
            return err;
        uint64_t seen = atomic_load_explicit(begun, memory_order_acquire);
        if (seen < least)
            least = seen;
    }
    comm->collective->all_begun = least;
    return is_broken(comm) ? leave_round(comm, fail_broken()) : 0;
}

// The round that all must have begun before `count` units may be used again.
static uint64_t units_awaited(const uint64_t awaited[], unsigned count)
{
    uint64_t latest = 0;
    for (unsigned unit = 0; unit < count; unit++)
        if (awaited[unit] > latest)
            latest = awaited[unit];
    return latest;
}

// The place of so many bytes: the first that is known to be free, so that members which
// keep in step use few, which stay in their caches; else the one that is free first.
// *awaited grows to the round that all must have begun before.
static const char *units_take(const struct communicator *comm, size_t bytes,
                              uint64_t *awaited)
{
    struct comm_collective *own = comm->collective;
    unsigned count = 1, best = 0;
    while (count * UNIT_BYTES < bytes)
        count *= 2;
    uint64_t least = UINT64_MAX;
    for (unsigned first = 0; first < UNITS && least > own->all_begun; first += count) {
        uint64_t needed = units_awaited(&own->awaited[first], count);
        if (needed < least) {
            least = needed;
            best = first;
        }
    }
    for (unsigned unit = best; unit < best + count; unit++)
        own->awaited[unit] = own->sequence + 1;
    if (least > *awaited)
        *awaited = least;
    return member_part(comm, comm->node_rank)->units[best];
}

int round_begin(struct communicator *comm, size_t bytes, struct slot **slot)
{
    struct comm_collective *own = comm->collective;
    assert(own->shared_buffer->has_slots);
    uint64_t round = ++own->sequence;
    uint64_t awaited = round < SLOTS ? 0 : round - SLOTS + 1;
    *slot = &member_part(comm, comm->node_rank)->slots[round % SLOTS];
    const char *data = (*slot)->inside;
    if (bytes > INSIDE_BYTES)
        data = units_take(comm, bytes, &awaited);
    if (own->all_begun < awaited) {
        int err = others_await(comm, awaited);
        if (err)
            return err;
    }
    (*slot)->data = (uint32_t)(data - (const char *)*slot);
    return 0;
}

void round_show(struct communicator *comm, struct slot *own)
{
    uint64_t round = comm->collective->sequence;
    atomic_store_explicit(&member_part(comm, comm->node_rank)->begun, round,
                          memory_order_release);
    atomic_store_explicit(&own->round, (uint32_t)round, memory_order_release);
}

static int slot_await(struct communicator *comm, int node_rank)
{
    uint64_t round = comm->collective->sequence;
    const _Atomic(uint32_t) *shown =
        &member_part(comm, node_rank)->slots[round % SLOTS].round;
    return likely(is_shown(shown, round)) ? 0
                                          : word_await(comm, is_shown, shown, round);
}

static int slots_await(struct communicator *comm)
{
    int node_rank = comm->node_rank;
    for (int i = 1; i < comm->node_size; i++) {
        node_rank = node_rank + 1 < comm->node_size ? node_rank + 1 : 0;
        int err = slot_await(comm, node_rank);
        if (err)
            return err;
    }
    comm->collective->all_begun = comm->collective->sequence;
    return 0;
}

int round_await(struct communicator *comm, int from)
{
    if (from == NO_MEMBER)
        return 0;
    int err = from == ALL_MEMBERS ? slots_await(comm) : slot_await(comm, from);
    if (err)
        return err;
    return is_broken(comm) ? leave_round(comm, fail_broken()) : 0;
}

static int check_total(uint64_t other, uint64_t total)
{
    if (likely(other == total))
        return 0;
    if (refused_class(other))
        return fail_refused(refused_class(other));
    return fail(MPI_ERR_TRUNCATE, "%ju bytes are this process's part and %ju another's",
                (uintmax_t)total, (uintmax_t)other);
}

int round_agree(struct communicator *comm, int from, uint64_t total)
{
    const struct slot *slots = round_slots(comm);
    int err = round_await(comm, from);
    if (err || from == NO_MEMBER)
        return err;
    if (from != ALL_MEMBERS)
        return check_total(slot_after(slots, from)->total, total);
    for (int node_rank = 0; !err && node_rank < comm->node_size; node_rank++)
        err = check_total(slot_after(slots, node_rank)->total, total);
    return err;
}

// ---- barriers

// *is_last: all others had arrived before.
static inline int barrier_pass(struct communicator *comm, bool *is_last)
{
    _Atomic(uint32_t) *arrivals = &comm->collective->shared_buffer->arrivals;
    uint32_t expected = ++comm->collective->barriers * (uint32_t)comm->node_size;
    uint32_t arrived = atomic_fetch_add(arrivals, 1) + 1;
    unsigned spins = 0;
    int err = 0;
    *is_last = arrived == expected;
    while (!err && (int32_t)(arrived - expected) < 0) {
        err = message_backoff(&spins, barrier_explain, comm);
        arrived = atomic_load_explicit(arrivals, memory_order_acquire);
    }
    message_backoff_end(spins);
    return err || is_broken(comm) ? leave_round(comm, err ? err : fail_broken()) : 0;
}

int collective_node_barrier(struct communicator *comm)
{
    bool is_last;
    return comm->node_size > 1 ? barrier_pass(comm, &is_last) : 0;
}

static void members_ring(const struct communicator *comm)
{
    for (int node_rank = 0; node_rank < comm->node_size; node_rank++)
        if (node_rank != comm->node_rank)
            shm_ring(process.shm, member_process(comm, node_rank));
}

// A member that is one barrier ahead writes to the other word, and none is further ahead.
// Members may have fallen asleep that have to do something now.
int collective_node_any(struct communicator *comm, bool is_true, bool *any)
{
    *any = is_true;
    if (comm->node_size == 1)
        return 0;
    uint32_t barrier = comm->collective->barriers + 1;
    _Atomic(uint32_t) *raised = &comm->collective->shared_buffer->raised[barrier & 1];
    if (is_true)
        atomic_store_explicit(raised, barrier, memory_order_relaxed);
    bool is_last;
    int err = barrier_pass(comm, &is_last);
    *any = atomic_load_explicit(raised, memory_order_relaxed) == barrier;
    if (is_last && *any && !err)
        members_ring(comm);
    return err;
}

int leader_await(struct communicator *comm, int err)
{
    if (comm->node_size == 1)
        return err;
    uint32_t barrier = comm->collective->barriers + 1;
    _Atomic(uint64_t) *told = &comm->collective->shared_buffer->failed[barrier & 1];
    if (unlikely(err != 0) && comm->node_rank == 0)
        atomic_store_explicit(told, (uint64_t)barrier << 32 | (uint32_t)err,
                              memory_order_relaxed);
    bool is_last;
    int failed = barrier_pass(comm, &is_last);
    if (err || failed)
        return err ? err : failed;
    uint64_t failure = atomic_load_explicit(told, memory_order_relaxed);
    return likely(failure >> 32 != barrier) ? 0 : fail_refused((int)(uint32_t)failure);
}

// ---- copies

int copies_begin(struct communicator *comm)
{
    _Atomic(bool) *is_copying = &member_part(comm, comm->node_rank)->is_copying;
    atomic_store(is_copying, true);
    if (!is_broken(comm))
        return 0;
    atomic_store(is_copying, false);
    return fail_broken();
}

static int copies_tell(struct communicator *comm, int err)
{
    struct slot *own;
    int failed = round_begin(comm, 0, &own);
    if (failed)
        return failed;
    own->total = err ? total_refused(err) : 0;
    round_show(comm, own);
    failed = round_agree(comm, ALL_MEMBERS, 0);
    return err ? err : failed;
}

// A death is found, and told, by the barrier.
int copies_end(struct communicator *comm, int err)
{
    atomic_store_explicit(&member_part(comm, comm->node_rank)->is_copying, false,
                          memory_order_release);
    bool any_failed;
    int failed = collective_node_any(comm, err != 0, &any_failed);
    if (!failed && unlikely(any_failed))
        failed = copies_tell(comm, err);
    return err ? err : failed;
}
