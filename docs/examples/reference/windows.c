// SPDX-License-Identifier: BSD-3-Clause
// Windows: how they are made, asked and freed. Any number of processes of one node.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, next;

static void require(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "rank %d: %s\n", rank, what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void created(void)
{
    // example: MPI_Win_create, MPI_Win_free
    // Every process opens ten numbers of its own to the others.
    int numbers[10] = {0};
    MPI_Win win;
    MPI_Win_create(numbers, sizeof numbers, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &win);

    MPI_Win_fence(0, win);
    MPI_Put(&rank, 1, MPI_INT, next, 3, 1, MPI_INT,
            win); // to numbers[3] of the next process
    MPI_Win_fence(0, win);

    MPI_Win_free(&win); // all processes; the memory stays
    // end of example
    require(numbers[3] == (rank + size - 1) % size, "the number of the process before");
    require(win == MPI_WIN_NULL, "a freed window");
}

static void allocated(void)
{
    // example: MPI_Win_allocate
    // MPI allocates the memory: the fastest there is for one-sided communication.
    double *cells;
    MPI_Win win;
    MPI_Win_allocate(100 * sizeof(double), sizeof(double), MPI_INFO_NULL,
                     MPI_COMM_WORLD, &cells, &win);
    for (int i = 0; i < 100; i++)
        cells[i] = rank;

    double first_of_next;
    MPI_Win_fence(0, win);
    MPI_Get(&first_of_next, 1, MPI_DOUBLE, next, 0, 1, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);

    MPI_Win_free(&win); // and cells with it
    // end of example
    require(first_of_next == next, "the first cell of the next process");
}

static void shared(void)
{
    // example: MPI_Win_allocate_shared, MPI_Win_shared_query, MPI_Win_sync, MPI_Comm_split_type
    // The processes of a node load and store in each other's memory.
    MPI_Comm node;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    int node_rank, node_size;
    MPI_Comm_rank(node, &node_rank);
    MPI_Comm_size(node, &node_size);

    int *mine, *theirs, unit;
    MPI_Aint bytes;
    MPI_Win win;
    MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, node, &mine, &win);
    MPI_Win_shared_query(win, (node_rank + 1) % node_size, &bytes, &unit, &theirs);

    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    *mine = 10 * node_rank;
    MPI_Win_sync(win); // the store is before ...
    MPI_Barrier(node);
    MPI_Win_sync(win); // ... and the load after the barrier
    int seen = *theirs;
    MPI_Win_unlock_all(win);
    // end of example
    require(seen == 10 * ((node_rank + 1) % node_size), "the number of the neighbour");
    require(bytes == sizeof(int) && unit == sizeof(int),
            "size and unit of the neighbour");
    MPI_Win_free(&win);
    MPI_Comm_free(&node);
}

static void dynamic(void)
{
    // example: MPI_Win_create_dynamic, MPI_Win_attach, MPI_Win_detach, MPI_Get_address
    // Memory is attached when it is needed; its address is the displacement.
    MPI_Win win;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    int *list = calloc(8, sizeof(int));
    MPI_Win_attach(win, list, 8 * sizeof(int));

    MPI_Aint mine, theirs;
    MPI_Get_address(&list[2], &mine);
    MPI_Sendrecv(&mine, 1, MPI_AINT, (rank + size - 1) % size, 0, &theirs, 1, MPI_AINT,
                 next, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);

    MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win);
    MPI_Put(&rank, 1, MPI_INT, next, theirs, 1, MPI_INT, win);
    MPI_Win_unlock(next, win);

    MPI_Barrier(MPI_COMM_WORLD); // nobody accesses the list any more
    int found = list[2];
    MPI_Win_detach(win, list);
    free(list);
    MPI_Win_free(&win);
    // end of example
    require(found == (rank + size - 1) % size, "the number of the process before");
}

static void asked(void)
{
    // example: MPI_Win_get_info, MPI_Win_set_info, MPI_Info_create, MPI_Info_set, MPI_Info_free
    int *memory;
    MPI_Win win;
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "same_disp_unit", "true");
    MPI_Win_allocate(sizeof(int), sizeof(int), info, MPI_COMM_WORLD, &memory, &win);

    MPI_Info_set(info, "accumulate_ordering", "none"); // a hint that can be given later
    MPI_Win_set_info(win, info);
    MPI_Info_free(&info);

    char value[MPI_MAX_INFO_VAL + 1];
    int length = sizeof value, is_set;
    MPI_Info used;
    MPI_Win_get_info(win, &used);
    MPI_Info_get_string(used, "accumulate_ordering", &length, value, &is_set);
    MPI_Info_free(&used);
    // end of example
    require(is_set && strcmp(value, "none") == 0, "the hint in use");

    // example: MPI_Win_get_group
    MPI_Group group;
    int members;
    MPI_Win_get_group(win, &group);
    MPI_Group_size(group, &members);
    MPI_Group_free(&group);
    // end of example
    require(members == size, "the members of the window's group");
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    created();
    allocated();
    shared();
    dynamic();
    asked();
    return MPI_Finalize();
}
