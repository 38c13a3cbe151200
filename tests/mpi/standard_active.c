// SPDX-License-Identifier: BSD-3-Clause
// examples_of_active_target_synchronisation: what MPI-4.1 12.3 and 12.8 show as
// fragments, completed to programs: indirect assignment and sum, iterations with fences
// and with post, start, complete and wait, double buffering. Results are compared with
// those of one process.
#include "window_test.h"

enum { CELLS = 10, STEPS = 6 };

// ---- A = B(map), and sums by it (12.3.3, 12.3.4) ------------------------------------
enum { MAPPED = 12 };

// The element, of all ranks', that belongs to element i of all ranks'.
static int map(int i)
{
    return (i * i + 5) % (MAPPED * size);
}

static int first_mapped(void)
{
    return MAPPED * rank;
}

// One get of each element.
static void get_elements(int a[MAPPED], MPI_Win win)
{
    for (int j = 0; j < MAPPED; j++) {
        int from = map(first_mapped() + j);
        MPI_Get(&a[j], 1, MPI_INT, from / MAPPED, from % MAPPED, 1, MPI_INT, win);
    }
}

// The elements at some places of an array.
static MPI_Datatype type_of_places(int count, const int places[])
{
    MPI_Datatype type;
    MPI_Type_create_indexed_block(count, 1, places, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

// One get from each rank, of all elements that come from there.
static void get_by_types(int a[MAPPED], MPI_Win win)
{
    for (int of = 0; of < size; of++) {
        int here[MAPPED], there[MAPPED], count = 0;
        for (int j = 0; j < MAPPED; j++)
            if (map(first_mapped() + j) / MAPPED == of) {
                here[count] = j;
                there[count++] = map(first_mapped() + j) % MAPPED;
            }
        MPI_Datatype origin_type = type_of_places(count, here);
        MPI_Datatype target_type = type_of_places(count, there);
        MPI_Get(a, 1, origin_type, of, 0, 1, target_type, win);
        MPI_Type_free(&origin_type);
        MPI_Type_free(&target_type);
    }
}

static void indirect_assignment(void (*get)(int a[MAPPED], MPI_Win win))
{
    int a[MAPPED], b[MAPPED];
    MPI_Win win;
    for (int j = 0; j < MAPPED; j++)
        b[j] = 1000 + first_mapped() + j;
    MPI_Win_create(b, sizeof b, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    get(a, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    for (int j = 0; j < MAPPED; j++)
        CHECK(a[j] == 1000 + map(first_mapped() + j));
}

// B(j) = sum of A(i) over all i that are mapped to j.
static void sums_by_a_map(void)
{
    int a[MAPPED], b[MAPPED] = {0};
    MPI_Win win;
    MPI_Win_create(b, sizeof b, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    for (int j = 0; j < MAPPED; j++) {
        int i = first_mapped() + j, to = map(i);
        a[j] = i;
        MPI_Accumulate(&a[j], 1, MPI_INT, to / MAPPED, to % MAPPED, 1, MPI_INT, MPI_SUM,
                       win);
    }
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    for (int i = 0; i < MAPPED * size; i++)
        if (map(i) / MAPPED == rank)
            b[map(i) % MAPPED] -= i;
    for (int j = 0; j < MAPPED; j++)
        CHECK(b[j] == 0);
}

// ---- the iteration ------------------------------------------------------------------
// A ring of cells, CELLS on each rank; cell[0] and cell[CELLS + 1] are copies of the
// neighbours' cells. Numbers wrap around, so that results are exact.
static unsigned cell[CELLS + 2], old[CELLS + 2];

static unsigned next(unsigned before, unsigned own, unsigned after)
{
    return 3 * own + before + 5 * after;
}

static unsigned first_value(int of_rank, int i)
{
    return (unsigned)(100 * of_rank + i);
}

static void begin(void)
{
    for (int i = 1; i <= CELLS; i++)
        cell[i] = first_value(rank, i);
    cell[0] = first_value(left(), CELLS);
    cell[CELLS + 1] = first_value(right(), 1);
}

static void update_cells(int from, int to)
{
    for (int i = from; i <= to; i++)
        cell[i] = next(old[i - 1], old[i], old[i + 1]);
}
static void update_boundary(void)
{
    memcpy(old, cell, sizeof old);
    update_cells(1, 1);
    update_cells(CELLS, CELLS);
}
static void update_core(void)
{
    update_cells(2, CELLS - 1);
}

// The same by each rank for the whole ring.
static void check_cells(void)
{
    int count = CELLS * size;
    unsigned *ring = malloc((size_t)count * sizeof *ring);
    unsigned *before = malloc((size_t)count * sizeof *before);
    for (int i = 0; i < count; i++)
        ring[i] = first_value(i / CELLS, i % CELLS + 1);
    for (int step = 0; step < STEPS; step++) {
        memcpy(before, ring, (size_t)count * sizeof *ring);
        for (int i = 0; i < count; i++)
            ring[i] = next(before[(i + count - 1) % count], before[i],
                           before[(i + 1) % count]);
    }
    for (int i = 1; i <= CELLS; i++)
        CHECK(cell[i] == ring[CELLS * rank + i - 1]);
    free(ring);
    free(before);
}

static void put_boundary(MPI_Win win)
{
    MPI_Put(&cell[1], 1, MPI_UNSIGNED, left(), CELLS + 1, 1, MPI_UNSIGNED, win);
    MPI_Put(&cell[CELLS], 1, MPI_UNSIGNED, right(), 0, 1, MPI_UNSIGNED, win);
}
static void get_boundary(MPI_Win win)
{
    MPI_Get(&cell[0], 1, MPI_UNSIGNED, left(), CELLS, 1, MPI_UNSIGNED, win);
    MPI_Get(&cell[CELLS + 1], 1, MPI_UNSIGNED, right(), 1, 1, MPI_UNSIGNED, win);
}

// ---- 12.8: the same iteration in four ways --------------------------------------------
static MPI_Group neighbours;

static void step_with_fences(MPI_Win win)
{
    update_boundary();
    update_core();
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    put_boundary(win);
    MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED, win);
}

static void step_with_fences_and_overlap(MPI_Win win)
{
    update_boundary();
    MPI_Win_fence(MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE, win);
    get_boundary(win);
    update_core();
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

static void step_with_post_and_start(MPI_Win win)
{
    update_boundary();
    update_core();
    MPI_Win_post(neighbours, 0, win);
    MPI_Win_start(neighbours, 0, win);
    put_boundary(win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
}

static void step_with_post_start_and_overlap(MPI_Win win)
{
    update_boundary();
    MPI_Win_post(neighbours, MPI_MODE_NOPUT, win);
    MPI_Win_start(neighbours, 0, win);
    get_boundary(win);
    update_core();
    MPI_Win_complete(win);
    MPI_Win_wait(win);
}

static void iteration(void (*step)(MPI_Win win))
{
    MPI_Win win;
    begin();
    MPI_Win_create(cell, sizeof cell, sizeof(unsigned), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &win);
    for (int i = 0; i < STEPS; i++)
        step(win);
    MPI_Win_free(&win);
    check_cells();
}

// ---- 12.8: double buffering -----------------------------------------------------------
// While the boundary of one field travels, the other is computed.
struct field {
    unsigned own[CELLS], beside[2];
};
static struct field field[2];

static void begin_fields(struct field of_rank[2], int of)
{
    for (int f = 0; f < 2; f++) {
        for (int i = 0; i < CELLS; i++)
            of_rank[f].own[i] = first_value(of, i) + (unsigned)f;
        of_rank[f].beside[0] = of_rank[f].beside[1] = 0;
    }
}

// The part of an update that needs the other field, and the part that does not.
static void update_by(struct field *to, const struct field *from)
{
    for (int i = 0; i < CELLS; i++)
        to->own[i] += next(i > 0 ? from->own[i - 1] : from->beside[0], from->own[i],
                           i < CELLS - 1 ? from->own[i + 1] : from->beside[1]);
}
static void update_alone(struct field *to)
{
    for (int i = 0; i < CELLS; i++)
        to->own[i] = 7 * to->own[i] + 1;
}

static void get_beside(struct field *to, MPI_Win win)
{
    MPI_Get(&to->beside[0], 1, MPI_UNSIGNED, left(), CELLS - 1, 1, MPI_UNSIGNED, win);
    MPI_Get(&to->beside[1], 1, MPI_UNSIGNED, right(), 0, 1, MPI_UNSIGNED, win);
}

// The boundary of field `f` travels; `f` is posted already, the other one is now.
static void half_a_step(const MPI_Win win[2], int f, bool posts)
{
    const int promises = MPI_MODE_NOCHECK | MPI_MODE_NOPUT;
    update_by(&field[1 - f], &field[f]);
    MPI_Win_start(neighbours, MPI_MODE_NOCHECK, win[f]);
    get_beside(&field[f], win[f]);
    update_alone(&field[1 - f]);
    if (posts)
        MPI_Win_post(neighbours, promises, win[1 - f]);
    MPI_Win_complete(win[f]);
    MPI_Win_wait(win[f]);
}

static void check_fields(void)
{
    struct field(*all)[2] = malloc((size_t)size * sizeof *all);
    for (int r = 0; r < size; r++)
        begin_fields(all[r], r);
    for (int half = 0; half < 2 * STEPS; half++) {
        int f = half % 2;
        for (int r = 0; r < size; r++) {
            update_by(&all[r][1 - f], &all[r][f]);
            all[r][f].beside[0] = all[(r + size - 1) % size][f].own[CELLS - 1];
            all[r][f].beside[1] = all[(r + 1) % size][f].own[0];
            update_alone(&all[r][1 - f]);
        }
    }
    CHECK(memcmp(field, all[rank], sizeof field) == 0);
    free(all);
}

static void double_buffering(void)
{
    MPI_Win win[2];
    begin_fields(field, rank);
    for (int f = 0; f < 2; f++)
        MPI_Win_create(field[f].own, sizeof field[f].own, sizeof(unsigned),
                       MPI_INFO_NULL, MPI_COMM_WORLD, &win[f]);
    MPI_Win_post(neighbours, MPI_MODE_NOCHECK | MPI_MODE_NOPUT, win[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int half = 0; half < 2 * STEPS; half++)
        half_a_step(win, half % 2, half + 1 < 2 * STEPS);
    for (int f = 0; f < 2; f++)
        MPI_Win_free(&win[f]);
    check_fields();
}

int main(int argc, char **argv)
{
    MPI_Group world;
    start(&argc, &argv);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, left() == right() ? 1 : 2, (int[]){left(), right()},
                   &neighbours);
    MPI_Group_free(&world);
    indirect_assignment(get_by_types);
    indirect_assignment(get_elements);
    sums_by_a_map();
    iteration(step_with_fences);
    iteration(step_with_fences_and_overlap);
    iteration(step_with_post_and_start);
    iteration(step_with_post_start_and_overlap);
    double_buffering();
    MPI_Group_free(&neighbours);
    return finish();
}
