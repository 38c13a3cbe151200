// SPDX-License-Identifier: BSD-3-Clause
// An MPI process that lives as its argument says, to be looked at from outside by
// test_mpiexec.py.
#include <mpi.h>
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
    if (strcmp(how, "initialize twice") == 0)
        MPI_Init(&argc, &argv);
    if (strcmp(how, "abort with 0") == 0 && rank == 1)
        MPI_Abort(MPI_COMM_SELF, 0);
    if (strcmp(how, "abort with 5") == 0 && rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 5);
    if (strncmp(how, "accuse", strlen("accuse")) == 0 && rank == 1)
        MPI_Abort(MPI_COMM_WORLD, MPI_ERR_PROC_ABORTED);
    if (strcmp(how, "accuse the dying") == 0 && rank == 0) {
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
