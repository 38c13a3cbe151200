// SPDX-License-Identifier: BSD-3-Clause
// For tests that are MPI programs: every claim is checked on every rank, and the first
// that does not hold ends the job with exit code 1. A test runs with any number of
// ranks.
#pragma once

#include <mpi.h>

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

enum { SKIPPED = 77 };

static int rank, size; // in MPI_COMM_WORLD

static _Noreturn void check_failed(const char *file, int line, const char *claim)
{
    fprintf(stderr, "%s:%d: rank %d of %d: %s is not true\n", file, line, rank, size,
            claim);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

#define CHECK(claim)                                                                   \
    do {                                                                               \
        if (!(claim))                                                                  \
            check_failed(__FILE__, __LINE__, #claim);                                  \
    } while (0)

// The call returns an error of that class; the error handler must be MPI_ERRORS_RETURN.
#define CHECK_CLASS(call, class) check_class((call), (class), __FILE__, __LINE__, #call)

__attribute__((unused)) static void
check_class(int code, int expected, const char *file, int line, const char *call)
{
    int class = MPI_SUCCESS;
    char text[MPI_MAX_ERROR_STRING] = "";
    if (code != MPI_SUCCESS) {
        int length;
        MPI_Error_class(code, &class);
        MPI_Error_string(code, text, &length);
    }
    if (class == expected)
        return;
    fprintf(stderr, "%s:%d: rank %d: %s gives class %d (%s), not %d\n", file, line,
            rank, call, class, text, expected);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

// With TEST_WITHOUT_COPIES in the environment the kernel forbids to copy between
// processes, as it does in some containers.
static void forbid_copies_if_asked(void)
{
    if (getenv("TEST_WITHOUT_COPIES") == NULL)
        return;
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof code / sizeof *code, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        exit(SKIPPED);
}

__attribute__((unused)) static void start(int *argc, char ***argv)
{
    forbid_copies_if_asked();
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
}

__attribute__((unused)) static int finish(void)
{
    MPI_Finalize();
    return 0;
}

// Is true on any rank?
__attribute__((unused)) static bool any(bool claim)
{
    int mine = claim, most;
    MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return most != 0;
}

static inline int right(void)
{
    return (rank + 1) % size;
}
static inline int left(void)
{
    return (rank + size - 1) % size;
}

// Byte i of what rank `owner` writes in round `round`; never 0.
static inline unsigned char pattern(int owner, size_t i, int round)
{
    return (unsigned char)(1 +
                           (owner * 37 + i * 11 + i / 251 + (size_t)round * 101) % 255);
}

__attribute__((unused)) static void fill(unsigned char *bytes, size_t count, int owner,
                                         int round)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = pattern(owner, i, round);
}

__attribute__((unused)) static bool is_filled(const unsigned char *bytes, size_t count,
                                              int owner, int round)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != pattern(owner, i, round))
            return false;
    return true;
}

__attribute__((unused)) static bool is_all(const unsigned char *bytes, size_t count,
                                           unsigned char value)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != value)
            return false;
    return true;
}

// ---- windows of every kind --------------------------------------------------------
// A window over MPI_COMM_WORLD whose handler is MPI_ERRORS_RETURN, and its memory.
struct opened {
    MPI_Win win;
    void *base;
};

struct source {
    const char *name;
    struct opened (*open)(MPI_Aint bytes, int unit);
    void (*close)(struct opened *opened);
};

static void return_errors(MPI_Win win)
{
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
}

static struct opened open_on_malloc(MPI_Aint bytes, int unit)
{
    struct opened opened = {.base = malloc((size_t)bytes + 1)};
    CHECK(opened.base != NULL);
    MPI_Win_create(opened.base, bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD,
                   &opened.win);
    return_errors(opened.win);
    return opened;
}

static void close_malloc(struct opened *opened)
{
    MPI_Win_free(&opened->win);
    free(opened->base);
}

static struct opened open_on_alloc_mem(MPI_Aint bytes, int unit)
{
    struct opened opened;
    MPI_Alloc_mem(bytes, MPI_INFO_NULL, &opened.base);
    MPI_Win_create(opened.base, bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD,
                   &opened.win);
    return_errors(opened.win);
    return opened;
}

static void close_alloc_mem(struct opened *opened)
{
    MPI_Win_free(&opened->win);
    MPI_Free_mem(opened->base);
}

static struct opened open_allocated(MPI_Aint bytes, int unit)
{
    struct opened opened;
    MPI_Win_allocate(bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &opened.base,
                     &opened.win);
    return_errors(opened.win);
    return opened;
}

static struct opened open_shared(MPI_Aint bytes, int unit)
{
    struct opened opened;
    MPI_Win_allocate_shared(bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &opened.base,
                            &opened.win);
    return_errors(opened.win);
    return opened;
}

static void close_allocated(struct opened *opened)
{
    MPI_Win_free(&opened->win);
}

// A communicator of the processes that share memory with this one.
static MPI_Comm node_comm(void)
{
    MPI_Comm node;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    return node;
}

static bool is_one_node(void)
{
    int node_size;
    MPI_Comm node = node_comm();
    MPI_Comm_size(node, &node_size);
    MPI_Comm_free(&node);
    return node_size == size;
}

// Calls `test` for a window of each source that this job has.
__attribute__((unused)) static void for_each_source(void (*test)(const struct source *))
{
    static const struct source sources[] = {
        {"MPI_Win_create on malloc", open_on_malloc, close_malloc},
        {"MPI_Win_create on MPI_Alloc_mem", open_on_alloc_mem, close_alloc_mem},
        {"MPI_Win_allocate", open_allocated, close_allocated},
        {"MPI_Win_allocate_shared", open_shared, close_allocated},
    };
    int count = is_one_node() ? 4 : 3;
    for (int i = 0; i < count; i++)
        test(&sources[i]);
}
