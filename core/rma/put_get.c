// SPDX-License-Identifier: BSD-3-Clause
// MPI_Put and MPI_Get (MPI-4.1 12.3.1, 12.3.2). At a target that is mapped, blocks of one
// type are moved by the body of the fast form. Runs of blocks, such as a vector and
// contiguous memory, are moved here. At one that is reached by batches, blocks of one type
// are added to its batch. The rest is for the means of the target.
#include "rma/inline.h"
#include "rma/operation.h"

#include <oriel_core.h>

// What `count` elements of a type are, if that is one run with data.
static inline bool run_of(const struct datatype *type, MPI_Count count, struct run *run)
{
    *run = type->run;
    if (unlikely(count != 1) && !type->is_contiguous)
        return false;
    return !__builtin_mul_overflow(count, run->block, &run->block) && run->block > 0;
}

// Makes the first run one of as many blocks as the other one has, if it is contiguous.
// False when they are not alike then.
static inline bool run_divide(struct run *run, const struct run *other)
{
    if (run->count == 1 && run->block == other->block * (size_t)other->count)
        *run = (struct run){run->offset, other->count, (MPI_Aint)other->block,
                            other->block};
    return run->count == other->count && run->block == other->block;
}

// Where the target buffer begins; NULL if it does not lie in the mapped memory.
static inline char *run_target(const struct peer *peer, MPI_Aint displacement,
                               const struct datatype *type, const struct run *run)
{
    MPI_Aint begin, first;
    uint64_t bytes = type->is_contiguous ? run->block : (uint64_t)type->true_extent;
    if (unlikely(__builtin_mul_overflow(displacement, peer->unit, &begin)) ||
        unlikely(__builtin_add_overflow(begin, type->true_lb, &first)) ||
        unlikely(first < peer->begin) ||
        unlikely((uint64_t)first + bytes > (uint64_t)peer->end))
        return NULL;
    return exposed_at(peer->address, (uint64_t)(begin + run->offset));
}

// A run has at least one block.
static inline __attribute__((always_inline)) void
copy_blocks(char *to, MPI_Aint to_stride, const char *from, MPI_Aint from_stride,
            MPI_Count count, size_t block)
{
    do {
        copy_bytes(to, from, block);
        to += to_stride;
        from += from_stride;
    } while (--count != 0);
}

static inline void run_copy(char *to, const struct run *to_run, const char *from,
                            const struct run *from_run)
{
    switch (to_run->block) {
    case 4:
        copy_blocks(to, to_run->stride, from, from_run->stride, to_run->count, 4);
        break;
    case 8:
        copy_blocks(to, to_run->stride, from, from_run->stride, to_run->count, 8);
        break;
    case 16:
        copy_blocks(to, to_run->stride, from, from_run->stride, to_run->count, 16);
        break;
    default:
        copy_blocks(to, to_run->stride, from, from_run->stride, to_run->count,
                    to_run->block);
    }
}

// Does it all, or nothing and says false. The target is mapped.
static inline __attribute__((always_inline)) bool
move_runs(bool is_put, const struct peer *peer, char *origin, MPI_Count origin_count,
          const struct datatype *origin_type, MPI_Aint displacement,
          MPI_Count target_count, const struct datatype *target_type)
{
    struct run here, there;
    if (!run_of(origin_type, origin_count, &here) ||
        !run_of(target_type, target_count, &there))
        return false;
    char *target = run_target(peer, displacement, target_type, &there);
    if (unlikely(target == NULL) ||
        !(run_divide(&there, &here) || run_divide(&here, &there)))
        return false;
    origin += here.offset;
    if (is_put) {
        run_copy(target, &there, origin, &here);
        order_stored();
    } else {
        run_copy(origin, &here, target, &there);
    }
    return true;
}

static inline __attribute__((always_inline)) bool
move_mapped(bool is_put, const struct peer *peer, char *origin, MPI_Count origin_count,
            const struct datatype *origin_type, MPI_Aint displacement,
            MPI_Count target_count, const struct datatype *target_type)
{
    if (unlikely(peer->address == NULL))
        return false;
    bool is_same = origin_type == target_type && origin_count == target_count;
    return (is_same && move_at_once(is_put, peer, origin, displacement, origin_count,
                                    origin_type)) ||
           move_runs(is_put, peer, origin, origin_count, origin_type, displacement,
                     target_count, target_type);
}

int oriel_put(const void *origin_addr, MPI_Count origin_count,
              struct datatype *origin_datatype, int target_rank, MPI_Aint target_disp,
              MPI_Count target_count, struct datatype *target_datatype,
              struct window *win)
{
    struct peer *peer;
    int err = target_peer(win, target_rank, &peer);
    if (err || peer == NULL ||
        move_mapped(true, peer, (char *)origin_addr, origin_count, origin_datatype,
                    target_disp, target_count, target_datatype))
        return err;
    if (may_take_batches(peer) && origin_datatype == target_datatype &&
        origin_count == target_count &&
        batch_move_at_once(true, false, win, peer, (char *)origin_addr, target_disp,
                           origin_count, origin_datatype, &err))
        return err;
    struct operation operation = {
        .kind = OPERATION_PUT,
        .origin = {(char *)origin_addr, origin_count, origin_datatype},
        .target = {target_rank, target_disp, target_count, target_datatype},
        .window = win,
        .peer = peer,
    };
    err = operation_check(&operation);
    return err ? err : operation.means->start[OPERATION_PUT](&operation);
}

int oriel_get(void *origin_addr, MPI_Count origin_count,
              struct datatype *origin_datatype, int target_rank, MPI_Aint target_disp,
              MPI_Count target_count, struct datatype *target_datatype,
              struct window *win)
{
    struct peer *peer;
    int err = target_peer(win, target_rank, &peer);
    if (err || peer == NULL ||
        move_mapped(false, peer, origin_addr, origin_count, origin_datatype,
                    target_disp, target_count, target_datatype))
        return err;
    if (may_take_batches(peer) && origin_datatype == target_datatype &&
        origin_count == target_count &&
        batch_move_at_once(false, false, win, peer, origin_addr, target_disp,
                           origin_count, origin_datatype, &err))
        return err;
    struct operation operation = {
        .kind = OPERATION_GET,
        .origin = {origin_addr, origin_count, origin_datatype},
        .target = {target_rank, target_disp, target_count, target_datatype},
        .window = win,
        .peer = peer,
    };
    err = operation_check(&operation);
    return err ? err : operation.means->start[OPERATION_GET](&operation);
}
