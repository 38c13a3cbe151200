// SPDX-License-Identifier: BSD-3-Clause
// Ping-pong: processes in pairs send messages of 1 byte to 4 MiB forth and back, and print
// the time and the bandwidth of each size.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LARGEST = 4 << 20, ROUNDS = 20 };

static int changed(const unsigned char *data, int bytes, int round)
{
    for (int i = 0; i < bytes; i++)
        if (data[i] != (unsigned char)(i + round))
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, wrong = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int other = rank ^ 1, is_first = rank % 2 == 0;
    if (other >= size)
        other = MPI_PROC_NULL;
    unsigned char *data = malloc(LARGEST);
    for (int bytes = 1; bytes <= LARGEST; bytes *= 8) {
        double start = MPI_Wtime();
        for (int round = 0; round < ROUNDS && other != MPI_PROC_NULL; round++) {
            if (is_first) {
                for (int i = 0; i < bytes; i++)
                    data[i] = (unsigned char)(i + round);
                MPI_Send(data, bytes, MPI_BYTE, other, round, MPI_COMM_WORLD);
            }
            MPI_Status status;
            MPI_Recv(data, bytes, MPI_BYTE, other, round, MPI_COMM_WORLD, &status);
            int count;
            MPI_Get_count(&status, MPI_BYTE, &count);
            wrong += count != bytes || status.MPI_SOURCE != other;
            if (is_first)
                wrong += changed(data, bytes, round);
            else
                MPI_Send(data, bytes, MPI_BYTE, other, round, MPI_COMM_WORLD);
        }
        double seconds = (MPI_Wtime() - start) / (2 * ROUNDS);
        if (rank == 0 && size > 1)
            printf("%8d bytes %10.2f us %10.1f MB/s\n", bytes, 1e6 * seconds,
                   1e-6 * bytes / seconds);
    }
    free(data);
    int wrong_in_all;
    MPI_Allreduce(&wrong, &wrong_in_all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return wrong_in_all != 0;
}
