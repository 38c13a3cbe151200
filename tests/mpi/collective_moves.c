// SPDX-License-Identifier: BSD-3-Clause
// collectives_move_what_a_model_says: random barriers, broadcasts, gathers, scatters and
// exchanges in all forms and sizes, with random roots, lengths, datatypes, communicators.
#include "collective_random.h"

static void test_barrier(void)
{
    RUN(MPI_Barrier, MPI_Ibarrier, MPI_Barrier_init, trial.comm);
}

static void test_bcast(void)
{
    struct shape shape = is_root() ? trial.out : trial.in;
    int count = count_of(shape, trial.length);
    struct buffer buffer = buffer_of(room_for(shape, count));
    struct buffer expected = buffer_of(buffer.room);
    if (is_root())
        put_block(buffer, shape, 0, trial.root, 0, trial.length);
    put_block(expected, shape, 0, trial.root, 0, trial.length);
    void *at = locate(buffer, &shape);
    RUN_SIZE(MPI_Bcast, MPI_Ibcast, MPI_Bcast_init, at, count, shape.type, trial.root,
             trial.comm);
    check_buffer(buffer, expected);
}

static struct buffer equal_blocks(struct shape shape)
{
    return buffer_of(room_for(shape, trial.members * count_of(shape, trial.length)));
}

static void test_gather(void)
{
    int out = count_of(trial.out, trial.length), in = count_of(trial.in, trial.length);
    struct buffer own = one_block(trial.out, trial.own, 0, trial.length);
    struct buffer all = equal_blocks(trial.in), expected = equal_blocks(trial.in);
    bool in_place = trial.in_place && is_root();
    if (in_place)
        put_block(all, trial.in, trial.own * in, trial.own, 0, trial.length);
    for (int from = 0; is_root() && from < trial.members; from++)
        put_block(expected, trial.in, from * in, from, 0, trial.length);
    void *from = locate(own, &trial.out), *to = locate(all, &trial.in);
    RUN_SIZE(MPI_Gather, MPI_Igather, MPI_Gather_init, in_place ? MPI_IN_PLACE : from,
             out, trial.out.type, is_root() ? to : NULL, in,
             is_root() ? trial.in.type : MPI_DATATYPE_NULL, trial.root, trial.comm);
    check_buffer(all, expected);
    free(own.ints);
}

static void test_scatter(void)
{
    int out = count_of(trial.out, trial.length), in = count_of(trial.in, trial.length);
    struct buffer all = equal_blocks(trial.out);
    struct buffer own = buffer_of(room_for(trial.in, in));
    struct buffer expected = buffer_of(own.room);
    bool in_place = trial.in_place && is_root();
    for (int to = 0; is_root() && to < trial.members; to++)
        put_block(all, trial.out, to * out, trial.root, to, trial.length);
    if (!in_place)
        put_block(expected, trial.in, 0, trial.root, trial.own, trial.length);
    void *from = locate(all, &trial.out), *to = locate(own, &trial.in);
    RUN_SIZE(MPI_Scatter, MPI_Iscatter, MPI_Scatter_init, is_root() ? from : NULL, out,
             is_root() ? trial.out.type : MPI_DATATYPE_NULL,
             in_place ? MPI_IN_PLACE : to, in, trial.in.type, trial.root, trial.comm);
    check_buffer(own, expected);
    free(all.ints);
}

static void test_allgather(void)
{
    int out = count_of(trial.out, trial.length), in = count_of(trial.in, trial.length);
    struct buffer own = one_block(trial.out, trial.own, 0, trial.length);
    struct buffer all = equal_blocks(trial.in), expected = equal_blocks(trial.in);
    if (trial.in_place)
        put_block(all, trial.in, trial.own * in, trial.own, 0, trial.length);
    for (int from = 0; from < trial.members; from++)
        put_block(expected, trial.in, from * in, from, 0, trial.length);
    void *from = locate(own, &trial.out), *to = locate(all, &trial.in);
    RUN_SIZE(MPI_Allgather, MPI_Iallgather, MPI_Allgather_init,
             trial.in_place ? MPI_IN_PLACE : from, out, trial.out.type, to, in,
             trial.in.type, trial.comm);
    check_buffer(all, expected);
    free(own.ints);
}

static void test_alltoall(void)
{
    int out = count_of(trial.out, trial.length), in = count_of(trial.in, trial.length);
    struct buffer sent = equal_blocks(trial.out), all = equal_blocks(trial.in);
    struct buffer expected = equal_blocks(trial.in);
    for (int other = 0; other < trial.members; other++) {
        put_block(sent, trial.out, other * out, trial.own, other, trial.length);
        if (trial.in_place)
            put_block(all, trial.in, other * in, trial.own, other, trial.length);
        put_block(expected, trial.in, other * in, other, trial.own, trial.length);
    }
    void *from = locate(sent, &trial.out), *to = locate(all, &trial.in);
    RUN_SIZE(MPI_Alltoall, MPI_Ialltoall, MPI_Alltoall_init,
             trial.in_place ? MPI_IN_PLACE : from, out, trial.out.type, to, in,
             trial.in.type, trial.comm);
    check_buffer(all, expected);
    free(sent.ints);
}

// ---- blocks of different lengths

// Ints in the block that goes from one process to another in the v-forms.
static int length_of(int from, int to)
{
    return 6 * (datum(from, to, 1 << 20) % 4);
}

struct list {
    int counts[MEMBERS_MAX], places[MEMBERS_MAX];
    MPI_Count large_counts[MEMBERS_MAX];
    MPI_Aint large_places[MEMBERS_MAX];
    int elements; // that the blocks span
};

static const void *counts(const struct list *list)
{
    return either(list->counts, list->large_counts);
}

static const void *places(const struct list *list)
{
    return either(list->places, list->large_places);
}

// Blocks lie in descending order of ranks, with an element between them.
static struct list list_of(struct shape shape, int (*length)(int other))
{
    struct list list = {.elements = 1};
    for (int i = trial.members - 1; i >= 0; i--) {
        list.counts[i] = count_of(shape, length(i));
        list.places[i] = list.elements;
        list.elements += list.counts[i] + 1;
        list.large_counts[i] = list.counts[i];
        list.large_places[i] = list.places[i];
    }
    return list;
}

static int from_rank(int from)
{
    return length_of(from, 0);
}

static int from_root(int to)
{
    return length_of(trial.root, to);
}

static int to_own(int from)
{
    return trial.in_place ? length_of(from ^ trial.own, from + trial.own)
                          : length_of(from, trial.own);
}

static int from_own(int to)
{
    return trial.in_place ? to_own(to) : length_of(trial.own, to);
}

static void test_gatherv(void)
{
    int length = from_rank(trial.own);
    struct list list = list_of(trial.in, from_rank);
    struct buffer own = one_block(trial.out, trial.own, 0, length);
    struct buffer all = buffer_of(room_for(trial.in, list.elements));
    struct buffer expected = buffer_of(all.room);
    bool in_place = trial.in_place && is_root();
    if (in_place)
        put_block(all, trial.in, list.places[trial.own], trial.own, 0, length);
    for (int from = 0; is_root() && from < trial.members; from++)
        put_block(expected, trial.in, list.places[from], from, 0, from_rank(from));
    void *from = locate(own, &trial.out), *to = locate(all, &trial.in);
    RUN_SIZE(MPI_Gatherv, MPI_Igatherv, MPI_Gatherv_init,
             in_place ? MPI_IN_PLACE : from, count_of(trial.out, length),
             trial.out.type, to, is_root() ? counts(&list) : NULL,
             is_root() ? places(&list) : NULL, trial.in.type, trial.root, trial.comm);
    check_buffer(all, expected);
    free(own.ints);
}

static void test_scatterv(void)
{
    int length = from_root(trial.own), in = count_of(trial.in, length);
    struct list list = list_of(trial.out, from_root);
    struct buffer all = buffer_of(room_for(trial.out, list.elements));
    struct buffer own = buffer_of(room_for(trial.in, in));
    struct buffer expected = buffer_of(own.room);
    bool in_place = trial.in_place && is_root();
    for (int to = 0; to < trial.members; to++)
        put_block(all, trial.out, list.places[to], trial.root, to, from_root(to));
    if (!in_place)
        put_block(expected, trial.in, 0, trial.root, trial.own, length);
    void *from = locate(all, &trial.out), *to = locate(own, &trial.in);
    RUN_SIZE(MPI_Scatterv, MPI_Iscatterv, MPI_Scatterv_init, is_root() ? from : NULL,
             is_root() ? counts(&list) : NULL, is_root() ? places(&list) : NULL,
             trial.out.type, in_place ? MPI_IN_PLACE : to, in, trial.in.type,
             trial.root, trial.comm);
    check_buffer(own, expected);
    free(all.ints);
}

static void test_allgatherv(void)
{
    int length = from_rank(trial.own);
    struct list list = list_of(trial.in, from_rank);
    struct buffer own = one_block(trial.out, trial.own, 0, length);
    struct buffer all = buffer_of(room_for(trial.in, list.elements));
    struct buffer expected = buffer_of(all.room);
    if (trial.in_place)
        put_block(all, trial.in, list.places[trial.own], trial.own, 0, length);
    for (int from = 0; from < trial.members; from++)
        put_block(expected, trial.in, list.places[from], from, 0, from_rank(from));
    void *from = locate(own, &trial.out), *to = locate(all, &trial.in);
    RUN_SIZE(MPI_Allgatherv, MPI_Iallgatherv, MPI_Allgatherv_init,
             trial.in_place ? MPI_IN_PLACE : from, count_of(trial.out, length),
             trial.out.type, to, counts(&list), places(&list), trial.in.type,
             trial.comm);
    check_buffer(all, expected);
    free(own.ints);
}

// In place, each pair exchanges blocks of one length.
static void fill_alltoall(struct buffer sent, struct list out, struct buffer all,
                          struct list in, struct buffer expected)
{
    for (int other = 0; other < trial.members; other++) {
        put_block(sent, trial.out, out.places[other], trial.own, other,
                  from_own(other));
        if (trial.in_place)
            put_block(all, trial.in, in.places[other], trial.own, other,
                      from_own(other));
        put_block(expected, trial.in, in.places[other], other, trial.own,
                  to_own(other));
    }
}

static void test_alltoallv(void)
{
    struct list out = list_of(trial.out, from_own), in = list_of(trial.in, to_own);
    struct buffer sent = buffer_of(room_for(trial.out, out.elements));
    struct buffer all = buffer_of(room_for(trial.in, in.elements));
    struct buffer expected = buffer_of(all.room);
    fill_alltoall(sent, out, all, in, expected);
    void *from = locate(sent, &trial.out), *to = locate(all, &trial.in);
    RUN_SIZE(MPI_Alltoallv, MPI_Ialltoallv, MPI_Alltoallv_init,
             trial.in_place ? MPI_IN_PLACE : from, counts(&out), places(&out),
             trial.out.type, to, counts(&in), places(&in), trial.in.type, trial.comm);
    check_buffer(all, expected);
    free(sent.ints);
}

static void to_bytes(struct list *list, int other, struct shape shape)
{
    list->places[other] *= shape.extent * (int)sizeof(int);
    list->large_places[other] = list->places[other];
}

static void test_alltoallw(void)
{
    struct list out = list_of(trial.out, from_own), in = list_of(trial.in, to_own);
    struct buffer sent = buffer_of(room_for(trial.out, out.elements));
    struct buffer all = buffer_of(room_for(trial.in, in.elements));
    struct buffer expected = buffer_of(all.room);
    MPI_Datatype out_types[MEMBERS_MAX], in_types[MEMBERS_MAX];
    fill_alltoall(sent, out, all, in, expected);
    void *from = locate(sent, &trial.out), *to = locate(all, &trial.in);
    for (int other = 0; other < trial.members; other++) {
        out_types[other] = trial.out.type;
        in_types[other] = trial.in.type;
        to_bytes(&out, other, trial.out);
        to_bytes(&in, other, trial.in);
    }
    RUN_SIZE(MPI_Alltoallw, MPI_Ialltoallw, MPI_Alltoallw_init,
             trial.in_place ? MPI_IN_PLACE : from, counts(&out), places(&out),
             out_types, to, counts(&in), places(&in), in_types, trial.comm);
    check_buffer(all, expected);
    free(sent.ints);
}

// Who has less or more than others gets an error, and nobody waits for ever.
static void different_sizes_are_told(void)
{
    enum { MOST_BYTES = 100000 };
    if (!is_one_node() || size == 1)
        return;
    int bytes = rank == 0 ? MOST_BYTES : MOST_BYTES / 2;
    char *mine = calloc(1, MOST_BYTES), *all = calloc((size_t)size, MOST_BYTES);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK_CLASS(MPI_Bcast(mine, bytes, MPI_BYTE, 0, MPI_COMM_WORLD),
                rank == 0 ? MPI_SUCCESS : MPI_ERR_TRUNCATE);
    CHECK_CLASS(
        MPI_Allgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, MPI_COMM_WORLD),
        MPI_ERR_TRUNCATE);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    free(mine);
    free(all);
}

int main(int argc, char **argv)
{
    static test *const tests[] = {test_barrier,   test_bcast,     test_gather,
                                  test_scatter,   test_allgather, test_alltoall,
                                  test_gatherv,   test_scatterv,  test_allgatherv,
                                  test_alltoallv, test_alltoallw};
    start(&argc, &argv);
    run_tests(tests, sizeof tests / sizeof *tests);
    different_sizes_are_told();
    return finish();
}
