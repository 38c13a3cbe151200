// SPDX-License-Identifier: BSD-3-Clause
// Sends and receives from their start to their end (MPI-4.1 3.2, 3.7).
#include "pt2pt/handlers.h"
#include "pt2pt/middle.h"
#include "pt2pt/probe.h"
#include "pt2pt/remote_read.h"

#include <stdlib.h>

enum { SPARES_MAX = 256 }; // transfers that have ended, for the next ones

static void spares_free(struct matching *matching)
{
    while (matching->spares != NULL) {
        struct transfer *spare = matching->spares;
        matching->spares = spare->next;
        free(spare);
    }
}

int pt2pt_start(void)
{
    struct matching *matching = calloc(1, sizeof *matching);
    if (matching == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory to match messages");
    process.matching = matching;
    messages_of_nobody_start();
    handlers_start();
    awaited_messages_start();
    message_bundle_kind(MESSAGE_EAGER_IN_BURST, &request_leaving.is_complete);
    return 0;
}

void pt2pt_stop(void)
{
    struct matching *matching = process.matching;
    handlers_stop();
    messages_of_nobody_stop();
    unexpected_free_all();
    left_exposed_free_all();
    send_buffer_free(matching->buffer);
    free(matching->names);
    free(matching->middle_times);
    incoming_free_all();
    spares_free(matching);
    free(matching);
    process.matching = NULL;
}

// ---- what the program sees of them

static inline int transfer_begin_or_receive(struct transfer *transfer,
                                            struct unexpected **taken)
{
    int err = 0;
    transfer_pack(transfer);
    message_lock();
    if (taken == NULL || *taken == NULL) {
        err = transfer_begin(transfer);
    } else {
        receive_unexpected(transfer, *taken);
        *taken = NULL;
    }
    message_unlock();
    return err;
}

static int transfer_restart(struct request *request)
{
    struct transfer *transfer = (struct transfer *)request;
    request->is_cancelled = false;
    if (races_are_checked())
        transfer_use_buffer(&transfer->parameters, request);
    if (!transfer->parameters.is_buffered)
        return transfer_begin_or_receive(transfer, NULL);
    int err = buffered_send(&transfer->parameters);
    if (err)
        return err;
    message_lock();
    transfer_end(transfer, 0);
    message_unlock();
    return 0;
}

static int transfer_result(struct request *request, MPI_Status *status)
{
    const struct transfer *transfer = (const struct transfer *)request;
    (void)status;
    if (request->error != MPI_ERR_TRUNCATE)
        return request->error;
    return fail(MPI_ERR_TRUNCATE,
                "a message of %ju bytes from rank %d with tag %d does not fit into %ju "
                "bytes",
                (uintmax_t)transfer->length, request->source, request->tag,
                (uintmax_t)transfer->bytes);
}

static const struct request_kind transfer_kind = {.start = transfer_restart,
                                                  .cancel = transfer_cancel,
                                                  .result = transfer_result,
                                                  .explain = transfer_explain_request};

// ORIEL_CHECK=races: its buffer is the program's again.
static int transfer_result_watched(struct request *request, MPI_Status *status)
{
    races_return_buffers_of(request);
    return transfer_result(request, status);
}

static const struct request_kind watched_kind = {.start = transfer_restart,
                                                 .cancel = transfer_cancel,
                                                 .result = transfer_result_watched,
                                                 .explain = transfer_explain_request};

static void transfer_watch(struct transfer *transfer)
{
    if (transfer->parameters.channel != CHANNEL_USER)
        return;
    request_set_kind(&transfer->request, &watched_kind);
    transfer_use_buffer(&transfer->parameters, &transfer->request);
}

// ---- their memory

static void destroy_in_place(struct object *object)
{
    (void)object; // the memory is the caller's
}

// Memory for a transfer, from those that have ended; NULL when there is none. The lock
// may be held, by this thread too.
static struct transfer *transfer_memory(void)
{
    struct transfer *spare = NULL;
    if (message_try_lock()) {
        struct matching *matching = process.matching;
        spare = matching->spares;
        if (likely(spare != NULL)) {
            matching->spares = spare->next;
            matching->spare_count--;
        }
        message_unlock();
    }
    return likely(spare != NULL) ? spare : malloc(sizeof *spare);
}

// Keeps the memory of some transfers for the next ones.
static bool transfer_keep(struct transfer *transfer)
{
    struct matching *matching = process.matching;
    if (matching == NULL || !message_try_lock())
        return false;
    bool is_kept = matching->spare_count < SPARES_MAX;
    if (is_kept) {
        transfer->next = matching->spares;
        matching->spares = transfer;
        matching->spare_count++;
    }
    message_unlock();
    return is_kept;
}

static void transfer_destroy(struct object *object)
{
    struct transfer *transfer = (struct transfer *)object;
    transfer_clear(transfer);
    if (!transfer_keep(transfer))
        free(transfer);
}

int parameters_bytes(const struct transfer_parameters *parameters, size_t *bytes)
{
    MPI_Count product;
    if (__builtin_mul_overflow(parameters->count, parameters->type->size, &product))
        return fail(MPI_ERR_COUNT, "count = %jd: elements of %jd bytes are too many",
                    (intmax_t)parameters->count, (intmax_t)parameters->type->size);
    *bytes = (size_t)product;
    return 0;
}

// What begins with the message is set then. The members are set one by one, since
// compilers clear whole structs slowly.
static int transfer_set_up(struct transfer *transfer,
                           const struct transfer_parameters *parameters,
                           void (*destroy)(struct object *))
{
    size_t bytes = 0;
    int err = parameters_bytes(parameters, &bytes);
    if (err)
        return err;
    char *packed = NULL;
    bool has_gaps = !parameters->type->is_contiguous && bytes > 0;
    if (has_gaps && parameters->rank != MPI_PROC_NULL && !parameters->is_buffered) {
        packed = malloc(bytes);
        if (packed == NULL)
            return fail(MPI_ERR_NO_MEM, "no memory to pack %zu bytes", bytes);
    }
    request_init(&transfer->request, &transfer_kind, parameters->comm, destroy);
    transfer->parameters = *parameters;
    object_retain(parameters->type); // the program may free it while it is needed
    transfer->bucket = NULL;
    transfer->ended = NULL;
    transfer->part_of = NULL;
    transfer->bytes = bytes;
    transfer->packed = packed;
    transfer->data = packed ? packed : parameters->buffer;
    transfer->peer = 0;
    transfer->id = transfer->sender = 0;
    transfer->wanted = transfer->asked = transfer->received = 0;
    transfer->is_joint = false;
    transfer->read = NULL;
    transfer->exposed = NULL;
    transfer->length = 0;
    return 0;
}

int transfer_init(struct transfer *transfer,
                  const struct transfer_parameters *parameters)
{
    return transfer_set_up(transfer, parameters, destroy_in_place);
}

void transfer_clear(struct transfer *transfer)
{
    if (transfer->packed != NULL)
        free(transfer->packed);
    object_release(transfer->parameters.type);
    request_clear(&transfer->request);
}

int transfer_make(const struct transfer_parameters *parameters, struct transfer **made)
{
    struct transfer *transfer = transfer_memory();
    if (transfer == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for a message");
    int err = transfer_set_up(transfer, parameters, transfer_destroy);
    if (err) {
        free(transfer);
        return err;
    }
    *made = transfer;
    return 0;
}

// ---- the beginning

void transfer_pack(struct transfer *transfer)
{
    const struct transfer_parameters *parameters = &transfer->parameters;
    if (parameters->is_send && transfer->packed != NULL)
        datatype_pack(parameters->type, parameters->count, parameters->buffer,
                      transfer->packed);
}

// Does it go as one message?
static bool is_undivided(const struct transfer *transfer)
{
    return transfer->bytes + sizeof(struct envelope) <= message_max(transfer->peer);
}

static int send_eager(struct transfer *transfer, const struct envelope *envelope)
{
    size_t bytes = (size_t)transfer->bytes,
           sent = is_undivided(transfer) ? bytes : PART_MAX;
    int err = message_send(transfer->peer, MESSAGE_EAGER, envelope, sizeof *envelope,
                           transfer->data, sent);
    for (size_t part; !err && sent < bytes; sent += part) {
        part = bytes - sent < PART_MAX ? bytes - sent : PART_MAX;
        err = message_send(transfer->peer, MESSAGE_PART, NULL, 0, transfer->data + sent,
                           part);
    }
    if (!err && transfer->id == 0)
        transfer_end(transfer, 0);
    return err;
}

// Longer messages are eager too if they need not wait, those to local peers in parts: the
// receiver takes the first ones while the last are written, unless one copy takes less time.
static bool is_eager(const struct transfer *transfer)
{
    size_t bytes = (size_t)transfer->bytes;
    bool may_be = is_undivided(transfer) ||
                  (is_local_peer(transfer->peer) && bytes <= EAGER_IN_PARTS_MAX);
    return bytes <= EAGER_MAX ||
           (may_be &&
            message_has_room(transfer->peer, bytes + sizeof(struct envelope)) &&
            !middle_is_copied(transfer));
}

static int send_rts(struct transfer *transfer, struct envelope *envelope)
{
    struct shm *shm = process.shm;
    envelope->is_in_segment =
        shm_contains(shm, transfer->data, (size_t)transfer->bytes);
    if (!envelope->is_in_segment && is_local_peer(transfer->peer))
        shm_open_memory(shm);
    envelope->place = envelope->is_in_segment ? shm_offset(shm, transfer->data)
                                              : (uintptr_t)transfer->data;
    envelope->is_for_keeping = middle_may_be_kept(transfer);
    size_t mapped;
    if (is_on_other_node(transfer->peer) &&
        memory_has_holes(transfer->data, (size_t)transfer->bytes, &mapped))
        return fail(MPI_ERR_BUFFER, "only the first %zu bytes of this buffer are there",
                    mapped);
    uint64_t key = 0;
    envelope->is_exposed =
        is_on_other_node(transfer->peer) && send_expose(transfer, envelope, &key);
    return message_send(transfer->peer, MESSAGE_RTS, envelope, sizeof *envelope, &key,
                        envelope->is_exposed ? sizeof key : 0);
}

void transfer_order(const struct transfer_parameters *parameters)
{
    const struct communicator *comm = parameters->comm;
    if (is_ordered(parameters->channel))
        races_sent(comm_job_rank(comm, parameters->rank),
                   (struct message_key){comm->context, (int)parameters->channel,
                                        parameters->tag},
                   parameters->channel == CHANNEL_USER ? parameters->type : NULL);
}

void transfer_use_buffer(const struct transfer_parameters *parameters,
                         const struct request *request)
{
    if (parameters->rank != MPI_PROC_NULL)
        races_use_buffers(&(struct buffer_use){.address = parameters->buffer,
                                               .count = parameters->count,
                                               .type = parameters->type,
                                               .is_written = !parameters->is_send,
                                               .request = request},
                          1);
}

static int begin_send(struct transfer *transfer)
{
    const struct transfer_parameters *parameters = &transfer->parameters;
    struct envelope envelope = envelope_of(parameters, transfer->bytes);
    transfer->peer = comm_job_rank(parameters->comm, parameters->rank);
    bool with_data = is_eager(transfer);
    if (!with_data || parameters->is_synchronous) {
        int err = transfer_name(transfer);
        if (err)
            return err;
        envelope.sender = transfer->id;
    }
    if (middle_begin(transfer, with_data))
        envelope.sender = TIMED_EAGER;
    if (races_are_checked())
        transfer_order(parameters);
    int err =
        with_data ? send_eager(transfer, &envelope) : send_rts(transfer, &envelope);
    if (err)
        transfer_forget(transfer);
    return err;
}

int transfer_begin(struct transfer *transfer)
{
    const struct transfer_parameters *parameters = &transfer->parameters;
    if (parameters->rank == MPI_PROC_NULL) { // MPI-4.1 3.10: no effect
        transfer->request.source = MPI_PROC_NULL;
        transfer_end(transfer, 0);
        return 0;
    }
    if (parameters->is_send)
        return begin_send(transfer);
    struct unexpected *unexpected = unexpected_take_or_post(transfer);
    if (unexpected != NULL)
        receive_unexpected(transfer, unexpected);
    return 0;
}

// ---- from the beginning to the end

static void transfer_give_up(struct transfer *transfer)
{
    if (races_are_checked())
        races_return_buffers_of(&transfer->request);
    message_lock();
    transfer_hide(transfer);
    message_unlock();
}

static inline __attribute__((always_inline)) int
carry_out(const struct transfer_parameters *parameters, struct unexpected **taken,
          MPI_Status *status, int (*wait)(struct transfer *))
{
    struct transfer transfer;
    int err = transfer_init(&transfer, parameters);
    if (err)
        return err;
    if (races_are_checked())
        transfer_watch(&transfer);
    err = transfer_begin_or_receive(&transfer, taken);
    if (!err) {
        err = wait(&transfer);
        if (!err)
            err = request_result(&transfer.request, status);
        else
            transfer_give_up(&transfer);
    }
    transfer_clear(&transfer);
    return err;
}

static int transfer_wait(struct transfer *transfer)
{
    return request_wait(&transfer->request);
}

int transfer_carry_out(const struct transfer_parameters *parameters,
                       struct unexpected **taken, MPI_Status *status)
{
    return carry_out(parameters, taken, status, transfer_wait);
}

static int transfer_wait_for_send(struct transfer *transfer)
{
    return send_wait(transfer, &transfer->request);
}

int send_carry_out(const struct transfer_parameters *parameters)
{
    struct transfer_parameters awaited = *parameters;
    awaited.is_awaited = true;
    return carry_out(&awaited, NULL, MPI_STATUS_IGNORE, transfer_wait_for_send);
}

int transfer_start(const struct transfer_parameters *parameters,
                   struct unexpected **taken, struct request **request)
{
    struct transfer *transfer = NULL;
    int err = transfer_make(parameters, &transfer);
    if (!err)
        err = object_open(&transfer->request.object, KIND_REQUEST);
    if (err)
        return err;
    if (races_are_checked())
        transfer_watch(transfer);
    err = transfer_begin_or_receive(transfer, taken);
    if (err)
        object_close(&transfer->request.object);
    else
        *request = &transfer->request;
    return err;
}

int transfer_make_persistent(const struct transfer_parameters *parameters,
                             struct request **request)
{
    struct transfer *transfer = NULL;
    int err = transfer_make(parameters, &transfer);
    if (!err)
        err = object_open(&transfer->request.object, KIND_REQUEST);
    if (err)
        return err;
    request_make_persistent(&transfer->request);
    if (races_are_checked())
        request_set_kind(&transfer->request, &watched_kind);
    *request = &transfer->request;
    return 0;
}

// ---- the end

void transfer_end(struct transfer *transfer, int error)
{
    transfer_forget(transfer);
    void (*ended)(struct transfer *) = transfer->ended;
    request_complete(&transfer->request, error);
    if (ended != NULL)
        ended(transfer);
}

// Of a message that is coming, the rest is dropped.
static void receive_hide(struct transfer *transfer)
{
    if (posted_remove(transfer))
        return;
    receive_leave_joint(transfer);
    struct incoming *incoming = incoming_of(transfer->peer);
    if (incoming != NULL && incoming->transfer == transfer)
        incoming->transfer = NULL;
}

void transfer_hide(struct transfer *transfer)
{
    if (!transfer->parameters.is_send)
        receive_hide(transfer);
    else if (transfer->exposed != NULL)
        send_leave_exposed(transfer);
    transfer_forget(transfer);
    if (transfer->read != NULL)
        receive_await_read(transfer);
}
