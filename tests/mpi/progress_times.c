// SPDX-License-Identifier: BSD-3-Clause
// progress_times [SECONDS [MILLISECONDS]]: the last rank works on the memory of rank 0,
// which computes meanwhile, for so long (0.5 s), and calls nothing. The last rank prints
// how long each operation takes, rank 0 how much that has slowed its loop down. An
// operation that waited for the target to call would never end; of the others half must
// end in so many milliseconds (1), or in ten times as many where the target shares its
// core: because a launcher has bound a rank to one, or because other programs use more
// than a tenth of a core meanwhile. They may also spoil a series: the best of several
// counts.
#include "window_test.h"

#include <sched.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { SAMPLES_MAX = 1000, SERIES_MAX = 50, PATIENCE = 300, OPERATIONS = 5 };

static double seconds = 0.5, milliseconds = 1;
static bool is_bound; // one of the ranks, to one core

enum slot { DONE, WORD }; // what the target's memory holds, in longs
static const MPI_Aint BYTES = 2 * sizeof(long);

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double cpu_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

// Of all programs, on all cores.
static double machine_seconds(void)
{
    double user = 0, nice = 0, system = 0;
    FILE *file = fopen("/proc/stat", "r");
    CHECK(file != NULL && fscanf(file, "cpu %lf %lf %lf", &user, &nice, &system) == 3);
    fclose(file);
    return (user + nice + system) / (double)sysconf(_SC_CLK_TCK);
}

// ---- what is timed

struct target {
    MPI_Win win;
    MPI_Aint at; // of its memory, in the window
};

static MPI_Aint word_of(const struct target *target)
{
    return target->at + WORD * (MPI_Aint)sizeof(long);
}

static void put(const struct target *target, long *value)
{
    MPI_Put(value, 1, MPI_LONG, 0, word_of(target), 1, MPI_LONG, target->win);
}

static void get(const struct target *target, long *value)
{
    MPI_Get(value, 1, MPI_LONG, 0, word_of(target), 1, MPI_LONG, target->win);
}

static void accumulate(const struct target *target, long *value)
{
    MPI_Accumulate(value, 1, MPI_LONG, 0, word_of(target), 1, MPI_LONG, MPI_SUM,
                   target->win);
}

static void fetch_and_op(const struct target *target, long *value)
{
    static const long one = 1;
    MPI_Fetch_and_op(&one, value, MPI_LONG, 0, word_of(target), MPI_SUM, target->win);
}

static void compare_and_swap(const struct target *target, long *value)
{
    static const long one = 1;
    MPI_Compare_and_swap(&one, value, value, MPI_LONG, 0, word_of(target), target->win);
}

static const struct {
    const char *name;
    void (*start)(const struct target *target, long *value);
} operations[OPERATIONS] = {{"put", put},
                            {"get", get},
                            {"accumulate", accumulate},
                            {"fetch_and_op", fetch_and_op},
                            {"compare_and_swap", compare_and_swap}};

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct times {
    double first, median, fastest;
};

// Locks, works and unlocks for a while, with pauses in which the target's helpers fall
// asleep.
static struct times time_series(int operation, const struct target *target)
{
    static double samples[SAMPLES_MAX];
    int count = 0;
    long value = 0;
    double end = now() + seconds / OPERATIONS;
    do {
        double begin = now();
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, target->win);
        operations[operation].start(target, &value);
        MPI_Win_unlock(0, target->win);
        samples[count++] = now() - begin;
        usleep(200);
    } while (now() < end && count < SAMPLES_MAX);
    struct times times = {.first = samples[0]};
    qsort(samples, (size_t)count, sizeof samples[0], compare);
    times.median = samples[count / 2];
    times.fastest = samples[0];
    return times;
}

// Returns the median of the best series in milliseconds.
static double time_operation(int operation, const struct target *target,
                             const char *kind)
{
    struct times times = time_series(operation, target);
    int series = 1;
    for (; times.median >= 1e-3 * milliseconds && series < SERIES_MAX; series++) {
        struct times again = time_series(operation, target);
        if (again.median < times.median)
            times = again;
    }
    printf("%-16s %-16s %9.1f %9.1f %9.1f us first, median, fastest of series %d\n",
           kind, operations[operation].name, 1e6 * times.first, 1e6 * times.median,
           1e6 * times.fastest, series);
    return 1e3 * times.median;
}

// Returns the longest median in milliseconds.
static double work_on_target(const struct target *target, const char *kind)
{
    const long done = 1;
    double longest = 0;
    for (int i = 0; i < OPERATIONS; i++) {
        double median = time_operation(i, target, kind);
        longest = median > longest ? median : longest;
    }
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, target->win);
    MPI_Put(&done, 1, MPI_LONG, 0, target->at + DONE * (MPI_Aint)sizeof(long), 1,
            MPI_LONG, target->win);
    MPI_Win_unlock(0, target->win);
    return longest;
}

// ---- the target

// Loops until that is over; returns rounds per second of the thread's own CPU time.
static double loop_until(const volatile long *done, double end)
{
    enum { STEPS = 10000 };
    volatile double number = 1;
    struct timespec from, to;
    double rounds = 0, patience = now() + PATIENCE;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    for (; *done == 0 && now() < end; rounds++) {
        for (int i = 0; i < STEPS; i++)
            number = number * 1.0000001 + 1e-9;
        CHECK(now() < patience);
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
    return rounds / ((double)(to.tv_sec - from.tv_sec) +
                     1e-9 * (double)(to.tv_nsec - from.tv_nsec));
}

static double loop_alone(void)
{
    const long never = 0;
    return loop_until(&never, now() + seconds / 5);
}

// The speed of machines changes by itself: the loop runs alone before and afterwards.
static void compute(const volatile long *done, double before, const char *kind)
{
    double begin = now(), cpu = cpu_seconds();
    double together = loop_until(done, begin + 2 * PATIENCE);
    double wall = now() - begin;
    cpu = cpu_seconds() - cpu;
    CHECK(*done == 1);
    double alone = (before + loop_alone()) / 2;
    printf("%-16s target's loop: %.2f %% slower, process uses %.2f cores\n", kind,
           100 * (1 - together / alone), cpu / wall);
    CHECK(together > alone / 2);
}

// ---- windows

static double sum_of_ranks(double number)
{
    double sum;
    MPI_Allreduce(&number, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

static void serve_or_work(struct target target, long *memory, const char *kind)
{
    double before = rank == 0 ? loop_alone() : 0, longest = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = now(), job = cpu_seconds(), machine = machine_seconds();
    if (rank == 0)
        compute(&memory[DONE], before, kind);
    else if (rank == size - 1)
        longest = work_on_target(&target, kind);
    MPI_Barrier(MPI_COMM_WORLD);
    job = sum_of_ranks(cpu_seconds() - job);
    double others = (machine_seconds() - machine - job) / (now() - begin);
    bool shares_core = is_bound || others > 0.1;
    if (rank == 0)
        printf("%-16s other programs use %.2f cores\n", kind, others);
    CHECK(longest < (shares_core ? 10 : 1) * milliseconds);
}

static void on_allocated(void)
{
    long *memory;
    struct target target = {.at = 0};
    MPI_Win_allocate(BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &target.win);
    memset(memory, 0, BYTES);
    serve_or_work(target, memory, "allocated");
    MPI_Win_free(&target.win);
}

static void on_created(void)
{
    long *memory = calloc(1, BYTES);
    struct target target = {.at = 0};
    MPI_Win_create(memory, BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &target.win);
    serve_or_work(target, memory, "created");
    MPI_Win_free(&target.win);
    free(memory);
}

static void on_dynamic(void)
{
    long *memory = calloc(1, BYTES);
    struct target target;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &target.win);
    MPI_Win_attach(target.win, memory, BYTES);
    MPI_Get_address(memory, &target.at);
    MPI_Bcast(&target.at, 1, MPI_AINT, 0, MPI_COMM_WORLD);
    serve_or_work(target, memory, "dynamic");
    MPI_Win_detach(target.win, memory);
    MPI_Win_free(&target.win);
    free(memory);
}

static bool is_bound_to_one_core(void)
{
    cpu_set_t cores;
    return sched_getaffinity(0, sizeof cores, &cores) == 0 && CPU_COUNT(&cores) == 1;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    const char *progress = getenv("ORIEL_PROGRESS");
    if (progress != NULL && strcmp(progress, "off") == 0)
        return finish(), SKIPPED;
    if (argc > 1)
        seconds = atof(argv[1]);
    if (argc > 2)
        milliseconds = atof(argv[2]);
    is_bound = any(is_bound_to_one_core());
    on_allocated();
    on_created();
    on_dynamic();
    return finish();
}
