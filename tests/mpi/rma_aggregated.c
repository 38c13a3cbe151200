// SPDX-License-Identifier: BSD-3-Clause
// short_operations_share_messages: a stream of short puts, gets and accumulates reaches
// another node in few messages and accesses, and each does what it would do alone: in
// its place, in order where order counts, and complete when a flush returns. Long ones
// that are under way do not hold them up.
#include "window_test.h"

#include <signal.h>
#include <unistd.h>

enum { MANY = 2000, ELEMENTS = 2 * MANY, FEW = MANY / 10 };

static const char *const counted[] = {"network_messages", "network_writes",
                                      "network_reads"};
enum { COUNTED = sizeof counted / sizeof *counted };
static MPI_T_pvar_session session;
static MPI_T_pvar_handle handles[COUNTED];

static struct opened opened;
static long long values[ELEMENTS], results[ELEMENTS];

static void start_counting(void)
{
    int provided, index, count;
    CHECK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS);
    CHECK(MPI_T_pvar_session_create(&session) == MPI_SUCCESS);
    for (int i = 0; i < COUNTED; i++) {
        CHECK(MPI_T_pvar_get_index(counted[i], MPI_T_PVAR_CLASS_COUNTER, &index) ==
              MPI_SUCCESS);
        CHECK(MPI_T_pvar_handle_alloc(session, index, NULL, &handles[i], &count) ==
              MPI_SUCCESS);
    }
    CHECK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS);
}

static long long sent(void)
{
    unsigned long long value, sum = 0;
    for (int i = 0; i < COUNTED; i++) {
        CHECK(MPI_T_pvar_read(session, handles[i], &value) == MPI_SUCCESS);
        sum += value;
    }
    return (long long)sum;
}

// ---- streams: operation i on the right neighbour; one after the other or with gaps

static void put_with_gaps(int i)
{
    MPI_Put(&values[i], 1, MPI_LONG_LONG, right(), 2 * i, 1, MPI_LONG_LONG, opened.win);
}
static void put_in_a_row(int i)
{
    MPI_Put(&values[i], 1, MPI_LONG_LONG, right(), i, 1, MPI_LONG_LONG, opened.win);
}
static void get_with_gaps(int i)
{
    MPI_Get(&results[i], 1, MPI_LONG_LONG, right(), 2 * i, 1, MPI_LONG_LONG,
            opened.win);
}
static void get_backwards(int i)
{
    MPI_Get(&results[MANY - 1 - i], 1, MPI_LONG_LONG, right(), i, 1, MPI_LONG_LONG,
            opened.win);
}
static void replace_one(int i)
{
    MPI_Accumulate(&values[i], 1, MPI_LONG_LONG, right(), 0, 1, MPI_LONG_LONG,
                   MPI_REPLACE, opened.win);
}
static void add_to_one(int i)
{
    MPI_Fetch_and_op(&values[i], &results[i], MPI_LONG_LONG, right(), 0, MPI_SUM,
                     opened.win);
}
static void swap_one(int i) // from i to i + 1
{
    MPI_Compare_and_swap(&values[i + 1], &values[i], &results[i], MPI_LONG_LONG,
                         right(), 0, opened.win);
}

// Before, element i of the own part is i, and so is values[i]; the results are -1. The
// own part is locked afterwards, to be looked at.
static void stream(void (*operate)(int), bool is_aggregated)
{
    long long *mine = opened.base;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, opened.win);
    for (int i = 0; i < ELEMENTS; i++) {
        mine[i] = values[i] = i;
        results[i] = -1;
    }
    MPI_Win_unlock(rank, opened.win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, right(), 0, opened.win);
    MPI_Win_flush(right(), opened.win);
    long long before = sent();
    for (int i = 0; i < MANY; i++)
        operate(i);
    MPI_Win_flush(right(), opened.win);
    if (is_aggregated)
        CHECK(sent() - before < FEW);
    MPI_Win_unlock(right(), opened.win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, opened.win);
}

static void each_is_as_if_alone(const struct source *source)
{
    opened = source->open(ELEMENTS * sizeof(long long), sizeof(long long));
    const long long *mine = opened.base;
    stream(put_with_gaps, true);
    for (int i = 0; i < MANY; i++)
        CHECK(mine[2 * i] == i && mine[2 * i + 1] == 2 * i + 1);
    MPI_Win_unlock(rank, opened.win);
    stream(put_in_a_row, true);
    for (int i = 0; i < ELEMENTS; i++)
        CHECK(mine[i] == i);
    MPI_Win_unlock(rank, opened.win);
    stream(get_with_gaps, true);
    for (int i = 0; i < ELEMENTS; i++)
        CHECK(results[i] == (i < MANY ? 2 * i : -1));
    MPI_Win_unlock(rank, opened.win);
    stream(get_backwards, true);
    for (int i = 0; i < MANY; i++)
        CHECK(results[MANY - 1 - i] == i);
    MPI_Win_unlock(rank, opened.win);
    stream(replace_one, true);
    CHECK(mine[0] == MANY - 1);
    MPI_Win_unlock(rank, opened.win);
    stream(add_to_one, true);
    for (int i = 0; i < MANY; i++)
        CHECK(results[i] == (long long)i * (i - 1) / 2);
    MPI_Win_unlock(rank, opened.win);
    stream(swap_one, false);
    for (int i = 0; i < MANY; i++)
        CHECK(results[i] == i);
    CHECK(mine[0] == MANY);
    MPI_Win_unlock(rank, opened.win);
    source->close(&opened);
}

// What is flushed soon after it has begun is in one message the next time. Some round is
// quick, however busy the machine.
static void rounds_need_one_message(const struct source *source)
{
    enum { ROUNDS = 200, EACH = 16 };
    long long least = ROUNDS * EACH;
    opened = source->open(ELEMENTS * sizeof(long long), sizeof(long long));
    MPI_Win_lock(MPI_LOCK_SHARED, right(), 0, opened.win);
    for (int round = 0; round < ROUNDS && rank == 0; round++) {
        long long before = sent();
        for (int i = 0; i < EACH; i++)
            put_with_gaps(i);
        MPI_Win_flush(right(), opened.win);
        long long needed = sent() - before;
        least = needed < least ? needed : least;
    }
    CHECK(rank != 0 || least <= 1);
    MPI_Win_unlock(right(), opened.win);
    MPI_Barrier(MPI_COMM_WORLD);
    source->close(&opened);
}

// By rank 0, in some round.
static void blocks_share(const struct source *source, int block)
{
    enum { ROUNDS = 100, BLOCKS = 8, MESSAGES = 3 };
    long long least = BLOCKS;
    int target = size - 1; // on another node than rank 0 if there are several
    opened = source->open((MPI_Aint)BLOCKS * block * (MPI_Aint)sizeof(long long),
                          sizeof(long long));
    const long long *mine = opened.base;
    for (int i = 0; i < ELEMENTS; i++)
        values[i] = i;
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, opened.win);
    for (int round = 0; round < ROUNDS && rank == 0; round++) {
        long long before = sent();
        for (int i = 0; i < BLOCKS; i++)
            MPI_Put(&values[i], block, MPI_LONG_LONG, target, i * block, block,
                    MPI_LONG_LONG, opened.win);
        MPI_Win_flush(target, opened.win);
        long long needed = sent() - before;
        least = needed < least ? needed : least;
    }
    CHECK(rank != 0 || least <= MESSAGES);
    MPI_Win_unlock(target, opened.win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, opened.win);
    for (int i = 0; i < BLOCKS * block && rank == target; i++)
        CHECK(mine[i] == i / block + i % block);
    MPI_Win_unlock(rank, opened.win);
    source->close(&opened);
}

// Where accesses are calls of the system, four of 4 KiB and four of 8 KiB share a message.
static void blocks_share_messages(const struct source *source)
{
    blocks_share(source, 512);
    blocks_share(source, 1024);
}

// Of every sort, with requests in between, to all: none waits for another one.
static void all_sorts_go_together(const struct source *source)
{
    enum { SORTS = 5, EACH = MANY / SORTS };
    opened = source->open((MPI_Aint)size * ELEMENTS * (MPI_Aint)sizeof(long long),
                          sizeof(long long));
    long long *mine = opened.base;
    long long *got = malloc((size_t)size * EACH * sizeof *got);
    long long *old = malloc((size_t)size * EACH * sizeof *old);
    MPI_Request request;
    memset(mine, 0, (size_t)size * ELEMENTS * sizeof *mine);
    for (int i = 0; i < ELEMENTS; i++)
        values[i] = i + 1;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, opened.win);
    for (int i = 0; i < EACH; i++)
        for (int target = 0; target < size; target++) {
            long long *got_here = &got[target * EACH + i];
            long long *old_here = &old[target * EACH + i];
            MPI_Aint at = (MPI_Aint)rank * ELEMENTS + SORTS * i;
            MPI_Put(&values[i], 1, MPI_LONG_LONG, target, at, 1, MPI_LONG_LONG,
                    opened.win);
            MPI_Accumulate(&values[i], 1, MPI_LONG_LONG, target, at + 1, 1,
                           MPI_LONG_LONG, MPI_SUM, opened.win);
            MPI_Rput(&values[i], 1, MPI_LONG_LONG, target, at + 2, 1, MPI_LONG_LONG,
                     opened.win, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Get(got_here, 1, MPI_LONG_LONG, target, at + 3, 1, MPI_LONG_LONG,
                    opened.win);
            MPI_Get_accumulate(&values[i], 1, MPI_LONG_LONG, old_here, 1, MPI_LONG_LONG,
                               target, at + 4, 1, MPI_LONG_LONG, MPI_MAX, opened.win);
        }
    MPI_Win_flush_all(opened.win);
    for (int i = 0; i < size * EACH; i++)
        CHECK(got[i] == 0 && old[i] == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int origin = 0; origin < size; origin++)
        for (int i = 0; i < EACH; i++) {
            const long long *at = mine + (size_t)origin * ELEMENTS + SORTS * i;
            CHECK(at[0] == i + 1 && at[1] == i + 1 && at[2] == i + 1 && at[3] == 0 &&
                  at[4] == i + 1);
        }
    MPI_Win_unlock_all(opened.win);
    source->close(&opened);
    free(got);
    free(old);
}

// ---- short ones behind long ones

enum { LONG_ONES = 200, LONG = 2048, SHORT_ONES = 200, SECONDS = 10 };

static pid_t stopped;
static volatile sig_atomic_t is_late;

static void go_on_late(int signal)
{
    (void)signal;
    is_late = 1;
    kill(stopped, SIGCONT);
}

// Does a long put go by an access of the network?
static bool is_accessed(int target)
{
    MPI_Put(values, 1, MPI_LONG_LONG, target, 0, 1, MPI_LONG_LONG, opened.win);
    MPI_Win_flush(target, opened.win);
    long long before = sent();
    MPI_Put(values, LONG, MPI_LONG_LONG, target, 0, LONG, MPI_LONG_LONG, opened.win);
    bool is_one = sent() - before == 1;
    MPI_Win_flush(target, opened.win);
    return is_one && sent() - before == 1;
}

// The request is of a short one, too.
static void put_long_and_short(int target, MPI_Request *request)
{
    MPI_Aint at = LONG_ONES * LONG;
    for (int i = 0; i < LONG_ONES; i++)
        MPI_Put(&values[i], LONG, MPI_LONG_LONG, target, i * LONG, LONG, MPI_LONG_LONG,
                opened.win);
    for (int i = 0; i < SHORT_ONES; i++)
        MPI_Put(&values[i], 1, MPI_LONG_LONG, target, at + 2 * i, 1, MPI_LONG_LONG,
                opened.win);
    MPI_Rput(&values[1], 1, MPI_LONG_LONG, target, at + 1, 1, MPI_LONG_LONG, opened.win,
             request);
    MPI_Fetch_and_op(&values[2], results, MPI_LONG_LONG, target, at + 3, MPI_SUM,
                     opened.win);
}

// While the target stands still no long put ends, but the calls for short ones return.
static void put_to_stopped(int target, pid_t pid)
{
    struct sigaction late = {.sa_handler = go_on_late, .sa_flags = SA_RESTART};
    struct sigaction before;
    MPI_Request request;
    stopped = pid;
    sigaction(SIGALRM, &late, &before);
    alarm(SECONDS);
    kill(stopped, SIGSTOP);
    put_long_and_short(target, &request);
    alarm(0);
    kill(stopped, SIGCONT);
    sigaction(SIGALRM, &before, NULL);
    CHECK(!is_late);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_flush(target, opened.win);
    CHECK(results[0] == 0);
}

static void check_long_and_short(const long long *mine)
{
    const long long *at = mine + LONG_ONES * LONG;
    for (int i = 0; i < LONG_ONES; i++)
        CHECK(mine[i * LONG] == i && mine[i * LONG + LONG - 1] == i + LONG - 1);
    for (int i = 0; i < SHORT_ONES; i++)
        CHECK(at[2 * i] == i);
    CHECK(at[1] == 1 && at[3] == 2);
}

static void short_ones_pass_long_ones(const struct source *source)
{
    size_t bytes = (LONG_ONES * LONG + 2 * SHORT_ONES) * sizeof(long long);
    int target = size - 1, is_remote = 0;
    pid_t pid = getpid();
    opened = source->open((MPI_Aint)bytes, sizeof(long long));
    memset(opened.base, 0, bytes);
    for (int i = 0; i < ELEMENTS; i++)
        values[i] = i;
    MPI_Bcast(&pid, sizeof pid, MPI_BYTE, target, MPI_COMM_WORLD);
    MPI_Win_lock_all(0, opened.win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && is_accessed(target)) {
        is_remote = 1;
        put_to_stopped(target, pid);
    }
    MPI_Bcast(&is_remote, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (is_remote && rank == target)
        check_long_and_short(opened.base);
    MPI_Win_unlock_all(opened.win);
    source->close(&opened);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    start_counting();
    for_each_source(each_is_as_if_alone);
    for_each_source(rounds_need_one_message);
    for_each_source(blocks_share_messages);
    for_each_source(all_sorts_go_together);
    for_each_source(short_ones_pass_long_ones);
    return finish();
}
