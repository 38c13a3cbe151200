// SPDX-License-Identifier: BSD-3-Clause
// attached_memory_is_reached: every operation works on memory of every origin that a
// member has attached to a dynamic window, by address, and only on that.
#include "window_test.h"

enum { ELEMENTS = 1000 };

static MPI_Win open_dynamic(void)
{
    MPI_Win win;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    return_errors(win);
    return win;
}

static MPI_Aint address_of(const void *memory)
{
    MPI_Aint address;
    MPI_Get_address(memory, &address);
    return address;
}

// Tells every rank where the others' memory is.
static MPI_Aint *addresses(const void *memory)
{
    MPI_Aint mine = address_of(memory);
    MPI_Aint *all = malloc((size_t)size * sizeof *all);
    MPI_Allgather(&mine, 1, MPI_AINT, all, 1, MPI_AINT, MPI_COMM_WORLD);
    return all;
}

// The class of an access that only its target can judge may come with the flush.
static int finished(int code, int target, MPI_Win win)
{
    int flush_code = MPI_Win_flush(target, win);
    return code != MPI_SUCCESS ? code : flush_code;
}

static int put_int(int value, int target, MPI_Aint address, MPI_Win win)
{
    return finished(MPI_Put(&value, 1, MPI_INT, target, address, 1, MPI_INT, win),
                    target, win);
}

// ---- all operations ---------------------------------------------------------------
static void puts_and_gets(int *memory, const MPI_Aint *where, MPI_Win win)
{
    int values[ELEMENTS], seen[ELEMENTS];
    for (int i = 0; i < ELEMENTS; i++)
        values[i] = 1000 * rank + i;
    MPI_Win_fence(0, win);
    MPI_Put(values, ELEMENTS, MPI_INT, right(), where[right()], ELEMENTS, MPI_INT, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < ELEMENTS; i++)
        CHECK(memory[i] == 1000 * left() + i);
    MPI_Get(seen, ELEMENTS, MPI_INT, left(), where[left()], ELEMENTS, MPI_INT, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    for (int i = 0; i < ELEMENTS; i++)
        CHECK(seen[i] == 1000 * ((rank + size - 2 + (size == 1)) % size) + i);
}

static void accumulates(int *memory, const MPI_Aint *where, MPI_Win win)
{
    int one = 1, old = -1, expected, desired = -5;
    memset(memory, 0, ELEMENTS * sizeof *memory);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < 100; i++) {
        MPI_Accumulate(&one, 1, MPI_INT, 0, where[0], 1, MPI_INT, MPI_SUM, win);
        MPI_Fetch_and_op(&one, &old, MPI_INT, 0, where[0] + 4, MPI_SUM, win);
        MPI_Win_flush(0, win);
        CHECK(old >= i && old < 100 * size);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        CHECK(memory[0] == 100 * size && memory[1] == 100 * size);
    expected = 0;
    MPI_Compare_and_swap(&desired, &expected, &old, MPI_INT, right(),
                         where[right()] + 8, win);
    MPI_Win_unlock_all(win);
    CHECK(old == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(memory[2] == -5);
}

// Columns 1 and 3 of four, written as a vector.
static void gaps_stay(int *memory, const MPI_Aint *where, MPI_Win win)
{
    MPI_Datatype column;
    int values[20];
    MPI_Type_vector(10, 1, 2, MPI_INT, &column);
    MPI_Type_commit(&column);
    for (int i = 0; i < 40; i++)
        memory[i] = -1;
    for (int i = 0; i < 20; i++)
        values[i] = i + rank;
    MPI_Win_fence(0, win);
    MPI_Put(values, 10, MPI_INT, right(), where[right()] + 4, 1, column, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    for (int i = 0; i < 20; i++)
        CHECK(memory[i] == (i % 2 == 1 ? i / 2 + left() : -1));
    MPI_Type_free(&column);
}

static void all_operations(int *memory)
{
    MPI_Win win = open_dynamic();
    CHECK_CLASS(MPI_Win_attach(win, memory, ELEMENTS * sizeof(int)), MPI_SUCCESS);
    MPI_Aint *where = addresses(memory);
    puts_and_gets(memory, where, win);
    accumulates(memory, where, win);
    gaps_stay(memory, where, win);
    CHECK_CLASS(MPI_Win_detach(win, memory), MPI_SUCCESS);
    MPI_Win_free(&win);
    free(where);
}

static void memory_of_all_kinds(void)
{
    static int fixed[ELEMENTS];
    int local[ELEMENTS], *allocated;
    int *heap = malloc(sizeof local);
    MPI_Alloc_mem(sizeof local, MPI_INFO_NULL, &allocated);
    all_operations(fixed);
    all_operations(local);
    all_operations(heap);
    all_operations(allocated);
    all_operations(rank % 2 == 0 ? heap : allocated);
    free(heap);
    MPI_Free_mem(allocated);
}

// One operation on several attachments, some of which may be mapped here and some not:
// the datatype has their addresses. Accumulates that follow each other keep their order.
static void one_type_on_several_attachments(void)
{
    static int fixed[2];
    int *allocated, values[3] = {1, 2, 3}, tens[3] = {10, 20, 30}, replacement = 77;
    MPI_Alloc_mem(3 * sizeof(int), MPI_INFO_NULL, &allocated);
    memset(allocated, 0, 3 * sizeof(int));
    MPI_Win win = open_dynamic();
    MPI_Win_attach(win, fixed, sizeof fixed);
    MPI_Win_attach(win, allocated, 3 * sizeof(int));
    MPI_Aint *first = addresses(fixed), *second = addresses(allocated);
    MPI_Aint places[] = {second[right()] + 8, first[right()], second[right()]};
    MPI_Datatype spread;
    MPI_Type_create_hindexed_block(3, 1, places, MPI_INT, &spread);
    MPI_Type_commit(&spread);
    MPI_Win_fence(0, win);
    MPI_Put(values, 3, MPI_INT, right(), (MPI_Aint)MPI_BOTTOM, 1, spread, win);
    MPI_Win_fence(0, win);
    CHECK(allocated[2] == 1 && fixed[0] == 2 && allocated[0] == 3);
    MPI_Win_fence(0, win);
    MPI_Accumulate(tens, 3, MPI_INT, right(), (MPI_Aint)MPI_BOTTOM, 1, spread, MPI_SUM,
                   win);
    MPI_Accumulate(&replacement, 1, MPI_INT, right(), second[right()], 1, MPI_INT,
                   MPI_REPLACE, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    CHECK(allocated[2] == 11 && fixed[0] == 22 && allocated[0] == 77);
    CHECK(allocated[1] == 0 && fixed[1] == 0);
    MPI_Type_free(&spread);
    MPI_Win_free(&win);
    MPI_Free_mem(allocated);
    free(first);
    free(second);
}

// ---- only what is attached --------------------------------------------------------
static void the_rest_is_refused(void)
{
    static int memory[ELEMENTS];
    MPI_Win win = open_dynamic();
    MPI_Win_attach(win, memory + 100, 100 * sizeof(int));
    MPI_Win_attach(win, memory + 200, 50 * sizeof(int));
    MPI_Win_attach(win, memory + 300, 100 * sizeof(int));
    MPI_Aint *where = addresses(memory);
    MPI_Aint there = where[right()];
    int values[ELEMENTS] = {0};
    MPI_Win_lock_all(0, win);
    CHECK_CLASS(put_int(1, right(), there + 99 * 4, win), MPI_ERR_RMA_RANGE);
    CHECK_CLASS(put_int(2, right(), there + 100 * 4 - 1, win), MPI_ERR_RMA_RANGE);
    CHECK_CLASS(put_int(3, right(), there + 250 * 4, win), MPI_ERR_RMA_RANGE);
    CHECK_CLASS(put_int(4, right(), 0, win), MPI_ERR_RMA_RANGE);
    CHECK_CLASS(put_int(5, right(), -4, win), MPI_ERR_RMA_RANGE);
    CHECK_CLASS(put_int(6, right(), there + 249 * 4, win), MPI_SUCCESS);
    CHECK_CLASS(finished(MPI_Get(values, 200, MPI_INT, right(), there + 150 * 4, 200,
                                 MPI_INT, win),
                         right(), win),
                MPI_ERR_RMA_RANGE);
    // Attachments without a gap between them are one range.
    CHECK_CLASS(finished(MPI_Get(values, 150, MPI_INT, right(), there + 100 * 4, 150,
                                 MPI_INT, win),
                         right(), win),
                MPI_SUCCESS);
    CHECK(values[149] == 6);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < ELEMENTS; i++)
        CHECK(memory[i] == (i == 249 ? 6 : 0));
    MPI_Win_free(&win);
    free(where);
}

static void wrong_attachments_are_refused(void)
{
    static char memory[1000];
    struct opened fixed = open_allocated(8, 1);
    MPI_Win win = open_dynamic();
    CHECK_CLASS(MPI_Win_attach(fixed.win, memory, 8), MPI_ERR_RMA_FLAVOR);
    CHECK_CLASS(MPI_Win_detach(fixed.win, memory), MPI_ERR_RMA_FLAVOR);
    CHECK_CLASS(MPI_Win_attach(win, memory, -1), MPI_ERR_SIZE);
    CHECK_CLASS(MPI_Win_detach(win, memory), MPI_ERR_RMA_ATTACH);
    CHECK_CLASS(MPI_Win_attach(win, memory + 100, 100), MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_attach(win, memory + 300, 100), MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_attach(win, memory + 100, 100), MPI_ERR_RMA_ATTACH);
    CHECK_CLASS(MPI_Win_attach(win, memory + 150, 10), MPI_ERR_RMA_ATTACH);
    CHECK_CLASS(MPI_Win_attach(win, memory + 99, 2), MPI_ERR_RMA_ATTACH);
    CHECK_CLASS(MPI_Win_attach(win, memory + 199, 50), MPI_ERR_RMA_ATTACH);
    CHECK_CLASS(MPI_Win_attach(win, memory, 1000), MPI_ERR_RMA_ATTACH);
    CHECK_CLASS(MPI_Win_attach(win, memory + 200, 100), MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_attach(win, memory + 350, 0), MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_attach(win, memory + 300, 0), MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_attach(win, memory + 340, 20), MPI_ERR_RMA_ATTACH);
    CHECK_CLASS(MPI_Win_detach(win, memory + 101), MPI_ERR_RMA_ATTACH);
    CHECK_CLASS(MPI_Win_detach(win, memory + 350), MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_detach(win, memory + 350), MPI_ERR_RMA_ATTACH);
    CHECK_CLASS(MPI_Win_detach(win, memory + 100), MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_detach(win, memory + 100), MPI_ERR_RMA_ATTACH);
    CHECK_CLASS(MPI_Win_attach(win, memory + 50, 150), MPI_SUCCESS);
    MPI_Win_free(&win);
    close_allocated(&fixed);
}

// What was detached is gone for every origin, and what takes its place is seen.
static void detached_memory_is_gone(int *memory, int *other)
{
    MPI_Win win = open_dynamic();
    MPI_Aint *where = addresses(memory), *elsewhere = addresses(other);
    memory[0] = other[0] = 0;
    for (int round = 1; round < 4; round++) {
        MPI_Win_attach(win, memory, sizeof(int));
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_lock_all(0, win);
        CHECK_CLASS(put_int(round, right(), where[right()], win), MPI_SUCCESS);
        CHECK_CLASS(put_int(-1, right(), elsewhere[right()], win), MPI_ERR_RMA_RANGE);
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK(memory[0] == round);
        MPI_Win_detach(win, memory);
        MPI_Win_attach(win, other, sizeof(int));
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK_CLASS(put_int(-1, right(), where[right()], win), MPI_ERR_RMA_RANGE);
        CHECK_CLASS(put_int(round, right(), elsewhere[right()], win), MPI_SUCCESS);
        MPI_Win_unlock_all(win);
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK(memory[0] == round && other[0] == round);
        MPI_Win_detach(win, other);
    }
    MPI_Win_free(&win);
    free(where);
    free(elsewhere);
}

// ---- many, and at the same time ---------------------------------------------------
// In an order that is neither ascending nor descending.
static void many_attachments(void)
{
    enum { COUNT = 10007, STEP = 3571 };
    static int memory[2 * COUNT]; // every other element is attached
    MPI_Win win = open_dynamic();
    for (int i = 0; i < COUNT; i++)
        MPI_Win_attach(win, &memory[2 * ((long)i * STEP % COUNT)], sizeof(int));
    MPI_Aint *where = addresses(memory);
    MPI_Win_fence(0, win);
    for (int i = 0; i < COUNT; i += 100)
        MPI_Put(&i, 1, MPI_INT, right(), where[right()] + 8 * i, 1, MPI_INT, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    for (int i = 0; i < COUNT; i += 100)
        memory[2 * i] -= i;
    for (int i = 0; i < 2 * COUNT; i++)
        CHECK(memory[i] == 0);
    for (int i = 0; i < COUNT; i++)
        CHECK_CLASS(MPI_Win_detach(win, &memory[2 * ((long)i * (STEP + 1) % COUNT)]),
                    MPI_SUCCESS);
    CHECK_CLASS(MPI_Win_detach(win, memory), MPI_ERR_RMA_ATTACH);
    MPI_Win_free(&win);
    free(where);
}

// Other memory comes and goes while origins use what stays.
static void changes_do_not_disturb(void)
{
    enum { ROUNDS = 2000, OTHERS = 64 };
    static int memory[2 * OTHERS + 1];
    int one = 1, *fixed = &memory[OTHERS];
    MPI_Win win = open_dynamic();
    MPI_Win_attach(win, fixed, sizeof(int));
    MPI_Aint *where = addresses(fixed);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < ROUNDS; i++) {
        int *other = &memory[i % OTHERS + (i % 2) * (OTHERS + 1)];
        CHECK_CLASS(MPI_Win_attach(win, other, sizeof(int)), MPI_SUCCESS);
        CHECK_CLASS(MPI_Accumulate(&one, 1, MPI_INT, right(), where[right()], 1,
                                   MPI_INT, MPI_SUM, win),
                    MPI_SUCCESS);
        CHECK_CLASS(MPI_Win_detach(win, other), MPI_SUCCESS);
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(*fixed == ROUNDS);
    MPI_Win_free(&win);
    free(where);
}

static void it_says_what_it_is(void)
{
    MPI_Win win = open_dynamic();
    void *value = &win;
    int flag;
    MPI_Win_get_attr(win, MPI_WIN_BASE, &value, &flag);
    CHECK(flag && value == MPI_BOTTOM);
    MPI_Win_get_attr(win, MPI_WIN_SIZE, &value, &flag);
    CHECK(flag && *(MPI_Aint *)value == 0);
    MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &value, &flag);
    CHECK(flag && *(int *)value == 1);
    MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &value, &flag);
    CHECK(flag && *(int *)value == MPI_WIN_FLAVOR_DYNAMIC);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    static int private[1];
    int *allocated;
    start(&argc, &argv);
    MPI_Alloc_mem(2 * sizeof(int), MPI_INFO_NULL, &allocated);
    it_says_what_it_is();
    memory_of_all_kinds();
    one_type_on_several_attachments();
    the_rest_is_refused();
    wrong_attachments_are_refused();
    detached_memory_is_gone(private, allocated);
    detached_memory_is_gone(allocated, allocated + 1);
    many_attachments();
    changes_do_not_disturb();
    MPI_Free_mem(allocated);
    return finish();
}
