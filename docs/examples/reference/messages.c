// SPDX-License-Identifier: BSD-3-Clause
// Messages between two processes. Any number of processes from two on.
#include <mpi.h>
#include <stdio.h>

static int rank, size, next, before;

static void require(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "rank %d: %s\n", rank, what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void blocking(void)
{
    int numbers[3] = {0};
    // example: MPI_Send, MPI_Recv
    if (rank == 0) {
        int values[3] = {1, 2, 3};
        MPI_Send(values, 3, MPI_INT, 1, 42, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(numbers, 3, MPI_INT, 0, 42, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    // end of example
    require(rank != 1 || numbers[2] == 3, "the third number");

    // example: MPI_Sendrecv
    // Every process sends to the next and receives from the one before.
    int theirs;
    MPI_Sendrecv(&rank, 1, MPI_INT, next, 0, &theirs, 1, MPI_INT, before, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    // end of example
    require(theirs == before, "the rank of the process before");
}

static void nonblocking(void)
{
    // example: MPI_Isend, MPI_Irecv, MPI_Waitall
    // Both neighbours at once: no order of the calls can make the processes wait for each other.
    int from[2];
    MPI_Request requests[4];
    MPI_Irecv(&from[0], 1, MPI_INT, before, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&from[1], 1, MPI_INT, next, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&rank, 1, MPI_INT, next, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&rank, 1, MPI_INT, before, 2, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    // end of example
    require(from[0] == before && from[1] == next, "the ranks of both neighbours");

    // example: MPI_Wait, MPI_Test
    int value = 0, is_here = 0;
    MPI_Request receive, send;
    MPI_Irecv(&value, 1, MPI_INT, before, 3, MPI_COMM_WORLD, &receive);
    MPI_Isend(&rank, 1, MPI_INT, next, 3, MPI_COMM_WORLD, &send);
    while (!is_here) {
        // ... work ...
        MPI_Test(&receive, &is_here, MPI_STATUS_IGNORE);
    }
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    // end of example
    require(value == before, "the rank of the process before");
}

static void of_unknown_length(void)
{
    if (rank == 0)
        MPI_Send((int[]){7, 8, 9}, 3, MPI_INT, 1, 5, MPI_COMM_WORLD);
    if (rank != 1)
        return;
    // example: MPI_Probe, MPI_Get_count
    // Asks how long the message is before it is received.
    MPI_Status status;
    int count, numbers[16];
    MPI_Probe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    if (count <= 16)
        MPI_Recv(numbers, count, MPI_INT, status.MPI_SOURCE, 5, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    // end of example
    require(count == 3 && numbers[2] == 9, "three numbers");
}

int main(int argc, char **argv)
{
    // example: MPI_Init, MPI_Comm_rank, MPI_Comm_size
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); // 0 ... size - 1
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    // end of example
    next = (rank + 1) % size;
    before = (rank + size - 1) % size;
    if (size < 2)
        MPI_Abort(MPI_COMM_WORLD, 1);
    blocking();
    nonblocking();
    of_unknown_length();
    // example: MPI_Finalize
    MPI_Finalize();
    return 0; // no MPI after this, but for a few procedures such as MPI_Get_version
    // end of example
}
