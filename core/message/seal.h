// SPDX-License-Identifier: BSD-3-Clause
// Messages between nodes are sealed and numbered.
#pragma once

#include "message/message.h"

// A message on its way between nodes. The seal is a hash of what follows the number, with
// keys that are made of the secret of the job, and the pad of this number: so only
// processes of the job can make one. Numbers grow, so that each is taken once.
struct sealed {
    uint64_t seal;
    uint64_t number;
    uint32_t source;
    uint32_t kind;
    char message[MESSAGE_MAX_BETWEEN_NODES];
};
enum { SEALED_HEAD = offsetof(struct sealed, message) };
_Static_assert((int)SEALED_HEAD <= (int)CACHE_LINE,
               "the network has room for the head");

// The last messages between this process and one of another node.
struct numbers {
    uint64_t sent, taken;
};

// What is added to the hash of the message with this number between two ranks. No two
// messages have the same.
struct pad {
    uint64_t value, number;
    uint32_t source, destination;
};

enum {
    SEAL_KEYS = 128,
    SEAL_BLOCK = SEAL_KEYS * sizeof(uint64_t),
    SEAL_BLOCKS = 1 + sizeof(struct sealed) / SEAL_BLOCK,
    SEAL_PADS = 8 // to a power of two
};

struct sum_key {
    uint64_t low, high;
};

struct seals {
    uint64_t block_keys[SEAL_KEYS];
    struct sum_key sum_keys[2 * SEAL_BLOCKS];
    // Of messages to and from the last few processes: first those to them.
    struct pad pads[2 * SEAL_PADS];
    uint32_t pads_due; // a bit for each, for the next message, that is not yet made
};

// From now on messages are sealed under this secret.
void seals_start(struct messages *messages, const struct secret *secret);
// Seals a message to a rank of another node; returns its bytes.
size_t message_seal(struct messages *messages, int rank, int kind, const void *head,
                    size_t head_bytes, const void *body, size_t body_bytes,
                    struct sealed *sealed);
// Whether a process of another node has sent the message to this one, and it is newer
// than those taken.
bool seal_is_good(struct messages *messages, const struct sealed *sealed, size_t bytes);
// Makes pads for the next messages while nothing else is to be done.
void seals_prepare(struct messages *messages);
