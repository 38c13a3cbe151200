// SPDX-License-Identifier: BSD-3-Clause
// Handles and statuses of C survive the way to Fortran or to an integer and back
// (MPI-4.1 19.3.4, 19.3.5).
#include "window_test.h"

static void predefined_handles_keep_their_codes(void)
{
    CHECK(MPI_Comm_c2f(MPI_COMM_WORLD) == 257);
    CHECK(MPI_Comm_toint(MPI_COMM_NULL) == 256);
    CHECK(MPI_Type_f2c(521) == MPI_INT && MPI_Type_fromint(521) == MPI_INT);
    CHECK(MPI_Op_f2c(MPI_Op_c2f(MPI_SUM)) == MPI_SUM);
    CHECK(MPI_Request_f2c(MPI_Request_c2f(MPI_REQUEST_NULL)) == MPI_REQUEST_NULL);
}

#define CHECK_COMES_BACK(KIND, handle)                                                 \
    do {                                                                               \
        CHECK(MPI_##KIND##_f2c(MPI_##KIND##_c2f(handle)) == (handle));                 \
        CHECK(MPI_##KIND##_fromint(MPI_##KIND##_toint(handle)) == (handle));           \
        CHECK(MPI_##KIND##_toint(handle) > 0);                                         \
    } while (0)

static void on_window(MPI_Win *win, int *code, ...)
{
    (void)win, (void)code;
}

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void objects_with_memory_come_back(void)
{
    MPI_Comm comm;
    MPI_Group group;
    MPI_Session session;
    MPI_Win win;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_group(comm, &group);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, comm, &win);
    CHECK_COMES_BACK(Comm, comm);
    CHECK_COMES_BACK(Group, group);
    CHECK_COMES_BACK(Session, session);
    CHECK_COMES_BACK(Win, win);
    MPI_Win_free(&win);
    MPI_Session_finalize(&session);
    MPI_Group_free(&group);
    MPI_Comm_free(&comm);
}

static void small_objects_come_back(void)
{
    MPI_Datatype type;
    MPI_Errhandler handler;
    MPI_Info info;
    MPI_Op op;
    MPI_Type_contiguous(3, MPI_INT, &type);
    MPI_Win_create_errhandler(on_window, &handler);
    MPI_Info_create(&info);
    MPI_Op_create(add, 1, &op);
    CHECK_COMES_BACK(Type, type);
    CHECK_COMES_BACK(Errhandler, handler);
    CHECK_COMES_BACK(Info, info);
    CHECK_COMES_BACK(Op, op);
    MPI_Op_free(&op);
    MPI_Info_free(&info);
    MPI_Errhandler_free(&handler);
    MPI_Type_free(&type);
}

static void what_is_under_way_comes_back(void)
{
    MPI_Message message;
    MPI_Request request;
    int got = -1;
    MPI_Issend(&size, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &request);
    MPI_Mprobe(rank, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    CHECK_COMES_BACK(Message, message);
    CHECK_COMES_BACK(Request, request);
    MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(got == size);
}

// Around all six ways between C, mpi and mpi_f08.
static void statuses_are_copied(void)
{
    MPI_Status status, middle, back;
    MPI_Fint fortran[MPI_F_STATUS_SIZE], again[MPI_F_STATUS_SIZE];
    MPI_F08_status fortran_2008;
    int flag = 0, code = 0;
    MPI_Status_set_source(&status, 3);
    MPI_Status_set_tag(&status, 5);
    MPI_Status_set_error(&status, MPI_ERR_TRUNCATE);
    MPI_Status_set_cancelled(&status, 1);
    CHECK(MPI_Status_c2f(&status, fortran) == MPI_SUCCESS);
    CHECK(fortran[MPI_F_SOURCE] == 3 && fortran[MPI_F_TAG] == 5);
    CHECK(fortran[MPI_F_ERROR] == MPI_ERR_TRUNCATE);
    CHECK(MPI_Status_f2f08(fortran, &fortran_2008) == MPI_SUCCESS);
    CHECK(fortran_2008.MPI_TAG == 5);
    CHECK(MPI_Status_f082c(&fortran_2008, &middle) == MPI_SUCCESS);
    CHECK(MPI_Status_c2f08(&middle, &fortran_2008) == MPI_SUCCESS);
    CHECK(MPI_Status_f082f(&fortran_2008, again) == MPI_SUCCESS);
    CHECK(MPI_Status_f2c(again, &back) == MPI_SUCCESS);
    CHECK(MPI_Test_cancelled(&back, &flag) == MPI_SUCCESS && flag);
    CHECK(MPI_Status_get_error(&back, &code) == MPI_SUCCESS);
    CHECK(back.MPI_SOURCE == 3 && code == MPI_ERR_TRUNCATE);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    predefined_handles_keep_their_codes();
    objects_with_memory_come_back();
    small_objects_come_back();
    what_is_under_way_comes_back();
    statuses_are_copied();
    return finish();
}
