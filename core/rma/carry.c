// SPDX-License-Identifier: BSD-3-Clause
// Moving data within the node, complete on return: by loads and stores where the
// target's part is mapped here, else by copies of the kernel.
#include "rma/rma.h"

#include <string.h>

int rma_load(const struct operation *operation)
{
    char *origin = operation->origin;
    char *target = operation->peer->address + operation->offset;
    struct walk walk = walk_of(operation);
    struct piece piece;
    while (walk_next(&walk, &piece)) {
        if (operation->is_put)
            memcpy(target + piece.target, origin + piece.origin, piece.bytes);
        else
            memcpy(origin + piece.origin, target + piece.target, piece.bytes);
    }
    return 0;
}

int rma_copy(const struct operation *operation)
{
    int mate = process.boot->node_rank_of[operation->peer->job_rank];
    uint64_t target = operation->peer->card->place + operation->offset;
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
    return err;
}
