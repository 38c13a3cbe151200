// SPDX-License-Identifier: BSD-3-Clause
// Sends and receives from their start to their end (MPI-4.1 3.2, 3.7).
#include "pt2pt/private.h"

#include <stdlib.h>
#include <string.h>

int pt2pt_start(void)
{
    process.matching = calloc(1, sizeof *process.matching);
    if (process.matching == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory to match messages");
    register_handlers();
    return 0;
}

void pt2pt_stop(void)
{
    struct matching *matching = process.matching;
    for (int i = 0; i < BUCKETS; i++) {
        while (matching->buckets[i].arrived != NULL) {
            struct arrival *arrival = matching->buckets[i].arrived;
            matching->buckets[i].arrived = arrival->next;
            free(arrival);
        }
    }
    free(matching->names);
    free(matching);
    process.matching = NULL;
}

static void transfer_free(struct transfer *transfer)
{
    if (transfer->packed != NULL)
        object_release(transfer->type);
    free(transfer->packed);
    free(transfer);
}

// A transfer of `count` elements; a type with holes gets memory for the packed bytes.
static int transfer_make(struct communicator *comm, enum channel channel, void *buffer,
                         MPI_Count count, struct datatype *type, bool is_send,
                         struct transfer **made)
{
    size_t bytes = (size_t)(count * type->size);
    struct transfer *transfer = calloc(1, sizeof *transfer);
    void *packed = type->is_contiguous ? NULL : malloc(bytes + 1);
    if (transfer == NULL || (packed == NULL && !type->is_contiguous)) {
        free(packed);
        free(transfer);
        return fail(MPI_ERR_NO_MEM, "no memory to transfer %zu bytes", bytes);
    }
    *transfer = (struct transfer){
        .is_send = is_send,
        .context = comm->context,
        .channel = channel,
        .data = packed ? packed : buffer,
        .capacity = bytes,
        .buffer = buffer,
        .count = count,
        .type = type,
        .packed = packed,
    };
    if (packed != NULL) // the program may free the type while the transfer needs it
        object_retain(type);
    *made = transfer;
    return 0;
}

// MPI-4.1 3.10: communication with MPI_PROC_NULL has no effect.
static int transfer_nowhere(struct transfer *transfer, struct transfer **made)
{
    transfer->source = MPI_PROC_NULL;
    transfer->tag = MPI_ANY_TAG;
    transfer->is_done = true;
    *made = transfer;
    return 0;
}

static int send_eager(struct transfer *transfer, const struct envelope *envelope)
{
    int err = message_send(transfer->peer, MESSAGE_EAGER, envelope, sizeof *envelope,
                           transfer->data, transfer->capacity);
    transfer->is_done = !err;
    return err;
}

static int send_offer(struct transfer *transfer, struct envelope *envelope)
{
    int err = transfer_name(transfer);
    if (err)
        return err;
    envelope->sender = transfer->id;
    envelope->address = (uintptr_t)transfer->data;
    err = message_send(transfer->peer, MESSAGE_OFFER, envelope, sizeof *envelope, NULL,
                       0);
    if (err)
        transfer_forget(transfer);
    return err;
}

int pt2pt_begin_send(struct communicator *comm, enum channel channel,
                     const void *buffer, MPI_Count count, struct datatype *type,
                     int destination, int tag, struct transfer **made)
{
    struct transfer *transfer;
    int err =
        transfer_make(comm, channel, (void *)buffer, count, type, true, &transfer);
    if (err)
        return err;
    if (destination == MPI_PROC_NULL)
        return transfer_nowhere(transfer, made);
    if (transfer->packed != NULL)
        datatype_pack(type, count, buffer, transfer->packed);
    transfer->peer = comm_job_rank(comm, destination);
    struct envelope envelope = {.context = comm->context,
                                .bytes = transfer->capacity,
                                .source = comm->rank,
                                .tag = tag,
                                .channel = channel};
    if (transfer->capacity <= EAGER_MAX)
        err = send_eager(transfer, &envelope);
    else
        err = send_offer(transfer, &envelope);
    if (err)
        transfer_free(transfer);
    else
        *made = transfer;
    return err;
}

int pt2pt_isend(struct communicator *comm, enum channel channel, const void *buffer,
                MPI_Count count, struct datatype *type, int destination, int tag,
                struct transfer **made)
{
    message_lock();
    int err =
        pt2pt_begin_send(comm, channel, buffer, count, type, destination, tag, made);
    message_unlock();
    return err;
}

static void receive_arrival(struct transfer *transfer, struct arrival *arrival)
{
    transfer->peer = arrival->peer;
    if (arrival->is_offer)
        receive_offer(transfer, arrival->peer, &arrival->envelope);
    else
        receive_eager(transfer, &arrival->envelope, arrival->data);
    free(arrival);
}

int pt2pt_begin_receive(struct communicator *comm, enum channel channel, void *buffer,
                        MPI_Count count, struct datatype *type, int source, int tag,
                        struct transfer **made)
{
    struct transfer *transfer;
    int err = transfer_make(comm, channel, buffer, count, type, false, &transfer);
    if (err)
        return err;
    if (source == MPI_PROC_NULL)
        return transfer_nowhere(transfer, made);
    transfer->source = source;
    transfer->tag = tag;
    struct arrival *arrival = take_arrival(transfer);
    if (arrival != NULL)
        receive_arrival(transfer, arrival);
    else
        post(transfer);
    *made = transfer;
    return 0;
}

int pt2pt_ireceive(struct communicator *comm, enum channel channel, void *buffer,
                   MPI_Count count, struct datatype *type, int source, int tag,
                   struct transfer **made)
{
    message_lock();
    int err =
        pt2pt_begin_receive(comm, channel, buffer, count, type, source, tag, made);
    message_unlock();
    return err;
}

bool pt2pt_is_done(const struct transfer *transfer)
{
    return transfer->is_done;
}

static bool is_done(void *argument)
{
    return pt2pt_is_done(argument);
}

// A transfer that will not end: nobody must find it any more.
static void give_up(struct transfer *transfer)
{
    if (!transfer->is_send)
        unpost(transfer);
    transfer_forget(transfer);
}

void pt2pt_abandon(struct transfer *transfer)
{
    give_up(transfer);
    transfer_free(transfer);
}

static void tell(const struct transfer *transfer, MPI_Status *status)
{
    size_t bytes =
        transfer->length < transfer->capacity ? transfer->length : transfer->capacity;
    if (!transfer->is_send)
        status_set(status, transfer->source, transfer->tag, bytes, false);
}

int pt2pt_end(struct transfer *transfer, MPI_Status *status)
{
    int err = transfer->error;
    if (err == MPI_ERR_TRUNCATE)
        err = fail(MPI_ERR_TRUNCATE,
                   "a message of %zu bytes from rank %d does not fit into %zu bytes",
                   transfer->length, transfer->source, transfer->capacity);
    tell(transfer, status);
    transfer_free(transfer);
    return err;
}

int pt2pt_finish(struct transfer *transfer, MPI_Status *status)
{
    int err = message_wait(is_done, transfer);
    if (!err)
        return pt2pt_end(transfer, status);
    tell(transfer, status);
    message_lock();
    pt2pt_abandon(transfer);
    message_unlock();
    return err;
}
