// SPDX-License-Identifier: BSD-3-Clause
// Refusals. Who gets a message of another length than it expects cannot know what its
// partners do next, nor can they wait for it: it tells all members of the communicator
// that this call has failed, so that an error of the program is nobody's hang.
#include "collective/private.h"

#include <limits.h>
#include <stdlib.h>

struct notice {
    uint64_t context;
    int64_t tag;
};

// What has come before this process has begun the call; or after it was done, which
// does no harm, since no other call has this tag.
struct refusal {
    struct refusal *next;
    struct notice notice;
};

int fail_refused(void)
{
    int err = message_known_death();
    return err ? err
               : fail(MPI_ERR_TRUNCATE, "another member of the communicator has got "
                                        "more or less than it expected");
}

static struct refusal **find(uint64_t context, int tag)
{
    struct refusal **link = &process.refusals;
    while (*link != NULL &&
           ((*link)->notice.context != context || (*link)->notice.tag != tag))
        link = &(*link)->next;
    return link;
}

bool refusal_take(const struct communicator *comm, int tag)
{
    struct refusal **link = find(comm->context, tag), *found = *link;
    if (found != NULL)
        *link = found->next;
    free(found);
    return found != NULL;
}

static void keep(const struct notice *notice)
{
    struct refusal **end = find(notice->context, (int)notice->tag);
    if (*end != NULL)
        return;
    *end = calloc(1, sizeof **end);
    if (*end == NULL)
        log_error("a refusal is lost: no memory");
    else
        (*end)->notice = *notice;
}

static void handle_refusal(int peer, const void *message, size_t bytes)
{
    const struct notice *notice = message;
    if (bytes != sizeof *notice || notice->tag < 0 || notice->tag > INT_MAX)
        message_refuse(peer, "a refusal");
    else if (!schedule_refused(notice->context, (int)notice->tag))
        keep(notice);
}

static void tell(const struct group *group, const struct notice *notice)
{
    for (int i = 0; i < group->size; i++)
        if (group->ranks[i] != process.boot->rank &&
            message_send(group->ranks[i], MESSAGE_REFUSAL, notice, sizeof *notice, NULL,
                         0))
            log_error("rank %d could not be told of a refusal", group->ranks[i]);
}

void refusal_send(const struct communicator *comm, int tag)
{
    struct notice notice = {comm->context, tag};
    tell(comm->group, &notice);
    if (comm_is_inter(comm))
        tell(comm->peers, &notice);
}

void refusals_start(void)
{
    message_register(MESSAGE_REFUSAL, handle_refusal);
}

void refusals_stop(void)
{
    message_register(MESSAGE_REFUSAL, NULL);
    while (process.refusals != NULL) {
        struct refusal *next = process.refusals->next;
        free(process.refusals);
        process.refusals = next;
    }
}
