// SPDX-License-Identifier: BSD-3-Clause
// What the start takes: the time of MPI_Init, the memory of a process after it, and a
// window's memory until all of it has been touched. The size is the number of processes.
// With -o none it starts and ends, so that the caller can time the whole job.
#include "bench.h"

enum { TOUCHED = 64 << 20 };

// MiB that /proc says under a name: resident (Rss:), and proportional, with the share of
// this process in what several have (Pss:).
static double memory_used(const char *name)
{
    char line[256];
    double kilobytes = 0;
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, name, strlen(name)) == 0)
            kilobytes = atof(strchr(line, ':') + 1);
    }
    if (file != NULL)
        fclose(file);
    return kilobytes / 1024;
}

static void print_largest(const char *name, double value, const char *unit)
{
    int rank, processes;
    double largest;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    MPI_Reduce(&value, &largest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0 && is_listed(options.operations, name))
        print_line("start", "", name, (size_t)processes, largest, unit);
}

// Milliseconds until a new window of rank 0 has been written to on each page.
static double time_first_touch(void)
{
    int rank;
    char *memory;
    MPI_Win window;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double start = now();
    MPI_Win_allocate(rank == 0 ? TOUCHED : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &window);
    for (size_t i = 0; rank == 0 && i < TOUCHED; i += 4096)
        ((volatile char *)memory)[i] = 1;
    double time = now() - start;
    MPI_Win_free(&window);
    return 1e3 * time;
}

int main(int argc, char **argv)
{
    double start = now();
    MPI_Init(&argc, &argv);
    double time = now() - start;
    read_options(argc, argv);
    if (strcmp(options.operations, "none") != 0) {
        const char *touch = "allocate_and_touch_64_MiB";
        double resident = memory_used("Rss:"), proportional = memory_used("Pss:");
        print_largest("init", 1e3 * time, "ms");
        print_largest("resident_memory", resident, "MiB");
        print_largest("proportional_memory", proportional, "MiB");
        if (is_listed(options.operations, touch))
            print_largest(touch, time_first_touch(), "ms");
    }
    MPI_Finalize();
    return 0;
}
