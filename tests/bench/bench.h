// SPDX-License-Identifier: BSD-3-Clause
// What the benchmark programs share: the clock, medians of batches, the lines that they
// print, and their options. A line is `name size value unit`; a name is group.operation or
// group.kind.operation, where kind is that of a window.
#pragma once
#define _GNU_SOURCE 1
#include <mpi.h>

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_BATCHES = 99, LARGEST = 4 << 20, DEPTH = 64 };

static const double LONGEST = 200; // times a batch's time, until no other batch begins

static const size_t sizes[] = {8,         64,         256,        1024,
                               4 * 1024,  8 * 1024,   16 * 1024,  64 * 1024,
                               256 << 10, 512 * 1024, 1024 << 10, LARGEST};

#define LENGTH(array) (sizeof(array) / sizeof *(array))

// What is to be measured: comma lists, and "" is everything.
static struct {
    const char *kinds, *operations, *sizes;
    int batches;
    double seconds; // of a batch
    bool is_contended;
} options = {"", "", "", 5, 1e-3, false};

static inline void read_options(int argc, char **argv)
{
    for (int option; (option = getopt(argc, argv, "k:o:s:b:t:c")) != -1;) {
        switch (option) {
        case 'k':
            options.kinds = optarg;
            break;
        case 'o':
            options.operations = optarg;
            break;
        case 's':
            options.sizes = optarg;
            break;
        case 'b':
            options.batches = atoi(optarg);
            break;
        case 't':
            options.seconds = 1e-3 * atof(optarg);
            break;
        case 'c':
            options.is_contended = true;
            break;
        default:
            fprintf(stderr,
                    "usage: %s [-k kinds] [-o operations] [-s sizes] [-b batches]"
                    " [-t milliseconds of a batch] [-c]\n",
                    argv[0]);
            exit(2);
        }
    }
    if (options.batches < 1 || options.batches > MAX_BATCHES)
        options.batches = MAX_BATCHES;
}

static inline bool is_listed(const char *list, const char *word)
{
    size_t length = strlen(word);
    if (*list == '\0')
        return true;
    for (const char *at = list; (at = strstr(at, word)) != NULL; at += length) {
        bool begins = at == list || at[-1] == ',';
        if (begins && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return false;
}

static inline bool is_size_listed(size_t bytes)
{
    char text[24];
    snprintf(text, sizeof text, "%zu", bytes);
    return is_listed(options.sizes, text);
}

// Keeps the calling thread on one core of those that it may use: the first, or the second.
static inline void bind_to_core(int number)
{
    cpu_set_t all, one;
    sched_getaffinity(0, sizeof all, &all);
    for (size_t core = 0; core < CPU_SETSIZE; core++) {
        if (CPU_ISSET(core, &all) && number-- == 0) {
            CPU_ZERO(&one);
            CPU_SET(core, &one);
            sched_setaffinity(0, sizeof one, &one);
        }
    }
}

static inline double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static inline int compare_values(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static inline double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare_values);
    return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

// Makes a call `count` times in a row.
typedef void repeat_function(size_t bytes, long count);

static inline double time_of(repeat_function *repeat, size_t bytes, long count)
{
    double start = now();
    repeat(bytes, count);
    return now() - start;
}

// How many calls take as long as a batch is to take. The count is doubled until it takes
// a good part of that; the first call makes connections and touches memory.
static inline long calls_of_batch(repeat_function *repeat, size_t bytes, bool together)
{
    repeat(bytes, 1);
    for (long count = 1;; count *= 2) {
        double elapsed = time_of(repeat, bytes, count);
        long calls = 0;
        if (4 * elapsed >= options.seconds)
            calls = 1 + (long)((double)count * options.seconds / elapsed);
        if (together)
            MPI_Bcast(&calls, 1, MPI_LONG, 0, MPI_COMM_WORLD);
        if (calls > 0)
            return calls;
    }
}

// The seconds that one call takes: the median of the batches, of which long ones are fewer.
// With `together` all processes make the calls at the same time, and the slowest one counts.
static inline double measure(repeat_function *repeat, size_t bytes, bool together)
{
    double batch[MAX_BATCHES], start = now();
    long calls = calls_of_batch(repeat, bytes, together);
    int count = 0;
    do {
        if (together)
            MPI_Barrier(MPI_COMM_WORLD);
        batch[count] = time_of(repeat, bytes, calls) / (double)calls;
        if (together)
            MPI_Allreduce(MPI_IN_PLACE, &batch[count], 1, MPI_DOUBLE, MPI_MAX,
                          MPI_COMM_WORLD);
        count++;
    } while (count < options.batches &&
             (together || now() - start < LONGEST * options.seconds));
    return median(batch, count);
}

static inline void print_line(const char *group, const char *kind,
                              const char *operation, size_t size, double value,
                              const char *unit)
{
    const char *dot = *kind ? "." : "";
    printf("%s%s%s.%s %zu %.6g %s\n", group, dot, kind, operation, size, value, unit);
    fflush(stdout);
}
