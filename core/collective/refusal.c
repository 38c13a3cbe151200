// SPDX-License-Identifier: BSD-3-Clause
// Refusals. A member that receives a message of an unexpected length cannot know what
// its partners do next, and they cannot wait for it. It tells all members of the
// communicator that the call has failed, so that an error of the program hangs no
// process. A member without memory to go on does the same.
#include "collective/refusal.h"
#include "collective/schedule.h"
#include "collective/shared_buffer.h"

#include <stdlib.h>

struct notice {
    uint64_t context;
    int32_t tag;
    int16_t error_class;
    int16_t is_apart; // the tag is that of some members, not a number
};

// A refusal that has come before this process has begun the call; or after it was done,
// which does no harm, since no other call has this number. Some members may use their
// tag again: where two of them have refused one call, the next call with the tag fails,
// too.
struct refusal {
    struct refusal *next;
    struct notice notice;
};

int fail_refused(int error_class)
{
    int err = message_known_death();
    if (err)
        return err;
    return error_class == MPI_ERR_TRUNCATE
               ? fail(error_class, "another member of the communicator has got more or "
                                   "less than it expected")
               : fail(error_class, "another member of the communicator has failed");
}

static struct refusal **refusal_find(uint64_t context, bool is_apart, int tag)
{
    struct refusal **link = &process.collectives->refusals;
    while (*link != NULL &&
           ((*link)->notice.context != context ||
            (*link)->notice.is_apart != is_apart || (*link)->notice.tag != tag))
        link = &(*link)->next;
    return link;
}

int refusal_take(const struct communicator *comm, bool is_apart, int tag)
{
    struct refusal **link = refusal_find(comm->context, is_apart, tag), *found = *link;
    if (found == NULL)
        return 0;
    int error_class = found->notice.error_class;
    *link = found->next;
    free(found);
    return error_class;
}

static void refusal_keep(const struct notice *notice)
{
    struct refusal **end = refusal_find(notice->context, notice->is_apart, notice->tag);
    if (*end != NULL)
        return;
    *end = calloc(1, sizeof **end);
    if (*end == NULL)
        message_defer();
    else
        (*end)->notice = *notice;
}

static void handle_refusal(int peer, const void *message, size_t bytes)
{
    const struct notice *notice = message;
    if (bytes != sizeof *notice || notice->tag < 0 || notice->error_class == 0 ||
        !is_error_class(notice->error_class) || (notice->is_apart & ~1) != 0)
        message_refuse(peer, "a refusal");
    else if (!schedule_refused(notice->context, notice->is_apart, notice->tag,
                               notice->error_class))
        refusal_keep(notice);
}

static void refusal_tell(const struct group *group, const struct notice *notice)
{
    for (int i = 0; i < group->size; i++) {
        int job_rank = group_job_rank(group, i);
        if (job_rank != process.boot->rank)
            message_send(job_rank, MESSAGE_REFUSAL, notice, sizeof *notice, NULL, 0);
    }
}

void refusal_send(const struct communicator *comm, const struct group *apart, int tag,
                  int error_class)
{
    struct notice notice = {comm->context, tag, (int16_t)error_class, apart != NULL};
    refusal_tell(apart ? apart : comm->group, &notice);
    if (comm_is_inter(comm) && apart == NULL)
        refusal_tell(comm->peers, &notice);
}

void refusal_send_unlocked(const struct communicator *comm, const struct group *apart,
                           int tag, int error_class)
{
    message_lock();
    refusal_send(comm, apart, tag, error_class);
    message_unlock();
}

int schedule_skip(struct communicator *comm)
{
    schedule_number(comm);
    return 0;
}

int schedule_miss(struct communicator *comm, int err)
{
    refusal_send_unlocked(comm, NULL, schedule_number(comm), err);
    return err;
}

static const struct message_kind refusal_kind = {MESSAGE_REFUSAL, handle_refusal,
                                                 false};

void refusals_start(void)
{
    message_register(&refusal_kind, 1);
}

void refusals_stop(void)
{
    message_unregister(&refusal_kind, 1);
    while (process.collectives->refusals != NULL) {
        struct refusal *next = process.collectives->refusals->next;
        free(process.collectives->refusals);
        process.collectives->refusals = next;
    }
}
