// SPDX-License-Identifier: BSD-3-Clause
// Moving data within the node, complete on return: by loads and stores where the
// target's part is mapped here, else by copies of the kernel.
#include "rma/rma.h"

#include <string.h>

// One buffer of an operation, in this process.
struct buffer {
    const struct datatype *type;
    MPI_Count count;
    char *address;
};

static void copy_pieces(const struct operation *operation, char *target)
{
    char *origin = operation->origin;
    struct walk walk = walk_of(operation);
    struct piece piece;
    while (walk_next(&walk, &piece)) {
        if (operation->is_put)
            memcpy(target + piece.target, origin + piece.origin, piece.bytes);
        else
            memcpy(origin + piece.origin, target + piece.target, piece.bytes);
    }
}

// Two layouts that both have gaps are walked; else one side is the other one packed.
int rma_load(const struct operation *operation)
{
    struct buffer origin = {operation->origin_type, operation->origin_count,
                            operation->origin};
    struct buffer target = {operation->target_type, operation->target_count,
                            part_at(operation->part, operation->offset)};
    struct buffer from = operation->is_put ? origin : target;
    struct buffer to = operation->is_put ? target : origin;
    if (to.type->is_contiguous)
        datatype_pack(from.type, from.count, from.address, to.address);
    else if (from.type->is_contiguous && operation->bytes == operation->room)
        datatype_unpack(to.type, to.count, to.address, from.address);
    else
        copy_pieces(operation, target.address);
    if (operation->is_put)
        order_stored();
    return 0;
}

int rma_copy(const struct operation *operation)
{
    int mate = process.boot->node_rank_of[operation->peer->job_rank];
    uint64_t target = operation->peer->member->place + operation->offset;
    struct walk walk = walk_of(operation);
    struct piece piece;
    int err = 0;
    while (!err && walk_next(&walk, &piece)) {
        uint64_t remote = target + (uint64_t)piece.target;
        char *local = operation->origin + piece.origin;
        err = operation->is_put
                  ? shm_copy_to(process.shm, mate, remote, local, piece.bytes)
                  : shm_copy_from(process.shm, mate, local, remote, piece.bytes);
    }
    if (operation->is_put)
        order_stored();
    return err;
}
