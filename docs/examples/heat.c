// SPDX-License-Identifier: BSD-3-Clause
// Heat conduction in a square plate, with a one-sided halo exchange.
//
// usage: heat [cells per side] [steps] [picture.png]
//
// Each process owns a block of the plate with a rim of halo cells, twice (old and new
// field), in one MPI_Win_allocate window. In every step it puts the edges of its block
// into the halo of its neighbours. Two ways to synchronise are timed: fences, and
// lock_all with flush. The result is compared with a serial solution on rank 0.
#include "picture.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum side { NORTH, SOUTH, WEST, EAST, SIDES };

// The part of the plate that one process owns: `columns` x `rows` cells whose first is
// (x, y) in the plate. A field is stored with its rim, row by row.
struct block {
    int x, y, columns, rows;
};

struct plate {
    int cells, steps; // per side; time steps
    int across, down; // processes in each direction
    int rank, size;
    struct block block;
    int neighbour[SIDES]; // rank or MPI_PROC_NULL
    double *fields;       // both fields of this process, in the window
    MPI_Win win;
    MPI_Datatype own_edge, edge_of[SIDES]; // columns: here, and of WEST and EAST
};

struct timing {
    double total, exchange; // seconds
};

// A way to synchronise the exchange of the halos.
struct way {
    const char *name;
    void (*begin)(const struct plate *plate);
    void (*exchange)(const struct plate *plate, int which);
    void (*end)(const struct plate *plate);
};

static size_t field_cells(struct block block)
{
    return (size_t)(block.columns + 2) * (size_t)(block.rows + 2);
}

static size_t cell_at(struct block block, int column, int row)
{
    return (size_t)row * (size_t)(block.columns + 2) + (size_t)column;
}

// The piece number `part` of `cells` shared out among `parts`.
static void share(int cells, int parts, int part, int *first, int *count)
{
    *first = (int)((long)cells * part / parts);
    *count = (int)((long)cells * (part + 1) / parts) - *first;
}

static struct block block_of(const struct plate *plate, int rank)
{
    struct block block;
    share(plate->cells, plate->across, rank % plate->across, &block.x, &block.columns);
    share(plate->cells, plate->down, rank / plate->across, &block.y, &block.rows);
    return block;
}

// The fixed temperature outside and the initial one inside of the plate.
static double temperature(int x, int y, int cells)
{
    double u = (x + 0.5) / cells, v = (y + 0.5) / cells;
    if (y < 0)
        return sin(3.14159265358979 * u); // the northern edge is heated
    if (x < 0 || x >= cells || y >= cells)
        return 0;
    double a = hypot(u - 0.3, v - 0.65), b = hypot(u - 0.7, v - 0.6);
    return a < 0.12 || b < 0.08 ? 1 : 0;
}

static void fill(double *field, struct block block, int cells)
{
    for (int row = 0; row < block.rows + 2; row++)
        for (int column = 0; column < block.columns + 2; column++)
            field[cell_at(block, column, row)] =
                temperature(block.x + column - 1, block.y + row - 1, cells);
}

// One explicit step; returns the sum of the squared changes.
static double advance(const double *old, double *new, struct block block)
{
    double change = 0;
    size_t width = (size_t)block.columns + 2;
    for (int row = 1; row <= block.rows; row++) {
        for (int column = 1; column <= block.columns; column++) {
            size_t i = cell_at(block, column, row);
            double around = old[i - width] + old[i + width] + old[i - 1] + old[i + 1];
            new[i] = old[i] + 0.2 * (around - 4 * old[i]);
            change += (new[i] - old[i]) * (new[i] - old[i]);
        }
    }
    return change;
}

static int neighbour_at(const struct plate *plate, int dx, int dy)
{
    int x = plate->rank % plate->across + dx, y = plate->rank / plate->across + dy;
    if (x < 0 || x >= plate->across || y < 0 || y >= plate->down)
        return MPI_PROC_NULL;
    return y * plate->across + x;
}

static MPI_Datatype column_type(struct block block)
{
    MPI_Datatype type;
    MPI_Type_vector(block.rows, 1, block.columns + 2, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
}

static void plate_open(struct plate *plate)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &plate->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &plate->size);
    plate->down = (int)sqrt(plate->size);
    while (plate->size % plate->down)
        plate->down--;
    plate->across = plate->size / plate->down;
    plate->block = block_of(plate, plate->rank);
    plate->neighbour[NORTH] = neighbour_at(plate, 0, -1);
    plate->neighbour[SOUTH] = neighbour_at(plate, 0, 1);
    plate->neighbour[WEST] = neighbour_at(plate, -1, 0);
    plate->neighbour[EAST] = neighbour_at(plate, 1, 0);

    plate->own_edge = column_type(plate->block);
    for (int side = WEST; side <= EAST; side++) {
        int rank = plate->neighbour[side];
        plate->edge_of[side] =
            rank == MPI_PROC_NULL ? MPI_DOUBLE : column_type(block_of(plate, rank));
    }
    MPI_Win_allocate((MPI_Aint)(2 * field_cells(plate->block) * sizeof(double)),
                     sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &plate->fields,
                     &plate->win);
}

static void plate_close(struct plate *plate)
{
    MPI_Win_free(&plate->win);
    MPI_Type_free(&plate->own_edge);
    for (int side = WEST; side <= EAST; side++)
        if (plate->edge_of[side] != MPI_DOUBLE)
            MPI_Type_free(&plate->edge_of[side]);
}

// Puts the edges of field `which` (0 or 1) into the halos of the neighbours.
static void put_edges(const struct plate *plate, int which)
{
    struct block mine = plate->block;
    const double *field = plate->fields + (size_t)which * field_cells(mine);
    for (int side = 0; side < SIDES; side++) {
        int rank = plate->neighbour[side];
        if (rank == MPI_PROC_NULL)
            continue;
        struct block theirs = block_of(plate, rank);
        MPI_Aint base = (MPI_Aint)((size_t)which * field_cells(theirs));
        if (side == NORTH || side == SOUTH) {
            int from = side == NORTH ? 1 : mine.rows;
            int to = side == NORTH ? theirs.rows + 1 : 0;
            MPI_Put(&field[cell_at(mine, 1, from)], mine.columns, MPI_DOUBLE, rank,
                    base + (MPI_Aint)cell_at(theirs, 1, to), mine.columns, MPI_DOUBLE,
                    plate->win);
        } else {
            int from = side == WEST ? 1 : mine.columns;
            int to = side == WEST ? theirs.columns + 1 : 0;
            MPI_Put(&field[cell_at(mine, from, 1)], 1, plate->own_edge, rank,
                    base + (MPI_Aint)cell_at(theirs, to, 1), 1, plate->edge_of[side],
                    plate->win);
        }
    }
}

static void nothing(const struct plate *plate)
{
    (void)plate;
}

static void exchange_by_fence(const struct plate *plate, int which)
{
    MPI_Win_fence(MPI_MODE_NOPRECEDE, plate->win);
    put_edges(plate, which);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, plate->win);
}

static void begin_lock_all(const struct plate *plate)
{
    MPI_Win_lock_all(0, plate->win);
}

static void end_lock_all(const struct plate *plate)
{
    MPI_Win_unlock_all(plate->win);
}

// Inside lock_all: after the flush the edges have arrived, after the barrier everybody's.
static void exchange_by_flush(const struct plate *plate, int which)
{
    MPI_Win_sync(plate->win);
    MPI_Barrier(MPI_COMM_WORLD);
    put_edges(plate, which);
    MPI_Win_flush_all(plate->win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(plate->win);
}

static const struct way ways[] = {
    {"fence", nothing, exchange_by_fence, nothing},
    {"lock_all + flush", begin_lock_all, exchange_by_flush, end_lock_all},
};

// Solves from the start; returns the residual: the root of the summed squared changes of
// the last step.
static double solve(struct plate *plate, const struct way *way, struct timing *timing)
{
    double *fields[2] = {plate->fields, plate->fields + field_cells(plate->block)};
    for (int which = 0; which < 2; which++)
        fill(fields[which], plate->block, plate->cells);
    MPI_Barrier(MPI_COMM_WORLD);
    way->begin(plate);

    double change = 0, sum = 0, start = MPI_Wtime();
    timing->exchange = 0;
    for (int step = 0; step < plate->steps; step++) {
        double before = MPI_Wtime();
        way->exchange(plate, step % 2);
        timing->exchange += MPI_Wtime() - before;
        change = advance(fields[step % 2], fields[(step + 1) % 2], plate->block);
    }
    MPI_Allreduce(&change, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    timing->total = MPI_Wtime() - start;
    way->end(plate);
    return sqrt(sum);
}

// Rank 0 gets every block of the final field, without its rim.
static double *collect(struct plate *plate)
{
    int which = plate->steps % 2, cells = plate->cells;
    double *field = NULL;
    MPI_Win_fence(MPI_MODE_NOPRECEDE, plate->win);
    if (plate->rank == 0) {
        field = malloc((size_t)cells * (size_t)cells * sizeof *field);
        for (int rank = 0; rank < plate->size; rank++) {
            struct block block = block_of(plate, rank);
            MPI_Aint base = (MPI_Aint)((size_t)which * field_cells(block));
            for (int row = 0; row < block.rows; row++)
                MPI_Get(
                    &field[(size_t)(block.y + row) * (size_t)cells + (size_t)block.x],
                    block.columns, MPI_DOUBLE, rank,
                    base + (MPI_Aint)cell_at(block, 1, row + 1), block.columns,
                    MPI_DOUBLE, plate->win);
        }
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, plate->win);
    return field;
}

// The same computation by one process; returns the field without its rim.
static double *solve_alone(int cells, int steps)
{
    struct block all = {0, 0, cells, cells};
    double *fields[2];
    for (int which = 0; which < 2; which++) {
        fields[which] = malloc(field_cells(all) * sizeof(double));
        fill(fields[which], all, cells);
    }
    for (int step = 0; step < steps; step++)
        advance(fields[step % 2], fields[(step + 1) % 2], all);
    double *result = fields[steps % 2];
    for (int row = 0; row < cells; row++)
        memmove(&result[(size_t)row * (size_t)cells], &result[cell_at(all, 1, row + 1)],
                (size_t)cells * sizeof(double));
    free(fields[(steps + 1) % 2]);
    return result;
}

// Bytes that all processes put in one exchange.
static double exchange_bytes(const struct plate *plate)
{
    double cells = 0, sum = 0;
    for (int side = 0; side < SIDES; side++)
        if (plate->neighbour[side] != MPI_PROC_NULL)
            cells += side <= SOUTH ? plate->block.columns : plate->block.rows;
    MPI_Allreduce(&cells, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum * sizeof(double);
}

// Solves in one way, reports, and returns the number of failed comparisons.
static int run(struct plate *plate, const struct way *way, const double *expected,
               const char *picture)
{
    struct timing timing;
    double residual = solve(plate, way, &timing);
    double bytes = exchange_bytes(plate) * plate->steps;
    double *field = collect(plate);
    if (plate->rank != 0)
        return 0;
    double difference = 0;
    for (size_t i = 0; i < (size_t)plate->cells * (size_t)plate->cells; i++)
        difference = fmax(difference, fabs(field[i] - expected[i]));
    int failed = !(difference <= 1e-12);
    printf("  %-17s residual %.6e  %8.2f us/step  halo %8.2f MB/s  differs from serial "
           "by %.1e%s\n",
           way->name, residual, 1e6 * timing.total / plate->steps,
           1e-6 * bytes / timing.exchange, difference, failed ? "  WRONG" : "");
    if (picture && write_picture(picture, field, plate->cells, plate->cells, 0, 1)) {
        fprintf(stderr, "heat: cannot write %s\n", picture);
        failed = 1;
    }
    free(field);
    return failed;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    struct plate plate = {.cells = argc > 1 ? atoi(argv[1]) : 256,
                          .steps = argc > 2 ? atoi(argv[2]) : 2000};
    const char *picture = argc > 3 ? argv[3] : NULL;
    if (plate.cells < 8 || plate.steps < 1) {
        fprintf(stderr, "heat: needs at least 8 cells per side and 1 step\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    plate_open(&plate);
    double *expected = NULL;
    if (plate.rank == 0) {
        printf("heat (C): %d x %d cells, %d steps, %d x %d processes\n", plate.cells,
               plate.cells, plate.steps, plate.across, plate.down);
        expected = solve_alone(plate.cells, plate.steps);
    }
    int failed = 0;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        failed += run(&plate, &ways[i], expected, i == 0 ? picture : NULL);
    free(expected);
    plate_close(&plate);
    MPI_Finalize();
    return failed != 0;
}
