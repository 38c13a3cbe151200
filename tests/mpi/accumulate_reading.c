// SPDX-License-Identifier: BSD-3-Clause
// targets_read_long_operands: where messages take long, the target has the kernel read the
// operands of long accumulates. The clock of this program leaps, so that everything takes
// long. Updates of all processes are there in the end, keep their order with short ones,
// and leave the operands to the program when their request is complete.
#include "window_test.h"

#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 100003, ROUNDS = 3 };
static const int lengths[] = {3000, 4096, 9001, MOST};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static int64_t given[MOST], got[MOST];

// Takes the place of the C library's, also for the library under test.
int clock_gettime(clockid_t clock, struct timespec *time)
{
    static _Atomic(int64_t) leaps;
    int code = (int)syscall(SYS_clock_gettime, clock, time);
    int64_t now = time->tv_nsec + 2000 * ++leaps;
    time->tv_sec += now / 1000000000;
    time->tv_nsec = now % 1000000000;
    return code;
}

static int64_t value_of(int owner, int i)
{
    return (int64_t)(owner + 1) * 1000003 + i;
}

static void put_values(int length)
{
    for (int i = 0; i < length; i++)
        given[i] = value_of(rank, i);
}

static void add(int length, int target, MPI_Win win)
{
    MPI_Accumulate(given, length, MPI_INT64_T, target, 0, length, MPI_INT64_T, MPI_SUM,
                   win);
}

// All add to the memory of all.
static void all_updates_arrive(struct opened *opened, int length)
{
    int64_t *memory = opened->base;
    memset(memory, 0, sizeof given);
    put_values(length);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < size; i++)
            add(length, (rank + i) % size, opened->win);
    MPI_Win_flush_all(opened->win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < length; i++) {
        int64_t sum = 0;
        for (int owner = 0; owner < size; owner++)
            sum += ROUNDS * value_of(owner, i);
        CHECK(memory[i] == sum);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

// Long and short updates of one process follow each other.
static void order_is_kept(struct opened *opened, int length)
{
    int64_t one = 1;
    put_values(length);
    if (rank == 0) {
        for (int round = 0; round < ROUNDS; round++) {
            MPI_Accumulate(&one, 1, MPI_INT64_T, size - 1, length - 1, 1, MPI_INT64_T,
                           MPI_SUM, opened->win);
            MPI_Accumulate(given, length, MPI_INT64_T, size - 1, 0, length, MPI_INT64_T,
                           MPI_REPLACE, opened->win);
            MPI_Accumulate(&one, 1, MPI_INT64_T, size - 1, length - 1, 1, MPI_INT64_T,
                           MPI_SUM, opened->win);
        }
        MPI_Get_accumulate(NULL, 0, MPI_INT64_T, got, length, MPI_INT64_T, size - 1, 0,
                           length, MPI_INT64_T, MPI_NO_OP, opened->win);
        MPI_Win_flush(size - 1, opened->win);
        for (int i = 0; i < length; i++)
            CHECK(got[i] == given[i] + (i == length - 1));
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void requests_give_operands_back(struct opened *opened, int length)
{
    MPI_Request request;
    memset(opened->base, 0, sizeof given);
    put_values(length);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Raccumulate(given, length, MPI_INT64_T, right(), 0, length, MPI_INT64_T,
                    MPI_SUM, opened->win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    memset(given, 0x55, sizeof given);
    MPI_Win_flush(right(), opened->win);
    MPI_Barrier(MPI_COMM_WORLD);
    const int64_t *memory = opened->base;
    for (int i = 0; i < length; i++)
        CHECK(memory[i] == value_of(left(), i));
    MPI_Barrier(MPI_COMM_WORLD);
}

static void all_lengths(const struct source *source)
{
    struct opened opened = source->open((MPI_Aint)sizeof given, sizeof *given);
    MPI_Win_lock_all(0, opened.win);
    for (int i = 0; i < LENGTHS; i++) {
        all_updates_arrive(&opened, lengths[i]);
        order_is_kept(&opened, lengths[i]);
        requests_give_operands_back(&opened, lengths[i]);
    }
    MPI_Win_unlock_all(opened.win);
    source->close(&opened);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for_each_source(all_lengths);
    return finish();
}
