// SPDX-License-Identifier: BSD-3-Clause
// What calls on windows depend on, and what the process holds of them. A lock depends on
// the release by each process that holds it: local peers, which are asked, and origins on
// other nodes, which the target knows.
#include "window/awaited.h"

#include <string.h>

static struct window *window_of_context(uint64_t context)
{
    struct window *window = process.windows->open;
    while (window != NULL && window->comm->context != context)
        window = window->next_open;
    return window;
}

static const char *type_text(int type)
{
    return type == MPI_LOCK_EXCLUSIVE ? "exclusive" : "shared";
}

struct awaited awaited_of_lock(const struct window *window, int rank, int target,
                               enum awaited_kind kind)
{
    return (struct awaited){.context = window->comm->context,
                            .rank = rank,
                            .number = (uint32_t)target,
                            .other = kind == AWAITED_GRANT ? process.boot->rank : 0,
                            .kind = (uint16_t)kind};
}

static void say_lock(const struct peer *peer, struct explanation *explanation)
{
    char name[COMMUNICATOR_TEXT_BYTES];
    awaited_say(explanation, "to release its lock of the memory of rank %d on %s",
                peer->rank, communicator_text(peer->window->comm, name));
}

static void await_releases(const struct window *window, int target,
                           struct explanation *explanation)
{
    const struct communicator *comm = window->comm;
    for (int i = 0; i < comm->node_size; i++)
        awaited_add(explanation,
                    awaited_of_lock(window, comm_job_rank(comm, comm->node_members[i]),
                                    target, AWAITED_RELEASE));
}

// The argument is a peer on this node; the thread has a ticket.
void ticket_explain(const void *argument, struct explanation *explanation)
{
    const struct peer *peer = argument;
    say_lock(peer, explanation);
    await_releases(peer->window, peer->rank, explanation);
    if (window_has(peer->window, TRAIT_NODES))
        awaited_add(explanation, awaited_of_lock(peer->window, peer->job_rank,
                                                 peer->rank, AWAITED_GRANT));
}

void grant_explain(const void *argument, struct explanation *explanation)
{
    const struct peer *peer = argument;
    say_lock(peer, explanation);
    if (peer_is_asked_for(peer))
        awaited_add(explanation, awaited_of_lock(peer->window, peer->job_rank,
                                                 peer->rank, AWAITED_GRANT));
}

void grants_explain(const void *unused, struct explanation *explanation)
{
    (void)unused;
    for (const struct window *window = process.windows->open; window != NULL;
         window = window->next_open)
        for (const struct peer *peer = window->peers.first; peer != NULL;
             peer = peer->next)
            if (peer->is_asked)
                grant_explain(peer, explanation);
}

void notice_explain(const struct peer *peer, enum notice kind,
                    struct explanation *explanation)
{
    char name[COMMUNICATOR_TEXT_BYTES];
    if (peer_has_notice(peer, kind))
        return;
    awaited_say(explanation, "to call %s on %s",
                kind == NOTICE_POST ? "MPI_Win_post with this process in its group"
                                    : "MPI_Win_complete",
                communicator_text(peer->window->comm, name));
    awaited_add(explanation,
                (struct awaited){.rank = peer->job_rank, .kind = AWAITED_CALL});
}

void post_explain(const void *argument, struct explanation *explanation)
{
    notice_explain(argument, NOTICE_POST, explanation);
}

// ---- what is awaited of this process ---------------------------------------------------
static void explain_grant(const struct awaited *awaited,
                          struct explanation *explanation)
{
    const struct window *window = window_of_context(awaited->context);
    if (window == NULL || awaited->other < 0 || awaited->other >= process.boot->size)
        return;
    bool is_own = (int)awaited->number == window->comm->rank;
    bool is_granted =
        !is_own || distant_locks_explain(window, awaited->other, explanation);
    bool is_distant = !boot_is_local(process.boot, awaited->other);
    if (is_granted && is_distant)
        explanation->count = 0;
    else if (is_distant)
        await_releases(window, window->comm->rank, explanation);
}

static void explain_release(const struct awaited *awaited,
                            struct explanation *explanation)
{
    const struct window *window = window_of_context(awaited->context);
    const struct peer *peer =
        window != NULL ? window_find_peer(window, (int)awaited->number) : NULL;
    if (peer != NULL && peer_lock_state(peer) == LOCK_HELD)
        awaited_add(explanation,
                    (struct awaited){.rank = process.boot->rank, .kind = AWAITED_CALL});
}

static void tell_lock(const struct peer *peer, char *text, size_t bytes)
{
    char name[COMMUNICATOR_TEXT_BYTES];
    size_t used = strlen(text);
    if (peer_lock_state(peer) == LOCK_HELD && used < bytes)
        snprintf(text + used, bytes - used, "%sthe %s lock of rank %d on %s",
                 used > 0 ? ", " : "", type_text(peer->lock_type), peer->rank,
                 communicator_text(peer->window->comm, name));
}

static void tell_exposure(const struct window *window, char *text, size_t bytes)
{
    char name[COMMUNICATOR_TEXT_BYTES];
    size_t used = strlen(text);
    if (window_is_exposed(window) && used < bytes)
        snprintf(text + used, bytes - used, "%s%s exposed by MPI_Win_post",
                 used > 0 ? ", " : "", communicator_text(window->comm, name));
}

static void tell_holdings(char *text, size_t bytes)
{
    text[0] = '\0';
    for (const struct window *window = process.windows->open; window != NULL;
         window = window->next_open) {
        tell_exposure(window, text, bytes);
        for (const struct peer *peer = window->peers.first; peer != NULL;
             peer = peer->next)
            tell_lock(peer, text, bytes);
    }
}

void awaited_locks_start(void)
{
    awaited_register(AWAITED_GRANT, explain_grant);
    awaited_register(AWAITED_RELEASE, explain_release);
    holdings_register(tell_holdings);
}
