// SPDX-License-Identifier: BSD-3-Clause
// long_messages_are_read from another node, by one access that the network carries out in
// chunks, whole, in both directions at once, and no more of them than is wanted. Runs on two
// nodes over tcp.
#include "window_test.h"

enum { CHUNK = 512 * 1024, LONGEST = 5 * CHUNK + 77, TAG = 5 };

static const int lengths[] = {CHUNK - 1,     CHUNK,         CHUNK + 1, 2 * CHUNK,
                              2 * CHUNK + 1, 3 * CHUNK - 9, LONGEST};
static unsigned char *out, *in;
static MPI_T_pvar_session session;
static MPI_T_pvar_handle handle;

static void start_counting(void)
{
    int provided, index, count;
    CHECK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS);
    CHECK(MPI_T_pvar_session_create(&session) == MPI_SUCCESS);
    CHECK(MPI_T_pvar_get_index("network_reads", MPI_T_PVAR_CLASS_COUNTER, &index) ==
          MPI_SUCCESS);
    CHECK(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count) ==
          MPI_SUCCESS);
    CHECK(MPI_T_pvar_start(session, handle) == MPI_SUCCESS);
}

static int reads_so_far(void)
{
    unsigned long long value;
    CHECK(MPI_T_pvar_read(session, handle, &value) == MPI_SUCCESS);
    return (int)value;
}

// On the other node; the number of ranks is even.
static int partner(void)
{
    return (rank + size / 2) % size;
}

static void exchange(int length, int room, int round)
{
    int reads = reads_so_far(), wanted = length < room ? length : room;
    fill(out, (size_t)length, rank, round);
    memset(in, 0, (size_t)LONGEST + 1);
    int err = MPI_Sendrecv(out, length, MPI_BYTE, partner(), TAG, in, room, MPI_BYTE,
                           partner(), TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_CLASS(err, length <= room ? MPI_SUCCESS : MPI_ERR_TRUNCATE);
    CHECK(is_filled(in, (size_t)wanted, partner(), round) && in[wanted] == 0);
    CHECK(reads_so_far() - reads == (wanted > 0));
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    start_counting();
    out = malloc(LONGEST);
    in = malloc(LONGEST + 1);
    CHECK(out != NULL && in != NULL);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        exchange(lengths[i], LONGEST, (int)i);
        exchange(lengths[i], lengths[i], (int)i + 20);
        exchange(lengths[i], lengths[i] / 3, (int)i + 40);
    }
    exchange(LONGEST, 0, 60);
    free(out);
    free(in);
    return finish();
}
