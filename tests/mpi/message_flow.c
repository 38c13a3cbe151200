// SPDX-License-Identifier: BSD-3-Clause
// who_sends_more_than_is_received_waits: the memory of a sender stays small although its
// receiver comes late, and nothing is lost or out of order.
#include "window_test.h"

#include <sys/resource.h>
#include <unistd.h>

enum {
    COUNT = 60000,
    BYTES = 1000,
    WORDS = BYTES / sizeof(int),
    ROOM = 16 * 1024, // KiB; all messages together are almost 60 MB
};

static long most_memory(void) // KiB
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static void send_all(void)
{
    int message[WORDS] = {0};
    long before = most_memory();
    for (message[0] = 0; message[0] < COUNT; message[0]++)
        MPI_Send(message, WORDS, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
    CHECK(most_memory() - before < ROOM);
}

static void receive_all(void)
{
    int message[WORDS], misplaced = 0;
    usleep(200000);
    for (int i = 0; i < COUNT; i++) {
        MPI_Recv(message, WORDS, MPI_INT, rank - 1, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        misplaced += message[0] != i;
    }
    CHECK(misplaced == 0);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (rank % 2 == 1)
        receive_all();
    else if (rank + 1 < size)
        send_all();
    return finish();
}
