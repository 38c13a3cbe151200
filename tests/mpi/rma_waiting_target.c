// SPDX-License-Identifier: BSD-3-Clause
// waiting_targets_are_sent_messages: short puts and gets in a row on memory that is not in
// the segment wake a target that has fallen asleep in a wait, and go by messages then.
#include "window_test.h"

#include <stdint.h>
#include <unistd.h>

enum { IN_ROW = 1000, LONG = 32768, WORDS = LONG + 1, NAP = 20000 };

static const double PATIENCE = 30;

static int64_t memory[WORDS], mine[WORDS], back;
static MPI_Win win;
static MPI_T_pvar_session session;
static MPI_T_pvar_handle messages;

static void start_counting(void)
{
    int provided, index, count;
    CHECK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS);
    CHECK(MPI_T_pvar_session_create(&session) == MPI_SUCCESS);
    CHECK(MPI_T_pvar_get_index("node_messages", MPI_T_PVAR_CLASS_COUNTER, &index) ==
          MPI_SUCCESS);
    CHECK(MPI_T_pvar_handle_alloc(session, index, NULL, &messages, &count) ==
          MPI_SUCCESS);
    CHECK(MPI_T_pvar_start(session, messages) == MPI_SUCCESS);
}

static uint64_t messages_sent(void)
{
    unsigned long long value;
    CHECK(MPI_T_pvar_read(session, messages, &value) == MPI_SUCCESS);
    return value;
}

// Nothing wakes the target meanwhile, for what is long the kernel may copy.
static void let_target_sleep(void)
{
    usleep(NAP);
    MPI_Put(mine, LONG, MPI_INT64_T, 1, 0, LONG, MPI_INT64_T, win);
    MPI_Win_flush(1, win);
}

// Most of a row go by messages; how many depends on what else the machine does.
static bool row_goes_by_messages(bool is_put)
{
    uint64_t before = messages_sent();
    for (int64_t i = 1; i <= IN_ROW; i++) {
        if (is_put) {
            mine[LONG] = i;
            MPI_Put(&mine[LONG], 1, MPI_INT64_T, 1, LONG, 1, MPI_INT64_T, win);
        } else {
            MPI_Get(&back, 1, MPI_INT64_T, 1, LONG, 1, MPI_INT64_T, win);
        }
        MPI_Win_flush(1, win);
    }
    return messages_sent() - before > IN_ROW / 2;
}

static void rows_wake_the_target(bool is_put)
{
    double end = MPI_Wtime() + PATIENCE;
    do {
        let_target_sleep();
        CHECK(MPI_Wtime() < end);
    } while (!row_goes_by_messages(is_put));
    MPI_Get(&back, 1, MPI_INT64_T, 1, LONG, 1, MPI_INT64_T, win);
    MPI_Win_flush(1, win);
    CHECK(back == IN_ROW);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (sysconf(_SC_NPROCESSORS_ONLN) < size)
        exit(SKIPPED);
    start_counting();
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD,
                   &win);
    MPI_Win_lock_all(0, win);
    if (rank == 0) {
        rows_wake_the_target(true);
        rows_wake_the_target(false);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock_all(win);
    CHECK(rank != 1 || memory[LONG] == IN_ROW);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
