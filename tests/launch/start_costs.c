// SPDX-License-Identifier: BSD-3-Clause
// For start_costs.py: says what memory a process has after MPI_Init, as mean over the
// job, and raises counters of its right neighbour and of rank 0.
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

// "Rss" or "Pss", in KiB; 0 if the system does not say.
static long memory(const char *name)
{
    char line[256], format[32];
    long kibibytes = 0;
    snprintf(format, sizeof format, "%s: %%ld", name);
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, format, &kibibytes) == 1)
            break;
    if (file)
        fclose(file);
    return kibibytes;
}

int main(int argc, char **argv)
{
    const long one = 1;
    long *counter, sum[2];
    MPI_Win win;
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    long own[2] = {memory("Rss"), memory("Pss")};
    MPI_Win_allocate(sizeof *counter, sizeof *counter, MPI_INFO_NULL, MPI_COMM_WORLD,
                     &counter, &win);
    *counter = 0;
    MPI_Win_fence(0, win);
    MPI_Accumulate(&one, 1, MPI_LONG, (rank + 1) % size, 0, 1, MPI_LONG, MPI_SUM, win);
    MPI_Accumulate(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, win);
    MPI_Win_fence(0, win);
    if (*counter != (rank == 0 ? size + 1 : 1))
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Reduce(own, sum, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%ld %ld\n", sum[0] / size, sum[1] / size);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
