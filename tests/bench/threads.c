// SPDX-License-Identifier: BSD-3-Clause
// One-sided operations of 8 bytes and their flush under MPI_THREAD_MULTIPLE. Of two
// processes, one thread of rank 0 accesses rank 1, which waits in a barrier. A process
// alone accesses its own memory by one thread, then by two threads with a window each.
#include "rma.h"

#include <pthread.h>
#include <stdatomic.h>

static const struct operation *operation;

static void repeat_operation(size_t bytes, long count)
{
    for (long i = 0; i < count; i++) {
        operation->start(bytes);
        MPI_Win_flush(to.rank, to.window);
    }
}

// What the main thread tells the second one. Both poll, since waking up takes long.
static struct {
    enum kind kind;
    _Atomic long count; // of calls to make; -1: end
    _Atomic bool is_open;
} second;

static void *run_second_thread(void *argument)
{
    (void)argument;
    bind_to_core(1);
    open_target(second.kind, LARGEST, 0);
    MPI_Win_lock_all(0, to.window);
    atomic_store(&second.is_open, true);
    for (long count; (count = atomic_load(&second.count)) >= 0;) {
        if (count > 0) {
            repeat_operation(8, count);
            atomic_store(&second.count, 0);
        }
    }
    MPI_Win_unlock_all(to.window);
    close_target();
    return NULL;
}

static void repeat_in_both(size_t bytes, long count)
{
    atomic_store(&second.count, count);
    repeat_operation(bytes, count);
    while (atomic_load(&second.count) > 0)
        ;
}

static void print_time(const char *threads, double time)
{
    char name[64];
    snprintf(name, sizeof name, "%s_%s", operation->name, threads);
    print_line("threads", kind_names[to.kind], name, 8, 1e6 * time, "us");
}

// The threads have a core each, since the kernel may leave two that poll on one.
static void measure_two_threads(void)
{
    pthread_t thread;
    cpu_set_t cores;
    sched_getaffinity(0, sizeof cores, &cores);
    second.kind = to.kind;
    atomic_store(&second.count, 0);
    atomic_store(&second.is_open, false);
    if (pthread_create(&thread, NULL, run_second_thread, NULL))
        abort();
    while (!atomic_load(&second.is_open))
        ;
    bind_to_core(0);
    print_time("own_two_threads", measure(repeat_in_both, 8, false));
    atomic_store(&second.count, -1);
    pthread_join(thread, NULL);
    sched_setaffinity(0, sizeof cores, &cores);
}

static void measure_operation(int processes)
{
    if (processes > 1) {
        print_time("one_thread", measure(repeat_operation, 8, false));
    } else {
        print_time("own_one_thread", measure(repeat_operation, 8, false));
        measure_two_threads();
    }
}

static void measure_kind(enum kind kind, int rank, int processes)
{
    open_target(kind, LARGEST, processes - 1);
    MPI_Win_lock_all(0, to.window);
    for (size_t i = 0; i < LENGTH(operations); i++) {
        operation = &operations[i];
        if (is_listed(options.operations, operation->name) && rank == 0)
            measure_operation(processes);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock_all(to.window);
    close_target();
}

int main(int argc, char **argv)
{
    int rank, processes, provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    read_options(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    for (enum kind kind = 0; kind < KINDS; kind++) {
        if (is_listed(options.kinds, kind_names[kind]) &&
            provided == MPI_THREAD_MULTIPLE)
            measure_kind(kind, rank, processes);
    }
    MPI_Finalize();
    return 0;
}
