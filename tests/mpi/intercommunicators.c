// SPDX-License-Identifier: BSD-3-Clause
// two_groups_talk_over_an_intercommunicator: making, copying, splitting and merging
// them, messages, and every collective operation (MPI-4.1 7.6, 6.2.3).
#include "window_test.h"

enum { MOST = 16 };

static MPI_Comm inter, part; // part: this process's group
static int side, own, members, others;

static void make_inter(void)
{
    side = rank % 2;
    MPI_Comm_split(MPI_COMM_WORLD, side, rank, &part);
    CHECK(MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, 1 - side, 3, &inter) ==
          MPI_SUCCESS);
    MPI_Comm_rank(inter, &own);
    MPI_Comm_size(inter, &members);
    MPI_Comm_remote_size(inter, &others);
    CHECK(own == rank / 2 && members + others == size);
    int flag;
    MPI_Comm_test_inter(inter, &flag);
    CHECK(flag);
    MPI_Comm_test_inter(part, &flag);
    CHECK(!flag);
}

static int world_rank_of(int other)
{
    return 2 * other + 1 - side;
}

static void messages_go_to_the_other_group(MPI_Comm comm)
{
    int got;
    MPI_Status status;
    MPI_Request request;
    int to = own % others;
    MPI_Isend(&rank, 1, MPI_INT, to, 4, comm, &request);
    for (int other = 0; other < others; other++)
        if (other % members == own) {
            MPI_Recv(&got, 1, MPI_INT, other, 4, comm, &status);
            CHECK(got == world_rank_of(other) && status.MPI_SOURCE == other);
        }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(comm);
}

static int root_of(int root_side, int root)
{
    if (side != root_side)
        return root;
    return own == root ? MPI_ROOT : MPI_PROC_NULL;
}

static void data_moves(MPI_Comm comm)
{
    int value = rank, all[MOST], sent[MOST];
    for (int from = 0; from < 2; from++) {
        int root = root_of(from, 0), expected = from;
        value = rank;
        MPI_Bcast(&value, 1, MPI_INT, root, comm);
        CHECK(value == (side == from ? rank : expected));
        MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, root, comm);
        for (int i = 0; root == MPI_ROOT && i < others; i++)
            CHECK(all[i] == world_rank_of(i));
        for (int i = 0; i < others; i++)
            sent[i] = 100 + i;
        MPI_Scatter(sent, 1, MPI_INT, &value, 1, MPI_INT, root, comm);
        CHECK(side == from || value == 100 + own);
    }
    MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, comm);
    for (int i = 0; i < others; i++)
        CHECK(all[i] == world_rank_of(i));
    for (int i = 0; i < others; i++)
        sent[i] = 10 * rank + i;
    MPI_Alltoall(sent, 1, MPI_INT, all, 1, MPI_INT, comm);
    for (int i = 0; i < others; i++)
        CHECK(all[i] == 10 * world_rank_of(i) + own);
}

static void operands_combine(MPI_Comm comm)
{
    int sum = -1, theirs = 0, block = -1, in[MOST * MOST];
    for (int i = 0; i < others; i++)
        theirs += world_rank_of(i);
    MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, root_of(0, 0), comm);
    CHECK(sum == (rank == 0 ? theirs : -1));
    MPI_Request request;
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(sum == theirs);
    // Both groups combine members * others numbers.
    for (int i = 0; i < members * others; i++)
        in[i] = i;
    MPI_Allreduce(in, in + MOST, 0, MPI_INT, MPI_SUM, comm);
    int part_of_it = others, out[MOST];
    MPI_Reduce_scatter_block(in, out, part_of_it, MPI_INT, MPI_SUM, comm);
    for (int i = 0; i < part_of_it; i++)
        CHECK(out[i] == others * (own * part_of_it + i));
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    CHECK_CLASS(MPI_Scan(&rank, &block, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Allreduce(MPI_IN_PLACE, &block, 1, MPI_INT, MPI_SUM, comm),
                MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Bcast(&block, 1, MPI_INT, others, comm), MPI_ERR_ROOT);
}

static void no_topology_is_made(MPI_Comm comm)
{
    int one = 1, zero = 0;
    MPI_Comm made;
    CHECK_CLASS(MPI_Cart_create(comm, 1, &one, &zero, 0, &made), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Graph_create(comm, 1, &zero, &zero, 0, &made), MPI_ERR_COMM);
    CHECK_CLASS(MPI_Dist_graph_create(comm, 1, &zero, &one, &zero, MPI_UNWEIGHTED,
                                      MPI_INFO_NULL, 0, &made),
                MPI_ERR_COMM);
    CHECK_CLASS(MPI_Dist_graph_create_adjacent(comm, 0, NULL, MPI_WEIGHTS_EMPTY, 0,
                                               NULL, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL,
                                               0, &made),
                MPI_ERR_COMM);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CHECK_CLASS(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, size, 1, &made),
                MPI_ERR_RANK);
    CHECK_CLASS(MPI_Intercomm_create(comm, 0, MPI_COMM_WORLD, 0, 1, &made),
                MPI_ERR_COMM);
}

static void everything_works(MPI_Comm comm)
{
    messages_go_to_the_other_group(comm);
    data_moves(comm);
    operands_combine(comm);
    no_topology_is_made(comm);
}

static void copies_work(void)
{
    MPI_Comm copy;
    MPI_Request request;
    int result;
    MPI_Comm_dup(inter, &copy);
    MPI_Comm_compare(inter, copy, &result);
    CHECK(result == MPI_CONGRUENT);
    everything_works(copy);
    MPI_Comm_free(&copy);
    MPI_Comm_idup(inter, &copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    everything_works(copy);
    MPI_Comm_free(&copy);
}

// The first of each group stay together, the others too if there are some on both sides.
static void groups_split(void)
{
    MPI_Comm some;
    MPI_Comm_split(inter, own == 0 ? 0 : 1, 0, &some);
    bool has_partners = own == 0 || others > 1;
    CHECK((some != MPI_COMM_NULL) == has_partners);
    if (some == MPI_COMM_NULL)
        return;
    int theirs;
    MPI_Comm_remote_size(some, &theirs);
    CHECK(theirs == (own == 0 ? 1 : others - 1));
    MPI_Barrier(some);
    MPI_Comm_free(&some);
}

static void groups_merge(void)
{
    MPI_Comm merged;
    int where, count;
    MPI_Intercomm_merge(inter, side == 0, &merged); // odd ranks first
    MPI_Comm_rank(merged, &where);
    MPI_Comm_size(merged, &count);
    CHECK(count == size && where == (side == 0 ? others + own : own));
    MPI_Barrier(merged);
    MPI_Comm_free(&merged);
    MPI_Intercomm_merge(inter, 1, &merged); // nobody gives way: rank 0's group is first
    MPI_Comm_rank(merged, &where);
    CHECK(where == (side == 0 ? own : others + own));
    MPI_Comm_free(&merged);
}

static void groups_suffice(void)
{
    MPI_Group mine, theirs;
    MPI_Comm made;
    MPI_Comm_group(inter, &mine);
    MPI_Comm_remote_group(inter, &theirs);
    CHECK(MPI_Intercomm_create_from_groups(mine, 0, theirs, 0, "two groups",
                                           MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                           &made) == MPI_SUCCESS);
    everything_works(made);
    MPI_Comm_free(&made);
    MPI_Group_free(&mine);
    MPI_Group_free(&theirs);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    make_inter();
    everything_works(inter);
    copies_work();
    groups_split();
    groups_merge();
    groups_suffice();
    MPI_Comm_free(&inter);
    MPI_Comm_free(&part);
    return finish();
}
