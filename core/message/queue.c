// SPDX-License-Identifier: BSD-3-Clause
// Messages that wait, in memory of their own. The sends of a handler must not fail when
// memory is short, since others wait for them: spare messages are kept for that, and no
// message is handled while they may not suffice.
#include "message/engine.h"
#include "message/queue.h"

#include <stdlib.h>
#include <string.h>

enum {
    SPARES = 24,
    SENDS_MAX = 12, // of one handler; pt2pt's, asked for data, sends the most
};

struct spare {
    struct queued_message queued;
    char room[sizeof(struct sealed)];
};

int spares_start(struct messages *messages)
{
    messages->spares = malloc(SPARES * sizeof *messages->spares); // untouched till used
    if (messages->spares == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for messages that have to wait");
    return 0;
}

void spares_stop(struct messages *messages)
{
    free(messages->spares);
}

bool spares_suffice(const struct messages *messages)
{
    return __builtin_popcount(messages->spares_used) <= SPARES - SENDS_MAX;
}

static struct queued_message *spare_take(struct messages *messages)
{
    for (int i = 0; i < SPARES; i++)
        if (!(messages->spares_used & UINT32_C(1) << i)) {
            messages->spares_used |= UINT32_C(1) << i;
            return &messages->spares[i].queued;
        }
    return NULL;
}

static void queued_message_free(struct messages *messages,
                                struct queued_message *queued)
{
    uintptr_t offset = (uintptr_t)queued - (uintptr_t)messages->spares;
    if (offset < SPARES * sizeof(struct spare))
        messages->spares_used &= ~(UINT32_C(1) << offset / sizeof(struct spare));
    else
        free(queued);
}

int queue_add(struct messages *messages, struct message_queue *queue,
              const struct queued_message *what, const void *head, const void *body,
              size_t body_bytes)
{
    size_t head_bytes = what->bytes - body_bytes;
    struct queued_message *queued = malloc(sizeof *queued + what->bytes);
    if (unlikely(queued == NULL) && queue != &messages->early &&
        message_must_arrive(messages, what->kind))
        queued = spare_take(messages);
    if (queued == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory to keep a message of %zu bytes",
                    what->bytes);
    *queued = *what;
    if (head_bytes > 0)
        memcpy(queued->data, head, head_bytes);
    if (body_bytes > 0)
        memcpy(queued->data + head_bytes, body, body_bytes);
    if (queue->first)
        queue->last->next = queued;
    else
        queue->first = queued;
    queue->last = queued;
    queue->count++;
    return 0;
}

void queue_drop_first(struct messages *messages, struct message_queue *queue)
{
    struct queued_message *queued = queue->first;
    queue->first = queued->next;
    queue->count--;
    queued_message_free(messages, queued);
}

void queue_clear(struct messages *messages, struct message_queue *queue)
{
    while (queue->first)
        queue_drop_first(messages, queue);
}
