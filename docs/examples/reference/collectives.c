// SPDX-License-Identifier: BSD-3-Clause
// Collective operations. Any number of processes.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size;

static void require(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "rank %d: %s\n", rank, what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void from_and_to_one(void)
{
    // example: MPI_Bcast
    int settings[2] = {0};
    if (rank == 0) {
        settings[0] = 100; // read from a file, say
        settings[1] = 7;
    }
    MPI_Bcast(settings, 2, MPI_INT, 0, MPI_COMM_WORLD);
    // end of example
    require(settings[0] == 100 && settings[1] == 7, "the settings");

    // example: MPI_Scatter, MPI_Gather
    // Process 0 hands out a number to each process, and gets the squares back.
    int *numbers = NULL, mine;
    if (rank == 0) {
        numbers = malloc((size_t)size * sizeof *numbers);
        for (int i = 0; i < size; i++)
            numbers[i] = i + 1;
    }
    MPI_Scatter(numbers, 1, MPI_INT, &mine, 1, MPI_INT, 0, MPI_COMM_WORLD);
    mine *= mine;
    MPI_Gather(&mine, 1, MPI_INT, numbers, 1, MPI_INT, 0, MPI_COMM_WORLD);
    // end of example
    require(rank != 0 || numbers[size - 1] == size * size, "the squares");
    free(numbers);
}

static void reductions(void)
{
    // example: MPI_Reduce
    int part = rank + 1, sum = 0;
    MPI_Reduce(&part, &sum, 1, MPI_INT, MPI_SUM, 0,
               MPI_COMM_WORLD); // sum counts at process 0 only
    // end of example
    require(rank != 0 || sum == size * (size + 1) / 2, "the sum at process 0");

    // example: MPI_Allreduce
    double residual = 1.0 / (rank + 1), largest;
    MPI_Allreduce(&residual, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    // end of example
    require(largest == 1.0, "the largest residual");
}

static void among_all(void)
{
    int *all = malloc((size_t)size * sizeof *all),
        *parts = malloc((size_t)size * sizeof *parts);
    // example: MPI_Allgather
    MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD); // all[i] is i
    // end of example
    require(all[size - 1] == size - 1, "the last rank");

    for (int i = 0; i < size; i++)
        parts[i] = 100 * rank + i;
    // example: MPI_Alltoall
    // parts[i] goes to process i; all[i] comes from process i.
    MPI_Alltoall(parts, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    // end of example
    for (int i = 0; i < size; i++)
        require(all[i] == 100 * i + rank, "the part of each process");
    free(all);
    free(parts);

    // example: MPI_Barrier, MPI_Wtime
    MPI_Barrier(MPI_COMM_WORLD); // all begin together
    double start = MPI_Wtime();
    // ... work ...
    MPI_Barrier(MPI_COMM_WORLD); // the slowest counts
    double seconds = MPI_Wtime() - start;
    // end of example
    require(seconds >= 0, "a time that goes on");
}

int main(int argc, char **argv)
{
    // example: MPI_Init_thread
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE)
        MPI_Abort(MPI_COMM_WORLD, 1); // another library may have less than Oriel
    // end of example
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    from_and_to_one();
    reductions();
    among_all();
    return MPI_Finalize();
}
