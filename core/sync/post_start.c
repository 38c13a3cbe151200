// SPDX-License-Identifier: BSD-3-Clause
// General active target: MPI_Win_post, _start, _complete, _wait, _test (MPI-4.1
// 12.5.2). Start does not wait: the first operation on a target waits until that has
// posted. Asserts other than NOCHECK promise what is free here anyway.
#include "rma/rma.h"
#include "sync/sync.h"

#include <oriel_core.h>
#include <stdlib.h>

// The ranks in the window of a group's members; NULL without memory.
static int *group_window_ranks(const struct window *window, struct group *group)
{
    size_t count = (size_t)group->size;
    int *ranks = malloc(2 * (count + 1) * sizeof *ranks);
    if (ranks == NULL)
        return NULL;
    int *own = ranks + count;
    for (int i = 0; i < group->size; i++)
        own[i] = i;
    if (oriel_group_translate_ranks(group, group->size, own, window->comm->group,
                                    ranks)) {
        free(ranks);
        return NULL;
    }
    return ranks;
}

// Callers hold the guard.
static int find_members(struct window *window, const int *ranks, int count,
                        struct peer **members)
{
    for (int i = 0; i < count; i++) {
        if (ranks[i] == MPI_UNDEFINED)
            return fail(MPI_ERR_GROUP,
                        "rank %d of the group is not a process of the window", i);
        int err = window_peer(window, ranks[i], &members[i]);
        if (err)
            return err;
    }
    return 0;
}

// Makes the neighbours that a group names, whose notices can be counted from now on.
// Callers hold the guard.
static int neighbours_make(struct window *window, struct group *group,
                           struct neighbours *made)
{
    int *ranks = group_window_ranks(window, group);
    struct peer **members = malloc(((size_t)group->size + 1) * sizeof *members);
    int err = 0;
    if (ranks == NULL || members == NULL)
        err = fail(MPI_ERR_NO_MEM, "no memory for a group of %d", group->size);
    if (!err)
        err = find_members(window, ranks, group->size, members);
    free(ranks);
    if (err) {
        free(members);
        return err;
    }
    window_count_early(window);
    *made = (struct neighbours){.members = members, .count = group->size};
    return 0;
}

static void neighbours_drop(struct neighbours *neighbours)
{
    free(neighbours->members);
    *neighbours = (struct neighbours){0};
}

// The first error of any; all are told that have not been.
static int notify_all(const struct window *window, const struct neighbours *neighbours,
                      enum notice kind)
{
    int first = 0;
    for (int i = 0; i < neighbours->count; i++) {
        struct peer *peer = neighbours->members[i];
        bool is_told = kind == NOTICE_COMPLETE && peer_take_parted(peer);
        int err = is_told ? 0 : peer_notify(window, peer, kind);
        if (first == 0)
            first = err;
    }
    return first;
}

static void expect_all(const struct neighbours *neighbours, enum notice kind)
{
    for (int i = 0; i < neighbours->count; i++)
        peer_expect_notice(neighbours->members[i], kind);
}

// ---- the origin's side --------------------------------------------------------
static int check_may_start(const struct window *window)
{
    if (epoch_may_open(&window->epoch))
        return 0;
    return fail(MPI_ERR_RMA_SYNC, "%s on the window; close it before starting another",
                window_epoch(window));
}

int oriel_win_start(struct group *group, int assert, struct window *win)
{
    struct neighbours targets;
    assert(window_is_settled(win));
    window_guard(win);
    int err = check_may_start(win);
    if (!err)
        err = neighbours_make(win, group, &targets);
    if (!err) {
        if (!(assert &MPI_MODE_NOCHECK))
            expect_all(&targets, NOTICE_POST);
        epoch_open_start(&win->epoch, targets);
    }
    window_unguard(win);
    assert(window_is_settled(win));
    return err;
}

// An operation that failed does not keep its target waiting. A target that has not been
// accessed may post later: notices of both sides are counted. Where messages are in order,
// the notice goes with the last operations, and nobody answers those that fetch nothing.
int oriel_win_complete(struct window *win)
{
    assert(window_is_settled(win));
    if (unlikely(epoch_access(&win->epoch) != ACCESS_START))
        return fail(MPI_ERR_RMA_SYNC, "nothing has been started: %s on the window",
                    window_epoch(win));
    if (races_are_checked())
        sync_watched(win, NULL);
    for (int i = 0; i < win->epoch.targets.count; i++)
        sync_part(win->epoch.targets.members[i]);
    int err = sync_complete_all(win);
    order_complete();
    int notice_err = notify_all(win, &win->epoch.targets, NOTICE_COMPLETE);
    window_guard(win);
    struct neighbours targets = epoch_close_start(&win->epoch);
    window_unguard(win);
    neighbours_drop(&targets);
    assert(window_is_settled(win));
    return err ? err : notice_err;
}

// ---- the target's side --------------------------------------------------------
static int check_may_post(struct window *window)
{
    if (window_is_exposed(window))
        return fail(MPI_ERR_RMA_SYNC, "the window is already exposed by MPI_Win_post");
    if (epoch_access(&window->epoch) == ACCESS_FENCE_USED)
        return fail(MPI_ERR_RMA_SYNC, "%s on the window; close it before posting",
                    window_epoch(window));
    if (window_is_locked(window))
        return fail(
            MPI_ERR_RMA_CONFLICT,
            "the memory of this process is locked; MPI_Win_unlock must come before "
            "it is exposed");
    return 0;
}

static void set_exposed(struct window *window, bool is_exposed)
{
    atomic_store(&window_own_lock_record(window)->is_exposed, is_exposed);
}

// ORIEL_CHECK=races: before the notice by which origins know.
static void post_clock(const struct window *window)
{
    message_lock();
    for (int i = 0; i < window->origins.count; i++)
        races_send_clock(window->origins.members[i]->job_rank, window->comm->context,
                         ORDER_POST);
    message_unlock();
}

int oriel_win_post(struct group *group, int assert, struct window *win)
{
    assert(window_is_settled(win));
    window_guard(win);
    int err = check_may_post(win);
    if (!err)
        err = neighbours_make(win, group, &win->origins);
    if (!err) {
        expect_all(&win->origins, NOTICE_COMPLETE);
        set_exposed(win, true);
    }
    window_unguard(win);
    assert(window_is_settled(win));
    if (races_are_checked() && !err)
        races_post(win->watched, assert);
    if (err || (assert &MPI_MODE_NOCHECK))
        return err;
    order_complete();
    if (races_are_checked())
        post_clock(win);
    return notify_all(win, &win->origins, NOTICE_POST);
}

// Each origin is looked at until it has completed, so that all looks together cost as
// much as there are origins.
static bool are_complete(void *argument)
{
    struct neighbours *origins = argument;
    while (origins->done < origins->count &&
           peer_has_notice(origins->members[origins->done], NOTICE_COMPLETE))
        origins->done++;
    return origins->done == origins->count;
}

static void explain_origins(const void *argument, struct explanation *explanation)
{
    const struct neighbours *origins = argument;
    for (int i = origins->done; i < origins->count; i++)
        notice_explain(origins->members[i], NOTICE_COMPLETE, explanation);
}

static int check_is_exposed(const struct window *window)
{
    if (likely(window_is_exposed(window)))
        return 0;
    return fail(MPI_ERR_RMA_SYNC,
                "the window is not exposed: MPI_Win_post has not been called, or its "
                "epoch has been closed");
}

// What the origins have done is known from now on.
static void origins_clock(const struct window *window)
{
    message_lock();
    for (int i = 0; i < window->origins.count; i++)
        races_learn_clock(window->origins.members[i]->job_rank, window->comm->context,
                          ORDER_COMPLETE);
    races_wait(window->watched);
    message_unlock();
}

static void end_exposure(struct window *window)
{
    if (races_are_checked())
        origins_clock(window);
    window_guard(window);
    neighbours_drop(&window->origins);
    set_exposed(window, false);
    window_unguard(window);
    assert(window_is_settled(window));
}

int oriel_win_wait(struct window *win)
{
    int err = check_is_exposed(win);
    if (!err)
        err = message_wait(are_complete, &win->origins, explain_origins);
    if (!err)
        end_exposure(win);
    return err;
}

int oriel_win_test(struct window *win, int *flag)
{
    int err = check_is_exposed(win);
    if (err)
        return err;
    message_lock();
    message_poll();
    bool is_complete = are_complete(&win->origins);
    message_unlock();
    if (is_complete)
        end_exposure(win);
    *flag = is_complete;
    return message_looked(is_complete);
}
