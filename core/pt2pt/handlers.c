// SPDX-License-Identifier: BSD-3-Clause
// What comes over the wire: messages with their data, offers of long ones, and the
// parts in which those are fetched when there is no shorter way. Nothing that a peer
// says is believed before it is checked; what makes no sense is refused.
#include "pt2pt/private.h"

#include <stdlib.h>
#include <string.h>

struct pull {
    uint64_t offset, bytes;
    uint32_t sender, receiver; // ids
};
struct part {
    uint64_t offset;
    uint32_t receiver;
    uint32_t unused;
};
struct fetched {
    uint32_t sender;
    uint32_t is_cancelled;
};
struct cancel {
    uint64_t context;
    uint32_t sender;
    uint32_t unused;
};

enum { PART_MAX = (MESSAGE_MAX - sizeof(struct part)) & ~7 };

// Spreads the bytes that have come over the elements of the buffer.
static void unpack(const struct transfer *transfer, size_t bytes)
{
    struct blocks blocks =
        blocks_of(transfer->parameters.type, transfer->parameters.count);
    const char *from = transfer->packed;
    MPI_Aint offset = 0;
    for (size_t length; bytes > 0; from += length, bytes -= length) {
        length = blocks_next(&blocks, bytes, &offset);
        memcpy((char *)transfer->parameters.buffer + offset, from, length);
    }
}

static void receive_end(struct transfer *transfer, int error)
{
    if (transfer->packed != NULL)
        unpack(transfer, (size_t)transfer->received);
    transfer_end(transfer, error);
}

// Returns the error that the message is too long.
static int accept_envelope(struct transfer *transfer, int peer,
                           const struct envelope *envelope)
{
    transfer->peer = peer;
    transfer->sender = envelope->sender;
    transfer->request.source = envelope->source;
    transfer->request.tag = envelope->tag;
    transfer->length = envelope->bytes;
    transfer->wanted =
        transfer->length < transfer->bytes ? transfer->length : transfer->bytes;
    transfer->asked = transfer->received = 0;
    transfer->request.bytes = transfer->wanted;
    return transfer->length > transfer->bytes ? MPI_ERR_TRUNCATE : 0;
}

// Ends a receive of which the sender wants to know.
static void end_fetch(struct transfer *transfer, int error)
{
    struct fetched message = {.sender = transfer->sender};
    int err = message_send(transfer->peer, MESSAGE_FETCHED, &message, sizeof message,
                           NULL, 0);
    bool is_too_long = transfer->length > transfer->bytes;
    if (!error)
        error = err ? err : is_too_long ? MPI_ERR_TRUNCATE : 0;
    receive_end(transfer, error);
}

void receive_eager(struct transfer *transfer, int peer, const struct envelope *envelope,
                   const void *data)
{
    int err = accept_envelope(transfer, peer, envelope);
    if (transfer->wanted > 0)
        memcpy(transfer->data, data, transfer->wanted);
    transfer->received = transfer->wanted;
    if (envelope->sender != 0)
        end_fetch(transfer, err);
    else
        receive_end(transfer, err);
}

// ---- long messages

// False when the receive has ended, because its sender is lost.
static bool ask_for_more(struct transfer *transfer)
{
    uint64_t rest = transfer->wanted - transfer->asked;
    struct pull pull = {.offset = transfer->asked,
                        .bytes = rest < CHUNK ? rest : CHUNK,
                        .sender = transfer->sender,
                        .receiver = transfer->id};
    transfer->asked += pull.bytes;
    int err = pull.bytes > 0 ? message_send(transfer->peer, MESSAGE_PULL, &pull,
                                            sizeof pull, NULL, 0)
                             : 0;
    if (err)
        receive_end(transfer, err);
    return !err;
}

// From another buffer of this process, whose address the wire need not tell.
static int copy_from_self(struct transfer *transfer)
{
    const struct transfer *send = transfer_of(transfer->sender, true, transfer->peer);
    if (send == NULL || send->bytes != transfer->length)
        return fail(MPI_ERR_INTERN, "a message to itself has got lost");
    memcpy(transfer->data, send->data, (size_t)transfer->wanted);
    return 0;
}

static int copy_from_segment(struct transfer *transfer, uint64_t offset)
{
    const struct shm *shm = process.shm;
    if (offset > shm->bytes || transfer->wanted > shm->bytes - offset)
        return fail(MPI_ERR_INTERN, "a message lies outside of the segment");
    memcpy(transfer->data, shm_at(shm, offset), (size_t)transfer->wanted);
    return 0;
}

// One copy from where the message lies, if it lies on this node and can be reached.
static bool copy_from_mate(struct transfer *transfer, const struct envelope *envelope,
                           int *err)
{
    const struct boot *boot = process.boot;
    int mate = boot->node_rank_of[transfer->peer];
    if (boot->node_of[transfer->peer] != boot->node)
        return false;
    if (transfer->peer == boot->rank)
        *err = copy_from_self(transfer);
    else if (envelope->is_in_segment)
        *err = copy_from_segment(transfer, envelope->place);
    else if (shm_can_copy(process.shm))
        *err = shm_copy_from(process.shm, mate, transfer->data, envelope->place,
                             (size_t)transfer->wanted);
    else
        return false;
    transfer->received = *err ? 0 : transfer->wanted;
    return true;
}

void receive_offer(struct transfer *transfer, int peer, const struct envelope *envelope)
{
    int err = accept_envelope(transfer, peer, envelope);
    if (transfer->wanted == 0 || copy_from_mate(transfer, envelope, &err)) {
        end_fetch(transfer, err);
        return;
    }
    err = transfer_name(transfer);
    if (err)
        end_fetch(transfer, err);
    else if (ask_for_more(transfer))
        ask_for_more(transfer);
}

static void handle_arrival(int peer, const void *message, size_t bytes, bool is_offer)
{
    const struct envelope *envelope = message;
    size_t data = bytes - sizeof *envelope;
    if (bytes < sizeof *envelope || envelope->bytes > SIZE_MAX / 2 ||
        data != (is_offer ? 0 : envelope->bytes) ||
        (is_offer && envelope->sender == 0)) {
        message_refuse(peer, "a message");
        return;
    }
    struct transfer *transfer = take_posted(peer, envelope);
    if (transfer == NULL) {
        if (keep_arrival(peer, envelope, is_offer, envelope + 1))
            message_defer();
    } else if (is_offer) {
        receive_offer(transfer, peer, envelope);
    } else {
        receive_eager(transfer, peer, envelope, envelope + 1);
    }
}

static void handle_eager(int peer, const void *message, size_t bytes)
{
    handle_arrival(peer, message, bytes, false);
}

static void handle_offer(int peer, const void *message, size_t bytes)
{
    handle_arrival(peer, message, bytes, true);
}

static void handle_pull(int peer, const void *message, size_t bytes)
{
    const struct pull *pull = message;
    struct transfer *transfer =
        bytes == sizeof *pull ? transfer_of(pull->sender, true, peer) : NULL;
    if (transfer == NULL || pull->bytes > CHUNK || pull->offset > transfer->bytes ||
        pull->bytes > transfer->bytes - pull->offset) {
        message_refuse(peer, "a request for data");
        return;
    }
    for (uint64_t done = 0; done < pull->bytes; done += PART_MAX) {
        uint64_t rest = pull->bytes - done;
        struct part part = {.offset = pull->offset + done, .receiver = pull->receiver};
        int err = message_send(peer, MESSAGE_PART, &part, sizeof part,
                               transfer->data + part.offset,
                               rest < PART_MAX ? (size_t)rest : PART_MAX);
        if (err) { // nobody is there any more to say that it has fetched the rest
            transfer_end(transfer, err);
            return;
        }
    }
}

static void handle_part(int peer, const void *message, size_t bytes)
{
    const struct part *part = message;
    struct transfer *transfer =
        bytes > sizeof *part ? transfer_of(part->receiver, false, peer) : NULL;
    size_t length = bytes - sizeof *part;
    if (transfer == NULL || part->offset != transfer->received ||
        length > transfer->asked - transfer->received) {
        message_refuse(peer, "a part of a message");
        return;
    }
    memcpy(transfer->data + transfer->received, part + 1, length);
    transfer->received += length;
    if (transfer->received == transfer->wanted)
        end_fetch(transfer, 0);
    else if (transfer->asked - transfer->received <= CHUNK)
        ask_for_more(transfer);
}

static void handle_fetched(int peer, const void *message, size_t bytes)
{
    const struct fetched *fetched = message;
    struct transfer *transfer =
        bytes == sizeof *fetched ? transfer_of(fetched->sender, true, peer) : NULL;
    if (transfer == NULL) {
        message_refuse(peer, "the end of a transfer");
        return;
    }
    transfer->request.is_cancelled = fetched->is_cancelled;
    transfer_end(transfer, 0);
}

// ---- taking back (MPI-4.1 3.8.4)

// What has been matched is fetched; what has not is forgotten, and never was.
static void handle_cancel(int peer, const void *message, size_t bytes)
{
    const struct cancel *cancel = message;
    if (bytes != sizeof *cancel || cancel->sender == 0) {
        message_refuse(peer, "a cancellation");
        return;
    }
    struct arrival *arrival = take_offer(peer, cancel->context, cancel->sender);
    if (arrival == NULL)
        return;
    free(arrival);
    struct fetched answer = {.sender = cancel->sender, .is_cancelled = true};
    message_send(peer, MESSAGE_FETCHED, &answer, sizeof answer, NULL, 0);
}

static int cancel_receive(struct transfer *transfer)
{
    if (!unpost(transfer))
        return 0; // matched: it will be received
    transfer->request.is_cancelled = true;
    transfer_end(transfer, 0);
    message_wake();
    return 0;
}

static int cancel_send(struct transfer *transfer)
{
    struct cancel cancel = {.context = transfer->parameters.comm->context,
                            .sender = transfer->id};
    return transfer->id == 0 ? 0
                             : message_send(transfer->peer, MESSAGE_CANCEL, &cancel,
                                            sizeof cancel, NULL, 0);
}

int transfer_cancel(struct request *request)
{
    struct transfer *transfer = (struct transfer *)request;
    message_lock();
    int err =
        transfer->parameters.is_send ? cancel_send(transfer) : cancel_receive(transfer);
    message_unlock();
    return err;
}

static const struct {
    enum message_kind kind;
    message_handler *handler;
} handlers[] = {
    {MESSAGE_EAGER, handle_eager},     {MESSAGE_OFFER, handle_offer},
    {MESSAGE_PULL, handle_pull},       {MESSAGE_PART, handle_part},
    {MESSAGE_FETCHED, handle_fetched}, {MESSAGE_CANCEL, handle_cancel},
};

void handlers_start(void)
{
    for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++)
        message_register(handlers[i].kind, handlers[i].handler);
}

// What still comes has no effect.
void handlers_stop(void)
{
    for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++)
        message_register(handlers[i].kind, NULL);
}
