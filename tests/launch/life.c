// SPDX-License-Identifier: BSD-3-Clause
// An MPI process that lives as its argument says, to be looked at from outside by
// test_mpiexec.py.
#define _GNU_SOURCE
#include <mpi.h>

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size, is_initialized, is_finalized;

static void live_well(void)
{
    int provided, is_main, length;
    char name[MPI_MAX_PROCESSOR_NAME];
    MPI_Query_thread(&provided);
    MPI_Is_thread_main(&is_main);
    MPI_Get_processor_name(name, &length);
    double start = MPI_Wtime();
    if (provided != MPI_THREAD_MULTIPLE || !is_main || (int)strlen(name) != length ||
        length == 0 || MPI_Wtick() > 1e-6 || MPI_Wtime() < start)
        MPI_Abort(MPI_COMM_WORLD, 99);
}

// Allocates so many bytes and writes to all of them.
static void allocate(size_t bytes)
{
    void *memory;
    int class;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int err = MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &memory);
    MPI_Error_class(err, &class);
    if (err == MPI_SUCCESS) {
        memset(memory, 1, bytes);
        MPI_Free_mem(memory);
    }
    printf("memory: %s\n", class == MPI_SUCCESS      ? "enough"
                           : class == MPI_ERR_NO_MEM ? "too little"
                                                     : "another error");
}

// What the launcher tells through attributes; "-" if it does not.
static void print_attributes(void)
{
    static const int keys[] = {MPI_APPNUM, MPI_UNIVERSE_SIZE};
    char texts[2][16] = {"-", "-"};
    for (int i = 0; i < 2; i++) {
        int *value, flag;
        MPI_Comm_get_attr(MPI_COMM_WORLD, keys[i], &value, &flag);
        if (flag)
            snprintf(texts[i], sizeof texts[i], "%d", *value);
    }
    printf("rank %d: app %s, universe %s\n", rank, texts[0], texts[1]);
}

// The cores of each thread, while there is a window that needs a progress thread.
static void print_threads(void)
{
    int part = 0;
    MPI_Win win;
    MPI_Win_create(&part, sizeof part, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    DIR *threads = opendir("/proc/self/task");
    if (threads == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (struct dirent *entry; (entry = readdir(threads)) != NULL;) {
        cpu_set_t set;
        int thread = atoi(entry->d_name);
        char path[64], name[32] = "";
        snprintf(path, sizeof path, "/proc/self/task/%d/comm", thread);
        FILE *file = thread > 0 ? fopen(path, "r") : NULL;
        if (file == NULL)
            continue;
        if (fscanf(file, "%31s", name) == 1 &&
            sched_getaffinity(thread, sizeof set, &set) == 0)
            printf("rank %d: thread %s has %d\n", rank, name, CPU_COUNT(&set));
        fclose(file);
    }
    closedir(threads);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int provided;
    MPI_Initialized(&is_initialized);
    MPI_Finalized(&is_finalized);
    printf("before: %d %d\n", is_initialized, is_finalized);
    if (strcmp(how, "use before") == 0)
        MPI_Barrier(MPI_COMM_WORLD);

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    live_well();
    MPI_Initialized(&is_initialized);
    MPI_Finalized(&is_finalized);
    printf("rank %d of %d: %d %d\n", rank, size, is_initialized, is_finalized);
    if (strcmp(how, "allocate") == 0 && argc > 2)
        allocate(strtoull(argv[2], NULL, 10));
    if (strcmp(how, "print attributes") == 0)
        print_attributes();
    if (strcmp(how, "print threads") == 0)
        print_threads();
    if (strcmp(how, "initialize twice") == 0)
        MPI_Init(&argc, &argv);
    if (strcmp(how, "abort with 0") == 0 && rank == 1)
        MPI_Abort(MPI_COMM_SELF, 0);
    if (strcmp(how, "abort with 5") == 0 && rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 5);
    if (strncmp(how, "follow", strlen("follow")) == 0 && rank == 1)
        MPI_Abort(MPI_COMM_WORLD, MPI_ERR_PROC_ABORTED);
    if (strcmp(how, "follow the dying") == 0 && rank == 0) {
        sleep(1);
        raise(SIGKILL);
    }
    if (strcmp(how, "leave") == 0 && rank == 1)
        exit(0);

    MPI_Finalize();
    MPI_Initialized(&is_initialized);
    MPI_Finalized(&is_finalized);
    printf("after: %d %d\n", is_initialized, is_finalized);
    if (strcmp(how, "finalize twice") == 0)
        MPI_Finalize();
    if (strcmp(how, "use after") == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    return strcmp(how, "fail after") == 0 && rank == 1 ? 4 : 0;
}
