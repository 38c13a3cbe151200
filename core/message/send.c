// SPDX-License-Identifier: BSD-3-Clause
// The way of a message: by ring or network, or into the backlog, and to its handler.
#include "message/private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { BACKLOG_LONG = 1024 }; // messages

static bool is_mate(int rank)
{
    return process.boot->node_of[rank] == process.boot->node;
}

// ---- parcels

static int parcels_add(struct parcels *parcels, int rank, enum message_kind kind,
                       const void *head, size_t head_bytes, const void *body,
                       size_t body_bytes)
{
    struct parcel *parcel = malloc(sizeof *parcel + head_bytes + body_bytes);
    if (!parcel)
        return fail(MPI_ERR_NO_MEM, "no memory to keep a message of %zu bytes",
                    head_bytes + body_bytes);
    *parcel =
        (struct parcel){.rank = rank, .kind = kind, .bytes = head_bytes + body_bytes};
    if (head_bytes > 0)
        memcpy(parcel->data, head, head_bytes);
    if (body_bytes > 0)
        memcpy(parcel->data + head_bytes, body, body_bytes);
    if (parcels->first)
        parcels->last->next = parcel;
    else
        parcels->first = parcel;
    parcels->last = parcel;
    parcels->count++;
    return 0;
}

static void parcels_drop_first(struct parcels *parcels)
{
    struct parcel *parcel = parcels->first;
    parcels->first = parcel->next;
    parcels->count--;
    free(parcel);
}

void parcels_free(struct parcels *parcels)
{
    while (parcels->first)
        parcels_drop_first(parcels);
}

// ---- sending

// To another node only what has been sealed.
static int try_send(int rank, enum message_kind kind, const void *head,
                    size_t head_bytes, const void *body, size_t body_bytes, bool *sent)
{
    size_t bytes = head_bytes + body_bytes;
    if (!is_mate(rank)) {
        int err = net_send(process.net, rank, head, head_bytes, body, body_bytes, sent);
        if (!err && *sent) {
            count_alone(COUNTER_NETWORK_MESSAGES, 1);
            count_alone(COUNTER_NETWORK_MESSAGE_BYTES, bytes - SEALED_HEAD);
        }
        return err;
    }
    *sent = shm_send(process.shm, process.boot->node_rank_of[rank], (uint16_t)kind,
                     head, head_bytes, body, body_bytes);
    if (*sent) {
        count_alone(COUNTER_NODE_MESSAGES, 1);
        count_alone(COUNTER_NODE_MESSAGE_BYTES, bytes);
    }
    return 0;
}

// Sends it or puts it into the backlog.
static inline int post(int rank, enum message_kind kind, const void *head,
                       size_t head_bytes, const void *body, size_t body_bytes)
{
    struct messages *messages = process.messages;
    struct backlog *backlog = &messages->backlogs[rank];
    bool is_waiting = backlog->parcels.first != NULL;
    if (likely(!is_waiting)) {
        bool sent;
        int err = try_send(rank, kind, head, head_bytes, body, body_bytes, &sent);
        if (err || likely(sent))
            return err;
    }
    int err = deaths_check(rank);
    if (err)
        return err;
    err =
        parcels_add(&backlog->parcels, rank, kind, head, head_bytes, body, body_bytes);
    count_alone(COUNTER_MESSAGES_DELAYED, 1);
    if (event_is_wanted(EVENT_MESSAGE_DELAYED))
        event_raise(EVENT_MESSAGE_DELAYED,
                    (MPI_Count[]){rank, (MPI_Count)(head_bytes + body_bytes)});
    if (backlog->parcels.count > BACKLOG_LONG)
        atomic_store(&messages->is_clogged, true);
    if (!err && !is_waiting) {
        backlog->next = messages->first_backlog;
        messages->first_backlog = rank + 1;
        if (!is_mate(rank))
            atomic_store(&messages->network_is_busy, true);
    }
    return err;
}

static __attribute__((noinline)) int post_sealed(int rank, enum message_kind kind,
                                                 const void *head, size_t head_bytes,
                                                 const void *body, size_t body_bytes)
{
    struct sealed sealed;
    size_t bytes = message_seal(process.messages, rank, kind, head, head_bytes, body,
                                body_bytes, &sealed);
    return post(rank, kind, &sealed, bytes, NULL, 0);
}

int message_send(int rank, enum message_kind kind, const void *head, size_t head_bytes,
                 const void *body, size_t body_bytes)
{
    assert(head_bytes + body_bytes <= MESSAGE_MAX);
    return likely(is_mate(rank))
               ? post(rank, kind, head, head_bytes, body, body_bytes)
               : post_sealed(rank, kind, head, head_bytes, body, body_bytes);
}

// A network that has given a rank up gives up its backlog too.
static int backlog_send(struct backlog *backlog, int rank)
{
    struct parcels *parcels = &backlog->parcels;
    int count = 0;
    while (parcels->first) {
        bool sent;
        const struct parcel *parcel = parcels->first;
        if (try_send(rank, parcel->kind, parcel->data, parcel->bytes, NULL, 0, &sent)) {
            log_error("messages to rank %d are lost: %s", rank,
                      error_detail(&(int){0}));
            parcels_free(parcels);
            break;
        }
        if (!sent)
            break;
        parcels_drop_first(parcels);
        count++;
    }
    return count;
}

int backlogs_send(struct messages *messages)
{
    int count = 0;
    int *link = &messages->first_backlog;
    bool network_is_busy = false, is_clogged = false;
    while (*link) {
        int rank = *link - 1;
        struct backlog *backlog = &messages->backlogs[rank];
        count += backlog_send(backlog, rank);
        is_clogged |= backlog->parcels.count > BACKLOG_LONG;
        if (backlog->parcels.first) {
            network_is_busy |= !is_mate(rank);
            link = &backlog->next;
        } else {
            *link = backlog->next;
        }
    }
    atomic_store(&messages->network_is_busy, network_is_busy);
    atomic_store(&messages->is_clogged, is_clogged);
    return count;
}

bool message_is_clogged(void)
{
    return atomic_load_explicit(&process.messages->is_clogged, memory_order_relaxed);
}

static bool is_short(void *argument)
{
    const struct backlog *backlog = argument;
    return backlog->parcels.count <= BACKLOG_LONG / 2;
}

int message_wait_for_backlog(int rank)
{
    struct backlog *backlog = &process.messages->backlogs[rank];
    return likely(!message_is_clogged()) ? 0 : message_wait(is_short, backlog);
}

// ---- delivery

// A message whose handler is not yet known waits, and so do those that come after it,
// so that their order stays.
static void deliver(int source, enum message_kind kind, const void *message,
                    size_t bytes)
{
    struct messages *messages = process.messages;
    message_handler *handler = messages->handlers[kind];
    bool must_wait = messages->early.first && kind != MESSAGE_ADDRESSES;
    count_alone(COUNTER_MESSAGES_HANDLED, 1);
    if (likely(handler && !must_wait))
        handler(source, message, bytes);
    else if (parcels_add(&messages->early, source, kind, message, bytes, NULL, 0))
        log_error("a message from rank %d is lost: no memory", source);
}

void deliver_from_mate(int node_rank, uint16_t kind, const void *message, size_t bytes)
{
    deliver(process.boot->node_members[node_rank], kind, message, bytes);
}

void deliver_from_network(const void *message, size_t bytes)
{
    const struct sealed *sealed = message;
    if (likely(seal_is_good(process.messages, sealed, bytes)))
        deliver((int)sealed->source, sealed->kind, sealed->message,
                bytes - SEALED_HEAD);
    else
        message_refuse(STRANGER, "a message");
}

// The first one is reported.
void message_refuse(int source, const char *what)
{
    bool is_first = atomic_load(&process.counters[COUNTER_MESSAGES_REFUSED]) == 0;
    count_alone(COUNTER_MESSAGES_REFUSED, 1);
    if (!is_first)
        return;
    if (source == STRANGER)
        log_error("refused %s of a stranger on the network", what);
    else
        log_error("refused %s of rank %d that makes no sense", what, source);
}

void message_register(enum message_kind kind, message_handler *handler)
{
    struct messages *messages = process.messages;
    struct parcels *early = &messages->early;
    message_lock();
    messages->handlers[kind] = handler;
    while (early->first && messages->handlers[early->first->kind]) {
        const struct parcel *parcel = early->first;
        messages->handlers[parcel->kind](parcel->rank, parcel->data, parcel->bytes);
        parcels_drop_first(early);
    }
    message_unlock();
}
