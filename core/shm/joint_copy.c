// SPDX-License-Identifier: BSD-3-Clause
// Joint copies: two processes take pieces of one copy from a count that they share (guided
// self-scheduling: pieces become shorter towards the end). Whoever is faster copies more,
// and a process that does not come leaves nothing undone.
//
// The count carries the number of its copy, so that a helper that comes late, when the
// record is used for another copy, takes nothing. What is taken counts as left until it is
// copied: whoever copies the last of it knows that all is there, and only then may the
// memory at both ends, and the record, be used for something else.
#include "shm/control.h"

#include <sched.h>

enum { UNIT = 4096, NUMBER_BITS = 32 };
static const uint64_t COUNT_MASK = ((uint64_t)1 << NUMBER_BITS) - 1;
// A call of the system takes as long as copying some KiB, and a rest is not worth another.
static const uint64_t PIECE_MIN = 96 << 10, REST_MIN = 16 << 10;

static struct joint_copy *joint_copy_at(const struct shm *shm, int node_rank,
                                        uint32_t index)
{
    return &peer_record_of(shm, node_rank)->joint_copies[index];
}

// The release shows the helper what has been stored before.
static uint32_t record_open(struct joint_copy *copy, uint64_t bytes)
{
    uint64_t taken = atomic_load_explicit(&copy->taken, memory_order_relaxed);
    uint32_t number = (uint32_t)(taken >> NUMBER_BITS) + 1;
    copy->is_used = true;
    atomic_store_explicit(&copy->error, 0, memory_order_relaxed);
    atomic_store_explicit(&copy->left, bytes, memory_order_relaxed);
    atomic_store_explicit(&copy->taken, (uint64_t)number << NUMBER_BITS,
                          memory_order_release);
    return number;
}

bool shm_joint_begin(struct shm *shm, uint64_t bytes, struct joint_name *name)
{
    for (uint32_t i = 0; i < JOINT_COPIES; i++) {
        struct joint_copy *copy = joint_copy_at(shm, shm->node_rank, i);
        if (!copy->is_used && bytes / UNIT < COUNT_MASK) {
            *name = (struct joint_name){i, record_open(copy, bytes)};
            return true;
        }
    }
    return false;
}

// Half of the rest: the first piece leaves as much to the helper.
static uint64_t piece_end(uint64_t begin, uint64_t bytes)
{
    uint64_t rest = bytes - begin, piece = round_up(rest / 2, UNIT);
    if (begin > 0 && piece < PIECE_MIN)
        piece = PIECE_MIN;
    return rest < piece + REST_MIN ? bytes : begin + piece;
}

// The next piece; false if none is left, or another copy has begun.
static bool piece_take(struct joint_copy *copy, const struct joint_side *side,
                       uint64_t *begin, uint64_t *end)
{
    uint64_t before = atomic_load_explicit(&copy->taken, memory_order_acquire), after;
    do {
        *begin = (before & COUNT_MASK) * UNIT;
        if (before >> NUMBER_BITS != side->name.number || *begin >= side->bytes)
            return false;
        *end = piece_end(*begin, side->bytes);
        after = (before & ~COUNT_MASK) | (*end + UNIT - 1) / UNIT;
    } while (!atomic_compare_exchange_weak(&copy->taken, &before, after));
    return true;
}

// The spans of the bytes from `begin` to `end` of all; returns how many.
static size_t spans_between(const struct iovec *all, uint64_t begin, uint64_t end,
                            struct iovec *spans)
{
    size_t count = 0;
    uint64_t at = 0;
    for (size_t i = 0; at < end; at += all[i++].iov_len) {
        uint64_t first = at > begin ? at : begin, last = at + all[i].iov_len;
        if (last > end)
            last = end;
        if (first < last)
            spans[count++] =
                (struct iovec){(char *)all[i].iov_base + (first - at), last - first};
    }
    return count;
}

static int piece_copy_over(struct shm *shm, const struct joint_side *side,
                           uint64_t begin, uint64_t end)
{
    struct iovec local[JOINT_SPANS_MAX], remote[JOINT_SPANS_MAX];
    size_t count = spans_between(side->local, begin, end, local);
    spans_between(side->remote, begin, end, remote);
    return side->is_writer
               ? shm_copy_spans_to(shm, side->partner, remote, local, count)
               : shm_copy_spans_from(shm, side->partner, local, remote, count);
}

// The two processes have each other's memory for the remote one.
static int error_of_owner(const struct joint_side *side, int error)
{
    if (!side->is_helper || (error != MPI_ERR_BUFFER && error != MPI_ERR_OTHER))
        return error;
    return error == MPI_ERR_BUFFER ? MPI_ERR_OTHER : MPI_ERR_BUFFER;
}

bool shm_joint_work(struct shm *shm, const struct joint_side *side)
{
    int owner = side->is_helper ? side->partner : shm->node_rank;
    struct joint_copy *copy = joint_copy_at(shm, owner, side->name.index);
    uint64_t begin, end, done = 0;
    int err = 0, none = 0;
    while (piece_take(copy, side, &begin, &end)) {
        if (!err)
            err = error_of_owner(side, piece_copy_over(shm, side, begin, end));
        done += end - begin;
    }
    if (done == 0)
        return false;
    if (err)
        atomic_compare_exchange_strong(&copy->error, &none, err);
    return atomic_fetch_sub(&copy->left, done) == done;
}

bool shm_joint_is_complete(const struct shm *shm, struct joint_name name)
{
    return atomic_load(&joint_copy_at(shm, shm->node_rank, name.index)->left) == 0;
}

int shm_joint_end(struct shm *shm, struct joint_name name, int helper)
{
    struct joint_copy *copy = joint_copy_at(shm, shm->node_rank, name.index);
    while (atomic_load(&copy->left) > 0) {
        if (!shm_is_alive(shm, helper))
            return MPI_ERR_PROC_ABORTED; // the record is lost
        sched_yield();
    }
    copy->is_used = false;
    return atomic_load(&copy->error);
}
