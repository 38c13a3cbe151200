// SPDX-License-Identifier: BSD-3-Clause
// One operation and its flush while the target, rank 1, computes outside MPI. Where the
// target has to answer, an operation takes until the computation ends.
#include "rma.h"

enum { MANY = 100000 };
static const double COMPUTED = 0.04; // seconds
static const double PAUSE = 0.002;   // until the target is surely out of MPI
static const double LEAST_TIMED = 2e-6;

static void compute_until(double end)
{
    while (now() < end)
        ;
}

static void start_burst(void (*start)(size_t bytes), size_t bytes)
{
    for (to.offset = 0; to.offset < DEPTH * bytes; to.offset += bytes)
        start(bytes);
    to.offset = 0;
}

static void start_puts(size_t bytes)
{
    start_burst(put, bytes);
}

static void start_gets(size_t bytes)
{
    start_burst(get, bytes);
}

static const struct operation tests[] = {
    {"put", put, 8},
    {"get", get, 8},
    {"put", put, 64 << 10},
    {"get", get, 64 << 10},
    {"64_puts", start_puts, 8},
    {"64_gets", start_gets, 8},
    {"accumulate_int64", accumulate_int64, 8},
    {"accumulate_int64", accumulate_int64, 64 << 10},
    {"fetch_and_op", fetch_and_op, 8},
    {"compare_and_swap", compare_and_swap, 8},
};

static const struct operation *test;

static void repeat_test(size_t bytes, long count)
{
    for (long i = 0; i < count; i++) {
        test->start(bytes);
        MPI_Win_flush(to.rank, to.window);
    }
}

// The median of as many operations as fit into half of the computation. So many are timed
// together that reading the clock does not count.
static double time_while_computing(double start)
{
    static double values[MANY];
    int count = 0;
    long calls = 1;
    compute_until(start + PAUSE);
    while (count < MANY && (count == 0 || now() < start + COMPUTED / 2)) {
        double elapsed = time_of(repeat_test, test->largest, calls);
        if (elapsed < LEAST_TIMED)
            calls *= 2;
        else
            values[count++] = elapsed / (double)calls;
    }
    return median(values, count);
}

static void measure_test(int rank)
{
    if (rank == 0)
        repeat_test(test->largest, 1); // makes connections
    MPI_Barrier(MPI_COMM_WORLD);
    double start = now();
    if (rank == 1)
        compute_until(start + COMPUTED);
    if (rank == 0)
        print_line("busy", kind_names[to.kind], test->name, test->largest,
                   1e6 * time_while_computing(start), "us");
    MPI_Barrier(MPI_COMM_WORLD);
}

static void measure_kind(enum kind kind, int rank)
{
    open_target(kind, 1 << 20, 1);
    MPI_Win_lock_all(0, to.window);
    for (size_t i = 0; i < LENGTH(tests); i++) {
        test = &tests[i];
        if (is_listed(options.operations, test->name) && is_size_listed(test->largest))
            measure_test(rank);
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
