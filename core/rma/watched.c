// SPDX-License-Identifier: BSD-3-Clause
// The means of peers whose accesses are watched (ORIEL_CHECK=races): each operation is told
// of before it goes by the means that the peer would have.
#include "rma/inline.h"
#include "rma/operation.h"

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
    if (peer_lock_state(operation->peer) == LOCK_UNCHECKED)
        return IN_UNCHECKED_LOCK;
    return operation->peer->lock_type == MPI_LOCK_EXCLUSIVE ? IN_EXCLUSIVE_LOCK
                                                            : IN_SHARED_LOCK;
}

static struct buffer_use use_of(const struct operation *operation, struct buffer buffer,
                                bool is_written)
{
    MPI_Count size = buffer.type->size;
    MPI_Count used =
        size == (MPI_Count)operation->bytes
            ? 1
            : ((MPI_Count)operation->bytes + size - 1) / (size > 0 ? size : 1);
    return (struct buffer_use){
        .address = buffer.address,
        .count = used < buffer.count ? used : buffer.count,
        .type = buffer.type,
        .is_written = is_written,
        .window = operation->window->watched,
        .target = operation->peer->rank,
        .epoch = access_epoch(operation),
        .request = operation->counter,
    };
}

enum { USES_MAX = 3 };

// How many there are.
static int uses_of(const struct operation *operation, struct buffer_use uses[USES_MAX])
{
    int count = 0;
    if (origin_gives(operation))
        uses[count++] = use_of(operation, operation->origin, false);
    if (operation->compare != NULL)
        uses[count++] = use_of(
            operation,
            (struct buffer){(char *)operation->compare, 1, operation->target.type},
            false);
    if (operation->kind == OPERATION_GET)
        uses[count++] = use_of(operation, operation->origin, true);
    if (operation->result.type != NULL)
        uses[count++] = use_of(operation, operation->result, true);
    return count;
}

void watched_use_buffers(const struct operation *operation)
{
    struct buffer_use uses[USES_MAX];
    if (operation->window->watched != NULL && operation->peer != NULL)
        races_use_buffers(uses, uses_of(operation, uses));
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
    struct buffer_use uses[USES_MAX];
    int use_count = operation->has_request ? 0 : uses_of(operation, uses);
    races_access(window->watched,
                 &(struct watched_access){
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
                     .given = operation->origin.type,
                     .op = operation->op,
                 },
                 uses, use_count);
    return 0;
}

const struct means means_watched = {.locate = locate_watched};

// ---- the next call of a loop ------------------------------------------------------------
// Only accesses of the open epoch are pending, so that it admits the target of the last
// one. Other threads may close it meanwhile.
static inline __attribute__((always_inline)) bool
move_again(bool is_put, char *origin, MPI_Count count, MPI_Datatype datatype, int rank,
           MPI_Aint displacement, MPI_Win win, const void *place)
{
    const struct window *window = handle_object(KIND_WIN, (uintptr_t)win);
    const struct datatype *type = handle_object(KIND_DATATYPE, (uintptr_t)datatype);
    if (window == NULL || type == NULL || process.thread_level == MPI_THREAD_MULTIPLE)
        return false;
    const struct peer *peer = window_find_peer(window, rank);
    MPI_Count bytes = block_bytes(count, type);
    MPI_Aint begin;
    if (peer == NULL || peer->watched != &means_load || bytes <= 0 ||
        is_nowhere((uintptr_t)origin) ||
        !target_offset(peer, displacement, bytes, &begin) ||
        !races_access_again(window->watched,
                            &(struct watched_block){
                                .kind = is_put ? WATCHED_PUT : WATCHED_GET,
                                .target = rank,
                                .place = (const char *)place - 1,
                                .offset = (uint64_t)begin,
                                .address = origin,
                                .bytes = (uint64_t)bytes,
                                .type = type,
                            }))
        return false;
    char *target = exposed_at(peer->base, (uint64_t)begin);
    copy_bytes(is_put ? target : origin, is_put ? origin : target, (size_t)bytes);
    if (is_put)
        order_stored();
    return true;
}

bool oriel_put_again(const void *origin_addr, MPI_Count origin_count,
                     MPI_Datatype origin_datatype, int target_rank,
                     MPI_Aint target_disp, MPI_Count target_count,
                     MPI_Datatype target_datatype, MPI_Win win, const void *place)
{
    return origin_datatype == target_datatype && origin_count == target_count &&
           move_again(true, (char *)origin_addr, origin_count, origin_datatype,
                      target_rank, target_disp, win, place);
}

bool oriel_get_again(void *origin_addr, MPI_Count origin_count,
                     MPI_Datatype origin_datatype, int target_rank,
                     MPI_Aint target_disp, MPI_Count target_count,
                     MPI_Datatype target_datatype, MPI_Win win, const void *place)
{
    return origin_datatype == target_datatype && origin_count == target_count &&
           move_again(false, origin_addr, origin_count, origin_datatype, target_rank,
                      target_disp, win, place);
}
