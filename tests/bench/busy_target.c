// SPDX-License-Identifier: BSD-3-Clause
// One operation and its flush while the target, rank 1, computes outside MPI. Where the
// target has to answer, an operation takes until the computation ends.
#include "rma.h"

enum { MANY = 100000 };
static const double COMPUTED = 0.04; // seconds
static const double PAUSE = 0.002;   // until the target is surely out of MPI

static void compute_until(double end)
{
    while (now() < end)
        ;
}

static void start_burst(size_t bytes)
{
    for (to.offset = 0; to.offset < DEPTH * bytes; to.offset += bytes)
        put(bytes);
    to.offset = 0;
}

static const struct operation tests[] = {
    {"put", put, 8},
    {"get", get, 8},
    {"put", put, 64 << 10},
    {"get", get, 64 << 10},
    {"64_puts", start_burst, 8},
    {"accumulate_int64", accumulate_int64, 8},
    {"accumulate_int64", accumulate_int64, 64 << 10},
    {"fetch_and_op", fetch_and_op, 8},
    {"compare_and_swap", compare_and_swap, 8},
};

// The median of as many operations as fit into half of the computation.
static double time_while_computing(const struct operation *test, double start)
{
    static double values[MANY];
    int count = 0;
    compute_until(start + PAUSE);
    while (count < MANY && (count == 0 || now() < start + COMPUTED / 2)) {
        double before = now();
        test->start(test->largest);
        MPI_Win_flush(to.rank, to.window);
        values[count++] = now() - before;
    }
    return median(values, count);
}

static void measure_test(const struct operation *test, int rank)
{
    if (rank == 0) { // makes connections
        test->start(test->largest);
        MPI_Win_flush(to.rank, to.window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double start = now();
    if (rank == 1)
        compute_until(start + COMPUTED);
    if (rank == 0)
        print_line("busy", kind_names[to.kind], test->name, test->largest,
                   1e6 * time_while_computing(test, start), "us");
    MPI_Barrier(MPI_COMM_WORLD);
}

static void measure_kind(enum kind kind, int rank)
{
    open_target(kind, 1 << 20, 1);
    MPI_Win_lock_all(0, to.window);
    for (size_t i = 0; i < LENGTH(tests); i++) {
        if (is_listed(options.operations, tests[i].name) &&
            is_size_listed(tests[i].largest))
            measure_test(&tests[i], rank);
    }
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
