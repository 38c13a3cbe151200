// SPDX-License-Identifier: BSD-3-Clause
// Messages that wait, for their handler to be registered or to be sent, in memory of their
// own.
#pragma once

#include "message/message.h"

// A message that waits: for its handler to be registered, or to be sent.
struct queued_message {
    struct queued_message *next;
    int rank; // its source or its destination
    int kind;
    size_t bytes;
    _Alignas(8) char data[];
};

struct message_queue {
    struct queued_message *first, *last;
    size_t count;
};

int spares_start(struct messages *messages); // MPI_ERR_NO_MEM
void spares_stop(struct messages *messages);
// Are there enough for what any handler sends?
bool spares_suffice(const struct messages *messages);
// Adds a copy of `what`, whose bytes are those of head and body.
int queue_add(struct messages *messages, struct message_queue *queue,
              const struct queued_message *what, const void *head, const void *body,
              size_t body_bytes);
void queue_drop_first(struct messages *messages, struct message_queue *queue);
void queue_clear(struct messages *messages, struct message_queue *queue);
