// SPDX-License-Identifier: BSD-3-Clause
// wrong_accumulates_are_refused: each gives its error class at the call, touches
// nothing, and the window stays usable.
#include "window_test.h"

enum { COUNT = 8 };

static int32_t mine[2 * COUNT], result[2 * COUNT];

static int accumulate(int origin_count, MPI_Datatype origin, int target,
                      MPI_Aint displacement, int target_count, MPI_Datatype type,
                      MPI_Op op, MPI_Win win)
{
    return MPI_Accumulate(mine, origin_count, origin, target, displacement,
                          target_count, type, op, win);
}

static void arguments(MPI_Win win)
{
    MPI_Datatype t = MPI_INT32_T;
    CHECK_CLASS(accumulate(1, t, size, 0, 1, t, MPI_SUM, win), MPI_ERR_RANK);
    CHECK_CLASS(accumulate(1, t, -1, 0, 1, t, MPI_SUM, win), MPI_ERR_RANK);
    CHECK_CLASS(accumulate(-1, t, 0, 0, 1, t, MPI_SUM, win), MPI_ERR_COUNT);
    CHECK_CLASS(accumulate(1, t, 0, 0, -1, t, MPI_SUM, win), MPI_ERR_COUNT);
    CHECK_CLASS(accumulate(1, t, 0, -1, 1, t, MPI_SUM, win), MPI_ERR_DISP);
    CHECK_CLASS(accumulate(1, t, 0, 0, 1, t, MPI_OP_NULL, win), MPI_ERR_OP);
    CHECK_CLASS(accumulate(1, t, 0, 0, 1, t, MPI_NO_OP, win), MPI_ERR_OP);
    CHECK_CLASS(accumulate(1, MPI_DATATYPE_NULL, 0, 0, 1, t, MPI_SUM, win),
                MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Fetch_and_op(mine, result, t, size, 0, MPI_SUM, win), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Fetch_and_op(mine, result, t, 0, -1, MPI_SUM, win), MPI_ERR_DISP);
    CHECK_CLASS(MPI_Compare_and_swap(mine, mine, result, t, size, 0, win),
                MPI_ERR_RANK);
    CHECK_CLASS(MPI_Compare_and_swap(mine, mine, result, MPI_DOUBLE, 0, 0, win),
                MPI_ERR_TYPE);
}

static void datatypes(MPI_Win win)
{
    MPI_Datatype t = MPI_INT32_T, two, uncommitted;
    MPI_Type_contiguous(2, t, &two);
    MPI_Type_contiguous(2, t, &uncommitted);
    MPI_Type_commit(&two);
    CHECK_CLASS(accumulate(1, uncommitted, 0, 0, 1, two, MPI_SUM, win), MPI_ERR_TYPE);
    CHECK_CLASS(accumulate(1, MPI_FLOAT, 0, 0, 1, t, MPI_SUM, win), MPI_ERR_TYPE);
    CHECK_CLASS(accumulate(2, t, 0, 0, 1, MPI_INT64_T, MPI_SUM, win), MPI_ERR_TYPE);
    CHECK_CLASS(
        MPI_Get_accumulate(mine, 1, t, result, 1, MPI_FLOAT, 0, 0, 1, t, MPI_SUM, win),
        MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Fetch_and_op(mine, result, two, 0, 0, MPI_SUM, win), MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Compare_and_swap(mine, mine, result, two, 0, 0, win), MPI_ERR_TYPE);
    CHECK_CLASS(accumulate(1, two, 0, 0, 1, two, MPI_LAND, win), MPI_SUCCESS);
    CHECK_CLASS(accumulate(1, two, 0, 0, 1, two, MPI_MINLOC, win), MPI_ERR_OP);
    MPI_Type_free(&two);
    MPI_Type_free(&uncommitted);
}

static void sizes(MPI_Win win)
{
    MPI_Datatype t = MPI_INT32_T;
    int far = size - 1;
    CHECK_CLASS(accumulate(2, t, far, 0, 1, t, MPI_SUM, win), MPI_ERR_TRUNCATE);
    CHECK_CLASS(
        MPI_Get_accumulate(mine, 2, t, result, 1, t, far, 0, 2, t, MPI_SUM, win),
        MPI_ERR_TRUNCATE);
    CHECK_CLASS(
        MPI_Get_accumulate(NULL, 0, t, result, 1, t, far, 0, 2, t, MPI_NO_OP, win),
        MPI_ERR_TRUNCATE);
    CHECK_CLASS(accumulate(1, t, far, COUNT, 1, t, MPI_SUM, win), MPI_ERR_RMA_RANGE);
    CHECK_CLASS(accumulate(2, t, far, COUNT - 1, 2, t, MPI_SUM, win),
                MPI_ERR_RMA_RANGE);
    CHECK_CLASS(MPI_Fetch_and_op(mine, result, t, far, COUNT, MPI_SUM, win),
                MPI_ERR_RMA_RANGE);
    CHECK_CLASS(MPI_Compare_and_swap(mine, mine, result, t, far, COUNT, win),
                MPI_ERR_RMA_RANGE);
}

// What moves nothing succeeds, whatever its datatypes and its operation are.
static void nothing_is_moved(int target, int count, MPI_Win win)
{
    MPI_Datatype types[] = {MPI_INT32_T, MPI_FLOAT, MPI_BYTE, MPI_DOUBLE_INT};
    MPI_Op ops[] = {MPI_SUM, MPI_BAND, MPI_LAND, MPI_MINLOC, MPI_REPLACE, MPI_NO_OP};
    for (int i = 0; i < 4 * 4 * 6; i++) {
        MPI_Datatype origin = types[i % 4], other = types[i / 4 % 4];
        MPI_Op op = ops[i / 16];
        CHECK_CLASS(accumulate(count, origin, target, COUNT, count, other, op, win),
                    MPI_SUCCESS);
        CHECK_CLASS(MPI_Get_accumulate(mine, count, origin, result, count, other,
                                       target, COUNT, count, origin, op, win),
                    MPI_SUCCESS);
        CHECK_CLASS(MPI_Get_accumulate(mine, count, origin, result, count, origin,
                                       target, COUNT, count, other, op, win),
                    MPI_SUCCESS);
    }
}

static void nothing_to_do(MPI_Win win)
{
    MPI_Datatype t = MPI_INT32_T;
    int far = size - 1;
    nothing_is_moved(far, 0, win);
    nothing_is_moved(MPI_PROC_NULL, 0, win);
    nothing_is_moved(MPI_PROC_NULL, 1, win);
    CHECK_CLASS(accumulate(0, t, far, COUNT, 1, t, MPI_SUM, win), MPI_SUCCESS);
    CHECK_CLASS(MPI_Fetch_and_op(mine, result, t, MPI_PROC_NULL, 0, MPI_SUM, win),
                MPI_SUCCESS);
    CHECK_CLASS(
        MPI_Fetch_and_op(mine, result, MPI_CHAR, MPI_PROC_NULL, 0, MPI_MINLOC, win),
        MPI_SUCCESS);
    CHECK_CLASS(MPI_Compare_and_swap(mine, mine, result, t, MPI_PROC_NULL, 0, win),
                MPI_SUCCESS);
    CHECK_CLASS(
        MPI_Compare_and_swap(mine, mine, result, MPI_DOUBLE, MPI_PROC_NULL, 0, win),
        MPI_SUCCESS);
}

static void outside_of_epochs(MPI_Win win)
{
    MPI_Datatype t = MPI_INT32_T;
    CHECK_CLASS(accumulate(1, t, 0, 0, 1, t, MPI_SUM, win), MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Fetch_and_op(mine, result, t, 0, 0, MPI_SUM, win),
                MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Compare_and_swap(mine, mine, result, t, 0, 0, win),
                MPI_ERR_RMA_SYNC);
}

static void refuse(const struct source *source)
{
    struct opened opened =
        source->open(COUNT * (MPI_Aint)sizeof(int32_t), sizeof(int32_t));
    int32_t *memory = opened.base;
    for (int i = 0; i < COUNT; i++)
        memory[i] = i + 1;
    memset(mine, 0x11, sizeof mine);
    memset(result, 0x22, sizeof result);
    outside_of_epochs(opened.win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, opened.win);
    arguments(opened.win);
    datatypes(
        opened.win); // the only one that it lets through: MPI_LAND on two elements
    sizes(opened.win);
    nothing_to_do(opened.win);
    MPI_Win_unlock_all(opened.win);
    for (size_t i = 0; i < sizeof result; i++)
        CHECK(((unsigned char *)result)[i] == 0x22);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < COUNT; i++)
        CHECK(memory[i] == (rank == 0 && i < 2 ? 1 : i + 1));
    source->close(&opened);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for_each_source(refuse);
    return finish();
}
