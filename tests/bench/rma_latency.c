// SPDX-License-Identifier: BSD-3-Clause
// The time of one operation and its flush, from rank 0 to rank 1, which waits in a
// barrier. With -c every process is an origin and all of them update the memory of rank 1.
#include "rma.h"

static const struct operation *operation;

static void repeat_operation(size_t bytes, long count)
{
    for (long i = 0; i < count; i++) {
        operation->start(bytes);
        MPI_Win_flush(to.rank, to.window);
    }
}

static void measure_operation(int rank)
{
    const char *group = options.is_contended ? "contended" : "latency";
    for (size_t i = 0; i < LENGTH(sizes) && sizes[i] <= operation->largest; i++) {
        if (!is_size_listed(sizes[i]))
            continue;
        double time = measure(repeat_operation, sizes[i], options.is_contended);
        if (rank == 0)
            print_line(group, kind_names[to.kind], operation->name, sizes[i],
                       1e6 * time, "us");
    }
}

static void measure_kind(enum kind kind, int rank)
{
    open_target(kind, LARGEST, 1);
    MPI_Win_lock_all(0, to.window);
    for (size_t i = 0; i < LENGTH(operations); i++) {
        operation = &operations[i];
        if (is_listed(options.operations, operation->name) &&
            (rank == 0 || options.is_contended))
            measure_operation(rank);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock_all(to.window);
    close_target();
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    read_options(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (enum kind kind = 0; kind < KINDS; kind++) {
        if (is_listed(options.kinds, kind_names[kind]))
            measure_kind(kind, rank);
    }
    MPI_Finalize();
    return 0;
}
