// SPDX-License-Identifier: BSD-3-Clause
// The means of peers whose accesses are watched (ORIEL_CHECK=races): each operation is told
// of before it goes by the means that the peer would have.
#include "rma/operation.h"

static const char *watched_procedure(const struct operation *operation)
{
    static const char *const names[][2] = {
        [OPERATION_PUT] = {"MPI_Put", "MPI_Rput"},
        [OPERATION_GET] = {"MPI_Get", "MPI_Rget"},
        [OPERATION_ACCUMULATE] = {"MPI_Accumulate", "MPI_Raccumulate"},
        [OPERATION_GET_ACCUMULATE] = {"MPI_Get_accumulate", "MPI_Rget_accumulate"},
        [OPERATION_COMPARE_AND_SWAP] = {"MPI_Compare_and_swap"},
    };
    return operation->is_fetch_and_op ? "MPI_Fetch_and_op"
                                      : names[operation->kind][operation->has_request];
}

static enum access_kind access_kind(const struct operation *operation)
{
    switch (operation->kind) {
    case OPERATION_PUT:
        return WATCHED_PUT;
    case OPERATION_GET:
        return WATCHED_GET;
    default:
        return WATCHED_ACCUMULATE;
    }
}

static enum access_epoch access_epoch(const struct operation *operation)
{
    switch (epoch_access(&operation->window->epoch)) {
    case ACCESS_NONE:
        return IN_NO_EPOCH;
    case ACCESS_FENCE:
    case ACCESS_FENCE_USED:
        return IN_FENCE;
    case ACCESS_START:
        return IN_START;
    case ACCESS_LOCK:
    case ACCESS_LOCK_ALL:
        break;
    }
    return operation->peer->lock_type == MPI_LOCK_EXCLUSIVE ? IN_EXCLUSIVE_LOCK
                                                            : IN_SHARED_LOCK;
}

// What has a request and fetches may be complete before the epoch or a flush ends; as that
// is seen elsewhere, it counts as complete at once.
static int locate_watched(struct operation *operation)
{
    const struct peer *peer = operation->peer;
    operation->means = peer->watched;
    int err = operation->means->locate(operation);
    if (err)
        return err;
    const struct window *window = operation->window;
    bool is_here = peer->lock_record != NULL;
    bool fetches = operation->result.type != NULL;
    races_access(window->watched,
                 &(struct watched_access){
                     .procedure = watched_procedure(operation),
                     .kind = access_kind(operation),
                     .epoch = access_epoch(operation),
                     .is_complete = operation->has_request &&
                                    (fetches || operation->kind == OPERATION_GET),
                     .fetches = fetches,
                     .target = peer->rank,
                     .handle = peer->member->handle,
                     .clocks = is_here
                                   ? window_lock_clocks(window, peer->member->node_rank)
                                   : (struct lock_clocks){0},
                     .offset = operation->offset,
                     .count = operation->target.count,
                     .type = operation->target.type,
                     .op = operation->op,
                 });
    return 0;
}

const struct means means_watched = {.locate = locate_watched};
