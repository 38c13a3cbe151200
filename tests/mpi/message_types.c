// SPDX-License-Identifier: BSD-3-Clause
// datatypes_may_differ_on_both_sides: what a message brings is the sequence of its basic
// elements, whatever the gaps at the sender and at the receiver; bytes in gaps stay.
#include "window_test.h"

enum { ROWS = 120, COLUMNS = 90, AREA = ROWS * COLUMNS };

static int out[AREA], in[AREA];

static MPI_Datatype committed(MPI_Datatype type)
{
    MPI_Type_commit(&type);
    return type;
}

static MPI_Datatype column(int rows)
{
    MPI_Datatype type, resized;
    MPI_Type_vector(rows, 1, COLUMNS, MPI_INT, &type);
    MPI_Type_create_resized(type, 0, sizeof(int), &resized);
    MPI_Type_free(&type);
    return committed(resized);
}

static void prepare(int round)
{
    for (int i = 0; i < AREA; i++) {
        out[i] = rank * AREA + i + round;
        in[i] = -1;
    }
}

// A transposition: columns are sent, rows received, and the other way round.
static void transpose(int rows, int columns, int round)
{
    MPI_Datatype type = column(rows);
    MPI_Status status;
    int count = -1;
    prepare(round);
    MPI_Sendrecv(out, columns, type, right(), round, in, rows * columns, MPI_INT,
                 left(), round, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(count == rows * columns);
    for (int c = 0; c < columns; c++)
        for (int r = 0; r < rows; r++)
            CHECK(in[c * rows + r] == left() * AREA + r * COLUMNS + c + round);
    for (int i = rows * columns; i < AREA; i++)
        CHECK(in[i] == -1);
    prepare(round);
    MPI_Sendrecv(out, rows * columns, MPI_INT, right(), round, in, columns, type,
                 left(), round, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, type, &count);
    CHECK(count == columns);
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            CHECK(
                in[r * COLUMNS + c] ==
                (r < rows && c < columns ? left() * AREA + c * rows + r + round : -1));
    MPI_Type_free(&type);
}

// Gaps on both sides, nonblocking; the types are freed while the operations go on.
static void gaps_everywhere(int rows, int columns)
{
    MPI_Datatype types[2] = {column(rows), column(rows)};
    MPI_Request requests[2];
    prepare(0);
    MPI_Irecv(in + 1, columns, types[0], left(), 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Issend(out, columns, types[1], right(), 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Type_free(&types[0]);
    MPI_Type_free(&types[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            CHECK(in[r * COLUMNS + c + 1] == left() * AREA + r * COLUMNS + c);
}

// Fewer elements than fit: the rest of the buffer stays.
static void short_messages_fill_a_part(void)
{
    MPI_Datatype type = column(10);
    MPI_Status status;
    int count = 0;
    prepare(0);
    MPI_Sendrecv(out, 14, MPI_INT, right(), 2, in, 3, type, left(), 2, MPI_COMM_WORLD,
                 &status);
    MPI_Get_count(&status, type, &count);
    CHECK(count == MPI_UNDEFINED);
    for (int i = 0; i < 30; i++)
        CHECK(in[i % 10 * COLUMNS + i / 10] == (i < 14 ? left() * AREA + i : -1));
    MPI_Type_free(&type);
}

// What goes up and what goes down at the same time, in ints and in columns.
static void exchanges_go_both_ways(void)
{
    MPI_Datatype type = column(ROWS);
    MPI_Request requests[2];
    MPI_Status status;
    int none = -1;
    prepare(0);
    MPI_Isendrecv(out, 1, type, right(), 5, in, 1, type, left(), 5, MPI_COMM_WORLD,
                  &requests[0]);
    MPI_Isendrecv_c(out + 1, 1, type, left(), 6, in + 1, 1, type, right(), 6,
                    MPI_COMM_WORLD, &requests[1]);
    MPI_Sendrecv_c(out + 2, 1, type, right(), 7, in + 2, 1, type, left(), 7,
                   MPI_COMM_WORLD, &status);
    CHECK(status.MPI_SOURCE == left() && status.MPI_TAG == 7);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < 3; c++) {
            int owner = c == 1 ? right() : left();
            CHECK(in[r * COLUMNS + c] == owner * AREA + r * COLUMNS + c);
        }
    MPI_Isendrecv(&rank, 1, MPI_INT, MPI_PROC_NULL, 0, &none, 1, MPI_INT, MPI_PROC_NULL,
                  0, MPI_COMM_WORLD, &requests[0]);
    MPI_Wait(&requests[0], &status);
    CHECK(none == -1 && status.MPI_SOURCE == MPI_PROC_NULL);
    MPI_Type_free(&type);
}

static void replaced_buffers_keep_their_gaps(bool is_large)
{
    MPI_Datatype type = column(ROWS);
    MPI_Request request;
    prepare(0);
    if (is_large) {
        MPI_Sendrecv_replace_c(out, COLUMNS / 2, type, right(), 3, left(), 3,
                               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Isendrecv_replace_c(out + 1, COLUMNS / 2 - 1, type, left(), 3, right(), 3,
                                MPI_COMM_WORLD, &request);
    } else {
        MPI_Sendrecv_replace(out, COLUMNS / 2, type, right(), 3, left(), 3,
                             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Isendrecv_replace(out + 1, COLUMNS / 2 - 1, type, left(), 3, right(), 3,
                              MPI_COMM_WORLD, &request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) {
            int owner = c == 0 ? left() : rank;
            CHECK(out[r * COLUMNS + c] == owner * AREA + r * COLUMNS + c);
        }
    MPI_Type_free(&type);
}

static void persistent_sends_take_what_is_there(void)
{
    MPI_Datatype type = column(ROWS);
    MPI_Request requests[2];
    MPI_Send_init(out, COLUMNS, type, right(), 4, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(in, COLUMNS, type, left(), 4, MPI_COMM_WORLD, &requests[1]);
    MPI_Type_free(&type);
    for (int round = 0; round < 3; round++) {
        prepare(round);
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < AREA; i++)
            CHECK(in[i] == left() * AREA + i + round);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static int elements_of(const MPI_Status *status, MPI_Datatype type)
{
    int count = -1;
    MPI_Count large = -1, older = -1;
    MPI_Get_elements(status, type, &count);
    MPI_Get_elements_c(status, type, &large);
    MPI_Get_elements_x(status, type, &older);
    CHECK(large == count && older == count);
    return count;
}

// Basic elements, also of an element that has come in part only.
static void elements_are_counted(void)
{
    struct mixed {
        double value;
        char letters[3];
        short number;
    };
    MPI_Datatype type, types[] = {MPI_DOUBLE, MPI_CHAR, MPI_SHORT};
    int lengths[] = {1, 3, 1}, count = 0;
    MPI_Aint places[] = {0, offsetof(struct mixed, letters),
                         offsetof(struct mixed, number)};
    static const int bytes_of[] = {0, 8, 9, 10, 11, 13}; // of so many elements
    MPI_Status status;
    MPI_Type_create_struct(3, lengths, places, types, &type);
    type = committed(type);
    for (int i = 0; i <= 10; i++) {
        int bytes = i / 5 * 13 + bytes_of[i % 5];
        MPI_Status_set_elements(&status, type, i);
        MPI_Get_count(&status, MPI_BYTE, &count);
        CHECK(count == bytes && elements_of(&status, type) == i);
        MPI_Get_count(&status, type, &count);
        CHECK(count == (i % 5 == 0 ? i / 5 : MPI_UNDEFINED));
    }
    MPI_Status_set_elements_c(&status, MPI_BYTE, 12);
    CHECK(elements_of(&status, type) == MPI_UNDEFINED);
    MPI_Status_set_elements_x(&status, MPI_DOUBLE_INT, 5);
    MPI_Get_count(&status, MPI_BYTE, &count);
    CHECK(count == 12 + 12 + 8 && elements_of(&status, MPI_DOUBLE_INT) == 5);
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    transpose(1, 1, 0);
    transpose(7, 5, 1);
    transpose(44, 45, 2); // about what a short message carries
    transpose(ROWS, COLUMNS, 3);
    gaps_everywhere(5, 3);
    gaps_everywhere(ROWS - 1, COLUMNS - 1);
    short_messages_fill_a_part();
    exchanges_go_both_ways();
    replaced_buffers_keep_their_gaps(false);
    replaced_buffers_keep_their_gaps(true);
    persistent_sends_take_what_is_there();
    elements_are_counted();
    return finish();
}
