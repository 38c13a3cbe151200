// SPDX-License-Identifier: BSD-3-Clause
// Bandwidth of one-sided operations: 64 of them and a flush, from rank 0 to rank 1, which
// waits in a barrier. The operations of a burst go to neighbouring places, and begin again
// where the memory ends.
#include "rma.h"

static const struct operation *operation;

static void repeat_burst(size_t bytes, long count)
{
    for (long i = 0; i < count; i++) {
        to.offset = 0;
        for (int j = 0; j < DEPTH; j++) {
            operation->start(bytes);
            to.offset += bytes;
            if (to.offset + bytes > LARGEST)
                to.offset = 0;
        }
        MPI_Win_flush(to.rank, to.window);
    }
}

// Long accumulates in a row take as long as one after the other, and seconds in all.
static size_t largest_in_burst(void)
{
    bool moves = operation->start == put || operation->start == get;
    return moves || operation->largest < 64 << 10 ? operation->largest : 64 << 10;
}

static void measure_operation(void)
{
    for (size_t i = 0; i < LENGTH(sizes) && sizes[i] <= largest_in_burst(); i++) {
        if (!is_size_listed(sizes[i]))
            continue;
        double time = measure(repeat_burst, sizes[i], false) / DEPTH;
        print_line("stream", kind_names[to.kind], operation->name, sizes[i],
                   1e-6 * (double)sizes[i] / time, "MB/s");
    }
}

static void measure_kind(enum kind kind, int rank)
{
    open_target(kind, LARGEST, 1);
    MPI_Win_lock_all(0, to.window);
    for (size_t i = 0; i < LENGTH(operations); i++) {
        operation = &operations[i];
        if (is_listed(options.operations, operation->name) && rank == 0)
            measure_operation();
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
