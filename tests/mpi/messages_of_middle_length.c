// SPDX-License-Identifier: BSD-3-Clause
// exchanges_are_copied_or_eager and messages_are_whole, those of 8 to 64 KiB between two
// processes. sends_end_without_a_receive: of both processes at a time,
// before the receiver has come out of a barrier, before it has another message, after it has
// taken the message by a probe, and when they are half of an exchange.
#include "window_test.h"

#include <sched.h>

enum { LONGEST = 65536, LONG = 1 << 20, ROUNDS = 40, TAG = 4, LENGTH_WANTED = 100 };

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

// Does the kernel copy long messages, and has each process a core to poll on? One of which
// little is wanted is copied by its receiver alone, which counts that.
static bool are_copied(void)
{
    uint64_t before = copies_so_far();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0)
        MPI_Send(out, LONG, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
    else
        CHECK(MPI_Recv(in, LENGTH_WANTED, MPI_BYTE, 0, TAG, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE) == MPI_ERR_TRUNCATE);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    int is_copied = copies_so_far() > before && has_core_for_each();
    MPI_Bcast(&is_copied, 1, MPI_INT, 1, MPI_COMM_WORLD);
    return is_copied;
}

static void exchange(int length, int round)
{
    fill(out, (size_t)length, rank, round);
    memset(in, 0, (size_t)length + 1);
    MPI_Sendrecv(out, length, MPI_BYTE, 1 - rank, TAG, in, length, MPI_BYTE, 1 - rank,
                 TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(is_filled(in, (size_t)length, 1 - rank, round) && in[length] == 0);
}

// The first messages of a size are eager, and then one is a copy. The other choices depend
// on times.
static void exchanges_are_copied_or_eager(void)
{
    bool can_copy = are_copied();
    uint64_t before = copies_so_far();
    for (int round = 0; round < ROUNDS; round++)
        exchange(32768, round);
    uint64_t copied = copies_so_far() - before;
    CHECK(copied < ROUNDS && (!can_copy || copied > 0));
}

static void messages_are_whole(void)
{
    for (int i = 0; i < LENGTHS * ROUNDS; i++)
        back_and_forth(lengths[i / ROUNDS], i);
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

// The exchange of rank 0 has ended before rank 1 receives what it has sent.
static void received_after_the_exchange(int length, int round)
{
    int token = round, other = -1;
    if (rank == 0) {
        fill(out, (size_t)length, rank, round);
        MPI_Sendrecv(out, length, MPI_BYTE, 1, TAG, &other, 1, MPI_INT, 1, TAG + 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&token, 1, MPI_INT, 1, TAG + 2, MPI_COMM_WORLD);
    } else {
        MPI_Send(&token, 1, MPI_INT, 0, TAG + 1, MPI_COMM_WORLD);
        MPI_Recv(&other, 1, MPI_INT, 0, TAG + 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        receive_length(length, round);
    }
    CHECK(other == round);
}

static void sends_end_without_a_receive(void)
{
    for (int i = 0; i < LENGTHS * ROUNDS; i++) {
        both_send_first(lengths[i / ROUNDS], i);
        received_after_a_barrier(lengths[i / ROUNDS], i);
        received_after_another(lengths[i / ROUNDS], i);
        received_after_it_is_taken(lengths[i / ROUNDS], i);
        received_after_the_exchange(lengths[i / ROUNDS], i);
    }
}

int main(int argc, char **argv)
{
    int provided;
    start(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    start_counting();
    exchanges_are_copied_or_eager();
    messages_are_whole();
    sends_end_without_a_receive();
    MPI_T_pvar_handle_free(session, &copies);
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
    return finish();
}
