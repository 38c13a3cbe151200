// SPDX-License-Identifier: BSD-3-Clause
// Collective operations of all processes, one after the other: the size is what one
// process gives to another. The slowest process counts.
#include "bench.h"

static char *given, *taken;

static void barrier(size_t bytes)
{
    (void)bytes;
    MPI_Barrier(MPI_COMM_WORLD);
}

static void broadcast(size_t bytes)
{
    MPI_Bcast(given, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void allgather(size_t bytes)
{
    MPI_Allgather(given, (int)bytes, MPI_BYTE, taken, (int)bytes, MPI_BYTE,
                  MPI_COMM_WORLD);
}

static void alltoall(size_t bytes)
{
    MPI_Alltoall(given, (int)bytes, MPI_BYTE, taken, (int)bytes, MPI_BYTE,
                 MPI_COMM_WORLD);
}

static void reduce(size_t bytes)
{
    MPI_Reduce(given, taken, (int)(bytes / 8), MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void allreduce(size_t bytes)
{
    MPI_Allreduce(given, taken, (int)(bytes / 8), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static const struct test {
    const char *name;
    void (*call)(size_t bytes);
    size_t largest;
} tests[] = {
    {"barrier", barrier, 8},           {"broadcast", broadcast, LARGEST},
    {"allgather", allgather, LARGEST}, {"alltoall", alltoall, LARGEST},
    {"reduce", reduce, LARGEST},       {"allreduce", allreduce, LARGEST},
};

static const struct test *test;

static void repeat_test(size_t bytes, long count)
{
    for (long i = 0; i < count; i++)
        test->call(bytes);
}

static void measure_test(int rank)
{
    for (size_t i = 0; i < LENGTH(sizes) && sizes[i] <= test->largest; i++) {
        if (!is_size_listed(sizes[i]))
            continue;
        double time = measure(repeat_test, sizes[i], true);
        if (rank == 0)
            print_line("collective", "", test->name, sizes[i], 1e6 * time, "us");
    }
}

int main(int argc, char **argv)
{
    int rank, processes;
    MPI_Init(&argc, &argv);
    read_options(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    given = calloc((size_t)processes, LARGEST);
    taken = calloc((size_t)processes, LARGEST);
    if (given == NULL || taken == NULL)
        abort();
    for (size_t i = 0; i < LENGTH(tests); i++) {
        test = &tests[i];
        if (is_listed(options.operations, test->name))
            measure_test(rank);
    }
    free(given);
    free(taken);
    MPI_Finalize();
    return 0;
}
