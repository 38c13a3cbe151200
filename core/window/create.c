// SPDX-License-Identifier: BSD-3-Clause
// Windows from a program's view: creation and end (MPI-4.1 12.2).
#include "window/attachments.h"
#include "window/memory.h"
#include "window/open.h"

#include <oriel_core.h>
#include <stdlib.h>

static bool window_exposes(const struct window *window, uintptr_t address)
{
    return address - (uintptr_t)window->base < (size_t)window->size ||
           (window->flavor == MPI_WIN_FLAVOR_DYNAMIC &&
            attachments_overlap(window, address, 1));
}

// In the handler of a fault, which takes no lock.
static bool name_exposure(const void *memory, char *text, size_t bytes)
{
    char name[COMMUNICATOR_TEXT_BYTES];
    const struct window *window =
        process.windows != NULL ? process.windows->open : NULL;
    while (window != NULL && !window_exposes(window, (uintptr_t)memory))
        window = window->next_open;
    if (window != NULL)
        snprintf(text, bytes, "%s", communicator_text(window->comm, name));
    return window != NULL;
}

int windows_start(const struct peer_owner *owner)
{
    process.windows = calloc(1, sizeof *process.windows);
    if (process.windows == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for windows");
    process.windows->peer_owner = owner;
    faults_name_exposures(name_exposure);
    locks_start();
    notices_start();
    return 0;
}

void windows_stop(void)
{
    notices_stop();
    locks_stop();
    kept_memory_forget();
    free(process.windows);
    process.windows = NULL;
}

int oriel_win_create(void *base, MPI_Aint size, MPI_Aint disp_unit, struct info *info,
                     struct communicator *comm, struct window **win)
{
    struct window_plan plan = {.flavor = MPI_WIN_FLAVOR_CREATE,
                               .comm = comm,
                               .info = info,
                               .size = size,
                               .unit = disp_unit,
                               .memory = base,
                               .bring = bring_callers};
    return window_open(&plan, win);
}

// Opens a window on memory that Oriel provides and tells the program where it is.
static int open_allocated(const struct window_plan *plan, void *baseptr,
                          struct window **win)
{
    int err = window_open(plan, win);
    if (!err)
        *(void **)baseptr = (*win)->base;
    return err;
}

int oriel_win_allocate(MPI_Aint size, MPI_Aint disp_unit, struct info *info,
                       struct communicator *comm, void *baseptr, struct window **win)
{
    struct window_plan plan = {.flavor = MPI_WIN_FLAVOR_ALLOCATE,
                               .comm = comm,
                               .info = info,
                               .size = size,
                               .unit = disp_unit,
                               .bring = bring_own};
    return open_allocated(&plan, baseptr, win);
}

int oriel_win_allocate_shared(MPI_Aint size, MPI_Aint disp_unit, struct info *info,
                              struct communicator *comm, void *baseptr,
                              struct window **win)
{
    if (comm->leader_count > 1)
        return fail(MPI_ERR_RMA_SHARED,
                    "the %d processes of the communicator are on %d nodes and share no "
                    "memory; MPI_Comm_split_type makes communicators that do",
                    comm->size, comm->leader_count);
    bool is_apart = info_flag(info, "alloc_shared_noncontig", false);
    struct window_plan plan = {.flavor = MPI_WIN_FLAVOR_SHARED,
                               .comm = comm,
                               .info = info,
                               .size = size,
                               .unit = disp_unit,
                               .bring = is_apart ? bring_own : bring_shared};
    return open_allocated(&plan, baseptr, win);
}

int oriel_win_create_dynamic(struct info *info, struct communicator *comm,
                             struct window **win)
{
    struct window_plan plan = {.flavor = MPI_WIN_FLAVOR_DYNAMIC,
                               .comm = comm,
                               .info = info,
                               .unit = 1,
                               .bring = bring_callers};
    return window_open(&plan, win);
}

int oriel_win_free(struct window *win)
{
    if (!epoch_may_open(&win->epoch))
        return fail(MPI_ERR_RMA_SYNC,
                    "%s; it must be closed before the window is freed",
                    window_epoch(win));
    if (window_is_exposed(win))
        return fail(MPI_ERR_RMA_SYNC, "the window is exposed by MPI_Win_post; "
                                      "MPI_Win_wait must come before it is freed");
    int err = attributes_drop(win);
    if (races_are_checked()) // with the clocks comes what is told of accesses
        races_meeting_end(races_meet(win->comm), true);
    assert(window_is_settled(win)); // after the barrier others free what is shared
    if (!err)
        err = collective_barrier(win->comm);
    if (!err)
        window_close(win);
    return err;
}
