// SPDX-License-Identifier: BSD-3-Clause
// Names of transfers on the wire.
#include "pt2pt/remote_read.h"

#include <stdlib.h>

enum { INDEX_BITS = 20, FIRST_NAMES = 64, INDEX_MASK = (1 << INDEX_BITS) - 1 };

static int more_names(struct matching *matching)
{
    uint32_t count = matching->name_count ? 2 * matching->name_count : FIRST_NAMES;
    struct named *names = NULL;
    if (count <= 1u << INDEX_BITS)
        names = realloc(matching->names, count * sizeof *names);
    if (names == NULL)
        return fail(MPI_ERR_NO_MEM, "%u long messages are under way",
                    matching->name_count);
    for (uint32_t i = matching->name_count; i < count; i++)
        names[i] =
            (struct named){.generation = 1, .next_free = i + 1 < count ? i + 2 : 0};
    matching->first_free = matching->name_count + 1;
    matching->names = names;
    matching->name_count = count;
    return 0;
}

int transfer_name(struct transfer *transfer)
{
    struct matching *matching = process.matching;
    int err = matching->first_free ? 0 : more_names(matching);
    if (err)
        return err;
    uint32_t index = matching->first_free - 1;
    struct named *named = &matching->names[index];
    matching->first_free = named->next_free;
    named->transfer = transfer;
    transfer->id = named->generation << INDEX_BITS | index;
    return 0;
}

void transfer_forget(struct transfer *transfer)
{
    if (transfer->id == 0)
        return;
    struct matching *matching = process.matching;
    uint32_t index = transfer->id & INDEX_MASK;
    struct named *named = &matching->names[index];
    uint32_t generation = (named->generation + 1) & ((1u << (32 - INDEX_BITS)) - 1);
    *named = (struct named){.generation = generation ? generation : 1,
                            .next_free = matching->first_free};
    matching->first_free = index + 1;
    transfer->id = 0;
    if (transfer->exposed != NULL)
        send_conceal(transfer);
}

struct transfer *transfer_of(uint32_t id, bool is_send, int peer)
{
    uint32_t index = id & INDEX_MASK;
    if (index >= process.matching->name_count)
        return NULL;
    struct transfer *transfer = process.matching->names[index].transfer;
    bool is_it = transfer != NULL && transfer->id == id &&
                 transfer->parameters.is_send == is_send && transfer->peer == peer;
    return is_it ? transfer : NULL;
}
