// SPDX-License-Identifier: BSD-3-Clause
// Sources of the memory of windows.
#include "window/hints.h"
#include "window/memory.h"
#include "window/open.h"

int check_memory(const void *memory, MPI_Aint size)
{
    if (memory == UNFIT_SECTION)
        return fail(MPI_ERR_BUFFER, "base is an array section that is not contiguous");
    if (memory == UNFIT_SIZE)
        return fail(MPI_ERR_SIZE, "size = %jd: base is an array of fewer bytes",
                    (intmax_t)size);
    if (size > 0 && is_nowhere((uintptr_t)memory))
        return fail(MPI_ERR_BUFFER, "base = %p: there is no memory of %jd bytes",
                    memory, (intmax_t)size);
    size_t mapped;
    if (process.options.check < CHECK_BASIC || size <= 0 ||
        !memory_has_holes(memory, (size_t)size, &mapped))
        return 0;
    return fail(MPI_ERR_BUFFER,
                "base = %p: of the %jd bytes only the first %zu are memory of this "
                "process",
                memory, (intmax_t)size, mapped);
}

// In the other members' interest, a member without memory fails here, not before.
int bring_callers(const struct window_plan *plan, struct window *window)
{
    int err = check_memory(plan->memory, plan->size);
    if (err)
        return err;
    window->base = plan->memory;
    window->size = plan->size;
    return 0;
}

int bring_own(const struct window_plan *plan, struct window *window)
{
    communicators_collect();
    int err = shm_alloc(process.shm, (size_t)plan->size, hint_alignment(plan->info),
                        &window->allocation);
    if (err)
        return err;
    window->base = window->allocation;
    window->size = plan->size;
    return 0;
}

// Sum of sizes[0 .. count-1], or UINT64_MAX when it does not fit.
static uint64_t sizes_sum(const MPI_Aint *sizes, int count)
{
    uint64_t total = 0;
    for (int i = 0; i < count; i++)
        if (__builtin_add_overflow(total, (uint64_t)sizes[i], &total))
            return UINT64_MAX;
    return total;
}

// Allocates one piece for all members, which are on one node, in the order of their
// ranks. The first member allocates it and broadcasts its offset, or an error for all.
static int allocate_together(const struct window_plan *plan, struct window *window,
                             const MPI_Aint *sizes, uint64_t *offset)
{
    struct communicator *comm = plan->comm;
    struct {
        uint64_t offset;
        int error;
    } answer = {0, 0};
    if (comm->rank == 0) {
        communicators_collect();
        answer.error = shm_alloc(process.shm, sizes_sum(sizes, comm->size),
                                 hint_alignment(plan->info), &window->allocation);
        if (!answer.error)
            answer.offset = shm_offset(process.shm, window->allocation);
    }
    int err = collective_broadcast(comm, &answer, sizeof answer, 0);
    if (err)
        return err;
    *offset = answer.offset;
    if (answer.error && comm->rank != 0)
        return fail(answer.error, "rank 0 could not allocate the memory of all ranks");
    return answer.error;
}

int bring_shared(const struct window_plan *plan, struct window *window)
{
    struct communicator *comm = plan->comm;
    MPI_Aint sizes[comm->size]; // the processes of one node are few
    uint64_t offset;
    int err = collective_gather_all(comm, &plan->size, sizeof plan->size, sizes);
    if (!err)
        err = allocate_together(plan, window, sizes, &offset);
    if (err)
        return err;
    window->base = shm_at(process.shm, offset + sizes_sum(sizes, comm->rank));
    window->size = plan->size;
    return 0;
}
