// SPDX-License-Identifier: BSD-3-Clause
// The memory that a communicator's members on one node share, and rounds on it.
#include "collective/private.h"

#include <string.h>

static void area_retire(struct area *area)
{
    area->next_retired = atomic_load(&process.retired_areas);
    while (!atomic_compare_exchange_weak(&process.retired_areas, &area->next_retired,
                                         area))
        ;
}

// Frees the retired areas that all members have left.
static void areas_collect(void)
{
    struct area *area = atomic_exchange(&process.retired_areas, NULL);
    while (area != NULL) {
        struct area *next = area->next_retired;
        uint32_t departed = atomic_load_explicit(&area->departed, memory_order_acquire);
        if ((int)departed == area->seats)
            shm_free(process.shm, area);
        else
            area_retire(area);
        area = next;
    }
}

int area_make(int seats, struct area **area)
{
    areas_collect();
    void *memory;
    size_t bytes = sizeof(struct area) + (size_t)seats * 2 * sizeof(struct board);
    int err = shm_alloc(process.shm, bytes, CACHE_LINE, &memory);
    if (err)
        return err;
    memset(memory, 0, sizeof(struct area));
    *area = memory;
    (*area)->seats = seats;
    return 0;
}

// The message lock may be held: messages keep communicators alive.
void area_leave(struct area *area, bool is_owner)
{
    if (is_owner)
        area_retire(area);
    atomic_fetch_add_explicit(&area->departed, 1, memory_order_release);
    areas_collect();
}

void area_break(const struct communicator *comm)
{
    if (comm->area != NULL)
        atomic_store(&comm->area->is_broken, true);
}

static __attribute__((noinline)) int fail_broken(void)
{
    int err = message_check_deaths();
    return err ? err
               : fail(MPI_ERR_PROC_ABORTED, "another member has lost the connection to "
                                            "a process of the communicator");
}

int node_arrive(struct communicator *comm)
{
    _Atomic(uint32_t) *arrivals = &comm->area->arrivals;
    uint32_t expected = ++comm->sequence * (uint32_t)comm->node_size;
    uint32_t arrived = atomic_fetch_add_explicit(arrivals, 1, memory_order_acq_rel) + 1;
    unsigned spins = 0;
    while ((int32_t)(arrived - expected) < 0) {
        int err = message_backoff(&spins);
        if (err) {
            area_break(comm);
            return err;
        }
        arrived = atomic_load_explicit(arrivals, memory_order_acquire);
    }
    return unlikely(atomic_load_explicit(&comm->area->is_broken, memory_order_relaxed))
               ? fail_broken()
               : 0;
}

int collective_node_barrier(struct communicator *comm)
{
    return comm->node_size > 1 ? node_arrive(comm) : 0;
}

int boards_agree(const struct communicator *comm, const struct board *boards,
                 uint64_t total)
{
    for (int seat = 0; seat < comm->node_size; seat++) {
        uint64_t other = board_after(boards, seat)->total;
        if (refused_class(other))
            return fail_refused(refused_class(other));
        if (other != total)
            return fail(MPI_ERR_TRUNCATE,
                        "%ju bytes are this process's part and %ju another's",
                        (uintmax_t)total, (uintmax_t)other);
    }
    return 0;
}

// Bytes of `total` that go on a board when `done` have gone before.
static size_t piece_at(size_t done, size_t total)
{
    return total - done < BOARD_BYTES ? total - done : BOARD_BYTES;
}

// Everyone takes part until the source has shown all that it has, also who wants less.
int node_broadcast(struct communicator *comm, void *bytes, size_t size, int seat,
                   int err)
{
    if (comm->node_size == 1)
        return err;
    bool is_source = comm->node_rank == seat;
    uint64_t total = is_source && err ? total_refused(err) : size;
    size_t done = 0;
    do {
        struct board *board = board_of(comm, seat);
        if (is_source) {
            board->total = total;
            if (!refused_class(total) && size > 0)
                memcpy(board->bytes, (char *)bytes + done, piece_at(done, total));
        }
        int failed = node_arrive(comm);
        if (failed)
            return failed;
        total = board->total;
        if (refused_class(total))
            return err ? err : fail_refused(refused_class(total));
        if (!is_source && done < size)
            memcpy((char *)bytes + done, board->bytes,
                   piece_at(done, total < size ? total : size));
        done += BOARD_BYTES;
    } while (done < total);
    return total == size ? 0
                         : fail(MPI_ERR_TRUNCATE,
                                "%zu bytes are broadcast and %zu are to be received",
                                (size_t)total, size);
}

int collective_node_broadcast(struct communicator *comm, void *bytes, size_t size)
{
    return node_broadcast(comm, bytes, size, 0, 0);
}
