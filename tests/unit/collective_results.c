// SPDX-License-Identifier: BSD-3-Clause
// collectives_give_their_results to every member of world, of its reverse and of a part
// of it, in one node and between nodes, for sizes around those where the way changes.
#include "collective_job.h"

static const int counts[] = {0, 1, 2, 7, 127, 128, 129, 1023, 1024, 1025, 5000, 40000};
enum { COUNTS = sizeof counts / sizeof *counts, COUNT_MAX = 40000 };

// What `rank` contributes at `index`.
static int64_t value_of(int rank, int index)
{
    return (int64_t)(rank + 1) * 1000003 + index * 7;
}

static int64_t *filled(int64_t *values, int rank, int count)
{
    for (int i = 0; i < count; i++)
        values[i] = value_of(rank, i);
    return values;
}

// Nobody leaves before all have come; `words` are in memory that all processes share.
static void a_barrier_waits_for_all(struct communicator *comm, _Atomic(int) *arrived)
{
    for (int round = 1; round <= 200; round++) {
        atomic_fetch_add(arrived, 1);
        CHECK(oriel_barrier(comm) == 0);
        CHECK(atomic_load(arrived) >= round * comm->size);
        CHECK(oriel_barrier(comm) == 0);
        CHECK(atomic_load(arrived) == round * comm->size);
        CHECK(oriel_barrier(comm) == 0);
    }
}

static void a_broadcast_comes_from_the_root(struct communicator *comm, int count)
{
    static int64_t values[COUNT_MAX];
    for (int root = 0; root < comm->size; root++) {
        filled(values, comm->rank, count);
        CHECK(oriel_bcast(values, count, type_of(MPI_INT64_T), root, comm) == 0);
        for (int i = 0; i < count; i++)
            CHECK(values[i] == value_of(root, i));
    }
}

static void an_allgather_has_all_blocks(struct communicator *comm, int count,
                                        bool is_in_place)
{
    static int64_t own[COUNT_MAX];
    struct datatype *type = type_of(MPI_INT64_T);
    int64_t *all = calloc((size_t)(comm->size * count) + 1, sizeof *all);
    CHECK(all != NULL);
    if (is_in_place) {
        filled(all + comm->rank * count, comm->rank, count);
        CHECK(oriel_allgather(MPI_IN_PLACE, 0, NULL, all, count, type, comm) == 0);
    } else {
        filled(own, comm->rank, count);
        CHECK(oriel_allgather(own, count, type, all, count, type, comm) == 0);
    }
    for (int rank = 0; rank < comm->size; rank++)
        for (int i = 0; i < count; i++)
            CHECK(all[rank * count + i] == value_of(rank, i));
    free(all);
}

static void an_allreduce_combines_all(struct communicator *comm, int count,
                                      bool is_in_place)
{
    static int64_t own[COUNT_MAX], result[COUNT_MAX];
    struct datatype *type = type_of(MPI_INT64_T);
    filled(is_in_place ? result : own, comm->rank, count);
    CHECK(oriel_allreduce(is_in_place ? MPI_IN_PLACE : own, result, count, type,
                          op_of(MPI_SUM), comm) == 0);
    for (int i = 0; i < count; i++) {
        int64_t sum = 0;
        for (int rank = 0; rank < comm->size; rank++)
            sum += value_of(rank, i);
        CHECK(result[i] == sum);
    }
    for (int i = 0; i < count && !is_in_place; i++)
        CHECK(own[i] == value_of(comm->rank, i));
}

// Sums of floating point numbers depend on the order; all members see the same bits.
static void an_allreduce_is_the_same_on_all(struct communicator *comm, int count)
{
    double *own = malloc(sizeof *own * (size_t)(count + 1));
    double *all = malloc(sizeof *all * (size_t)(count * comm->size + 1));
    CHECK(own && all);
    for (int i = 0; i < count; i++)
        own[i] = 1.0 / (1 + i + 17 * comm->rank);
    CHECK(oriel_allreduce(MPI_IN_PLACE, own, count, type_of(MPI_DOUBLE), op_of(MPI_SUM),
                          comm) == 0);
    CHECK(oriel_allgather(own, count, type_of(MPI_DOUBLE), all, count,
                          type_of(MPI_DOUBLE), comm) == 0);
    for (int rank = 0; rank < comm->size; rank++)
        CHECK(memcmp(all + rank * count, own, sizeof *own * (size_t)count) == 0);
    free(own);
    free(all);
}

static void locations_are_found(struct communicator *comm)
{
    struct {
        short value;
        int index;
    } own = {(short)((comm->rank * 5 + 2) % comm->size), comm->rank}, least;
    CHECK(oriel_allreduce(&own, &least, 1, type_of(MPI_SHORT_INT), op_of(MPI_MINLOC),
                          comm) == 0);
    int expected = 0, lowest = comm->size;
    for (int rank = 0; rank < comm->size; rank++)
        if ((rank * 5 + 2) % comm->size < lowest) {
            lowest = (rank * 5 + 2) % comm->size;
            expected = rank;
        }
    CHECK(least.value == lowest && least.index == expected);
}

// A column of a matrix goes out, and comes in as a row, and the other way round.
static void strided_data_is_moved(struct communicator *comm, int rows)
{
    struct datatype *column, *word = type_of(MPI_INT64_T);
    CHECK(oriel_type_vector(rows, 1, 2, word, &column, false) == 0);
    CHECK(oriel_type_commit(column) == 0);
    int64_t *matrix = calloc((size_t)(2 * rows), sizeof *matrix);
    int64_t *all = calloc((size_t)(rows * comm->size), sizeof *all);
    CHECK(matrix && all);
    for (int i = 0; i < rows; i++) {
        matrix[2 * i] = value_of(comm->rank, i);
        matrix[2 * i + 1] = -1;
    }
    CHECK(oriel_allgather(matrix, 1, column, all, rows, word, comm) == 0);
    for (int i = 0; i < rows * comm->size; i++)
        CHECK(all[i] == value_of(i / rows, i % rows));
    int root = comm->size - 1;
    CHECK(oriel_bcast(matrix, 1, column, root, comm) == 0);
    for (int i = 0; i < rows; i++)
        CHECK(matrix[2 * i] == value_of(root, i) && matrix[2 * i + 1] == -1);
    CHECK(oriel_type_free(column) == 0);
    free(matrix);
    free(all);
}

static void mismatches_are_errors(struct communicator *comm)
{
    int64_t own[2] = {0}, all[2 * JOB_MAX];
    struct datatype *word = type_of(MPI_INT64_T), *pair;
    CHECK(oriel_allgather(own, 2, word, all, 1, word, comm) == MPI_ERR_TRUNCATE);
    CHECK(oriel_allreduce(own, all, 1, word, op_of(MPI_MAXLOC), comm) == MPI_ERR_OP);
    CHECK(oriel_allreduce(own, all, 1, word, op_of(MPI_REPLACE), comm) == MPI_ERR_OP);
    CHECK(oriel_type_contiguous(2, word, &pair, false) == 0);
    CHECK(oriel_allreduce(own, all, 1, pair, op_of(MPI_SUM), comm) == MPI_ERR_OP);
    CHECK(oriel_type_free(pair) == 0);
}

static void all_results_are_right_on(struct communicator *comm, _Atomic(int) *arrived)
{
    a_barrier_waits_for_all(comm, arrived);
    for (int i = 0; i < COUNTS; i++) {
        a_broadcast_comes_from_the_root(comm, counts[i]);
        an_allgather_has_all_blocks(comm, counts[i], false);
        an_allgather_has_all_blocks(comm, counts[i], true);
        an_allreduce_combines_all(comm, counts[i], false);
        an_allreduce_combines_all(comm, counts[i], true);
        an_allreduce_is_the_same_on_all(comm, counts[i]);
    }
    locations_are_found(comm);
    strided_data_is_moved(comm, 3);
    strided_data_is_moved(comm, 3000);
    mismatches_are_errors(comm);
}

static void all_results_are_right(void)
{
    struct communicator *world = process.world, *reverse, *part;
    all_results_are_right_on(process.self, &(_Atomic(int)){0});
    all_results_are_right_on(world, &board->words[0]);
    CHECK(oriel_comm_split(world, 0, -world->rank, &reverse) == 0);
    CHECK(reverse->rank == world->size - 1 - world->rank);
    all_results_are_right_on(reverse, &board->words[1]);
    CHECK(oriel_comm_split(world, world->rank % 3 == 1, 0, &part) == 0);
    all_results_are_right_on(part, &board->words[2 + (world->rank % 3 == 1)]);
    CHECK(oriel_comm_free(part) == 0);
    CHECK(oriel_comm_free(reverse) == 0);
}

int main(void)
{
    return run_all_jobs(all_results_are_right);
}
