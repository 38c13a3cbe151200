// SPDX-License-Identifier: BSD-3-Clause
// What comes over the wire: messages with their data, offers of long ones, and the
// parts in which those are fetched when there is no shorter way. Nothing that a peer
// says is believed before it is checked; what makes no sense is dropped with a line in
// the log.
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
};

enum { PART_MAX = (MESSAGE_MAX - sizeof(struct part)) & ~7 };

static void drop(int peer, const char *what)
{
    log_error("dropped %s from rank %d that makes no sense", what, peer);
}

// Spreads the bytes that have come over the elements of the buffer.
static void unpack(const struct transfer *transfer, size_t bytes)
{
    struct blocks blocks = blocks_of(transfer->type, transfer->count);
    const char *from = transfer->packed;
    MPI_Aint offset = 0;
    for (size_t length; bytes > 0; from += length, bytes -= length) {
        length = blocks_next(&blocks, bytes, &offset);
        memcpy((char *)transfer->buffer + offset, from, length);
    }
}

static void receive_end(struct transfer *transfer, size_t bytes)
{
    if (transfer->packed != NULL)
        unpack(transfer, bytes);
    transfer_forget(transfer);
    transfer->is_done = true;
}

static void accept_envelope(struct transfer *transfer, const struct envelope *envelope)
{
    transfer->source = envelope->source;
    transfer->tag = envelope->tag;
    transfer->length = (size_t)envelope->bytes;
    transfer->wanted =
        transfer->length < transfer->capacity ? transfer->length : transfer->capacity;
    if (transfer->length > transfer->capacity)
        transfer->error = MPI_ERR_TRUNCATE;
}

void receive_eager(struct transfer *transfer, const struct envelope *envelope,
                   const void *data)
{
    accept_envelope(transfer, envelope);
    if (transfer->wanted > 0)
        memcpy(transfer->data, data, transfer->wanted);
    receive_end(transfer, transfer->wanted);
}

// ---- long messages

static int tell_sender(struct transfer *transfer, enum message_kind kind,
                       const void *message, size_t bytes)
{
    int err = message_send(transfer->peer, kind, message, bytes, NULL, 0);
    if (err && !transfer->error)
        transfer->error = err;
    return err;
}

static void end_fetch(struct transfer *transfer)
{
    struct fetched message = {transfer->sender};
    tell_sender(transfer, MESSAGE_FETCHED, &message, sizeof message);
    receive_end(transfer, transfer->received);
}

// A sender that cannot be asked any more has been lost: the receive ends.
static void ask_for_more(struct transfer *transfer)
{
    size_t rest = transfer->wanted - transfer->asked;
    struct pull pull = {.offset = transfer->asked,
                        .bytes = rest < CHUNK ? rest : CHUNK,
                        .sender = transfer->sender,
                        .receiver = transfer->id};
    transfer->asked += (size_t)pull.bytes;
    if (pull.bytes > 0 && tell_sender(transfer, MESSAGE_PULL, &pull, sizeof pull))
        receive_end(transfer, 0);
}

// One copy from where the message lies, if it lies on this node.
static bool copy_from_mate(struct transfer *transfer, const struct envelope *envelope)
{
    const struct boot *boot = process.boot;
    struct shm *shm = process.shm;
    if (boot->node_of[transfer->peer] != boot->node)
        return false;
    int err = 0;
    if (transfer->peer == boot->rank)
        memcpy(transfer->data, (const void *)(uintptr_t)envelope->address,
               transfer->wanted);
    else if (shm_can_copy(shm))
        err = shm_copy_from(shm, boot->node_rank_of[transfer->peer], transfer->data,
                            envelope->address, transfer->wanted);
    else
        return false;
    if (err && !transfer->error)
        transfer->error = err;
    transfer->received = err ? 0 : transfer->wanted;
    return true;
}

void receive_offer(struct transfer *transfer, int peer, const struct envelope *envelope)
{
    accept_envelope(transfer, envelope);
    transfer->peer = peer;
    transfer->sender = envelope->sender;
    if (transfer->wanted == 0 || copy_from_mate(transfer, envelope)) {
        end_fetch(transfer);
        return;
    }
    int err = transfer_name(transfer);
    if (err) {
        transfer->error = err;
        end_fetch(transfer);
        return;
    }
    ask_for_more(transfer);
    if (!transfer->is_done)
        ask_for_more(transfer);
}

static void handle_arrival(int peer, const void *message, size_t bytes, bool is_offer)
{
    const struct envelope *envelope = message;
    size_t data = bytes - sizeof *envelope;
    if (bytes < sizeof *envelope || envelope->bytes > SIZE_MAX / 2 ||
        data != (is_offer ? 0 : envelope->bytes)) {
        drop(peer, "a message");
        return;
    }
    struct transfer *transfer = take_posted(envelope);
    if (transfer == NULL) {
        if (keep_arrival(peer, envelope, is_offer, envelope + 1))
            log_error("a message from rank %d is lost: no memory", peer);
    } else if (is_offer) {
        receive_offer(transfer, peer, envelope);
    } else {
        transfer->peer = peer;
        receive_eager(transfer, envelope, envelope + 1);
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

static void send_end(struct transfer *transfer, int error)
{
    transfer_forget(transfer);
    transfer->error = error;
    transfer->is_done = true;
}

static void handle_pull(int peer, const void *message, size_t bytes)
{
    const struct pull *pull = message;
    struct transfer *transfer =
        bytes == sizeof *pull ? transfer_of(pull->sender, true, peer) : NULL;
    if (transfer == NULL || pull->offset > transfer->capacity ||
        pull->bytes > transfer->capacity - pull->offset) {
        drop(peer, "a request for data");
        return;
    }
    for (uint64_t done = 0; done < pull->bytes; done += PART_MAX) {
        uint64_t rest = pull->bytes - done;
        struct part part = {.offset = pull->offset + done, .receiver = pull->receiver};
        int err = message_send(peer, MESSAGE_PART, &part, sizeof part,
                               transfer->data + part.offset,
                               rest < PART_MAX ? (size_t)rest : PART_MAX);
        if (err) { // nobody is there any more to say that it has fetched the rest
            send_end(transfer, err);
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
        drop(peer, "a part of a message");
        return;
    }
    memcpy(transfer->data + transfer->received, part + 1, length);
    transfer->received += length;
    if (transfer->received == transfer->wanted)
        end_fetch(transfer);
    else if (transfer->asked - transfer->received <= CHUNK)
        ask_for_more(transfer);
}

static void handle_fetched(int peer, const void *message, size_t bytes)
{
    const struct fetched *fetched = message;
    struct transfer *transfer =
        bytes == sizeof *fetched ? transfer_of(fetched->sender, true, peer) : NULL;
    if (transfer == NULL) {
        drop(peer, "the end of a transfer");
        return;
    }
    send_end(transfer, 0);
}

void register_handlers(void)
{
    message_register(MESSAGE_EAGER, handle_eager);
    message_register(MESSAGE_OFFER, handle_offer);
    message_register(MESSAGE_PULL, handle_pull);
    message_register(MESSAGE_PART, handle_part);
    message_register(MESSAGE_FETCHED, handle_fetched);
}
