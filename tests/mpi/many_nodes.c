// SPDX-License-Identifier: BSD-3-Clause
// windows_keep_their_data_among_many_nodes: twenty windows at once, of equal and of
// different sizes, over all processes and over halves of them, through fence,
// post-start-complete-wait and lock_all with targets near and far. Wants 16 ranks or
// more, and is meant for hundreds on dozens of nodes.
#include "window_test.h"

enum { WINDOWS = 20, DISTANCES = 3 };

struct shared {
    MPI_Win win;
    MPI_Comm comm;
    int rank, size; // in comm
    int *base;      // [DISTANCES] or more: what comes from the origin at a distance
};

// The ranks at a distance before and after the process.
static void find_distant(const struct shared *shared, int origins[], int targets[])
{
    int distances[DISTANCES] = {1, shared->size / 4 + 1, shared->size / 2};
    for (int i = 0; i < DISTANCES; i++) {
        origins[i] = (shared->rank + shared->size - distances[i]) % shared->size;
        targets[i] = (shared->rank + distances[i]) % shared->size;
    }
}

// ---- opening and closing ---------------------------------------------------------------
// Half of the windows have equal members; every fourth one has memory of the program.
static void open_window(struct shared *shared, int number, MPI_Comm comm)
{
    *shared = (struct shared){.comm = comm};
    MPI_Comm_rank(comm, &shared->rank);
    MPI_Comm_size(comm, &shared->size);
    MPI_Aint count = DISTANCES + (number % 2 ? shared->rank % 7 : 0);
    MPI_Aint bytes = count * (MPI_Aint)sizeof(int);
    if (number % 4 == 3) {
        shared->base = malloc((size_t)bytes);
        CHECK(shared->base != NULL);
        MPI_Win_create(shared->base, bytes, sizeof(int), MPI_INFO_NULL, comm,
                       &shared->win);
    } else {
        MPI_Win_allocate(bytes, sizeof(int), MPI_INFO_NULL, comm, &shared->base,
                         &shared->win);
    }
}

static void close_window(struct shared *shared, int number)
{
    MPI_Win_free(&shared->win);
    if (number % 4 == 3)
        free(shared->base);
}

// ---- data ------------------------------------------------------------------------------
static int value_of(int origin, int number, int round)
{
    return (origin * WINDOWS + number) * 10 + round;
}

static void put_to_distant(const struct shared *shared, int number, int round)
{
    static int values[WINDOWS];
    int origins[DISTANCES], targets[DISTANCES];
    find_distant(shared, origins, targets);
    values[number] = value_of(shared->rank, number, round);
    for (int i = 0; i < DISTANCES; i++)
        MPI_Put(&values[number], 1, MPI_INT, targets[i], i, 1, MPI_INT, shared->win);
}

static void check_from_distant(const struct shared *shared, int number, int round)
{
    int origins[DISTANCES], targets[DISTANCES];
    find_distant(shared, origins, targets);
    for (int i = 0; i < DISTANCES; i++)
        CHECK(shared->base[i] == value_of(origins[i], number, round));
}

// ---- synchronization -------------------------------------------------------------------
static void use_fence(const struct shared *shared, int number)
{
    MPI_Win_fence(MPI_MODE_NOPRECEDE, shared->win);
    put_to_distant(shared, number, 1);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, shared->win);
    check_from_distant(shared, number, 1);
}

static void use_post_and_start(const struct shared *shared, int number)
{
    int origins[DISTANCES], targets[DISTANCES];
    MPI_Group all, before, after;
    find_distant(shared, origins, targets);
    MPI_Comm_group(shared->comm, &all);
    MPI_Group_incl(all, DISTANCES, origins, &before);
    MPI_Group_incl(all, DISTANCES, targets, &after);
    MPI_Win_post(before, 0, shared->win);
    MPI_Win_start(after, 0, shared->win);
    put_to_distant(shared, number, 2);
    MPI_Win_complete(shared->win);
    MPI_Win_wait(shared->win);
    check_from_distant(shared, number, 2);
    MPI_Group_free(&before);
    MPI_Group_free(&after);
    MPI_Group_free(&all);
}

static void use_lock_all(const struct shared *shared, int number)
{
    MPI_Barrier(shared->comm); // all have looked at what came before
    MPI_Win_lock_all(0, shared->win);
    put_to_distant(shared, number, 3);
    MPI_Win_unlock_all(shared->win);
    MPI_Barrier(shared->comm);
    check_from_distant(shared, number, 3);
}

int main(int argc, char **argv)
{
    static struct shared windows[WINDOWS];
    MPI_Comm half;
    start(&argc, &argv);
    CHECK(size >= 16 && size % 2 == 0);
    MPI_Comm_split(MPI_COMM_WORLD, rank < size / 2, 0, &half);
    for (int i = 0; i < WINDOWS; i++)
        open_window(&windows[i], i, i % 5 == 4 ? half : MPI_COMM_WORLD);
    for (int i = 0; i < WINDOWS; i++)
        use_fence(&windows[i], i);
    for (int i = 0; i < WINDOWS; i++)
        use_post_and_start(&windows[i], i);
    for (int i = 0; i < WINDOWS; i++)
        use_lock_all(&windows[i], i);
    for (int i = 0; i < WINDOWS; i++)
        close_window(&windows[i], i);
    MPI_Comm_free(&half);
    return finish();
}
