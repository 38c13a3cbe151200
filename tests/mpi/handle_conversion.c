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

static void dynamic_handles_come_back(void)
{
    MPI_Comm comm;
    MPI_Datatype type;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Type_contiguous(3, MPI_INT, &type);
    CHECK(MPI_Comm_f2c(MPI_Comm_c2f(comm)) == comm);
    CHECK(MPI_Type_fromint(MPI_Type_toint(type)) == type);
    CHECK(MPI_Type_c2f(type) > 0);
    MPI_Type_free(&type);
    MPI_Comm_free(&comm);
}

static void statuses_are_copied(void)
{
    MPI_Status status = {.MPI_SOURCE = 3, .MPI_TAG = 5, .MPI_ERROR = MPI_ERR_TRUNCATE};
    MPI_Status back;
    MPI_Fint fortran[MPI_F_STATUS_SIZE];
    MPI_F08_status fortran_2008;
    CHECK(MPI_Status_set_cancelled(&status, 1) == MPI_SUCCESS);
    CHECK(MPI_Status_c2f(&status, fortran) == MPI_SUCCESS);
    CHECK(fortran[MPI_F_SOURCE] == 3 && fortran[MPI_F_TAG] == 5);
    CHECK(fortran[MPI_F_ERROR] == MPI_ERR_TRUNCATE);
    CHECK(MPI_Status_f2f08(fortran, &fortran_2008) == MPI_SUCCESS);
    CHECK(fortran_2008.MPI_TAG == 5);
    CHECK(MPI_Status_f082c(&fortran_2008, &back) == MPI_SUCCESS);
    int flag = 0;
    CHECK(MPI_Test_cancelled(&back, &flag) == MPI_SUCCESS && flag);
    CHECK(back.MPI_SOURCE == 3);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    predefined_handles_keep_their_codes();
    dynamic_handles_come_back();
    statuses_are_copied();
    return finish();
}
