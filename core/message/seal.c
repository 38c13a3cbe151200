// SPDX-License-Identifier: BSD-3-Clause
// Seals: what shows that a message from the network is of a process of the job, is for
// this one, is whole and new. Inside a node the permissions of the segment do that.
#include "message/private.h"

#include <string.h>

static uint64_t seal_of(const struct messages *messages, int destination,
                        const struct sealed *sealed, size_t bytes)
{
    size_t at = offsetof(struct sealed, number);
    return keyed_hash(&messages->secret, (uint64_t)destination,
                      (const char *)sealed + at, bytes - at);
}

size_t message_seal(struct messages *messages, int rank, enum message_kind kind,
                    const void *head, size_t head_bytes, const void *body,
                    size_t body_bytes, struct sealed *sealed)
{
    size_t bytes = SEALED_HEAD + head_bytes + body_bytes;
    sealed->number = ++messages->numbers[rank].sent;
    sealed->source = (uint32_t)process.boot->rank;
    sealed->kind = kind;
    if (head_bytes > 0)
        memcpy(sealed->message, head, head_bytes);
    if (body_bytes > 0)
        memcpy(sealed->message + head_bytes, body, body_bytes);
    sealed->seal = seal_of(messages, rank, sealed, bytes);
    return bytes;
}

bool seal_is_good(struct messages *messages, const struct sealed *sealed, size_t bytes)
{
    const struct boot *boot = process.boot;
    if (bytes < SEALED_HEAD || bytes > sizeof *sealed ||
        sealed->source >= (uint32_t)boot->size || sealed->kind >= MESSAGE_KINDS ||
        boot->node_of[sealed->source] == boot->node)
        return false;
    struct numbers *numbers = &messages->numbers[sealed->source];
    if (sealed->number <= numbers->taken ||
        sealed->seal != seal_of(messages, boot->rank, sealed, bytes))
        return false;
    numbers->taken = sealed->number;
    return true;
}
