// SPDX-License-Identifier: BSD-3-Clause
// long_collectives_give_their_results: for lengths around those where the way changes,
// with roots in turn and no barrier between two calls, from memory of each kind, while a
// member is slow, in place, with derived types, and by two threads at once.
#include "window_test.h"

#include <pthread.h>
#include <unistd.h>

enum { MOST_INTS = 100003, KINDS = 3 };
// 32 KiB of all members together, or of one, is long; a piece has 128 KiB.
static const int lengths[] = {2048,  4095,  4096,  8191,  8192,
                              16383, 16384, 16385, 32769, MOST_INTS};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

// What one thread needs.
struct trial {
    MPI_Comm comm;
    int rank, size; // in comm
    int number;
    int *own[KINDS], *all[KINDS]; // malloc'ed, an int further on, in the segment
};

static int value_of(int owner, int i, int trial)
{
    return (owner + 1) * 1009 + i * 7 + trial * 31;
}

static int *own_of(const struct trial *trial)
{
    return trial->own[(trial->number + trial->rank) % KINDS];
}

static int *all_of(const struct trial *trial)
{
    return trial->all[(trial->number / 2 + trial->rank) % KINDS];
}

static void put_values(const struct trial *trial, int *ints, int length)
{
    for (int i = 0; i < length; i++)
        ints[i] = value_of(trial->rank, i, trial->number);
}

static void check_sums(const struct trial *trial, const int *ints, int length)
{
    for (int i = 0; i < length; i++) {
        int sum = 0;
        for (int owner = 0; owner < trial->size; owner++)
            sum += value_of(owner, i, trial->number);
        CHECK(ints[i] == sum);
    }
}

static void begin_call(struct trial *trial)
{
    trial->number++;
    if (trial->number % 7 == 0 && trial->rank == trial->number / 7 % trial->size)
        usleep(2000);
}

static void the_roots_data_come_to_all(struct trial *trial, int length, int root)
{
    begin_call(trial);
    int *data = own_of(trial);
    put_values(trial, data, length);
    MPI_Bcast(data, length, MPI_INT, root, trial->comm);
    for (int i = 0; i < length; i++)
        CHECK(data[i] == value_of(root, i, trial->number));
}

// Members of odd rank have their ints two apart.
static void strided_data_come_to_all(struct trial *trial, int length, int root)
{
    begin_call(trial);
    int stride = 1 + trial->rank % 2;
    int *data = all_of(trial);
    MPI_Datatype type;
    MPI_Type_vector(length, 1, stride, MPI_INT, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < length * stride; i++)
        data[i] =
            i % stride == 0 ? value_of(trial->rank, i / stride, trial->number) : -1;
    MPI_Bcast(data, 1, type, root, trial->comm);
    for (int i = 0; i < length * stride; i++)
        CHECK(data[i] ==
              (i % stride == 0 ? value_of(root, i / stride, trial->number) : -1));
    MPI_Type_free(&type);
}

static void all_have_all_blocks(struct trial *trial, int length, bool is_in_place)
{
    begin_call(trial);
    int *own = own_of(trial), *all = all_of(trial);
    memset(all, 0, sizeof(int) * (size_t)(length * trial->size));
    if (is_in_place)
        own = all + trial->rank * length;
    put_values(trial, own, length);
    MPI_Allgather(is_in_place ? MPI_IN_PLACE : own, length, MPI_INT, all, length,
                  MPI_INT, trial->comm);
    for (int owner = 0; owner < trial->size; owner++)
        for (int i = 0; i < length; i++)
            CHECK(all[owner * length + i] == value_of(owner, i, trial->number));
}

// What one gives to another begins at another value for each.
static void all_have_their_blocks(struct trial *trial, int length, bool is_in_place)
{
    begin_call(trial);
    int *in = all_of(trial), *out = in;
    if (!is_in_place)
        out = trial->all[(trial->number / 2 + trial->rank + 1) % KINDS];
    for (int to = 0; to < trial->size; to++)
        for (int i = 0; i < length; i++)
            out[to * length + i] = value_of(trial->rank, i + 13 * to, trial->number);
    MPI_Alltoall(is_in_place ? MPI_IN_PLACE : out, length, MPI_INT, in, length, MPI_INT,
                 trial->comm);
    for (int owner = 0; owner < trial->size; owner++)
        for (int i = 0; i < length; i++)
            CHECK(in[owner * length + i] ==
                  value_of(owner, i + 13 * trial->rank, trial->number));
}

static void the_root_has_all_blocks(struct trial *trial, int length, int root)
{
    begin_call(trial);
    bool is_root = trial->rank == root, is_in_place = is_root && length % 3 == 0;
    int *own = own_of(trial), *all = all_of(trial);
    put_values(trial, is_in_place ? all + root * length : own, length);
    MPI_Gather(is_in_place ? MPI_IN_PLACE : own, length, MPI_INT, all, length, MPI_INT,
               root, trial->comm);
    for (int owner = 0; is_root && owner < trial->size; owner++)
        for (int i = 0; i < length; i++)
            CHECK(all[owner * length + i] == value_of(owner, i, trial->number));
}

static void all_have_their_parts(struct trial *trial, int length, int root)
{
    begin_call(trial);
    int *own = own_of(trial), *all = all_of(trial);
    if (trial->rank == root)
        put_values(trial, all, length * trial->size);
    MPI_Scatter(all, length, MPI_INT, own, length, MPI_INT, root, trial->comm);
    for (int i = 0; i < length; i++)
        CHECK(own[i] == value_of(root, trial->rank * length + i, trial->number));
}

static void all_have_the_sums(struct trial *trial, int length, bool is_in_place)
{
    begin_call(trial);
    int *own = is_in_place ? all_of(trial) : own_of(trial);
    put_values(trial, own, length);
    MPI_Allreduce(is_in_place ? MPI_IN_PLACE : own, all_of(trial), length, MPI_INT,
                  MPI_SUM, trial->comm);
    check_sums(trial, all_of(trial), length);
}

static void the_root_has_the_sums(struct trial *trial, int length, int root)
{
    begin_call(trial);
    bool is_root = trial->rank == root;
    bool is_in_place = is_root && trial->number % 2 == 0;
    int *own = is_in_place ? all_of(trial) : own_of(trial);
    put_values(trial, own, length);
    MPI_Reduce(is_in_place ? MPI_IN_PLACE : own, is_root ? all_of(trial) : NULL, length,
               MPI_INT, MPI_SUM, root, trial->comm);
    if (is_root)
        check_sums(trial, all_of(trial), length);
}

// Of the sums of as many ints as all have, each member gets its block.
static void check_block(const struct trial *trial, const int *ints, int start,
                        int length)
{
    for (int i = 0; i < length; i++) {
        int sum = 0;
        for (int owner = 0; owner < trial->size; owner++)
            sum += value_of(owner, start + i, trial->number);
        CHECK(ints[i] == sum);
    }
}

static void each_has_a_block_of_sums(struct trial *trial, int length, bool is_in_place)
{
    begin_call(trial);
    int *all = all_of(trial), *out = is_in_place ? all : own_of(trial);
    put_values(trial, all, length * trial->size);
    MPI_Reduce_scatter_block(is_in_place ? MPI_IN_PLACE : all, out, length, MPI_INT,
                             MPI_SUM, trial->comm);
    check_block(trial, out, trial->rank * length, length);
}

// The later blocks are longer than the first ones, and some are empty.
static void each_has_its_part_of_sums(struct trial *trial, int length, bool is_in_place)
{
    begin_call(trial);
    int counts[8], start = 0;
    for (int i = 0; i < trial->size; i++)
        counts[i] = i % 3 == 1 ? 0 : length * (i + 1) / trial->size;
    for (int i = 0; i < trial->rank; i++)
        start += counts[i];
    int *all = all_of(trial), *out = is_in_place ? all : own_of(trial);
    put_values(trial, all, length * trial->size);
    MPI_Reduce_scatter(is_in_place ? MPI_IN_PLACE : all, out, counts, MPI_INT, MPI_SUM,
                       trial->comm);
    check_block(trial, out, start, counts[trial->rank]);
}

static void run_trials(struct trial *trial)
{
    for (int i = 0; i < LENGTHS; i++)
        for (int root = 0; root < trial->size; root++) {
            the_roots_data_come_to_all(trial, lengths[i], root);
            the_root_has_the_sums(trial, lengths[i], root);
            strided_data_come_to_all(trial, lengths[i], root);
            all_have_all_blocks(trial, lengths[i], root % 2 == 0);
            all_have_the_sums(trial, lengths[i], root % 2 == 1);
            all_have_their_blocks(trial, lengths[i], root % 2 == 1);
            the_root_has_all_blocks(trial, lengths[i], root);
            all_have_their_parts(trial, lengths[i], root);
            each_has_a_block_of_sums(trial, lengths[i], root % 2 == 1);
            each_has_its_part_of_sums(trial, lengths[i], root % 2 == 0);
        }
}

static void *run_thread(void *argument)
{
    struct trial trial = {.comm = *(MPI_Comm *)argument};
    size_t bytes = sizeof(int) * (MOST_INTS + 1);
    MPI_Comm_rank(trial.comm, &trial.rank);
    MPI_Comm_size(trial.comm, &trial.size);
    size_t all_bytes = bytes * (size_t)(trial.size > 1 ? trial.size : 2);
    int *own = malloc(2 * bytes), *all = malloc(2 * all_bytes);
    CHECK(own != NULL && all != NULL);
    trial.own[0] = own;
    trial.own[1] = own + MOST_INTS + 2;
    trial.all[0] = all;
    trial.all[1] = all + all_bytes / sizeof(int) + 1;
    MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &trial.own[2]);
    MPI_Alloc_mem((MPI_Aint)all_bytes, MPI_INFO_NULL, &trial.all[2]);
    run_trials(&trial);
    MPI_Free_mem(trial.own[2]);
    MPI_Free_mem(trial.all[2]);
    free(own);
    free(all);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    forbid_copies_if_asked();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm world = MPI_COMM_WORLD, reversed, half;
    MPI_Comm_split(world, 0, -rank, &reversed);
    MPI_Comm_split(world, rank % 2, rank, &half);
    run_thread(&half);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, run_thread, &reversed) == 0);
    run_thread(&world);
    pthread_join(thread, NULL);
    MPI_Comm_free(&reversed);
    MPI_Comm_free(&half);
    return finish();
}
