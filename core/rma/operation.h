// SPDX-License-Identifier: BSD-3-Clause
// The descriptor of an operation. The procedure that the program calls fills in its
// arguments, operation_check adds the target's peer, means and memory, and from then on
// it is only read.
#pragma once

#include "rma/rma.h"

enum operation_kind {
    OPERATION_PUT,
    OPERATION_GET,
    OPERATION_ACCUMULATE,
    OPERATION_GET_ACCUMULATE,
    OPERATION_COMPARE_AND_SWAP,
    OPERATION_KINDS
};

// Memory of the program. A buffer that an operation does not have has no type.
struct buffer {
    char *address;
    MPI_Count count;
    const struct datatype *type;
};

struct target {
    int rank;
    MPI_Aint displacement;
    MPI_Count count;
    const struct datatype *type;
};

struct operation {
    enum operation_kind kind;
    struct buffer origin; // a get's destination; with MPI_NO_OP the same as `result`
    struct target target;
    struct window *window;
    const struct op *op;  // accumulates only
    struct buffer result; // of what the target had before
    bool has_request;
    const char *compare;         // MPI_Compare_and_swap: one element
    struct net_counter *counter; // of the request: what is not complete here, or NULL
    struct peer *peer;           // found by operation_check unless it is known
    // Found by operation_check:
    const struct means *means;
    char *base;      // means_load: of the exposed memory, in this process
    uint64_t offset; // of the target buffer in the exposed memory
    size_t bytes;    // to be moved: the data of the buffer that gives
    size_t capacity; // of the buffer that receives
};

// How operations get at the exposed memory of a target. A peer has one, chosen when it
// is made; attached memory is found by each operation, which then has another.
struct means {
    // Finds the target buffer in the exposed memory (MPI_ERR_RMA_RANGE).
    int (*locate)(struct operation *operation);
    // Starts an operation of the kind. It completes by a flush or the end of the epoch.
    int (*start[OPERATION_KINDS])(const struct operation *operation);
};
extern const struct means means_load;   // mapped here: plain loads and stores
extern const struct means means_batch;  // of a local peer, not mapped: by its batches
extern const struct means means_shared; // in part mapped; means found by each operation
extern const struct means means_network;  // remote access, or carried out by the target
extern const struct means means_attached; // on this node; means found by each operation
extern const struct means means_watched;  // tells of each operation, then has others
// The buffers of an operation are in use; one with a request has its counter.
void watched_use_buffers(const struct operation *operation);
extern const struct means means_distant_attached; // the same on another node

// Checks epoch, sizes, types and buffers (MPI_ERR_RMA_SYNC, _COUNT, _TRUNCATE, _TYPE,
// _OP, _BUFFER), finds the peer and its means and locates the target buffer
// (MPI_ERR_RMA_RANGE). An operation without bytes, or on MPI_PROC_NULL, succeeds
// whatever else its arguments are: it has means that do nothing.
int operation_check(struct operation *operation);

// The operation of MPI_Get_accumulate. With MPI_NO_OP it is a get into the result
// buffer.
struct operation get_accumulate_of(const void *origin_addr, MPI_Count origin_count,
                                   struct datatype *origin_datatype, void *result_addr,
                                   MPI_Count result_count,
                                   struct datatype *result_datatype, int target_rank,
                                   MPI_Aint target_disp, MPI_Count target_count,
                                   struct datatype *target_datatype, struct op *op,
                                   struct window *win);

// The peer of an operation's target; NULL for MPI_PROC_NULL. Errors as window_target.
static inline int target_peer(struct window *window, int rank, struct peer **peer)
{
    *peer = NULL;
    return rank == MPI_PROC_NULL ? 0 : window_target(window, rank, peer);
}

// Locates the target buffer of a window that is not dynamic.
int locate_in_window(struct operation *operation);

// Does the origin have data for the target? A get and MPI_NO_OP only read the target.
static inline bool origin_gives(const struct operation *operation)
{
    return operation->kind != OPERATION_GET &&
           (operation->kind != OPERATION_GET_ACCUMULATE || !is_no_op(operation->op));
}

// Both buffers are contiguous.
static inline bool is_contiguous(const struct operation *operation)
{
    return operation->origin.type->is_contiguous &&
           operation->target.type->is_contiguous;
}

// ---- members of several means -------------------------------------------------
// By batches.
int batch_move(const struct operation *operation);
// May these carry operations on the peer out?
static inline bool may_take_batches(const struct peer *peer)
{
    return peer->means == &means_batch || peer->means == &means_attached;
}
// Puts or gets elements that are one block at such a peer; false, with nothing done, if
// they are not, or an argument needs a closer look. A put with a request is complete here
// when the call returns.
bool batch_move_at_once(bool is_put, bool has_request, struct window *window,
                        struct peer *peer, void *origin, MPI_Aint displacement,
                        MPI_Count count, const struct datatype *type, int *err);
// Likewise updates elements of one predefined type, which are not many.
struct batch_operands {
    const char *origin, *compare; // MPI_Compare_and_swap; else NULL
    char *result;                 // NULL: fetches nothing
};
bool batch_update_at_once(struct window *window, struct peer *peer,
                          const struct batch_operands *operands, MPI_Aint displacement,
                          MPI_Count count, const struct datatype *type, uintptr_t op,
                          int *err);
bool batch_swap_at_once(struct window *window, struct peer *peer,
                        const struct batch_operands *operands, MPI_Aint displacement,
                        const struct datatype *type, int *err);
int batch_accumulate(const struct operation *operation);
int batch_compare_and_swap(const struct operation *operation);
// Elements of shared pages are updated here, those that touch an end by the target.
int partly_accumulate(const struct operation *operation);
// The same on memory that is mapped here.
int load_accumulate(const struct operation *operation);
int load_compare_and_swap(const struct operation *operation);
