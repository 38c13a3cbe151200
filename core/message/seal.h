// SPDX-License-Identifier: BSD-3-Clause
// Messages between nodes are sealed and numbered.
#pragma once

#include "message/message.h"

// A message on its way between nodes. The seal is a hash, under the secret of the job,
// of the destination and all that follows, so that only processes of the job can make
// one. Numbers grow, so that each is taken once and no hash is made of the same twice.
struct sealed {
    uint64_t seal;
    uint64_t number;
    uint32_t source;
    uint32_t kind;
    char message[MESSAGE_MAX_BETWEEN_NODES];
};
enum { SEALED_HEAD = offsetof(struct sealed, message), SEAL_KEYS = 128 };
_Static_assert((int)SEALED_HEAD <= (int)CACHE_LINE,
               "the network has room for the head");

// The last messages between this process and one of another node.
struct numbers {
    uint64_t sent, taken;
};

// From now on messages are sealed under this secret.
void seals_start(struct messages *messages, const struct secret *secret);
// Seals a message to a rank of another node; returns its bytes.
size_t message_seal(struct messages *messages, int rank, int kind, const void *head,
                    size_t head_bytes, const void *body, size_t body_bytes,
                    struct sealed *sealed);
// Whether a process of another node has sent the message to this one, and it is newer
// than those taken.
bool seal_is_good(const struct messages *messages, const struct sealed *sealed,
                  size_t bytes);
