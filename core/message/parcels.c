// SPDX-License-Identifier: BSD-3-Clause
// Messages that wait, in memory of their own. What a handler has to send must not fail
// when memory is short, since somebody waits for it: spares are kept for that, and no
// message is handled while they may not suffice.
#include "message/private.h"

#include <stdlib.h>
#include <string.h>

enum {
    SPARES = 24,
    SENDS_MAX = 12, // of one handler; pt2pt's, asked for data, sends the most
};

struct spare {
    struct parcel parcel;
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

// Messages that begin something fail with the call that begins it.
bool message_must_arrive(enum message_kind kind)
{
    return kind != MESSAGE_EAGER && kind != MESSAGE_RTS && kind != MESSAGE_RMA &&
           kind != MESSAGE_LOCK;
}

static struct parcel *spare_take(struct messages *messages)
{
    for (int i = 0; i < SPARES; i++)
        if (!(messages->spares_used & UINT32_C(1) << i)) {
            messages->spares_used |= UINT32_C(1) << i;
            return &messages->spares[i].parcel;
        }
    return NULL;
}

static void parcel_free(struct messages *messages, struct parcel *parcel)
{
    uintptr_t offset = (uintptr_t)parcel - (uintptr_t)messages->spares;
    if (offset < SPARES * sizeof(struct spare))
        messages->spares_used &= ~(UINT32_C(1) << offset / sizeof(struct spare));
    else
        free(parcel);
}

int parcels_add(struct messages *messages, struct parcels *parcels,
                const struct parcel *what, const void *head, const void *body,
                size_t body_bytes)
{
    size_t head_bytes = what->bytes - body_bytes;
    struct parcel *parcel = malloc(sizeof *parcel + what->bytes);
    if (unlikely(parcel == NULL) && parcels != &messages->early &&
        message_must_arrive(what->kind))
        parcel = spare_take(messages);
    if (parcel == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory to keep a message of %zu bytes",
                    what->bytes);
    *parcel = *what;
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

void parcels_drop_first(struct messages *messages, struct parcels *parcels)
{
    struct parcel *parcel = parcels->first;
    parcels->first = parcel->next;
    parcels->count--;
    parcel_free(messages, parcel);
}

void parcels_free(struct messages *messages, struct parcels *parcels)
{
    while (parcels->first)
        parcels_drop_first(messages, parcels);
}
