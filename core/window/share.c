// SPDX-License-Identifier: BSD-3-Clause
// Shared pages on request: the program's memory in a window becomes memory that local
// peers map, where nothing can get lost by it. docs/hints.md has the key.
#include "window/hints.h"
#include "window/memory.h"
#include "window/share.h"

#include <strings.h>

static const char KEY[] = "oriel_share_pages";

enum sharing { SHARING_OFF, SHARING_ON, SHARING_INSISTING };

// By the window's info, or else by the option.
static enum sharing sharing_of(const struct window *window)
{
    char value[MPI_MAX_INFO_VAL];
    if (!info_value(window->info, KEY, value))
        return process.options.share_pages ? SHARING_ON : SHARING_OFF;
    if (strcasecmp(value, "insist") == 0)
        return SHARING_INSISTING;
    return strcasecmp(value, "true") == 0 ? SHARING_ON : SHARING_OFF;
}

static const char *sharing_name(enum sharing sharing)
{
    static const char *const names[] = {"false", "true", "insist"};
    return names[sharing];
}

// Stores of other threads of the program, and of peers by another window, could get lost
// between the copy of the pages and their exchange. The progress threads store only with
// the message lock held. Callers hold it, too.
static int check_is_quiet(const struct window *window, const void *memory, size_t bytes)
{
    if (window->comm->node_size == 1)
        return fail(MPI_ERR_OTHER, "no other process of the window is on this node");
    long others = shm_threads() - 1 - message_threads();
    if (others > 0 && sharing_of(window) != SHARING_INSISTING)
        return fail(MPI_ERR_OTHER,
                    "the program has %ld other threads, which might store into it "
                    "meanwhile; %s=insist says that they do not",
                    others, KEY);
    if (!shm_has_shared(process.shm, memory, bytes) &&
        window_user_of(memory, bytes) != NULL)
        return fail(MPI_ERR_OTHER, "another window uses the memory");
    return 0;
}

static int memory_share(const struct window *window, const void *memory, size_t bytes,
                        struct shared_pages *shared)
{
    message_lock();
    int err = check_is_quiet(window, memory, bytes);
    if (!err)
        err = window_watch_forks();
    if (!err)
        err = shm_share(process.shm, memory, bytes, shared);
    message_unlock();
    return err;
}

static int tell_refusal(struct window *window, const void *memory, size_t bytes)
{
    const char *reason = error_detail(&(int){0});
    log_verbose("the %zu bytes at %p of a window are not shared: %s", bytes, memory,
                reason);
    return hint_keep(window, KEY_REFUSED, reason);
}

int window_share(struct window *window, const void *memory, size_t bytes,
                 struct shared_pages *shared)
{
    *shared = (struct shared_pages){0};
    if (sharing_of(window) == SHARING_OFF || bytes == 0 ||
        shm_contains(process.shm, memory, bytes))
        return 0;
    if (memory_share(window, memory, bytes, shared) != 0)
        return tell_refusal(window, memory, bytes);
    log_verbose("of the %zu bytes at %p of a window, %zu are shared", bytes, memory,
                shared->bytes);
    return 0;
}

void window_unshare(const struct shared_pages *shared)
{
    if (shared->bytes == 0)
        return;
    message_lock();
    shm_unshare(process.shm, shared);
    message_unlock();
}

int window_share_own(struct window *window)
{
    if (window->flavor != MPI_WIN_FLAVOR_CREATE &&
        window->flavor != MPI_WIN_FLAVOR_DYNAMIC)
        return 0;
    enum sharing sharing = sharing_of(window);
    int err = window_share(window, window->base, (size_t)window->size, &window->shared);
    bool is_refused =
        info_value(window->info, KEY_REFUSED, (char[MPI_MAX_INFO_VAL]){0});
    if (err || (sharing == SHARING_OFF && window->info == NULL))
        return err;
    return hint_keep(window, KEY, sharing_name(is_refused ? SHARING_OFF : sharing));
}
