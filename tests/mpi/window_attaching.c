// SPDX-License-Identifier: BSD-3-Clause
// detached_memory_stays_untouched: rank 0 attaches memory, lets rank 1 use it, detaches it
// and uses it for something else, hundreds of times. What rank 1 then tries is refused and
// changes nothing. Other ranks work beside on memory that stays, and lose nothing.
#include "window_test.h"

enum { ROUNDS = 300, BLOCKS = 5, ELEMENTS = 64, OPERATIONS = 20, TAG_STOP = 1 };

static MPI_Win win;
static MPI_Aint block_places[BLOCKS], counter_place; // in rank 0

static MPI_Aint address_of(const void *memory)
{
    MPI_Aint address;
    MPI_Get_address(memory, &address);
    return address;
}

// The class of an access that only its target can judge may come with the flush.
static int finished(int code)
{
    int flush_code = MPI_Win_flush(0, win);
    return code != MPI_SUCCESS ? code : flush_code;
}

// ---- rank 1 -----------------------------------------------------------------------
static void use_block(MPI_Aint place, int64_t round)
{
    int64_t seen = -1, one = 1;
    for (int i = 0; i < OPERATIONS; i++) {
        MPI_Aint element = place + 8 * (i % ELEMENTS);
        CHECK_CLASS(MPI_Put(&round, 1, MPI_INT64_T, 0, element, 1, MPI_INT64_T, win),
                    MPI_SUCCESS);
        CHECK_CLASS(MPI_Win_flush(0, win), MPI_SUCCESS);
        CHECK_CLASS(
            MPI_Fetch_and_op(&one, &seen, MPI_INT64_T, 0, element, MPI_SUM, win),
            MPI_SUCCESS);
        CHECK_CLASS(MPI_Win_flush(0, win), MPI_SUCCESS);
        CHECK(seen == round);
        CHECK_CLASS(MPI_Get(&seen, 1, MPI_INT64_T, 0, element, 1, MPI_INT64_T, win),
                    MPI_SUCCESS);
        CHECK_CLASS(MPI_Win_flush(0, win), MPI_SUCCESS);
        CHECK(seen == round + 1);
    }
}

// By the operation that was used last, so that what it has found is what is asked for.
static void block_is_refused(MPI_Aint place, int64_t round)
{
    int64_t value = -1, result;
    MPI_Aint element = place + 8 * ((OPERATIONS - 1) % ELEMENTS);
    switch (round % 4) {
    case 0:
        CHECK_CLASS(
            finished(MPI_Put(&value, 1, MPI_INT64_T, 0, element, 1, MPI_INT64_T, win)),
            MPI_ERR_RMA_RANGE);
        break;
    case 1:
        CHECK_CLASS(
            finished(MPI_Get(&result, 1, MPI_INT64_T, 0, element, 1, MPI_INT64_T, win)),
            MPI_ERR_RMA_RANGE);
        break;
    case 2:
        CHECK_CLASS(finished(MPI_Accumulate(&value, 1, MPI_INT64_T, 0, element, 1,
                                            MPI_INT64_T, MPI_SUM, win)),
                    MPI_ERR_RMA_RANGE);
        break;
    default:
        CHECK_CLASS(finished(MPI_Compare_and_swap(&value, &round, &result, MPI_INT64_T,
                                                  0, element, win)),
                    MPI_ERR_RMA_RANGE);
    }
}

static void origin_rounds(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        use_block(block_places[round % BLOCKS], round);
        MPI_Sendrecv(NULL, 0, MPI_BYTE, 0, 0, NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        block_is_refused(block_places[round % BLOCKS], round);
        MPI_Send(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
}

// ---- the others -------------------------------------------------------------------
// Counts until rank 0 says stop.
static int64_t count_beside(void)
{
    int64_t counted = 0, one = 1, seen;
    for (int is_over = 0; !is_over; counted += 2) {
        CHECK_CLASS(
            MPI_Fetch_and_op(&one, &seen, MPI_INT64_T, 0, counter_place, MPI_SUM, win),
            MPI_SUCCESS);
        CHECK_CLASS(MPI_Accumulate(&one, 1, MPI_INT64_T, 0, counter_place, 1,
                                   MPI_INT64_T, MPI_SUM, win),
                    MPI_SUCCESS);
        CHECK_CLASS(MPI_Win_flush(0, win), MPI_SUCCESS);
        MPI_Iprobe(0, TAG_STOP, MPI_COMM_WORLD, &is_over, MPI_STATUS_IGNORE);
    }
    MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG_STOP, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return counted;
}

// ---- rank 0 -----------------------------------------------------------------------
static void use_for_something_else(int64_t *block, int64_t round)
{
    for (int i = 0; i < OPERATIONS; i++)
        CHECK(block[i] == round + 1);
    for (int i = 0; i < ELEMENTS; i++)
        block[i] = 1000 * round + i;
}

static void is_as_it_was(const int64_t *block, int64_t round)
{
    for (int i = 0; i < ELEMENTS; i++)
        CHECK(block[i] == 1000 * round + i);
}

static void target_rounds(int64_t *blocks)
{
    for (int round = 0; round < ROUNDS; round++) {
        int64_t *block = blocks + (long)(round % BLOCKS) * ELEMENTS;
        CHECK_CLASS(MPI_Win_attach(win, block, ELEMENTS * sizeof *block), MPI_SUCCESS);
        MPI_Sendrecv(NULL, 0, MPI_BYTE, 1, 0, NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        CHECK_CLASS(MPI_Win_detach(win, block), MPI_SUCCESS);
        use_for_something_else(block, round);
        MPI_Sendrecv(NULL, 0, MPI_BYTE, 1, 0, NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        is_as_it_was(block, round);
    }
    for (int other = 2; other < size; other++)
        MPI_Send(NULL, 0, MPI_BYTE, other, TAG_STOP, MPI_COMM_WORLD);
}

// ---- all --------------------------------------------------------------------------
static int64_t take_part(int64_t *blocks)
{
    int64_t counted = 0;
    MPI_Win_lock_all(0, win);
    if (rank == 0)
        target_rounds(blocks);
    else if (rank == 1)
        origin_rounds();
    else
        counted = count_beside();
    MPI_Win_unlock_all(win);
    return counted;
}

// The counter is attached all the time, blocks of the given memory now and then.
static void detached_memory_stays_untouched(int64_t *blocks, int64_t *counter)
{
    int64_t counted, all = 0;
    *counter = 0;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    return_errors(win);
    MPI_Win_attach(win, counter, sizeof *counter);
    for (int i = 0; i < BLOCKS; i++)
        block_places[i] = address_of(blocks + (long)i * ELEMENTS);
    counter_place = address_of(counter);
    MPI_Bcast(block_places, BLOCKS, MPI_AINT, 0, MPI_COMM_WORLD);
    MPI_Bcast(&counter_place, 1, MPI_AINT, 0, MPI_COMM_WORLD);
    counted = take_part(blocks);
    MPI_Reduce(&counted, &all, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        CHECK(*counter == all);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    static int64_t private[BLOCKS * ELEMENTS], private_counter;
    int64_t *allocated;
    start(&argc, &argv);
    MPI_Alloc_mem((BLOCKS + 1) * ELEMENTS * sizeof *allocated, MPI_INFO_NULL,
                  &allocated);
    detached_memory_stays_untouched(allocated, allocated + BLOCKS * ELEMENTS);
    detached_memory_stays_untouched(allocated, &private_counter);
    detached_memory_stays_untouched(private, allocated);
    MPI_Free_mem(allocated);
    return finish();
}
