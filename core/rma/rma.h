// SPDX-License-Identifier: BSD-3-Clause
// rma: operations on the windows of other processes (MPI-4.1 12.3).
//
// Glossary
//   operation  one put or get as the program gave it, and what was found out about it
//   accumulation  an operation that combines elements of one basic type atomically
//   piece      bytes that are contiguous at the origin and at the target
//   walk       the pieces of an operation, in the order of the type maps
//   carry      moves the data of an operation, by the means that the target's reach
//              allows
//   batch      pieces that travel in one message and are carried out by the target
//   gather     to keep short operations until several of them make one batch
//
// A put moves all data that the origin buffer describes, a get all that the target
// buffer describes; the other buffer may be larger, as in a receive. If it is smaller,
// nothing moves and the error is MPI_ERR_TRUNCATE.
#pragma once

#include "rma/atomic.h"
#include "rma/order.h"
#include "window/window.h"

struct operation {
    bool is_put;
    char *origin;
    MPI_Count origin_count, target_count;
    const struct datatype *origin_type, *target_type;
    int rank;
    MPI_Aint displacement;
    struct window *window;
    // Found by rma_start:
    struct peer *peer;
    enum reach reach; // never REACH_ATTACHED
    void *part;       // REACH_LOAD: where the target's part begins in this process
    uint64_t offset;  // of the target buffer in the target's part
    size_t bytes;     // to be moved: the data that the giving buffer describes
    size_t room;      // of the receiving buffer
    struct net_counter
        *counter; // of its request: what is not yet complete here, or NULL
};

static inline struct operation
operation_of(bool is_put, const void *origin, MPI_Count origin_count,
             const struct datatype *origin_type, int rank, MPI_Aint displacement,
             MPI_Count target_count, const struct datatype *target_type,
             struct window *window)
{
    return (struct operation){.is_put = is_put,
                              .origin = (char *)origin,
                              .origin_count = origin_count,
                              .target_count = target_count,
                              .origin_type = origin_type,
                              .target_type = target_type,
                              .rank = rank,
                              .displacement = displacement,
                              .window = window};
}

// From now on this process carries out operations of others, until it stops to.
void rma_start_serving(void);
void rma_stop_serving(void);

// Starts an operation that is more than a copy of one piece: checks epoch, sizes and
// range (MPI_ERR_RMA_SYNC, _TRUNCATE, _RMA_RANGE), then carries it. It completes by a
// flush or the end of the epoch.
int rma_start(struct operation *operation);

// The steps of rma_start. The first one finds the peer and the bytes (MPI_ERR_RMA_SYNC,
// _COUNT, _TRUNCATE). If there are none, or the target is MPI_PROC_NULL, then nothing is
// moved, whatever else the arguments are: the operation has succeeded.
int rma_measure(struct operation *operation);
// The other one finds reach, part and offset of what is to be moved (MPI_ERR_RMA_RANGE).
int rma_locate(struct operation *operation);
// MPI_ERR_BUFFER where no memory can be, as with NULL and a datatype whose displacements
// are no addresses. The buffer has data.
int rma_check_buffer(const char *argument, const char *buffer, MPI_Count count,
                     const struct datatype *type);

// MPI-4.1 12.3.4. Without MPI_NO_OP the operation is a put of the origin buffer, and
// as much is fetched, if there is a result buffer; with MPI_NO_OP it is a get into the
// result buffer.
struct accumulation {
    struct operation operation;
    const struct op *op;
    char *result;
    MPI_Count result_count;
    const struct datatype *result_type; // NULL: nothing is fetched
    // Found by rma_accumulate:
    const struct basic *basic; // of the elements
};

// That of MPI_Get_accumulate.
struct accumulation fetching_accumulation(
    const void *origin_addr, MPI_Count origin_count, struct datatype *origin_datatype,
    void *result_addr, MPI_Count result_count, struct datatype *result_datatype,
    int target_rank, MPI_Aint target_disp, MPI_Count target_count,
    struct datatype *target_datatype, struct op *op, struct window *win);

// The same for accumulations; also checks types and operation (MPI_ERR_TYPE, _OP).
int rma_accumulate(struct accumulation *accumulation);
// The same for one element of the operation's type, which is predefined; what is
// fetched goes to `result`.
int rma_compare_and_swap(struct operation *operation, const char *compare,
                         char *result);

// Sends what is gathered for the target, if anything is. What cannot be sent is counted
// as failed, besides the error. Callers hold the message lock.
int rma_send_gathered(struct peer *peer);

// Finds reach and part of an operation on attached memory (MPI_ERR_RMA_RANGE).
int rma_find_attached(struct operation *operation);

// One for each reach.
int rma_load(const struct operation *operation);
int rma_copy(const struct operation *operation);
int rma_send(const struct operation *operation); // REACH_MESSAGE and REACH_NET

// ---- walks --------------------------------------------------------------------
// One buffer of a walk. A contiguous one has no need of a cursor.
struct side {
    bool is_contiguous;
    MPI_Aint at;
    struct blocks blocks;
};
struct walk {
    struct side origin, target;
    MPI_Aint origin_at; // of what is left of the origin's current block
    size_t origin_left;
    size_t left; // of the operation
};
struct piece {
    MPI_Aint origin, target; // offsets from the two buffers' addresses
    size_t bytes;
};

static inline struct side side_of(const struct datatype *type, MPI_Count count)
{
    return (struct side){.is_contiguous = type->is_contiguous,
                         .blocks = blocks_of(type, count)};
}

static inline struct walk walk_of(const struct operation *operation)
{
    return (struct walk){
        .origin = side_of(operation->origin_type, operation->origin_count),
        .target = side_of(operation->target_type, operation->target_count),
        .left = operation->bytes,
    };
}

static inline size_t side_next(struct side *side, size_t limit, MPI_Aint *offset)
{
    if (!side->is_contiguous)
        return blocks_next(&side->blocks, limit, offset);
    *offset = side->at;
    side->at += (MPI_Aint)limit;
    return limit;
}

// The next piece; false when there are no more.
static inline bool walk_next(struct walk *walk, struct piece *piece)
{
    *piece = (struct piece){0};
    if (walk->left == 0)
        return false;
    if (walk->origin_left == 0)
        walk->origin_left = side_next(&walk->origin, walk->left, &walk->origin_at);
    piece->origin = walk->origin_at;
    piece->bytes = side_next(&walk->target, walk->origin_left, &piece->target);
    walk->origin_at += (MPI_Aint)piece->bytes;
    walk->origin_left -= piece->bytes;
    walk->left -= piece->bytes;
    return true;
}

// Whether the operation is one piece.
static inline bool is_plain(const struct operation *operation)
{
    return operation->origin_type->is_contiguous &&
           operation->target_type->is_contiguous;
}
