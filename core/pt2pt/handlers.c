// SPDX-License-Identifier: BSD-3-Clause
// Handlers of the eager and the rendezvous protocol. The receiver of a long message
// copies it from where it lies if it can, else it gets it in fragments. A handler
// checks a message before it acts on it, and refuses one that makes no sense.
#include "pt2pt/handlers.h"
#include "pt2pt/middle.h"
#include "pt2pt/probe.h"
#include "pt2pt/remote_read.h"

#include <stdlib.h>
#include <string.h>

struct get {
    uint64_t offset, bytes;
    uint32_t sender, receiver; // ids
};
struct fragment {
    uint64_t offset;
    uint32_t receiver;
    uint32_t unused;
};

enum { FRAGMENT_MAX = (MESSAGE_MAX - sizeof(struct fragment)) & ~7 };

// Unpacks the bytes that have come into the elements of the buffer.
static void receive_unpack(const struct transfer *transfer, size_t bytes)
{
    struct blocks blocks =
        blocks_of(transfer->parameters.type, transfer->parameters.count);
    const char *from = transfer->packed;
    MPI_Aint offset = 0;
    for (size_t length; bytes > 0; from += length, bytes -= length) {
        length = blocks_next(&blocks, bytes, &offset);
        copy_bytes((char *)transfer->parameters.buffer + offset, from, length);
    }
}

static inline void receive_end(struct transfer *transfer, int error)
{
    if (transfer->packed != NULL)
        receive_unpack(transfer, (size_t)transfer->received);
    transfer_end(transfer, error);
}

// A sender that waits for the receiver comes after it.
void envelope_order(int peer, const struct envelope *envelope,
                    const struct transfer *receive)
{
    if (!is_ordered(envelope->channel))
        return;
    bool is_of_program = receive != NULL && envelope->channel == CHANNEL_USER;
    const struct received *compared =
        is_of_program ? &(struct received){&receive->request, receive->parameters.type}
                      : NULL;
    races_matched(peer, envelope_key(envelope), compared);
    if (envelope->sender != 0)
        races_send_clock(peer, envelope->context, ORDER_RECEIVED);
}

// Returns MPI_ERR_TRUNCATE if the message is too long.
static inline int accept_envelope(struct transfer *transfer, int peer,
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

void receive_end_and_tell(struct transfer *transfer, int error)
{
    struct done message = {.sender = transfer->sender,
                           .is_missing = error == MPI_ERR_OTHER};
    int err =
        message_send(transfer->peer, MESSAGE_DONE, &message, sizeof message, NULL, 0);
    bool is_too_long = transfer->length > transfer->bytes;
    if (!error)
        error = err ? err : is_too_long ? MPI_ERR_TRUNCATE : 0;
    receive_end(transfer, error);
}

// ---- eager messages

// Copies what the receive wants of the next bytes of its message.
static inline void receive_bytes(struct transfer *transfer, const void *data,
                                 size_t bytes)
{
    uint64_t rest = transfer->wanted - transfer->received;
    size_t part = bytes < rest ? bytes : (size_t)rest;
    if (part > 0)
        copy_bytes(transfer->data + transfer->received, data, part);
    transfer->received += part;
}

static inline void end_eager(struct transfer *transfer)
{
    if (transfer->sender != 0)
        receive_end_and_tell(transfer, 0);
    else
        receive_end(transfer,
                    transfer->length > transfer->bytes ? MPI_ERR_TRUNCATE : 0);
}

// The first bytes of a message have come; the rest follows in parts.
static void receive_eager(struct transfer *transfer, int peer,
                          const struct envelope *envelope, const void *data,
                          size_t bytes)
{
    accept_envelope(transfer, peer, envelope);
    receive_bytes(transfer, data, bytes);
    if (likely(bytes == envelope->bytes))
        end_eager(transfer);
    else
        incoming_begin(peer, (struct incoming){.transfer = transfer,
                                               .come = bytes,
                                               .bytes = envelope->bytes});
}

void receive_unexpected(struct transfer *transfer, struct unexpected *unexpected)
{
    int peer = unexpected->peer;
    const struct envelope *envelope = &unexpected->envelope;
    const struct incoming *incoming = incoming_of(peer);
    bool is_coming = incoming != NULL && incoming->unexpected == unexpected;
    if (races_are_checked() && !unexpected->is_taken)
        envelope_order(peer, envelope, transfer);
    if (unexpected->is_rts)
        receive_rts(transfer, peer, envelope, unexpected->data);
    else
        receive_eager(transfer, peer, envelope, unexpected->data,
                      (size_t)(is_coming ? incoming->come : envelope->bytes));
    free(unexpected);
}

static void handle_part(int peer, const void *message, size_t bytes)
{
    struct incoming *incoming = incoming_of(peer);
    if (incoming == NULL || bytes == 0 || bytes > incoming->bytes - incoming->come) {
        message_refuse(peer, "a part of a message");
        return;
    }
    if (incoming->transfer != NULL)
        receive_bytes(incoming->transfer, message, bytes);
    else if (incoming->unexpected != NULL)
        copy_bytes(incoming->unexpected->data + incoming->come, message, bytes);
    incoming->come += bytes;
    if (incoming->come < incoming->bytes)
        return;
    struct transfer *transfer = incoming->transfer;
    incoming_end(incoming);
    if (transfer != NULL)
        end_eager(transfer);
}

// ---- long messages

// False when the receive has ended, because its sender is lost.
static bool ask_for_more(struct transfer *transfer)
{
    uint64_t rest = transfer->wanted - transfer->asked;
    struct get get = {.offset = transfer->asked,
                      .bytes = rest < CHUNK ? rest : CHUNK,
                      .sender = transfer->sender,
                      .receiver = transfer->id};
    transfer->asked += get.bytes;
    int err = get.bytes > 0
                  ? message_send(transfer->peer, MESSAGE_GET, &get, sizeof get, NULL, 0)
                  : 0;
    if (err)
        receive_end(transfer, err);
    return !err;
}

// Copies from another buffer of this process, whose address the message need not tell.
static int copy_from_self(struct transfer *transfer)
{
    const struct transfer *send = transfer_of(transfer->sender, true, transfer->peer);
    if (send == NULL || send->bytes != transfer->length)
        return fail(MPI_ERR_INTERN, "a message to itself has got lost");
    copy_bytes(transfer->data, send->data, (size_t)transfer->wanted);
    return 0;
}

static int copy_from_segment(uint64_t offset, void *to, size_t bytes)
{
    const struct shm *shm = process.shm;
    if (offset > shm->bytes || bytes > shm->bytes - offset)
        return fail(MPI_ERR_INTERN, "a message lies outside of the segment");
    copy_bytes(to, shm_at(shm, offset), bytes);
    return 0;
}

// Copies the first bytes of a message from where its envelope says that they lie.
static int copy_from_place(int peer, const struct envelope *envelope, void *to,
                           size_t bytes)
{
    return envelope->is_in_segment
               ? copy_from_segment(envelope->place, to, bytes)
               : shm_copy_from(process.shm, boot_local_rank(process.boot, peer), to,
                               envelope->place, bytes);
}

// Copies the message from where it lies, if that is on this node and within reach.
static bool copy_from_local_peer(struct transfer *transfer,
                                 const struct envelope *envelope, int *err)
{
    const struct boot *boot = process.boot;
    if (!boot_is_local(boot, transfer->peer))
        return false;
    if (transfer->peer == boot->rank)
        *err = copy_from_self(transfer);
    else if (envelope->is_in_segment || shm_can_copy(process.shm))
        *err = copy_from_place(transfer->peer, envelope, transfer->data,
                               (size_t)transfer->wanted);
    else
        return false;
    transfer->received = *err ? 0 : transfer->wanted;
    return true;
}

// Reads the message over the network if its sender has exposed it.
static bool read_from_other_node(struct transfer *transfer,
                                 const struct envelope *envelope, const void *key)
{
    uint64_t remote_key;
    if (!envelope->is_exposed)
        return false;
    memcpy(&remote_key, key, sizeof remote_key);
    return receive_by_remote_read(transfer, envelope->place, remote_key);
}

void receive_rts(struct transfer *transfer, int peer, const struct envelope *envelope,
                 const void *key)
{
    int err = accept_envelope(transfer, peer, envelope);
    if (is_local_peer(peer) && !envelope->is_in_segment &&
        receive_jointly(transfer, envelope->place))
        return;
    if (transfer->wanted == 0 || copy_from_local_peer(transfer, envelope, &err)) {
        receive_end_and_tell(transfer, err);
        return;
    }
    err = transfer_name(transfer);
    if (err)
        receive_end_and_tell(transfer, err);
    else if (!read_from_other_node(transfer, envelope, key) && ask_for_more(transfer))
        ask_for_more(transfer);
}

// May only the first part of a message have come?
static bool may_follow(int peer, const struct envelope *envelope, size_t data)
{
    return data < envelope->bytes && envelope->bytes <= EAGER_IN_PARTS_MAX &&
           is_local_peer(peer);
}

static bool rts_is_good(int peer, const struct envelope *envelope, size_t data)
{
    return data == (envelope->is_exposed ? sizeof(uint64_t) : 0) &&
           (!envelope->is_exposed || is_on_other_node(peer)) && envelope->sender != 0 &&
           envelope->bytes <= SIZE_MAX / 2;
}

static inline bool envelope_is_good(int peer, const struct envelope *envelope,
                                    size_t data, bool is_rts)
{
    if (unlikely(incoming_of(peer) != NULL))
        return false;
    return is_rts ? rts_is_good(peer, envelope, data)
                  : likely(data == envelope->bytes) || may_follow(peer, envelope, data);
}

static inline void handle_envelope(int peer, const void *message, size_t bytes,
                                   bool is_rts)
{
    const struct envelope *envelope = message;
    size_t data = bytes - sizeof *envelope;
    if (bytes < sizeof *envelope || !envelope_is_good(peer, envelope, data, is_rts)) {
        message_refuse(peer, "a message");
        return;
    }
    bool is_part = !is_rts && unlikely(data < envelope->bytes);
    if (is_part && incoming_prepare(peer)) {
        message_defer();
        return;
    }
    struct transfer *transfer = posted_take(peer, envelope);
    if (races_are_checked() && transfer != NULL)
        envelope_order(peer, envelope, transfer);
    if (transfer == NULL) {
        if (unexpected_add(peer, envelope, is_rts, envelope + 1, data))
            message_defer();
    } else if (is_rts) {
        receive_rts(transfer, peer, envelope, envelope + 1);
    } else {
        receive_eager(transfer, peer, envelope, envelope + 1, data);
    }
}

static void handle_eager(int peer, const void *message, size_t bytes)
{
    handle_envelope(peer, message, bytes, false);
}

static void handle_rts(int peer, const void *message, size_t bytes)
{
    handle_envelope(peer, message, bytes, true);
}

static void handle_get(int peer, const void *message, size_t bytes)
{
    const struct get *get = message;
    struct transfer *transfer =
        bytes == sizeof *get ? transfer_of(get->sender, true, peer) : NULL;
    if (transfer == NULL || get->bytes > CHUNK || get->offset > transfer->bytes ||
        get->bytes > transfer->bytes - get->offset) {
        message_refuse(peer, "a request for data");
        return;
    }
    for (uint64_t done = 0; done < get->bytes; done += FRAGMENT_MAX) {
        uint64_t rest = get->bytes - done;
        struct fragment fragment = {.offset = get->offset + done,
                                    .receiver = get->receiver};
        int err = message_send(peer, MESSAGE_FRAGMENT, &fragment, sizeof fragment,
                               transfer->data + fragment.offset,
                               rest < FRAGMENT_MAX ? (size_t)rest : FRAGMENT_MAX);
        if (err) { // the receiver is gone and will not say that it is done
            transfer_end(transfer, err);
            return;
        }
    }
}

static void handle_fragment(int peer, const void *message, size_t bytes)
{
    const struct fragment *fragment = message;
    struct transfer *transfer =
        bytes > sizeof *fragment ? transfer_of(fragment->receiver, false, peer) : NULL;
    size_t length = bytes - sizeof *fragment;
    if (transfer == NULL || fragment->offset != transfer->received ||
        length > transfer->asked - transfer->received) {
        message_refuse(peer, "a fragment of a message");
        return;
    }
    copy_bytes(transfer->data + transfer->received, fragment + 1, length);
    transfer->received += length;
    if (transfer->received == transfer->wanted)
        receive_end_and_tell(transfer, 0);
    else if (transfer->asked - transfer->received <= CHUNK)
        ask_for_more(transfer);
}

static void handle_done(int peer, const void *message, size_t bytes)
{
    const struct done *done = message;
    if (bytes == sizeof *done && done->sender == TIMED_EAGER) {
        middle_eager_received(peer);
        return;
    }
    struct transfer *transfer =
        bytes == sizeof *done ? transfer_of(done->sender, true, peer) : NULL;
    if (transfer == NULL) {
        if (bytes != sizeof *done || !left_exposed_end(peer, done->sender))
            message_refuse(peer, "the end of a transfer");
        return;
    }
    if (races_are_checked())
        races_learn_clock(peer, transfer->parameters.comm->context, ORDER_RECEIVED);
    middle_received(transfer);
    transfer->request.is_cancelled = done->is_cancelled;
    transfer_end(transfer, done->is_missing ? MPI_ERR_BUFFER : 0);
}

// ---- keeping the data of a sender that waits

void unexpected_keep(struct unexpected *unexpected)
{
    struct envelope *envelope = &unexpected->envelope;
    struct done done = {.sender = envelope->sender};
    if (!unexpected->is_rts || !may_be_kept(unexpected->peer, envelope) ||
        copy_from_place(unexpected->peer, envelope, unexpected->data,
                        (size_t)envelope->bytes))
        return; // a receive finds the same error
    unexpected->is_rts = false;
    envelope->sender = 0;
    message_send(unexpected->peer, MESSAGE_DONE, &done, sizeof done, NULL, 0);
}

// A request that is matched goes on.
static void handle_keep(int peer, const void *message, size_t bytes)
{
    const struct unmatched *keep = message;
    if (bytes != sizeof *keep || !is_local_peer(peer)) {
        message_refuse(peer, "a request to keep a message");
        return;
    }
    struct unexpected *unexpected =
        unexpected_find_of(peer, keep->context, keep->sender);
    if (unexpected != NULL)
        unexpected_keep(unexpected);
}

// ---- taking back (MPI-4.1 3.8.4)

// A request to send that is unmatched is dropped; one that is matched goes on.
static void handle_cancel(int peer, const void *message, size_t bytes)
{
    const struct unmatched *cancel = message;
    if (bytes != sizeof *cancel || cancel->sender == 0) {
        message_refuse(peer, "a cancellation");
        return;
    }
    struct unexpected *unexpected =
        unexpected_take_rts(peer, cancel->context, cancel->sender);
    if (unexpected == NULL)
        return;
    if (races_are_checked())
        races_cancelled(peer, envelope_key(&unexpected->envelope));
    free(unexpected);
    struct done answer = {.sender = cancel->sender, .is_cancelled = true};
    message_send(peer, MESSAGE_DONE, &answer, sizeof answer, NULL, 0);
}

static int cancel_receive(struct transfer *transfer)
{
    if (!posted_remove(transfer))
        return 0; // matched: it will be received
    transfer->request.is_cancelled = true;
    transfer_end(transfer, 0);
    message_wake();
    return 0;
}

int send_cancel(struct transfer *transfer)
{
    struct unmatched cancel = {.context = transfer->parameters.comm->context,
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
        transfer->parameters.is_send ? send_cancel(transfer) : cancel_receive(transfer);
    message_unlock();
    return err;
}

static const struct message_kind kinds[] = {
    {MESSAGE_EAGER, handle_eager, .can_fail = true},
    {MESSAGE_EAGER_IN_BURST, handle_eager, .can_fail = true},
    {MESSAGE_RTS, handle_rts, .can_fail = true},
    {MESSAGE_GET, handle_get, false},
    {MESSAGE_FRAGMENT, handle_fragment, false},
    {MESSAGE_DONE, handle_done, false},
    {MESSAGE_CANCEL, handle_cancel, false},
    {MESSAGE_PART, handle_part, false},
    {MESSAGE_HELP, help_handle, .can_fail = true},
    {MESSAGE_KEEP, handle_keep, .can_fail = true},
};

void handlers_start(void)
{
    message_register(kinds, sizeof kinds / sizeof *kinds);
}

void handlers_stop(void)
{
    message_unregister(kinds, sizeof kinds / sizeof *kinds);
}
