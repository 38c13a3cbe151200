// SPDX-License-Identifier: BSD-3-Clause
// shared_pages_operations: operations on both parts of memory of which the whole pages are
// shared are right, in range, in order and atomic together.
#include "shared_pages.h"

// ---- puts and gets ----------------------------------------------------------------
// Memory with ends of some bytes, or of none.
struct region {
    unsigned char *memory, *base;
    size_t bytes;
    MPI_Win win;
};

static struct region open_region(size_t head, size_t tail, int unit)
{
    struct region region = {.memory = map_pages(PAGES, MAP_PRIVATE),
                            .bytes = PAGES * page - head - tail};
    region.base = region.memory + head;
    region.win = open_window(region.base, region.bytes, unit, "true");
    return region;
}

static void close_region(struct region *region)
{
    MPI_Win_free(&region->win);
    munmap(region->memory, PAGES * page);
}

// Each rank writes all of its right neighbour in steps, reads it back, and finds what
// its left neighbour has written.
static void move_all(const struct region *region, size_t step, int round)
{
    unsigned char *data = malloc(region->bytes), *back = malloc(region->bytes);
    fill(data, region->bytes, rank, round);
    MPI_Win_lock_all(0, region->win);
    for (size_t at = 0; at < region->bytes; at += step) {
        int count = (int)(at + step < region->bytes ? step : region->bytes - at);
        MPI_Put(data + at, count, MPI_BYTE, right(), (MPI_Aint)at, count, MPI_BYTE,
                region->win);
    }
    MPI_Win_flush(right(), region->win);
    for (size_t at = 0; at < region->bytes; at += step) {
        int count = (int)(at + step < region->bytes ? step : region->bytes - at);
        MPI_Get(back + at, count, MPI_BYTE, right(), (MPI_Aint)at, count, MPI_BYTE,
                region->win);
    }
    MPI_Win_flush_all(region->win);
    CHECK(memcmp(back, data, region->bytes) == 0);
    MPI_Win_unlock_all(region->win);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(is_filled(region->base, region->bytes, left(), round));
    MPI_Barrier(MPI_COMM_WORLD);
    free(data);
    free(back);
}

// Every second block of 12 bytes of all memory, by one call each.
static void move_gapped(const struct region *region)
{
    MPI_Datatype gapped;
    int count = (int)(region->bytes / 24);
    unsigned char *data = calloc((size_t)count, 24), *back = calloc((size_t)count, 24);
    fill(data, (size_t)count * 24, rank, 7);
    MPI_Type_vector(count, 12, 24, MPI_BYTE, &gapped);
    MPI_Type_commit(&gapped);
    MPI_Win_fence(0, region->win);
    MPI_Put(data, 1, gapped, right(), 0, 1, gapped, region->win);
    MPI_Win_fence(0, region->win);
    for (int i = 0; i < count; i++)
        for (size_t j = (size_t)i * 24; j < (size_t)i * 24 + 12; j++)
            CHECK(region->base[j] == pattern(left(), j, 7));
    MPI_Get(back, 1, gapped, right(), 0, 1, gapped, region->win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, region->win);
    for (int i = 0; i < count; i++)
        CHECK(memcmp(back + i * 24, data + i * 24, 12) == 0);
    MPI_Type_free(&gapped);
    free(data);
    free(back);
}

// In lock epochs, too, a flush waits for what is under way to an end.
static void lock_each(const struct region *region)
{
    size_t places[] = {0, page - 24, page - 12, 2 * page, region->bytes - 8};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        long number = rank * 1000 + (long)i, back = 0, sum = 1;
        MPI_Aint at = (MPI_Aint)(places[i] & ~(size_t)7);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right(), 0, region->win);
        MPI_Put(&number, 1, MPI_LONG, right(), at, 1, MPI_LONG, region->win);
        MPI_Win_flush(right(), region->win);
        MPI_Accumulate(&sum, 1, MPI_LONG, right(), at, 1, MPI_LONG, MPI_SUM,
                       region->win);
        MPI_Win_flush(right(), region->win);
        MPI_Get(&back, 1, MPI_LONG, right(), at, 1, MPI_LONG, region->win);
        MPI_Win_unlock(right(), region->win);
        CHECK(back == number + 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void out_of_range_is_refused(const struct region *region)
{
    char bytes[16] = {0};
    MPI_Aint end = (MPI_Aint)region->bytes;
    MPI_Win_lock_all(0, region->win);
    CHECK_CLASS(
        MPI_Put(bytes, 16, MPI_BYTE, right(), end - 8, 16, MPI_BYTE, region->win),
        MPI_ERR_RMA_RANGE);
    CHECK_CLASS(MPI_Get(bytes, 1, MPI_BYTE, right(), end, 1, MPI_BYTE, region->win),
                MPI_ERR_RMA_RANGE);
    CHECK(MPI_Put(bytes, 1, MPI_BYTE, right(), -1, 1, MPI_BYTE, region->win) !=
          MPI_SUCCESS);
    MPI_Win_unlock_all(region->win);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void both_parts_are_one_memory(void)
{
    static const size_t ends[][2] = {
        {0, 0}, {16, 0}, {0, 16}, {16, 24}, {4096 - 16, 8}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct region region = open_region(ends[i][0], ends[i][1], 1);
        move_all(&region, 8, 1);
        move_all(&region, 12, 2);
        move_all(&region, 5000, 3);
        move_all(&region, region.bytes, 4);
        move_gapped(&region);
        lock_each(&region);
        out_of_range_is_refused(&region);
        close_region(&region);
    }
}

// The unit may be larger than the part before the pages, or than all of them.
static void units_of_any_size_work(void)
{
    static const int units[] = {3, 8, 24, 1000, 4096, 5000, 20000, 100000};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        struct region region = open_region(16, 8, units[i]);
        MPI_Win_fence(0, region.win);
        for (size_t at = 0; (at + 1) * (size_t)units[i] <= region.bytes; at++) {
            unsigned char value = pattern(rank, at, 5);
            MPI_Put(&value, 1, MPI_BYTE, right(), (MPI_Aint)at, 1, MPI_BYTE,
                    region.win);
        }
        MPI_Win_fence(MPI_MODE_NOSUCCEED, region.win);
        for (size_t at = 0; (at + 1) * (size_t)units[i] <= region.bytes; at++)
            CHECK(region.base[at * (size_t)units[i]] == pattern(left(), at, 5));
        close_region(&region);
    }
}

// ---- accumulates ------------------------------------------------------------------
enum { ROUNDS = 60 };

// All elements by one call, single ones, gapped ones, and those by fetching calls, from
// all ranks at once. Elements are 8 bytes at `shift` from where they would be aligned.
static void add_in_mixes(size_t head, size_t tail, MPI_Datatype type)
{
    struct region region = open_region(head, tail, 1);
    int count = (int)(region.bytes / 8);
    long *ones = malloc((size_t)count * 8), *back = malloc((size_t)count * 8);
    double one = 1;
    for (int i = 0; i < count; i++)
        if (type == MPI_LONG)
            ones[i] = 1;
        else
            memcpy(&ones[i], &one, 8);
    MPI_Datatype gapped;
    MPI_Type_vector((count + 1) / 2, 1, 2, type, &gapped);
    MPI_Type_commit(&gapped);
    int singles[] = {0,
                     1,
                     (int)(page / 8) - 3,
                     (int)(page / 8) - 2,
                     (int)(page / 8) - 1,
                     (int)(page / 8),
                     count / 2,
                     count - 1};
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, region.win);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Accumulate(ones, count, type, 0, 0, count, type, MPI_SUM, region.win);
        MPI_Accumulate(ones, 1, gapped, 0, 0, 1, gapped, MPI_SUM, region.win);
        for (int i = 0; i < 8; i++) {
            MPI_Fetch_and_op(ones, back, type, 0, singles[i] * 8, MPI_SUM, region.win);
            MPI_Accumulate(ones, 1, type, 0, singles[i] * 8, 1, type, MPI_SUM,
                           region.win);
        }
        MPI_Get_accumulate(ones, count, type, back, count, type, 0, 0, count, type,
                           MPI_SUM, region.win);
        if (round % 8 == 0)
            MPI_Win_flush(0, region.win);
    }
    MPI_Win_unlock_all(region.win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < count && rank == 0; i++) {
        long expected = size * ROUNDS * (i % 2 == 0 ? 3 : 2), number;
        double value;
        for (int j = 0; j < 8; j++)
            expected += singles[j] == i ? 2L * size * ROUNDS : 0;
        memcpy(&number, region.base + i * 8, 8);
        memcpy(&value, region.base + i * 8, 8);
        CHECK(type == MPI_LONG ? number == expected : value == (double)expected);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Type_free(&gapped);
    free(ones);
    free(back);
    close_region(&region);
}

static void accumulates_lose_nothing(void)
{
    static const size_t ends[][2] = {{0, 0}, {16, 8}, {8, 0}, {12, 4}, {3, 5}, {0, 8}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        add_in_mixes(ends[i][0], ends[i][1], MPI_LONG);
        add_in_mixes(ends[i][0], ends[i][1], MPI_DOUBLE);
    }
}

// Each element gets the last of many values from one origin, whichever ways they take.
static void accumulates_keep_their_order(void)
{
    struct region region = open_region(4 * 8, 8, 8);
    int count = (int)(region.bytes / 8);
    long *values = malloc((size_t)count * 8);
    MPI_Win_fence(0, region.win);
    for (long round = 1; round <= 50; round++) {
        int first = (int)(round * 7 % 40), number = count - first - (int)(round % 30);
        for (int i = 0; i < count; i++)
            values[i] = round;
        MPI_Accumulate(values, number, MPI_LONG, right(), first, number, MPI_LONG,
                       MPI_REPLACE, region.win);
        for (int i = 0; i < count; i += 37)
            MPI_Accumulate(values, 1, MPI_LONG, right(), i, 1, MPI_LONG, MPI_REPLACE,
                           region.win);
    }
    for (int i = 0; i < count; i++)
        values[i] = 1000 + i;
    MPI_Accumulate(values, count, MPI_LONG, right(), 0, count, MPI_LONG, MPI_REPLACE,
                   region.win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, region.win);
    for (int i = 0; i < count; i++)
        CHECK(((long *)region.base)[i] == 1000 + i);
    free(values);
    close_region(&region);
}

// A padded pair at each end of the pages and astride.
static void padded_pairs_work(void)
{
    struct pair {
        double value;
        int index;
    } pairs[4];
    for (size_t head = 0; head < 32; head += 8) {
        struct region region = open_region(head, 8, 1);
        MPI_Aint border = (MPI_Aint)(page - head);
        MPI_Aint places[] = {0, border - 32, border - 8, border + 8};
        memset(pairs, 0, sizeof pairs);
        MPI_Win_fence(0, region.win);
        for (int i = 0; i < 4; i++) {
            pairs[i] = (struct pair){rank + 1, rank};
            MPI_Accumulate(&pairs[i], 1, MPI_DOUBLE_INT, 0, places[i], 1,
                           MPI_DOUBLE_INT, MPI_MAXLOC, region.win);
        }
        MPI_Win_fence(MPI_MODE_NOSUCCEED, region.win);
        for (int i = 0; i < 4 && rank == 0; i++) {
            struct pair found;
            memcpy(&found, region.base + places[i], sizeof found);
            CHECK(found.value == size && found.index == size - 1);
        }
        close_region(&region);
    }
}

static void swaps_work_at_the_border(void)
{
    struct region region = open_region(12, 4, 1);
    MPI_Aint border = (MPI_Aint)(page - 12);
    MPI_Aint places[] = {0, border - 4, border, border + 12};
    for (int i = 0; i < 4; i++) {
        long zero = 0, mine = rank + 1, old, winners;
        MPI_Win_lock_all(0, region.win);
        MPI_Compare_and_swap(&mine, &zero, &old, MPI_LONG, 0, places[i], region.win);
        MPI_Win_unlock_all(region.win);
        winners = old == 0;
        MPI_Allreduce(MPI_IN_PLACE, &winners, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        CHECK(winners == 1);
    }
    close_region(&region);
}

// ---- dynamic windows ----------------------------------------------------------------
static MPI_Win open_dynamic(void)
{
    MPI_Win win;
    MPI_Info info = info_of("true");
    MPI_Win_create_dynamic(info, MPI_COMM_WORLD, &win);
    MPI_Info_free(&info);
    return_errors(win);
    return win;
}

// All of the right neighbour's memory by one put, gets of single elements, and sums of
// all ranks in the memory of rank 0.
static void use_attached(MPI_Win win, long *base, int count)
{
    MPI_Aint places[size], own;
    long *data = malloc((size_t)count * 8), one = 1, got;
    MPI_Get_address(base, &own);
    MPI_Allgather(&own, 1, MPI_AINT, places, 1, MPI_AINT, MPI_COMM_WORLD);
    for (int i = 0; i < count; i++)
        data[i] = rank * 100000 + i;
    MPI_Win_lock_all(0, win);
    MPI_Put(data, count, MPI_LONG, right(), places[right()], count, MPI_LONG, win);
    MPI_Win_flush(right(), win);
    for (int i = 0; i < count; i += 13) {
        MPI_Get(&got, 1, MPI_LONG, right(), places[right()] + i * 8, 1, MPI_LONG, win);
        MPI_Win_flush(right(), win);
        CHECK(got == data[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < count; i++)
        CHECK(base[i] == left() * 100000 + i);
    memset(base, 0, (size_t)count * 8);
    for (int i = 0; i < count; i++)
        data[i] = 1;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int round = 0; round < 20; round++) {
        MPI_Accumulate(data, count, MPI_LONG, 0, places[0], count, MPI_LONG, MPI_SUM,
                       win);
        for (int i = 0; i < count; i += 7)
            MPI_Accumulate(&one, 1, MPI_LONG, 0, places[0] + i * 8, 1, MPI_LONG,
                           MPI_SUM, win);
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < count && rank == 0; i++)
        CHECK(base[i] == 20L * size * (i % 7 == 0 ? 2 : 1));
    MPI_Barrier(MPI_COMM_WORLD);
    free(data);
}

static void attached_memory_is_shared(void)
{
    MPI_Win win = open_dynamic();
    CHECK(strcmp(shown(win, "oriel_share_pages"), "true") == 0);
    for (size_t head = 0; head <= 16; head += 8) {
        unsigned char *memory = map_pages(PAGES, MAP_PRIVATE);
        size_t bytes = PAGES * page - head - head;
        CHECK(MPI_Win_attach(win, memory + head, (MPI_Aint)bytes) == MPI_SUCCESS);
        CHECK(is_of_segment(memory + page) == (node_size > 1));
        use_attached(win, (long *)(memory + head), (int)(bytes / 8));
        CHECK_CLASS(MPI_Win_attach(win, memory + page, 8), MPI_ERR_RMA_ATTACH);
        CHECK(is_of_segment(memory + page) == (node_size > 1));
        MPI_Win_detach(win, memory + head);
        CHECK(!is_of_segment(memory + page));
        munmap(memory, PAGES * page);
    }
    unsigned char *left_behind = map_pages(2, MAP_PRIVATE);
    MPI_Win_attach(win, left_behind, (MPI_Aint)(2 * page));
    CHECK(is_of_segment(left_behind) == (node_size > 1));
    MPI_Win_free(&win);
    CHECK(!is_of_segment(left_behind));
    munmap(left_behind, 2 * page);
}

int main(int argc, char **argv)
{
    start_with_pages(&argc, &argv);
    both_parts_are_one_memory();
    units_of_any_size_work();
    accumulates_lose_nothing();
    accumulates_keep_their_order();
    padded_pairs_work();
    swaps_work_at_the_border();
    attached_memory_is_shared();
    return finish();
}
