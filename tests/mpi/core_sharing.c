// SPDX-License-Identifier: BSD-3-Clause
// core_sharing: of two ranks that the kernel has put on one core, who waits gives it to
// the other long before its polling is over.
#include "window_test.h"

#include <sched.h>
#include <time.h>

enum { ROUNDS = 200 };

static const double SPIN = 2e-2;

static void move_to_one_core(void)
{
    cpu_set_t all, one;
    CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
    int core = 0;
    while (!CPU_ISSET(core, &all))
        core++;
    MPI_Bcast(&core, 1, MPI_INT, 0, MPI_COMM_WORLD);
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0)
        exit(SKIPPED);
}

static int compare(const void *one, const void *two)
{
    double left = *(const double *)one, right = *(const double *)two;
    return (left > right) - (left < right);
}

static void exchange_messages(void)
{
    char byte = 0;
    if (rank == 1)
        MPI_Recv(&byte, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&byte, 1, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(&byte, 1, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void meet(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

// Of the core, so that it does not count what others of the machine do on it meanwhile.
static double time_used(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

// Who gives the core away uses less of it than the time for which it would poll.
static void is_soon(void (*step)(void))
{
    double times[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        double start = time_used();
        step();
        times[i] = time_used() - start;
    }
    qsort(times, ROUNDS, sizeof times[0], compare);
    CHECK(times[ROUNDS / 2] < SPIN / 40);
}

int main(void)
{
    setenv("ORIEL_SPIN", "20000", 1);
    start(NULL, NULL);
    move_to_one_core();
    is_soon(exchange_messages);
    is_soon(meet);
    MPI_Finalize();
    return 0;
}
