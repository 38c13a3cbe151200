// SPDX-License-Identifier: BSD-3-Clause
// Messages between rank 0 and rank 1: the time of one, half of a round trip, and the
// bandwidth of 64 at a time, whose last receiver answers. As is usual in such programs,
// the messages of a burst that do not fit into the memory share places in it.
#include "bench.h"

static char *outgoing, *incoming;
static int rank;

static void repeat_round_trip(size_t bytes, long count)
{
    int length = (int)bytes, partner = 1 - rank;
    for (long i = 0; i < count; i++) {
        if (rank == 0)
            MPI_Send(outgoing, length, MPI_BYTE, partner, 0, MPI_COMM_WORLD);
        MPI_Recv(incoming, length, MPI_BYTE, partner, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_Send(outgoing, length, MPI_BYTE, partner, 0, MPI_COMM_WORLD);
    }
}

static void exchange_burst(size_t bytes)
{
    MPI_Request requests[DEPTH];
    MPI_Status statuses[DEPTH];
    size_t offset = 0;
    for (int i = 0; i < DEPTH; i++) {
        if (rank == 0)
            MPI_Isend(outgoing + offset, (int)bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD,
                      &requests[i]);
        else
            MPI_Irecv(incoming + offset, (int)bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD,
                      &requests[i]);
        offset += bytes;
        if (offset + bytes > LARGEST)
            offset = 0;
    }
    MPI_Waitall(DEPTH, requests, statuses);
}

static void repeat_burst(size_t bytes, long count)
{
    for (long i = 0; i < count; i++) {
        exchange_burst(bytes);
        if (rank == 0)
            MPI_Recv(incoming, 1, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Send(outgoing, 1, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    }
}

static void measure_size(size_t bytes)
{
    if (!is_size_listed(bytes))
        return;
    if (is_listed(options.operations, "latency")) {
        double time = measure(repeat_round_trip, bytes, true) / 2;
        if (rank == 0)
            print_line("message", "", "latency", bytes, 1e6 * time, "us");
    }
    if (is_listed(options.operations, "bandwidth")) {
        double time = measure(repeat_burst, bytes, true) / DEPTH;
        if (rank == 0)
            print_line("message", "", "bandwidth", bytes, 1e-6 * (double)bytes / time,
                       "MB/s");
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    read_options(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    outgoing = calloc(1, LARGEST);
    incoming = calloc(1, LARGEST);
    if (outgoing == NULL || incoming == NULL)
        abort();
    measure_size(1);
    for (size_t i = 0; i < LENGTH(sizes); i++)
        measure_size(sizes[i]);
    free(outgoing);
    free(incoming);
    MPI_Finalize();
    return 0;
}
