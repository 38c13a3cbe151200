// SPDX-License-Identifier: BSD-3-Clause
// usage: mpiexec -n 2 -env ORIEL_CHECK races races_memory
// Accesses that nothing ever orders, as many as the window has cells: what is kept of them
// takes at most twice its memory and 64 MiB, at the target as at the origin.
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 1 << 20, STEP = 514229, PUTS_PER_FLUSH = 1024 };
static const long MOST_KIB = 2 * (CELLS / 128) + (64 << 10); // a cell has 8 bytes

static long anonymous_kib(void)
{
    static const char key[] = "RssAnon:";
    char line[200];
    long kib = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, key, strlen(key)) == 0)
            kib = atol(line + strlen(key));
    if (file != NULL)
        fclose(file);
    return kib;
}

// No two neighbours one after the other, which would be one access.
static void put_cells(MPI_Win win)
{
    static const double value = 1;
    for (int i = 0; i < CELLS; i++) {
        MPI_Aint at = (MPI_Aint)i * STEP % CELLS;
        MPI_Put(&value, 1, MPI_DOUBLE, 1, at, 1, MPI_DOUBLE, win);
        if (i % PUTS_PER_FLUSH == 0)
            MPI_Win_flush(1, win);
    }
}

int main(int argc, char **argv)
{
    int rank;
    double *memory;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(CELLS * sizeof *memory, sizeof *memory, MPI_INFO_NULL,
                     MPI_COMM_WORLD, &memory, &win);
    MPI_Win_lock_all(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    long before = anonymous_kib();
    if (rank == 0)
        put_cells(win);
    MPI_Barrier(MPI_COMM_WORLD);
    long taken = anonymous_kib() - before;
    if (taken > MOST_KIB) {
        fprintf(stderr, "rank %d: %ld KiB, must be at most %ld\n", rank, taken,
                MOST_KIB);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
