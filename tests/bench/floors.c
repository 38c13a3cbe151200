// SPDX-License-Identifier: BSD-3-Clause
// What the machine itself takes, without MPI, by two processes on a core each: copies,
// the round trip of a cache line, locked instructions, the kernel's copies between
// processes, and barriers on other cores. It is run without a launcher; with -o
// line_round_trip it tells how far the cores are from each other just now.
#include "bench.h"

#include <linux/membarrier.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

enum phase { ANSWER, ADD, COMPUTE };

static struct {
    _Alignas(64) _Atomic int64_t request;
    _Alignas(64) _Atomic int64_t answer;
    _Alignas(64) _Atomic int64_t counter;
    _Alignas(64) _Atomic enum phase phase;
    _Alignas(4096) char memory[LARGEST];
} * shared;

static pid_t partner;
static char *own;    // ordinary memory of this process, where malloc puts it
static char *remote; // ordinary memory of the partner, at the same address there

static void *map_memory(size_t bytes, int flags)
{
    void *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        abort();
    return memory;
}

static void run_partner(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    bind_to_core(1);
    memset(remote, 1, LARGEST);
    for (;;) {
        switch (atomic_load_explicit(&shared->phase, memory_order_relaxed)) {
        case ANSWER:
            atomic_store_explicit(
                &shared->answer,
                atomic_load_explicit(&shared->request, memory_order_acquire),
                memory_order_release);
            break;
        case ADD:
            atomic_fetch_add(&shared->counter, 1);
            break;
        case COMPUTE:
            break;
        }
    }
}

// ---- what is measured

static void repeat_round_trip(size_t bytes, long count)
{
    (void)bytes;
    int64_t number = atomic_load(&shared->request);
    for (long i = 0; i < count; i++) {
        atomic_store_explicit(&shared->request, ++number, memory_order_release);
        while (atomic_load_explicit(&shared->answer, memory_order_acquire) != number)
            ;
    }
}

static void repeat_add(size_t bytes, long count)
{
    (void)bytes;
    for (long i = 0; i < count; i++)
        atomic_fetch_add(&shared->counter, 1);
}

static void repeat_copy_out(size_t bytes, long count)
{
    for (long i = 0; i < count; i++) {
        memcpy(shared->memory, own, bytes);
        atomic_signal_fence(memory_order_seq_cst);
    }
}

static void repeat_copy_in(size_t bytes, long count)
{
    for (long i = 0; i < count; i++) {
        memcpy(own, shared->memory, bytes);
        atomic_signal_fence(memory_order_seq_cst);
    }
}

static void repeat_write(size_t bytes, long count)
{
    struct iovec from = {own, bytes}, into = {remote, bytes};
    for (long i = 0; i < count; i++) {
        if (process_vm_writev(partner, &from, 1, &into, 1, 0) != (ssize_t)bytes)
            abort();
    }
}

static void repeat_read(size_t bytes, long count)
{
    struct iovec into = {own, bytes}, from = {remote, bytes};
    for (long i = 0; i < count; i++) {
        if (process_vm_readv(partner, &into, 1, &from, 1, 0) != (ssize_t)bytes)
            abort();
    }
}

static void repeat_gathered_write(size_t bytes, long count)
{
    struct iovec from[DEPTH], into[DEPTH];
    for (int i = 0; i < DEPTH; i++) {
        from[i] = (struct iovec){own + 64 * i, bytes};
        into[i] = (struct iovec){remote + 64 * i, bytes};
    }
    for (long i = 0; i < count; i++) {
        if (process_vm_writev(partner, from, DEPTH, into, DEPTH, 0) < 0)
            abort();
    }
}

static void repeat_system_call(size_t bytes, long count)
{
    (void)bytes;
    for (long i = 0; i < count; i++)
        syscall(SYS_getppid);
}

static void repeat_membarrier(size_t bytes, long count)
{
    (void)bytes;
    for (long i = 0; i < count; i++)
        syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
}

static void repeat_first_touch(size_t bytes, long count)
{
    for (long i = 0; i < count; i++) {
        char *memory = malloc(bytes);
        for (size_t at = 0; memory != NULL && at < bytes; at += 4096)
            ((volatile char *)memory)[at] = 1;
        free(memory);
    }
}

static bool has_kernel_copy(void)
{
    struct iovec from = {own, 8}, into = {remote, 8};
    return process_vm_writev(partner, &from, 1, &into, 1, 0) == 8;
}

static bool has_membarrier(void)
{
    return syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0) == 0;
}

static const struct test {
    const char *name;
    repeat_function *repeat;
    bool (*is_there)(void);
    enum phase phase; // of the partner
    bool has_sizes;
    size_t bytes; // where it has none
} tests[] = {
    {"line_round_trip", repeat_round_trip, NULL, ANSWER, false, 8},
    {"locked_add", repeat_add, NULL, COMPUTE, false, 8},
    {"locked_add_contended", repeat_add, NULL, ADD, false, 8},
    {"system_call", repeat_system_call, NULL, COMPUTE, false, 0},
    {"membarrier", repeat_membarrier, has_membarrier, COMPUTE, false, 0},
    {"process_vm_writev_64_spans", repeat_gathered_write, has_kernel_copy, COMPUTE,
     false, 8},
    {"malloc_and_touch", repeat_first_touch, NULL, COMPUTE, false, 64 << 20},
    {"memcpy_to_shared", repeat_copy_out, NULL, COMPUTE, true, 0},
    {"memcpy_from_shared", repeat_copy_in, NULL, COMPUTE, true, 0},
    {"process_vm_writev", repeat_write, has_kernel_copy, COMPUTE, true, 0},
    {"process_vm_readv", repeat_read, has_kernel_copy, COMPUTE, true, 0},
};

static void print_time(const struct test *test, size_t bytes)
{
    double time = measure(test->repeat, bytes, false);
    print_line("floor", "", test->name, bytes, 1e9 * time, "ns");
}

static void measure_test(const struct test *test)
{
    atomic_store(&shared->phase, test->phase);
    if (test->is_there != NULL && !test->is_there())
        return;
    if (!test->has_sizes)
        print_time(test, test->bytes);
    for (size_t i = 0; test->has_sizes && i < LENGTH(sizes); i++) {
        if (is_size_listed(sizes[i]))
            print_time(test, sizes[i]);
    }
}

int main(int argc, char **argv)
{
    read_options(argc, argv);
    shared = map_memory(sizeof *shared, MAP_SHARED);
    remote = map_memory(LARGEST, MAP_PRIVATE);
    own = malloc(LARGEST);
    if (own == NULL)
        abort();
    memset(own, 1, LARGEST);
    memset(shared->memory, 1, LARGEST);
    partner = fork();
    if (partner == 0)
        run_partner();
    bind_to_core(0);
    repeat_round_trip(8, 1); // the partner has begun
    for (size_t i = 0; i < LENGTH(tests); i++) {
        if (is_listed(options.operations, tests[i].name))
            measure_test(&tests[i]);
    }
    kill(partner, SIGKILL);
    waitpid(partner, NULL, 0);
    free(own);
    return 0;
}
