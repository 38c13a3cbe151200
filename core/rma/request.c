// SPDX-License-Identifier: BSD-3-Clause
// Operations with a request (MPI-4.1 12.3.5). The operation is locally complete when
// the request is. An operation that has completed at once shares `request_done`.
#include "rma/batch.h"

#include <oriel_core.h>
#include <stdlib.h>

struct operation_request {
    struct request request;
    struct net_counter counter; // accesses and batches that fetch
    bool is_started;            // no more will be added
};

static const struct request_kind operation_kind;

// ORIEL_CHECK=races: its buffers are the program's again.
static int watched_result(struct request *request, MPI_Status *status)
{
    (void)status;
    races_return_buffers_of(&((struct operation_request *)request)->counter);
    return request->error;
}

static const struct request_kind watched_kind = {.result = watched_result};

static void operation_request_destroy(struct object *object)
{
    request_clear((struct request *)object);
    free(object);
}

// Callers hold the message lock.
static void operation_completed(struct net_counter *counter)
{
    size_t offset = offsetof(struct operation_request, counter);
    struct operation_request *request =
        (struct operation_request *)((char *)counter - offset);
    if (request->is_started && net_counter_pending(counter) == 0)
        request_complete(&request->request, atomic_load(&counter->error));
}

static int request_make(struct window *window, struct operation_request **made)
{
    struct operation_request *request = malloc(sizeof *request);
    if (request == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for a request");
    request_init(&request->request,
                 races_are_checked() ? &watched_kind : &operation_kind, window,
                 operation_request_destroy);
    request->counter = (struct net_counter){.completed_one = operation_completed};
    request->is_started = false;
    *made = request;
    return object_open(&request->request.object, KIND_REQUEST);
}

// From now on the request may complete. Without anything under way it is dropped.
static struct request *request_start(struct operation_request *request)
{
    message_lock();
    bool is_needed = atomic_load(&request->counter.issued) > 0 || races_are_checked();
    request->is_started = true;
    if (is_needed && net_counter_pending(&request->counter) == 0)
        request_complete(&request->request, atomic_load(&request->counter.error));
    message_unlock();
    if (is_needed)
        return &request->request;
    object_close(&request->request.object);
    return &request_done;
}

// Operations on MPI_PROC_NULL need no epoch.
static int operation_check_epoch(const struct operation *operation)
{
    const struct window *window = operation->window;
    if (operation->target.rank == MPI_PROC_NULL ||
        epoch_admits_requests(&window->epoch))
        return 0;
    return fail(MPI_ERR_RMA_SYNC,
                "operations with a request need a lock; %s on the window",
                window_epoch(window));
}

static int operation_run(const struct operation *operation)
{
    return operation->means->start[operation->kind](operation);
}

// Loads and stores are complete when the call returns, and so is what has no bytes.
static bool is_done_at_once(const struct operation *operation)
{
    return (operation->means == &means_load && !races_are_checked()) ||
           operation->bytes == 0;
}

// Sends the batch of an operation that has failed between two pieces, for it points to
// the request's counter. Only the first error is returned.
static void batch_send_begun(const struct operation *operation)
{
    if (operation->peer == NULL || operation->peer->traffic == NULL)
        return;
    message_lock();
    batch_finish(operation);
    message_unlock();
}

static int operation_run_counted(struct operation *operation, struct request **request)
{
    struct operation_request *made = NULL;
    int err = request_make(operation->window, &made);
    if (err)
        return err;
    operation->counter = &made->counter;
    if (races_are_checked())
        watched_use_buffers(operation);
    err = operation_run(operation);
    if (err)
        batch_send_begun(operation);
    struct request *started = request_start(made);
    if (err) // what is under way completes the request nevertheless
        oriel_request_free(started);
    else
        *request = started;
    return err;
}

static int operation_start(struct operation *operation, struct request **request)
{
    int err = operation_check_epoch(operation);
    operation->has_request = true;
    if (!err)
        err = operation_check(operation);
    if (err)
        return err;
    if (!is_done_at_once(operation))
        return operation_run_counted(operation, request);
    err = operation_run(operation);
    if (!err)
        *request = &request_done;
    return err;
}

// A put of one block into a batch needs no request of its own.
static int put_in_batch(struct window *window, const struct operation *operation,
                        bool *is_done)
{
    struct peer *peer;
    const struct buffer *origin = &operation->origin;
    const struct target *target = &operation->target;
    *is_done = false;
    if (!epoch_admits_requests(&window->epoch))
        return 0;
    int err = target_peer(window, target->rank, &peer);
    if (!err && peer != NULL && may_take_batches(peer) &&
        origin->type == target->type && origin->count == target->count)
        *is_done =
            batch_move_at_once(true, true, window, peer, origin->address,
                               target->displacement, origin->count, origin->type, &err);
    return err;
}

int oriel_rput(const void *origin_addr, MPI_Count origin_count,
               struct datatype *origin_datatype, int target_rank, MPI_Aint target_disp,
               MPI_Count target_count, struct datatype *target_datatype,
               struct window *win, struct request **request)
{
    struct operation operation = {
        .kind = OPERATION_PUT,
        .origin = {(char *)origin_addr, origin_count, origin_datatype},
        .target = {target_rank, target_disp, target_count, target_datatype},
        .window = win,
    };
    bool is_done;
    int err = put_in_batch(win, &operation, &is_done);
    if (err || !is_done)
        return err ? err : operation_start(&operation, request);
    *request = &request_done;
    return 0;
}

int oriel_rget(void *origin_addr, MPI_Count origin_count,
               struct datatype *origin_datatype, int target_rank, MPI_Aint target_disp,
               MPI_Count target_count, struct datatype *target_datatype,
               struct window *win, struct request **request)
{
    struct operation operation = {
        .kind = OPERATION_GET,
        .origin = {origin_addr, origin_count, origin_datatype},
        .target = {target_rank, target_disp, target_count, target_datatype},
        .window = win,
    };
    return operation_start(&operation, request);
}

int oriel_raccumulate(const void *origin_addr, MPI_Count origin_count,
                      struct datatype *origin_datatype, int target_rank,
                      MPI_Aint target_disp, MPI_Count target_count,
                      struct datatype *target_datatype, struct op *op,
                      struct window *win, struct request **request)
{
    struct operation operation = {
        .kind = OPERATION_ACCUMULATE,
        .origin = {(char *)origin_addr, origin_count, origin_datatype},
        .target = {target_rank, target_disp, target_count, target_datatype},
        .window = win,
        .op = op,
    };
    return operation_start(&operation, request);
}

int oriel_rget_accumulate(const void *origin_addr, MPI_Count origin_count,
                          struct datatype *origin_datatype, void *result_addr,
                          MPI_Count result_count, struct datatype *result_datatype,
                          int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                          struct datatype *target_datatype, struct op *op,
                          struct window *win, struct request **request)
{
    struct operation operation =
        get_accumulate_of(origin_addr, origin_count, origin_datatype, result_addr,
                          result_count, result_datatype, target_rank, target_disp,
                          target_count, target_datatype, op, win);
    return operation_start(&operation, request);
}
