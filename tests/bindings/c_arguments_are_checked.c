// SPDX-License-Identifier: BSD-3-Clause
// A bad argument gives its error class through the handler of the right object, and the
// core is not called; a good one at the edge of its domain is passed on.
#include "c_core.h"

int oriel_put(const void *origin_addr, MPI_Count origin_count,
              struct datatype *origin_datatype, int target_rank, MPI_Aint target_disp,
              MPI_Count target_count, struct datatype *target_datatype,
              struct window *win)
{
    CHECK(origin_addr && origin_count >= 0 && target_count >= 0);
    CHECK(origin_datatype && target_datatype && win);
    CHECK(target_rank >= MPI_PROC_NULL && target_disp >= -1);
    return answer();
}

int oriel_win_lock(int lock_type, int rank, int assert, struct window *win)
{
    CHECK(lock_type && win == &window && rank >= MPI_PROC_NULL && assert >= 0);
    return answer();
}

int oriel_group_translate_ranks(struct group *group1, int n, const int ranks1[],
                                struct group *group2, int ranks2[])
{
    CHECK(group1 == &group && group2 == &group && (n == 0 || (ranks1 && ranks2)));
    return answer();
}

int oriel_allgather(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype,
                    void *recvbuf, MPI_Count recvcount, struct datatype *recvtype,
                    struct communicator *comm)
{
    CHECK(sendbuf == MPI_IN_PLACE ? !sendtype : sendtype == &integer && sendcount >= 0);
    CHECK(recvbuf && recvcount >= 0 && recvtype == &integer && comm == &world);
    return answer();
}

int oriel_alloc_mem(MPI_Aint size, struct info *hints, void *baseptr)
{
    CHECK(size >= 0 && (!hints || hints == &info) && baseptr);
    return answer();
}

int oriel_type_free(struct datatype *datatype)
{
    CHECK(datatype == &vector);
    return answer();
}

static int number; // a buffer

static int put(int count, MPI_Datatype type, int rank, MPI_Aint disp, MPI_Win win)
{
    return MPI_Put(&number, count, MPI_INT, rank, disp, 1, type, win);
}

static void scalars(void)
{
    CHECK(was_done(put(0, MPI_INT, 0, 0, a_window)));
    CHECK(was_refused(put(-1, MPI_INT, 0, 0, a_window), MPI_ERR_COUNT, "origin_count",
                      &window));
    CHECK(was_refused(put(1, MPI_INT, 0, -1, a_window), MPI_ERR_DISP, "target_disp",
                      &window));
    CHECK(was_done(put(1, MPI_INT, 0, -1, a_dynamic_window)));
    CHECK(
        was_refused(MPI_Put_c(&number, INT64_MIN, MPI_INT, 0, 0, 1, MPI_INT, a_window),
                    MPI_ERR_COUNT, "origin_count", &window));
}

static void ranks(void)
{
    CHECK(was_done(put(1, MPI_INT, 3, 0, a_window)));
    CHECK(was_done(put(1, MPI_INT, MPI_PROC_NULL, 0, a_window)));
    CHECK(was_refused(put(1, MPI_INT, -1, 0, a_window), MPI_ERR_RANK, "target_rank",
                      &window));
    put(1, MPI_INT, 4, 0, a_window);
    CHECK(raised.value == 4 && raised.kind == KIND_WIN);
    CHECK(strcmp(raised.procedure, "MPI_Put") == 0);
    CHECK(strcmp(raised.rule, "must be a rank in win (0..3) or MPI_PROC_NULL") == 0);
    start_over();
}

static void handles(void)
{
    MPI_Win stale = (MPI_Win)(never_a_handle);
    CHECK(was_refused(put(1, MPI_INT, 0, 0, MPI_WIN_NULL), MPI_ERR_WIN, "win", NULL));
    CHECK(was_refused(put(1, MPI_INT, 0, 0, stale), MPI_ERR_WIN, "win", NULL));
    CHECK(was_refused(put(1, MPI_INT, 0, 0, NULL), MPI_ERR_WIN, "win", NULL));
    CHECK(
        was_refused(put(1, MPI_INT, 0, 0, (MPI_Win)a_group), MPI_ERR_WIN, "win", NULL));
    CHECK(was_refused(put(1, MPI_DATATYPE_NULL, 0, 0, a_window), MPI_ERR_TYPE,
                      "target_datatype", &window));
    CHECK(was_refused(put(1, not_committed, 0, 0, a_window), MPI_ERR_TYPE,
                      "target_datatype", &window));
    CHECK(was_done(put(1, a_vector, 0, 0, a_window)));
}

static void enumerations(void)
{
    CHECK(was_done(MPI_Win_lock(MPI_LOCK_SHARED, 1, MPI_MODE_NOCHECK, a_window)));
    CHECK(was_done(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, a_window)));
    CHECK(was_refused(MPI_Win_lock(0, 1, 0, a_window), MPI_ERR_LOCKTYPE, "lock_type",
                      &window));
    CHECK(was_refused(MPI_Win_lock(MPI_LOCK_SHARED, 1, MPI_MODE_NOPUT, a_window),
                      MPI_ERR_ASSERT, "assert", &window));
}

static void arrays(void)
{
    int from[] = {0, 2, MPI_PROC_NULL}, bad[] = {0, 3, 1}, to[3];
    CHECK(was_done(MPI_Group_translate_ranks(a_group, 3, from, a_group, to)));
    CHECK(was_done(MPI_Group_translate_ranks(a_group, 0, NULL, a_group, NULL)));
    CHECK(was_refused(MPI_Group_translate_ranks(a_group, 3, bad, a_group, to),
                      MPI_ERR_RANK, "ranks1", NULL));
    CHECK(was_done(MPI_Group_translate_ranks(a_group, 1, bad, a_group, to)));
    CHECK(was_refused(MPI_Group_translate_ranks(a_group, 3, from, a_group, NULL),
                      MPI_ERR_ARG, "ranks2", NULL));
}

static void ignored_arguments(void)
{
    CHECK(was_done(
        MPI_Allgather(&number, 1, MPI_INT, &number, 1, MPI_INT, MPI_COMM_WORLD)));
    CHECK(was_done(MPI_Allgather(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, &number, 1,
                                 MPI_INT, MPI_COMM_WORLD)));
    CHECK(was_refused(MPI_Allgather(&number, 1, MPI_DATATYPE_NULL, &number, 1, MPI_INT,
                                    MPI_COMM_WORLD),
                      MPI_ERR_TYPE, "sendtype", &world));
}

static void optional_handles(void)
{
    void *memory;
    CHECK(was_done(MPI_Alloc_mem(8, MPI_INFO_NULL, &memory)));
    CHECK(was_done(MPI_Alloc_mem(8, an_info, &memory)));
    CHECK(was_refused(MPI_Alloc_mem(8, (MPI_Info)never_a_handle, &memory), MPI_ERR_INFO,
                      "info", NULL));
    CHECK(was_refused(MPI_Alloc_mem(8, MPI_INFO_NULL, NULL), MPI_ERR_ARG, "baseptr",
                      NULL));
}

static void predefined_handles(void)
{
    MPI_Datatype type = MPI_INT;
    CHECK(was_refused(MPI_Type_free(&type), MPI_ERR_TYPE, "datatype", NULL));
    CHECK(type == MPI_INT);
    CHECK(was_refused(MPI_Type_free(NULL), MPI_ERR_ARG, "datatype", NULL));
}

static void the_state_of_the_library(void)
{
    void *memory;
    process.state = PROCESS_NEW;
    CHECK(
        was_refused(MPI_Alloc_mem(8, MPI_INFO_NULL, &memory), MPI_ERR_OTHER, "", NULL));
    process.state = PROCESS_FINALIZED;
    CHECK(
        was_refused(MPI_Alloc_mem(8, MPI_INFO_NULL, &memory), MPI_ERR_OTHER, "", NULL));
    process.state = PROCESS_ACTIVE;
}

static void levels(void)
{
    int ranks_of_group[] = {3}, to[1];
    process.options.check = CHECK_BASIC; // everything but the elements of arrays
    CHECK(was_refused(put(-1, MPI_INT, 0, 0, a_window), MPI_ERR_COUNT, "origin_count",
                      &window));
    CHECK(was_done(MPI_Group_translate_ranks(a_group, 1, ranks_of_group, a_group, to)));
    process.options.check = CHECK_OFF; // nothing but handles
    CHECK(was_done(MPI_Win_lock(MPI_LOCK_SHARED, 1, MPI_MODE_NOPUT, a_window)));
    CHECK(was_refused(put(1, MPI_INT, 0, 0, MPI_WIN_NULL), MPI_ERR_WIN, "win", NULL));
    process.options.check = CHECK_FULL;
}

int main(void)
{
    place_objects();
    scalars();
    ranks();
    handles();
    enumerations();
    arrays();
    ignored_arguments();
    optional_handles();
    predefined_handles();
    the_state_of_the_library();
    levels();
    return 0;
}
