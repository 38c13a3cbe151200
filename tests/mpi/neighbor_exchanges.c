// SPDX-License-Identifier: BSD-3-Clause
// neighbors_get_what_a_model_says: every neighborhood call in every form and size, also
// on absolute addresses, on a graph whose edges go one and two ranks up, so that in- and
// outgoing ones differ.
#include "collective_random.h"

enum { DEGREE = 2, BLOCK = 3 };

static int sources[DEGREE], destinations[DEGREE];

// Edge 1 has longer blocks than edge 0 in the v- and w-forms.
static const int equal[DEGREE] = {BLOCK, BLOCK}, lengths[DEGREE] = {1, BLOCK};

// Where the blocks of an exchange lie: the second one first, with an int between them.
struct layout {
    int counts[DEGREE], places[DEGREE];
    MPI_Count large_counts[DEGREE];
    MPI_Aint large_places[DEGREE], bytes[DEGREE];
};

static struct layout layout_of(const int counts[DEGREE])
{
    struct layout layout = {.places = {counts[1] + 1, 0}};
    for (int i = 0; i < DEGREE; i++) {
        layout.large_counts[i] = layout.counts[i] = counts[i];
        layout.large_places[i] = layout.places[i];
        layout.bytes[i] = layout.places[i] * (MPI_Aint)sizeof(int);
    }
    return layout;
}

static const void *counts(const struct layout *layout)
{
    return either(layout->counts, layout->large_counts);
}

static const void *places(const struct layout *layout)
{
    return either(layout->places, layout->large_places);
}

// What a process sends along an edge, or to all if they get the same.
static void put(int block[], int length, int from, int edge)
{
    for (int i = 0; i < length; i++)
        block[i] = datum(from, edge, i);
}

static const struct shape ints = {MPI_INT, 1, 1, 1};

static void test_allgather(void)
{
    struct buffer sent = one_block(ints, rank, DEGREE, BLOCK);
    struct buffer got = buffer_of(DEGREE * BLOCK), expected = buffer_of(got.room);
    for (int i = 0; i < DEGREE; i++)
        put(expected.ints + i * BLOCK, BLOCK, sources[i], DEGREE);
    void *from = locate(sent, &trial.out), *to = locate(got, &trial.in);
    RUN_SIZE(MPI_Neighbor_allgather, MPI_Ineighbor_allgather,
             MPI_Neighbor_allgather_init, from, BLOCK, trial.out.type, to, BLOCK,
             trial.in.type, trial.comm);
    check_buffer(got, expected);
    free(sent.ints);
}

static void test_allgatherv(void)
{
    struct buffer sent = one_block(ints, rank, DEGREE, BLOCK);
    struct buffer got = buffer_of(DEGREE * BLOCK + 1), expected = buffer_of(got.room);
    struct layout in = layout_of(equal);
    for (int i = 0; i < DEGREE; i++)
        put(expected.ints + in.places[i], BLOCK, sources[i], DEGREE);
    void *from = locate(sent, &trial.out), *to = locate(got, &trial.in);
    RUN_SIZE(MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv,
             MPI_Neighbor_allgatherv_init, from, BLOCK, trial.out.type, to, counts(&in),
             places(&in), trial.in.type, trial.comm);
    check_buffer(got, expected);
    free(sent.ints);
}

static void test_alltoall(void)
{
    struct buffer sent = buffer_of(DEGREE * BLOCK);
    struct buffer got = buffer_of(sent.room), expected = buffer_of(got.room);
    for (int i = 0; i < DEGREE; i++) {
        put(sent.ints + i * BLOCK, BLOCK, rank, i);
        put(expected.ints + i * BLOCK, BLOCK, sources[i], i);
    }
    void *from = locate(sent, &trial.out), *to = locate(got, &trial.in);
    RUN_SIZE(MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall, MPI_Neighbor_alltoall_init,
             from, BLOCK, trial.out.type, to, BLOCK, trial.in.type, trial.comm);
    check_buffer(got, expected);
    free(sent.ints);
}

// Buffers for an exchange of blocks that lie as `layout` says, on both sides.
static void fill_exchange(const struct layout *layout, struct buffer *sent,
                          struct buffer *got, struct buffer *expected)
{
    *sent = buffer_of(DEGREE * BLOCK + 1);
    *got = buffer_of(sent->room);
    *expected = buffer_of(sent->room);
    for (int i = 0; i < DEGREE; i++) {
        put(sent->ints + layout->places[i], layout->counts[i], rank, i);
        put(expected->ints + layout->places[i], layout->counts[i], sources[i], i);
    }
}

static void test_alltoallv(void)
{
    struct layout layout = layout_of(lengths);
    struct buffer sent, got, expected;
    fill_exchange(&layout, &sent, &got, &expected);
    void *from = locate(sent, &trial.out), *to = locate(got, &trial.in);
    RUN_SIZE(MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv,
             MPI_Neighbor_alltoallv_init, from, counts(&layout), places(&layout),
             trial.out.type, to, counts(&layout), places(&layout), trial.in.type,
             trial.comm);
    check_buffer(got, expected);
    free(sent.ints);
}

static void test_alltoallw(void)
{
    struct layout layout = layout_of(lengths);
    struct buffer sent, got, expected;
    fill_exchange(&layout, &sent, &got, &expected);
    void *from = locate(sent, &trial.out), *to = locate(got, &trial.in);
    const MPI_Datatype out_types[DEGREE] = {trial.out.type, trial.out.type};
    const MPI_Datatype in_types[DEGREE] = {trial.in.type, trial.in.type};
    RUN_SIZE(MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw,
             MPI_Neighbor_alltoallw_init, from, counts(&layout), layout.bytes,
             out_types, to, counts(&layout), layout.bytes, in_types, trial.comm);
    check_buffer(got, expected);
    free(sent.ints);
}

int main(int argc, char **argv)
{
    static test *const tests[] = {test_allgather, test_allgatherv, test_alltoall,
                                  test_alltoallv, test_alltoallw};
    start(&argc, &argv);
    for (int i = 0; i < DEGREE; i++) {
        sources[i] = (rank + (i + 1) * (size - 1)) % size;
        destinations[i] = (rank + i + 1) % size;
    }
    int *volatile unweighted = MPI_UNWEIGHTED; // GCC would dereference the constant
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, DEGREE, sources, unweighted, DEGREE,
                                   destinations, unweighted, MPI_INFO_NULL, 0,
                                   &trial.comm);
    for (trial.mode = BLOCKING; trial.mode < MODES; trial.mode++)
        for (int form = 0; form < 4; form++)
            for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
                trial.is_large = form & 1;
                trial.is_absolute = form & 2;
                trial.out = trial.in = ints;
                trial.number++;
                tests[i]();
                free_absolute_types();
            }
    MPI_Comm_free(&trial.comm);
    return finish();
}
