// SPDX-License-Identifier: BSD-3-Clause
// collectives_combine_what_a_model_says: random reductions and scans, with predefined
// operations and one of the program that does not commute.
#include "collective_random.h"

static MPI_Op compositions[2]; // by functions that take an int or an MPI_Count

// x -> ax + b after x -> cx + d: associative, not commutative.
static void compose_ints(const int left[2], int step, int right[])
{
    uint32_t a = (uint32_t)left[0], b = (uint32_t)left[step];
    uint32_t c = (uint32_t)right[0], d = (uint32_t)right[step];
    right[0] = (int)(a * c);
    right[step] = (int)(a * d + b);
}

static void compose_many(void *in, void *inout, MPI_Count *count, MPI_Datatype *type)
{
    MPI_Aint lb, extent;
    MPI_Type_get_extent(*type, &lb, &extent);
    MPI_Aint ints = extent / (MPI_Aint)sizeof(int);
    int *left = (int *)((char *)in + lb), *right = (int *)((char *)inout + lb);
    for (MPI_Count i = 0; i < *count; i++)
        compose_ints(left + i * ints, ints > 2 ? 2 : 1, right + i * ints);
}

static void compose_some(void *in, void *inout, int *count, MPI_Datatype *type)
{
    MPI_Count many = *count;
    compose_many(in, inout, &many, type);
}

static MPI_Op reduction; // of the trial

static bool is_composition(void)
{
    return reduction == compositions[0] || reduction == compositions[1];
}

static void combine(const int *left, int step, int *right)
{
    if (is_composition())
        compose_ints(left, step, right);
    else if (reduction == MPI_SUM)
        *right += *left;
    else
        *right = *left > *right ? *left : *right;
}

// What the members from `first` to `last` give together, of the `length` ints.
static void put_result(struct buffer buffer, struct shape shape, int first, int last,
                       int offset, int length)
{
    int unit = shape.ints;
    for (int at = 0; at < length; at += unit) {
        int *result = place(buffer, shape, 0, at);
        for (int i = 0; i < unit; i++)
            result[i * shape.step] = datum(last, 0, offset + at + i);
        for (int from = last - 1; from >= first; from--) {
            int left[4];
            for (int i = 0; i < unit; i++)
                left[i * shape.step] = datum(from, 0, offset + at + i);
            combine(left, shape.step, result);
        }
    }
}

static void draw_reduction(void)
{
    const MPI_Op reductions[] = {MPI_SUM, MPI_MAX, compositions[0], compositions[1]};
    // A datatype with an address is derived, which predefined operations do not take.
    reduction = reductions[trial.is_absolute ? 2 + draw(2) : draw(4)];
    trial.in = is_composition() ? shapes[1 + draw(2)] : shapes[0];
}

struct operands {
    struct buffer own, result, expected;
    const void *sent;
    void *got;
    int count;
};

// `buffer` by the datatype of a trial that bears the address of `other`.
static void *relative_to(struct buffer other, struct buffer buffer)
{
    return trial.is_absolute ? (void *)((uintptr_t)buffer.ints - (uintptr_t)other.ints)
                             : buffer.ints;
}

static struct operands operands_of(int length, int result_length, bool in_place)
{
    int count = count_of(trial.in, length);
    int results = count_of(trial.in, result_length);
    struct operands operands = {.own = one_block(trial.in, trial.own, 0, length),
                                .count = count};
    operands.result = buffer_of(room_for(trial.in, in_place ? count : results));
    operands.expected = buffer_of(operands.result.room);
    if (in_place) {
        operands.sent = MPI_IN_PLACE;
        operands.got = locate(operands.result, &trial.in);
        put_block(operands.result, trial.in, 0, trial.own, 0, length);
        put_block(operands.expected, trial.in, 0, trial.own, 0, length);
    } else {
        operands.sent = locate(operands.own, &trial.in);
        operands.got = relative_to(operands.own, operands.result);
    }
    return operands;
}

static void check_operands(struct operands operands)
{
    check_buffer(operands.result, operands.expected);
    free(operands.own.ints);
}

static void test_reduce(void)
{
    draw_reduction();
    bool in_place = trial.in_place && is_root();
    struct operands operands = operands_of(trial.length, trial.length, in_place);
    if (is_root())
        put_result(operands.expected, trial.in, 0, trial.members - 1, 0, trial.length);
    RUN_SIZE(MPI_Reduce, MPI_Ireduce, MPI_Reduce_init, operands.sent, operands.got,
             operands.count, trial.in.type, reduction, trial.root, trial.comm);
    check_operands(operands);
}

static void test_allreduce(void)
{
    draw_reduction();
    struct operands operands = operands_of(trial.length, trial.length, trial.in_place);
    put_result(operands.expected, trial.in, 0, trial.members - 1, 0, trial.length);
    RUN_SIZE(MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init, operands.sent,
             operands.got, operands.count, trial.in.type, reduction, trial.comm);
    check_operands(operands);
}

static void test_reduce_scatter_block(void)
{
    draw_reduction();
    int part = trial.length;
    struct operands operands = operands_of(trial.members * part, part, trial.in_place);
    put_result(operands.expected, trial.in, 0, trial.members - 1, trial.own * part,
               part);
    RUN_SIZE(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block,
             MPI_Reduce_scatter_block_init, operands.sent, operands.got,
             count_of(trial.in, part), trial.in.type, reduction, trial.comm);
    check_operands(operands);
}

// Ints in the part that each process gets.
static int part_of(int other)
{
    return 6 * (datum(other, 0, 1 << 20) % 4);
}

static void test_reduce_scatter(void)
{
    draw_reduction();
    int counts[MEMBERS_MAX], before = 0, total = 0;
    MPI_Count large_counts[MEMBERS_MAX];
    for (int i = 0; i < trial.members; i++) {
        large_counts[i] = counts[i] = count_of(trial.in, part_of(i));
        before += i < trial.own ? part_of(i) : 0;
        total += part_of(i);
    }
    int part = part_of(trial.own);
    struct operands operands = operands_of(total, part, trial.in_place);
    put_result(operands.expected, trial.in, 0, trial.members - 1, before, part);
    RUN_SIZE(MPI_Reduce_scatter, MPI_Ireduce_scatter, MPI_Reduce_scatter_init,
             operands.sent, operands.got, either(counts, large_counts), trial.in.type,
             reduction, trial.comm);
    check_operands(operands);
}

static void test_scan(void)
{
    draw_reduction();
    struct operands operands = operands_of(trial.length, trial.length, trial.in_place);
    put_result(operands.expected, trial.in, 0, trial.own, 0, trial.length);
    RUN_SIZE(MPI_Scan, MPI_Iscan, MPI_Scan_init, operands.sent, operands.got,
             operands.count, trial.in.type, reduction, trial.comm);
    check_operands(operands);
}

static void test_exscan(void)
{
    draw_reduction();
    struct operands operands = operands_of(trial.length, trial.length, trial.in_place);
    if (trial.own > 0)
        put_result(operands.expected, trial.in, 0, trial.own - 1, 0, trial.length);
    RUN_SIZE(MPI_Exscan, MPI_Iexscan, MPI_Exscan_init, operands.sent, operands.got,
             operands.count, trial.in.type, reduction, trial.comm);
    check_operands(operands);
}

static void test_reduce_local(void)
{
    draw_reduction();
    struct buffer left = one_block(trial.in, 1, 0, trial.length);
    struct buffer right = one_block(trial.in, 2, 0, trial.length);
    struct buffer expected = buffer_of(right.room);
    put_result(expected, trial.in, 1, 2, 0, trial.length);
    int count = count_of(trial.in, trial.length);
    void *in = locate(left, &trial.in), *inout = relative_to(left, right);
    if (trial.is_large)
        MPI_Reduce_local_c(in, inout, count, trial.in.type, reduction);
    else
        MPI_Reduce_local(in, inout, count, trial.in.type, reduction);
    check_buffer(right, expected);
    free(left.ints);
}

int main(int argc, char **argv)
{
    static test *const tests[] = {
        test_reduce, test_allreduce, test_reduce_scatter_block, test_reduce_scatter,
        test_scan,   test_exscan,    test_reduce_local};
    start(&argc, &argv);
    MPI_Op_create(compose_some, 0, &compositions[0]);
    MPI_Op_create_c(compose_many, 0, &compositions[1]);
    for (int i = 0; i < 2; i++) {
        int commutes = -1;
        MPI_Op_commutative(compositions[i], &commutes);
        CHECK(commutes == 0);
    }
    run_tests(tests, sizeof tests / sizeof *tests);
    for (int i = 0; i < 2; i++)
        MPI_Op_free(&compositions[i]);
    return finish();
}
