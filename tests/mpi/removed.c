// SPDX-License-Identifier: BSD-3-Clause
// removed: names of MPI-1 that MPI-3.0 has removed do what those do that took their place.
#include "window_test.h"

struct particle {
    double position[3];
    int kind;
    char name[5];
};

static void structures_are_described(void)
{
    struct particle given = {{1, 2, 3}, 4, "five"}, taken = {{0}, 0, ""};
    MPI_Aint begin, places[3];
    int lengths[] = {3, 1, 5};
    MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT, MPI_CHAR}, made;
    CHECK(MPI_Address(&given, &begin) == MPI_SUCCESS && begin == (MPI_Aint)&given);
    MPI_Address(given.position, &places[0]);
    MPI_Address(&given.kind, &places[1]);
    MPI_Address(given.name, &places[2]);
    for (int i = 0; i < 3; i++)
        places[i] -= begin;
    CHECK(places[2] == offsetof(struct particle, name));
    CHECK(MPI_Type_struct(3, lengths, places, types, &made) == MPI_SUCCESS);
    MPI_Type_commit(&made);
    MPI_Sendrecv(&given, 1, made, 0, 1, &taken, 1, made, 0, 1, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
    CHECK(taken.position[2] == 3 && taken.kind == 4 && taken.name[3] == 'e');
    MPI_Type_free(&made);
    CHECK_CLASS(MPI_Type_struct(-1, lengths, places, types, &made), MPI_ERR_COUNT);
    lengths[1] = -1;
    CHECK_CLASS(MPI_Type_struct(3, lengths, places, types, &made), MPI_ERR_ARG);
    lengths[1] = 1;
    types[1] = MPI_DATATYPE_NULL;
    CHECK_CLASS(MPI_Type_struct(3, lengths, places, types, &made), MPI_ERR_TYPE);
}

// Sends one `made` of `from` and receives it as so many integers.
static void check_selects(MPI_Datatype made, const int *from, int count,
                          const int expected[])
{
    int taken[8];
    MPI_Type_commit(&made);
    MPI_Sendrecv(from, 1, made, 0, 1, taken, count, MPI_INT, 0, 1, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < count; i++)
        CHECK(taken[i] == expected[i]);
    MPI_Type_free(&made);
}

static void distances_are_bytes(void)
{
    int field[12], lengths[] = {1, 3};
    MPI_Aint unit, places[] = {7 * (MPI_Aint)sizeof(int), sizeof(int)};
    MPI_Datatype made;
    for (int i = 0; i < 12; i++)
        field[i] = i;
    CHECK(MPI_Type_extent(MPI_INT, &unit) == MPI_SUCCESS && unit == sizeof(int));
    MPI_Type_hvector(3, 2, 4 * unit, MPI_INT, &made);
    check_selects(made, field, 6, (int[]){0, 1, 4, 5, 8, 9});
    MPI_Type_hindexed(2, lengths, places, MPI_INT, &made);
    check_selects(made, field, 4, (int[]){7, 1, 2, 3});
    CHECK_CLASS(MPI_Type_hvector(3, -2, unit, MPI_INT, &made), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Type_hindexed(-2, lengths, places, MPI_INT, &made), MPI_ERR_COUNT);
}

static void bounds_are_told(void)
{
    MPI_Aint lower, upper, extent, unit = sizeof(int);
    MPI_Datatype made;
    MPI_Type_hvector(2, 1, -3 * unit, MPI_INT, &made);
    CHECK(MPI_Type_lb(made, &lower) == MPI_SUCCESS && lower == -3 * unit);
    CHECK(MPI_Type_ub(made, &upper) == MPI_SUCCESS && upper == unit);
    CHECK(MPI_Type_extent(made, &extent) == MPI_SUCCESS && extent == 4 * unit);
    MPI_Type_free(&made);
}

static int calls, seen;

static void note_error(MPI_Comm *comm, int *code, ...)
{
    CHECK(*comm == MPI_COMM_SELF);
    calls++;
    seen = *code;
}

static void handlers_are_called(void)
{
    MPI_Errhandler handler, found;
    MPI_Handler_function *function = note_error;
    CHECK(MPI_Errhandler_create(function, &handler) == MPI_SUCCESS);
    CHECK(MPI_Errhandler_set(MPI_COMM_SELF, handler) == MPI_SUCCESS);
    CHECK(MPI_Errhandler_get(MPI_COMM_SELF, &found) == MPI_SUCCESS && found == handler);
    CHECK_CLASS(MPI_Send(NULL, -1, MPI_INT, 0, 1, MPI_COMM_SELF), MPI_ERR_COUNT);
    CHECK(calls == 1 && seen == MPI_ERR_COUNT);
    MPI_Errhandler_set(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&handler);
    MPI_Errhandler_free(&found);
    CHECK_CLASS(MPI_Send(NULL, -1, MPI_INT, 0, 1, MPI_COMM_SELF), MPI_ERR_COUNT);
    CHECK(calls == 1);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Errhandler_set(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    structures_are_described();
    distances_are_bytes();
    bounds_are_told();
    handlers_are_called();
    return finish();
}
