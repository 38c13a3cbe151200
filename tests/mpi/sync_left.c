// SPDX-License-Identifier: BSD-3-Clause
// what_is_left_to_a_target_is_there: short operations of fence epochs and epochs of
// MPI_Win_start on memory that is not in the segment go by messages that nobody answers;
// all members see them after the epoch, by whatever way they look.
#include "window_test.h"

#include <stdint.h>
#include <unistd.h>

enum {
    ROUNDS = 150,
    WORDS = 32768, // the kernel copies so many
    MANY = 700,    // operations, that make some messages
    IN_ROW = 200
};

static const double PATIENCE = 30;

static int64_t memory[WORDS], mine[WORDS], seen[WORDS];
static MPI_Win win;

static int64_t value_of(int origin, int round, int i)
{
    return ((int64_t)round * size + origin) * WORDS + i;
}

static int64_t *filled(int round, int count)
{
    for (int i = 0; i < count; i++)
        mine[i] = value_of(rank, round, i);
    return mine;
}

static bool is_of(const int64_t *words, int origin, int round, int count)
{
    for (int i = 0; i < count; i++)
        if (words[i] != value_of(origin, round, i))
            return false;
    return true;
}

// With more processes than cores only updates are left to targets.
static void write_right(int round, int count)
{
    filled(round, count);
    if (round % 2 == 0)
        MPI_Put(mine, count, MPI_INT64_T, right(), 0, count, MPI_INT64_T, win);
    else
        MPI_Accumulate(mine, count, MPI_INT64_T, right(), 0, count, MPI_INT64_T,
                       MPI_REPLACE, win);
}

// What one member has put a third one gets, by a message or by the kernel, as soon as the
// epoch is over for itself.
static void third_members_see_what_was_put(void)
{
    int other = size > 1 ? (rank + 2) % size : rank; // whose right neighbour has put
    int writer = (other + size - 1) % size;
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    for (int round = 0; round < ROUNDS; round++) {
        int count = 1 + round % 40, whole = round % 3 == 0 ? WORDS : count;
        write_right(round, count);
        MPI_Win_fence(0, win);
        CHECK(is_of(memory, left(), round, count));
        MPI_Get(seen, whole, MPI_INT64_T, other, 0, whole, MPI_INT64_T, win);
        MPI_Win_fence(0, win);
        CHECK(is_of(seen, writer, round, count));
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

// More than a target is left, of all lengths, with gets and updates between them.
static void an_epoch_takes_operations_of_all_kinds(void)
{
    int64_t one = 1, before[MANY];
    memset(memory, 0, sizeof memory);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    for (int round = 1; round <= 8; round++) {
        int length = 1 << (round + 3), at = MANY;
        filled(round, WORDS);
        for (int i = 0; i < MANY && at + length <= WORDS / 2; i++, at += length)
            MPI_Put(mine + at, length, MPI_INT64_T, right(), at, length, MPI_INT64_T,
                    win);
        for (int i = 0; i < MANY; i++)
            MPI_Accumulate(&one, 1, MPI_INT64_T, right(), i, 1, MPI_INT64_T, MPI_SUM,
                           win);
        MPI_Get(seen, WORDS / 2, MPI_INT64_T, left(), WORDS / 2, WORDS / 2, MPI_INT64_T,
                win);
        for (int i = 0; i < 3; i++)
            MPI_Fetch_and_op(&one, &before[i], MPI_INT64_T, right(), WORDS - 1, MPI_SUM,
                             win);
        MPI_Win_fence(0, win);
        for (int i = 0; i < MANY; i++)
            CHECK(memory[i] == round);
        for (int i = MANY; i < at; i++)
            CHECK(memory[i] == value_of(left(), round, i));
        CHECK(before[0] == 3 * (round - 1) && before[2] == before[0] + 2);
        MPI_Win_fence(0, win);
    }
    CHECK(memory[WORDS - 1] == 3 * 8);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

// A target may compute as long as it likes before it ends the epoch.
static void late_targets_take_what_was_left(bool is_fence)
{
    MPI_Group all, to, from;
    int target = right(), origin = left();
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &target, &to);
    MPI_Group_incl(all, 1, &origin, &from);
    for (int round = 0; round < 6; round++) {
        if (is_fence) {
            MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
        } else {
            MPI_Win_post(from, 0, win);
            MPI_Win_start(to, 0, win);
        }
        MPI_Put(filled(round, 3), 3, MPI_INT64_T, target, 5, 3, MPI_INT64_T, win);
        if (!is_fence)
            MPI_Win_complete(win);
        if (rank % 2 == round % 2)
            usleep(3000);
        if (is_fence)
            MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
        else
            MPI_Win_wait(win);
        CHECK(is_of(memory + 5, origin, round, 3));
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Group_free(&from);
    MPI_Group_free(&to);
    MPI_Group_free(&all);
}

// ---- by messages -----------------------------------------------------------------
static MPI_T_pvar_session session;
static MPI_T_pvar_handle copies;

static void start_counting(void)
{
    int provided, index, count;
    CHECK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS);
    CHECK(MPI_T_pvar_session_create(&session) == MPI_SUCCESS);
    CHECK(MPI_T_pvar_get_index("process_copies", MPI_T_PVAR_CLASS_COUNTER, &index) ==
          MPI_SUCCESS);
    CHECK(MPI_T_pvar_handle_alloc(session, index, NULL, &copies, &count) ==
          MPI_SUCCESS);
    CHECK(MPI_T_pvar_start(session, copies) == MPI_SUCCESS);
}

static unsigned long long copies_made(void)
{
    unsigned long long value;
    CHECK(MPI_T_pvar_read(session, copies, &value) == MPI_SUCCESS);
    return value;
}

// Most are; how many depends on what else the machine does. With more processes than cores
// none may be.
static void short_puts_are_no_copies(void)
{
    double end = MPI_Wtime() + PATIENCE;
    bool must_repeat;
    do {
        unsigned long long before = copies_made();
        MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
        for (int i = 0; i < IN_ROW; i++) {
            MPI_Put(filled(i, 1), 1, MPI_INT64_T, right(), 0, 1, MPI_INT64_T, win);
            MPI_Win_fence(0, win);
        }
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
        must_repeat = any(copies_made() - before > IN_ROW / 2);
        CHECK(!must_repeat || MPI_Wtime() < end);
    } while (must_repeat);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    start_counting();
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD,
                   &win);
    third_members_see_what_was_put();
    an_epoch_takes_operations_of_all_kinds();
    late_targets_take_what_was_left(true);
    late_targets_take_what_was_left(false);
    if (sysconf(_SC_NPROCESSORS_ONLN) >= size && getenv("ORIEL_SPIN") == NULL)
        short_puts_are_no_copies();
    MPI_Win_free(&win);
    return finish();
}
