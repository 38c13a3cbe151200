// SPDX-License-Identifier: BSD-3-Clause
// Operations on memory that is mapped here, complete on return: puts and gets are loads
// and stores.
#include "rma/walk.h"

static void copy_pieces(const struct operation *operation, char *target)
{
    char *origin = operation->origin.address;
    struct walk walk;
    struct piece piece;
    walk_begin(&walk, operation);
    while (walk_next(&walk, &piece)) {
        if (operation->kind == OPERATION_PUT)
            copy_bytes(target + piece.target, origin + piece.origin, piece.bytes);
        else
            copy_bytes(origin + piece.origin, target + piece.target, piece.bytes);
    }
}

// Two layouts that both have gaps are walked; else one side is the other one packed.
static int load_move(const struct operation *operation)
{
    bool is_put = operation->kind == OPERATION_PUT;
    struct buffer target = {exposed_at(operation->base, operation->offset),
                            operation->target.count, operation->target.type};
    const struct buffer *from = is_put ? &operation->origin : &target;
    const struct buffer *to = is_put ? &target : &operation->origin;
    if (to->type->is_contiguous)
        datatype_pack(from->type, from->count, from->address, to->address);
    else if (from->type->is_contiguous && operation->bytes == operation->capacity)
        datatype_unpack(to->type, to->count, to->address, from->address);
    else
        copy_pieces(operation, target.address);
    if (is_put)
        order_stored();
    return 0;
}

const struct means means_load = {
    .locate = locate_in_window,
    .start = {[OPERATION_PUT] = load_move,
              [OPERATION_GET] = load_move,
              [OPERATION_ACCUMULATE] = load_accumulate,
              [OPERATION_GET_ACCUMULATE] = load_accumulate,
              [OPERATION_COMPARE_AND_SWAP] = load_compare_and_swap},
};
