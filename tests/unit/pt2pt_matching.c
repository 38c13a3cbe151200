// SPDX-License-Identifier: BSD-3-Clause
// messages_match_in_order by communicator, channel, source and tag, wildcards included,
// whether the receive or the message comes first; what is too long is an error and
// leaves what follows the buffer alone.
#include "transfers.h"

enum { MANY = 2000, LONG = 100000 };

static int bytes_in(const MPI_Status *status)
{
    uint64_t bytes; // words 0 and 1, as MPI_Get_count reads them
    memcpy(&bytes, status->MPI_internal, sizeof bytes);
    return (int)bytes;
}

static void send_number(int number, int to, int tag)
{
    CHECK(transfer_finish(send_start(CHANNEL_USER, &number, sizeof number, to, tag),
                          MPI_STATUS_IGNORE) == 0);
}

static int receive_number(int from, int tag, MPI_Status *status)
{
    int number = -1;
    CHECK(
        transfer_finish(receive_start(CHANNEL_USER, &number, sizeof number, from, tag),
                        status) == 0);
    return number;
}

// All members send to rank 0, itself included, before it receives anything.
static void flood_comes_in_order(void)
{
    const struct communicator *world = process.world;
    for (int i = 0; world->rank != 0 && i < MANY; i++)
        send_number(i, 0, i % 3);
    CHECK(collective_barrier(process.world) == 0);
    for (int from = world->size - 1; world->rank == 0 && from > 0; from--)
        for (int tag = 2; tag >= 0; tag--)
            for (int i = tag; i < MANY; i += 3)
                CHECK(receive_number(from, tag, MPI_STATUS_IGNORE) == i);
    CHECK(collective_barrier(process.world) == 0);
}

static void wildcards_take_the_first(void)
{
    int size = process.world->size, next[JOB_MAX] = {0};
    for (int i = 0; process.world->rank != 0 && i < 20; i++)
        send_number(i, 0, 100 + i);
    for (int i = 0; process.world->rank == 0 && i < 20 * (size - 1); i++) {
        MPI_Status status;
        int number = receive_number(MPI_ANY_SOURCE, MPI_ANY_TAG, &status);
        CHECK(status.MPI_SOURCE > 0 && status.MPI_SOURCE < size);
        CHECK(number == next[status.MPI_SOURCE]++);
        CHECK(status.MPI_TAG == 100 + number && bytes_in(&status) == sizeof number);
    }
    CHECK(collective_barrier(process.world) == 0);
}

// Posted receives are taken in the order of their posting, also when some have
// wildcards; a message of the other channel or another tag does not disturb them.
static void posted_receives_keep_their_order(void)
{
    int self = process.world->rank, got[4] = {-1, -1, -1, -1}, other = -1;
    struct transfer *receives[] = {
        receive_start(CHANNEL_USER, &got[0], sizeof(int), MPI_ANY_SOURCE, 7),
        receive_start(CHANNEL_USER, &got[1], sizeof(int), self, MPI_ANY_TAG),
        receive_start(CHANNEL_USER, &got[2], sizeof(int), self, 7),
        receive_start(CHANNEL_USER, &got[3], sizeof(int), self, 8),
    };
    struct transfer *collective =
        receive_start(CHANNEL_COLLECTIVE, &other, sizeof other, self, 7);
    int numbers[] = {10, 11, 12, 13}, tags[] = {7, 7, 8, 7};
    for (int i = 0; i < 4; i++)
        send_number(numbers[i], self, tags[i]);
    for (int i = 0; i < 4; i++)
        CHECK(transfer_finish(receives[i], MPI_STATUS_IGNORE) == 0);
    CHECK(got[0] == 10 && got[1] == 11 && got[2] == 13 && got[3] == 12);
    CHECK(other == -1);
    CHECK(pt2pt_send(process.world, &numbers[3], sizeof(int), self, 7) == 0);
    CHECK(transfer_finish(collective, MPI_STATUS_IGNORE) == 0 && other == 13);
}

static void too_long_is_an_error(int bytes, bool posted_first)
{
    static char out[LONG], in[LONG];
    int self = process.world->rank, room = bytes - 1;
    struct transfer *receive = NULL;
    memset(out, 1, sizeof out);
    memset(in, 2, sizeof in);
    if (posted_first)
        receive = receive_start(CHANNEL_USER, in, room, self, 3);
    struct transfer *send = send_start(CHANNEL_USER, out, bytes, self, 3);
    if (!posted_first) {
        message_progress(); // so that the message waits for its receive
        receive = receive_start(CHANNEL_USER, in, room, self, 3);
    }
    int class;
    char length[16], limit[16];
    CHECK(transfer_finish(receive, MPI_STATUS_IGNORE) == MPI_ERR_TRUNCATE);
    snprintf(length, sizeof length, "%d", bytes);
    snprintf(limit, sizeof limit, "%d", room);
    CHECK(strstr(error_detail(&class), length) && strstr(error_detail(&class), limit));
    CHECK(in[room] == 2);
    CHECK(transfer_finish(send, MPI_STATUS_IGNORE) == 0);
    send_number(5, self, 3); // what comes after it is not disturbed
    CHECK(receive_number(self, 3, MPI_STATUS_IGNORE) == 5);
}

static void nobody_and_nothing(void)
{
    MPI_Status status;
    int self = process.world->rank, value = 9;
    CHECK(transfer_finish(send_start(CHANNEL_USER, &value, 4, MPI_PROC_NULL, 0),
                          MPI_STATUS_IGNORE) == 0);
    CHECK(transfer_finish(receive_start(CHANNEL_USER, &value, 4, MPI_PROC_NULL, 0),
                          &status) == 0);
    CHECK(value == 9 && status.MPI_SOURCE == MPI_PROC_NULL);
    CHECK(status.MPI_TAG == MPI_ANY_TAG && bytes_in(&status) == 0);
    CHECK(pt2pt_send(process.world, NULL, 0, self, 4) == 0);
    CHECK(pt2pt_receive(process.world, NULL, 0, self, 4) == 0);
}

static void claims(void)
{
    static const int lengths[] = {1, 100, 8000, LONG};
    flood_comes_in_order();
    wildcards_take_the_first();
    posted_receives_keep_their_order();
    for (int i = 0; i < 4; i++) {
        too_long_is_an_error(lengths[i], true);
        too_long_is_an_error(lengths[i], false);
    }
    nobody_and_nothing();
}

int main(void)
{
    return run_all_jobs(claims);
}
