// SPDX-License-Identifier: BSD-3-Clause
// messages_of_more_than_2_GiB arrive whole, with counts that an int does not hold.
#include "window_test.h"

int main(int argc, char **argv)
{
    start(&argc, &argv);
    const MPI_Count bytes = ((MPI_Count)1 << 31) + 4097;
    unsigned char *buffer = malloc((size_t)bytes);
    MPI_Status status;
    MPI_Count count = -1;
    int small = 0;
    if (buffer == NULL)
        return SKIPPED;
    if (rank == 0) {
        for (MPI_Count i = 0; i < bytes; i += 4096)
            buffer[i] = pattern(0, (size_t)i, 1);
        buffer[bytes - 1] = 7;
        MPI_Send_c(buffer, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv_c(buffer, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &status);
        MPI_Get_count_c(&status, MPI_BYTE, &count);
        MPI_Get_count(&status, MPI_BYTE, &small);
        CHECK(count == bytes && small == MPI_UNDEFINED);
        for (MPI_Count i = 0; i < bytes - 1; i += 4096)
            CHECK(buffer[i] == pattern(0, (size_t)i, 1));
        CHECK(buffer[bytes - 1] == 7);
    }
    free(buffer);
    return finish();
}
