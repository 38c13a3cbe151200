// SPDX-License-Identifier: BSD-3-Clause
// Sending of messages by ring, network or backlog, and their delivery to handlers.
#include "message/addresses.h"
#include "message/deaths.h"
#include "message/engine.h"

#include <assert.h>

enum { BACKLOG_LONG = 1024 }; // messages

static bool is_local(int rank)
{
    return boot_is_local(process.boot, rank);
}

size_t message_max(int rank)
{
    return is_local(rank) ? MESSAGE_MAX : net_message_max(process.net) - CACHE_LINE;
}

// ---- sending

// False: the ring is full.
static inline bool send_in_node(int rank, int kind, const void *head, size_t head_bytes,
                                const void *body, size_t body_bytes)
{
    bool sent = shm_send(process.shm, boot_local_rank(process.boot, rank),
                         (uint16_t)kind, head, head_bytes, body, body_bytes);
    if (likely(sent)) {
        count_alone(COUNTER_NODE_MESSAGES, 1);
        count_alone(COUNTER_NODE_MESSAGE_BYTES, head_bytes + body_bytes);
    }
    return sent;
}

// The message is sealed already.
static int send_between_nodes(int rank, const void *message, size_t bytes, bool *sent)
{
    int err = net_send(process.net, rank, message, bytes, sent);
    if (!err && *sent) {
        count_alone(COUNTER_NETWORK_MESSAGES, 1);
        count_alone(COUNTER_NETWORK_MESSAGE_BYTES, bytes - SEALED_HEAD);
    }
    return err;
}

static __attribute__((noinline)) int backlog_add(int rank, int kind, const void *head,
                                                 size_t head_bytes, const void *body,
                                                 size_t body_bytes)
{
    struct messages *messages = process.messages;
    struct backlog *backlog = &messages->backlogs[rank];
    bool is_waiting = backlog->queue.first != NULL;
    int err = deaths_check(rank);
    if (err)
        return err;
    size_t bytes = head_bytes + body_bytes;
    err =
        queue_add(messages, &backlog->queue,
                  &(struct queued_message){.rank = rank, .kind = kind, .bytes = bytes},
                  head, body, body_bytes);
    if (err)
        return err;
    count_alone(COUNTER_MESSAGES_DELAYED, 1);
    if (event_is_wanted(EVENT_MESSAGE_DELAYED))
        event_raise(EVENT_MESSAGE_DELAYED, (MPI_Count[]){rank, (MPI_Count)bytes});
    if (backlog->queue.count > BACKLOG_LONG)
        waiting_set(messages, MESSAGES_CLOGGED, true);
    if (!is_waiting) {
        backlog->next = messages->first_backlog;
        messages->first_backlog = rank + 1;
        if (!is_local(rank)) {
            atomic_store(&messages->network_is_busy, true);
            network_thread_wake(messages);
        }
    }
    return 0;
}

static int send_sealed(int rank, int kind, const void *head, size_t head_bytes,
                       const void *body, size_t body_bytes)
{
    struct messages *messages = process.messages;
    if (unlikely(messages->numbers[rank].sent == 0))
        addresses_find(rank);
    struct sealed *sealed = net_outbox(process.net);
    size_t bytes =
        message_seal(messages, rank, kind, head, head_bytes, body, body_bytes, sealed);
    bool sent = false;
    int err = messages->backlogs[rank].queue.first == NULL
                  ? send_between_nodes(rank, sealed, bytes, &sent)
                  : 0;
    if (!err && !sent)
        err = backlog_add(rank, kind, sealed, bytes, NULL, 0);
    if (err)
        messages->numbers[rank].sent--; // lest it looks like a loss
    return err;
}

// A message that does not join the bundle comes after it.
static __attribute__((noinline)) int send_to_node(int rank, int kind, const void *head,
                                                  size_t head_bytes, const void *body,
                                                  size_t body_bytes)
{
    struct messages *messages = process.messages;
    if ((messages->bundle.kinds & UINT32_C(1) << kind) &&
        bundle_take(messages, rank, kind, head, head_bytes, body, body_bytes))
        return 0;
    if (unlikely(messages->bundle.bytes > 0) && messages->bundle.rank == rank)
        bundle_leave(messages);
    return send_sealed(rank, kind, head, head_bytes, body, body_bytes);
}

// Ends the job's waits if the message is one that others wait for.
static __attribute__((noinline)) int lose_own(int kind, int err)
{
    if (err == MPI_ERR_NO_MEM && message_must_arrive(process.messages, kind))
        message_lost(process.boot->rank, err, "it has no memory for messages");
    return err;
}

int message_send(int rank, int kind, const void *head, size_t head_bytes,
                 const void *body, size_t body_bytes)
{
    assert(head_bytes + body_bytes <= message_max(rank));
    int err;
    if (unlikely(!is_local(rank)))
        err = send_to_node(rank, kind, head, head_bytes, body, body_bytes);
    else if (likely(process.messages->backlogs[rank].queue.first == NULL) &&
             likely(send_in_node(rank, kind, head, head_bytes, body, body_bytes)))
        return 0;
    else
        err = backlog_add(rank, kind, head, head_bytes, body, body_bytes);
    return likely(!err) ? 0 : lose_own(kind, err);
}

bool message_has_room(int rank, size_t bytes)
{
    if (process.messages->backlogs[rank].queue.first != NULL)
        return false;
    return !is_local(rank) ||
           shm_has_room(process.shm, boot_local_rank(process.boot, rank), bytes);
}

bool message_is_in_ring(int rank)
{
    return process.messages->backlogs[rank].queue.first == NULL;
}

static bool backlog_is_empty(void *argument)
{
    const struct backlog *backlog = argument;
    return backlog->queue.first == NULL;
}

int message_await_ring(int rank)
{
    return message_wait(backlog_is_empty, &process.messages->backlogs[rank], NULL);
}

bool message_is_crowded(void)
{
    return process.messages->is_crowded;
}

static int send_queued(int rank, const struct queued_message *queued, bool *sent)
{
    if (!is_local(rank))
        return send_between_nodes(rank, queued->data, queued->bytes, sent);
    *sent = send_in_node(rank, queued->kind, queued->data, queued->bytes, NULL, 0);
    return 0;
}

// A network that has given a rank up gives up its backlog too; the rank is lost.
static int backlog_send(struct messages *messages, struct backlog *backlog, int rank)
{
    struct message_queue *queue = &backlog->queue;
    int count = 0;
    while (queue->first) {
        bool sent;
        const struct queued_message *queued = queue->first;
        if (send_queued(rank, queued, &sent)) {
            queue_clear(messages, queue);
            break;
        }
        if (!sent)
            break;
        queue_drop_first(messages, queue);
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
        count += backlog_send(messages, backlog, rank);
        is_clogged |= backlog->queue.count > BACKLOG_LONG;
        if (backlog->queue.first) {
            network_is_busy |= !is_local(rank);
            link = &backlog->next;
        } else {
            *link = backlog->next;
        }
    }
    atomic_store(&messages->network_is_busy, network_is_busy);
    waiting_set(messages, MESSAGES_CLOGGED, is_clogged);
    return count;
}

bool message_has_backlog(void)
{
    return process.messages->first_backlog != 0;
}

uint32_t message_waiting(void)
{
    return atomic_load_explicit(&process.messages->waiting, memory_order_relaxed);
}

static bool is_short(void *argument)
{
    const struct backlog *backlog = argument;
    return backlog->queue.count <= BACKLOG_LONG / 2;
}

int message_wait_for_backlog(int rank)
{
    struct backlog *backlog = &process.messages->backlogs[rank];
    return likely(!(message_waiting() & MESSAGES_CLOGGED))
               ? 0
               : message_wait(is_short, backlog, NULL);
}

// ---- delivery

void message_starve(void)
{
    atomic_store_explicit(&process.messages->is_starved, true, memory_order_relaxed);
}

void message_defer(void)
{
    process.messages->is_deferred = true;
    message_starve();
}

// False when the message has been deferred.
static inline bool message_handle(struct messages *messages, int source, int kind,
                                  const void *message, size_t bytes)
{
    if (unlikely(messages->spares_used != 0) && !spares_suffice(messages))
        message_defer();
    else
        messages->handlers[kind](source, message, bytes);
    if (likely(!messages->is_deferred))
        return true;
    messages->is_deferred = false;
    return false;
}

// A message whose handler is not yet known waits, and so do those that come after it,
// so that their order stays.
inline bool deliver_message(int source, int kind, const void *message, size_t bytes)
{
    struct messages *messages = process.messages;
    bool must_wait = messages->early.first && kind > MESSAGE_ADDRESSES;
    if (likely(messages->handlers[kind] && !must_wait)) {
        if (unlikely(!message_handle(messages, source, kind, message, bytes)))
            return false;
    } else if (queue_add(messages, &messages->early,
                         &(struct queued_message){
                             .rank = source, .kind = kind, .bytes = bytes},
                         message, NULL, 0)) {
        message_starve();
        return false;
    }
    count_alone(COUNTER_MESSAGES_HANDLED, 1);
    return true;
}

int deliver_early(struct messages *messages)
{
    struct message_queue *early = &messages->early;
    int count = 0;
    for (; early->first && messages->handlers[early->first->kind]; count++) {
        const struct queued_message *queued = early->first;
        if (!message_handle(messages, queued->rank, queued->kind, queued->data,
                            queued->bytes))
            break;
        queue_drop_first(messages, early);
    }
    return count;
}

bool deliver_from_node(int node_rank, uint16_t kind, const void *message, size_t bytes)
{
    return deliver_message(process.boot->node_members[node_rank], kind, message, bytes);
}

static inline bool deliver_sealed(struct messages *messages,
                                  const struct sealed *sealed, size_t bytes)
{
    int source = (int)sealed->source;
    return unlikely(sealed->kind == MESSAGE_BUNDLE)
               ? bundle_deliver(messages, source, sealed->message, bytes)
               : deliver_message(source, (int)sealed->kind, sealed->message, bytes);
}

// A message that does not follow the one taken last shows that others are lost. Then no
// more are taken.
bool deliver_from_network(const void *message, size_t bytes)
{
    struct messages *messages = process.messages;
    const struct sealed *sealed = message;
    if (unlikely(!seal_is_good(messages, sealed, bytes))) {
        message_refuse(STRANGER, "a message");
        return true;
    }
    struct numbers *numbers = &messages->numbers[sealed->source];
    if (unlikely(sealed->number != numbers->taken + 1)) {
        message_lost((int)sealed->source, MPI_ERR_PROC_ABORTED,
                     "the network has lost a message of it");
        return true;
    }
    numbers->taken++;
    if (likely(deliver_sealed(messages, sealed, bytes - SEALED_HEAD)))
        return true;
    numbers->taken--;
    return false;
}

// The first one is reported.
void message_refuse(int source, const char *what)
{
    bool is_first = counter_value(COUNTER_MESSAGES_REFUSED) == 0;
    count_alone(COUNTER_MESSAGES_REFUSED, 1);
    if (!is_first)
        return;
    if (source == STRANGER)
        log_error("refused %s of a stranger on the network", what);
    else
        log_error("refused %s of rank %d that makes no sense", what, source);
}

static void message_drop(int source, const void *message, size_t bytes)
{
    (void)source, (void)message, (void)bytes;
}

void message_register(const struct message_kind kinds[], size_t count)
{
    struct messages *messages = process.messages;
    message_lock();
    for (size_t i = 0; i < count; i++) {
        messages->handlers[kinds[i].number] = kinds[i].handler;
        if (kinds[i].can_fail)
            messages->can_fail |= UINT32_C(1) << kinds[i].number;
        deliver_early(messages);
    }
    message_unlock();
}

void message_unregister(const struct message_kind kinds[], size_t count)
{
    struct messages *messages = process.messages;
    message_lock();
    for (size_t i = 0; i < count; i++)
        messages->handlers[kinds[i].number] = message_drop;
    deliver_early(messages);
    message_unlock();
}
