// SPDX-License-Identifier: BSD-3-Clause
// messages_are_copied_or_eager, those of 8 to 64 KiB between two processes, and are whole.
// sends_end_without_a_receive: of both processes at a time, before the receiver has come out
// of a barrier, before it has another message, and after it has probed and taken the message.
#include "window_test.h"

#include <sched.h>

enum { LONGEST = 65536, LONG = 1 << 20, ROUNDS = 40, TAG = 4 };

static const int lengths[] = {8281, 16384, 20000, 32768, 40000, LONGEST};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static unsigned char out[LONG], in[LONG + 1];
static MPI_T_pvar_handle copies;
static MPI_T_pvar_session session;

static void start_counting(void)
{
    int index, count;
    CHECK(MPI_T_pvar_session_create(&session) == MPI_SUCCESS);
    CHECK(MPI_T_pvar_get_index("process_copies", MPI_T_PVAR_CLASS_COUNTER, &index) ==
          MPI_SUCCESS);
    CHECK(MPI_T_pvar_handle_alloc(session, index, NULL, &copies, &count) ==
          MPI_SUCCESS);
    CHECK(MPI_T_pvar_start(session, copies) == MPI_SUCCESS);
}

static uint64_t copies_so_far(void)
{
    uint64_t value;
    CHECK(MPI_T_pvar_read(session, copies, &value) == MPI_SUCCESS);
    return value;
}

static void send_length(int length, int round)
{
    fill(out, (size_t)length, rank, round);
    MPI_Send(out, length, MPI_BYTE, 1 - rank, TAG, MPI_COMM_WORLD);
}

static void receive_length(int length, int round)
{
    int count;
    MPI_Status status;
    memset(in, 0, (size_t)length + 1);
    MPI_Recv(in, length + 1, MPI_BYTE, 1 - rank, TAG, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &count);
    CHECK(count == length && is_filled(in, (size_t)length, 1 - rank, round));
    CHECK(in[length] == 0);
}

static void back_and_forth(int length, int round)
{
    if (rank == 0)
        send_length(length, round);
    receive_length(length, round);
    if (rank == 1)
        send_length(length, round);
}

static bool has_core_for_each(void)
{
    cpu_set_t cores;
    return sched_getaffinity(0, sizeof cores, &cores) == 0 && CPU_COUNT(&cores) >= size;
}

// The first three are eager and the fourth is a copy, where the kernel copies long messages.
// The other choices depend on times.
static void messages_are_copied_or_eager(void)
{
    uint64_t before = copies_so_far();
    back_and_forth(LONG, 0);
    bool can_copy = copies_so_far() > before && has_core_for_each();
    for (int i = 0; i < LENGTHS; i++) {
        before = copies_so_far();
        for (int round = 0; round < ROUNDS; round++)
            back_and_forth(lengths[i], round);
        uint64_t copied = copies_so_far() - before;
        CHECK(i > 0 || (copied < ROUNDS && (!can_copy || copied > 0)));
    }
}

static void both_send_first(int length, int round)
{
    send_length(length, round);
    receive_length(length, round);
}

static void received_after_a_barrier(int length, int round)
{
    if (rank == 0)
        send_length(length, round);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        receive_length(length, round);
}

static void received_after_another(int length, int round)
{
    int token = rank == 0 ? round : -1;
    if (rank == 0) {
        send_length(length, round);
        MPI_Send(&token, 1, MPI_INT, 1, TAG + 1, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&token, 1, MPI_INT, 0, TAG + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        receive_length(length, round);
    }
    CHECK(token == round);
}

static void received_after_it_is_taken(int length, int round)
{
    int token = rank == 0 ? round : -1;
    MPI_Message message;
    MPI_Status status;
    if (rank == 0) {
        send_length(length, round);
        MPI_Send(&token, 1, MPI_INT, 1, TAG + 1, MPI_COMM_WORLD);
        return;
    }
    MPI_Mprobe(0, TAG, MPI_COMM_WORLD, &message, &status);
    MPI_Recv(&token, 1, MPI_INT, 0, TAG + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(token == round);
    MPI_Mrecv(in, length, MPI_BYTE, &message, &status);
    CHECK(is_filled(in, (size_t)length, 0, round));
}

static void sends_end_without_a_receive(void)
{
    for (int i = 0; i < LENGTHS * ROUNDS; i++) {
        both_send_first(lengths[i / ROUNDS], i);
        received_after_a_barrier(lengths[i / ROUNDS], i);
        received_after_another(lengths[i / ROUNDS], i);
        received_after_it_is_taken(lengths[i / ROUNDS], i);
    }
}

int main(int argc, char **argv)
{
    int provided;
    start(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    start_counting();
    messages_are_copied_or_eager();
    sends_end_without_a_receive();
    MPI_T_pvar_handle_free(session, &copies);
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
    return finish();
}
