// SPDX-License-Identifier: BSD-3-Clause
// the_wait_and_test_families_complete_requests as MPI-4.1 3.7.3 to 3.7.6 says: null and
// inactive requests count as complete and have empty statuses, persistent ones stay,
// error fields are left alone unless a request has failed.
#include "window_test.h"

enum { COUNT = 6, UNTOUCHED = 4711 };

static int numbers[COUNT], values[COUNT];
static MPI_Request receives[COUNT];

static bool is_empty(const MPI_Status *status)
{
    int count = -1, is_cancelled = -1;
    MPI_Get_count(status, MPI_INT, &count);
    MPI_Test_cancelled(status, &is_cancelled);
    return status->MPI_SOURCE == MPI_ANY_SOURCE && status->MPI_TAG == MPI_ANY_TAG &&
           status->MPI_ERROR == MPI_SUCCESS && count == 0 && !is_cancelled;
}

static void post_receives(void)
{
    for (int i = 0; i < COUNT; i++) {
        numbers[i] = -1;
        values[i] = 100 * rank + i;
        MPI_Irecv(&numbers[i], 1, MPI_INT, left(), i, MPI_COMM_WORLD, &receives[i]);
    }
}

static void send_value(int i)
{
    MPI_Send(&values[i], 1, MPI_INT, right(), i, MPI_COMM_WORLD);
}

static bool has_come(int i)
{
    return numbers[i] == 100 * left() + i;
}

static bool tells_of(const MPI_Status *status, int i)
{
    int count = -1;
    MPI_Get_count(status, MPI_INT, &count);
    return status->MPI_SOURCE == left() && status->MPI_TAG == i && count == 1;
}

static void mark(MPI_Status *statuses, int count)
{
    for (int i = 0; i < count; i++)
        statuses[i].MPI_ERROR = UNTOUCHED;
}

static void nothing_to_wait_for(void)
{
    MPI_Request none[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL}, inactive;
    MPI_Status status, statuses[2];
    int flag = 0, index = 0, count = 0, indices[2];
    MPI_Recv_init(numbers, 1, MPI_INT, left(), 0, MPI_COMM_WORLD, &inactive);
    for (int i = 0; i < 2; i++) {
        MPI_Request before = none[1];
        mark(&status, 1);
        MPI_Wait(&none[1], &status);
        CHECK(is_empty(&status) && none[1] == before);
        MPI_Test(&none[1], &flag, &status);
        CHECK(flag && is_empty(&status));
        MPI_Request_get_status(none[1], &flag, &status);
        CHECK(flag && is_empty(&status));
        MPI_Waitany(2, none, &index, &status);
        CHECK(index == MPI_UNDEFINED && is_empty(&status));
        flag = 0;
        MPI_Testany(2, none, &index, &flag, &status);
        CHECK(flag && index == MPI_UNDEFINED && is_empty(&status));
        MPI_Request_get_status_any(2, none, &index, &flag, &status);
        CHECK(flag && index == MPI_UNDEFINED && is_empty(&status));
        MPI_Waitsome(2, none, &count, indices, statuses);
        CHECK(count == MPI_UNDEFINED);
        MPI_Testsome(2, none, &count, indices, statuses);
        CHECK(count == MPI_UNDEFINED);
        MPI_Request_get_status_some(2, none, &count, indices, statuses);
        CHECK(count == MPI_UNDEFINED);
        MPI_Waitall(2, none, statuses);
        CHECK(is_empty(&statuses[0]) && is_empty(&statuses[1]));
        MPI_Testall(2, none, &flag, statuses);
        CHECK(flag && is_empty(&statuses[0]) && is_empty(&statuses[1]));
        MPI_Request_get_status_all(2, none, &flag, statuses);
        CHECK(flag && is_empty(&statuses[0]) && is_empty(&statuses[1]));
        none[1] = inactive;
    }
    CHECK(none[1] == inactive);
    MPI_Request_free(&inactive);
    CHECK(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    MPI_Waitany(0, NULL, &index, MPI_STATUS_IGNORE);
    CHECK(index == MPI_UNDEFINED);
}

static void tests_are_false_until_messages_come(void)
{
    int flag = 1, index = 1, count = 1, indices[COUNT];
    MPI_Status statuses[COUNT];
    post_receives();
    MPI_Test(&receives[0], &flag, MPI_STATUS_IGNORE);
    CHECK(!flag && receives[0] != MPI_REQUEST_NULL);
    MPI_Testany(COUNT, receives, &index, &flag, MPI_STATUS_IGNORE);
    CHECK(!flag && index == MPI_UNDEFINED);
    MPI_Testsome(COUNT, receives, &count, indices, MPI_STATUSES_IGNORE);
    CHECK(count == 0);
    MPI_Testall(COUNT, receives, &flag, MPI_STATUSES_IGNORE);
    CHECK(!flag);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < COUNT; i++)
        send_value(i);
    mark(statuses, COUNT);
    while (!flag)
        MPI_Testall(COUNT, receives, &flag, statuses);
    for (int i = 0; i < COUNT; i++)
        CHECK(has_come(i) && tells_of(&statuses[i], i) &&
              receives[i] == MPI_REQUEST_NULL && statuses[i].MPI_ERROR == UNTOUCHED);
    MPI_Barrier(MPI_COMM_WORLD);
}

// What a look shows is there for the call that completes.
static void looking_completes_nothing(void)
{
    int flag = 0, index = -1, count = -1, indices[COUNT];
    MPI_Status status, statuses[COUNT];
    post_receives();
    for (int i = 0; i < COUNT; i++)
        send_value(i);
    while (!flag)
        MPI_Request_get_status(receives[2], &flag, &status);
    CHECK(tells_of(&status, 2) && has_come(2) && receives[2] != MPI_REQUEST_NULL);
    flag = 0;
    while (!flag)
        MPI_Request_get_status_all(COUNT, receives, &flag, statuses);
    for (int i = 0; i < COUNT; i++)
        CHECK(tells_of(&statuses[i], i));
    MPI_Request_get_status_any(COUNT, receives, &index, &flag, &status);
    CHECK(flag && index == 0 && tells_of(&status, 0));
    MPI_Request_get_status_some(COUNT, receives, &count, indices, statuses);
    CHECK(count == COUNT && indices[5] == 5 && tells_of(&statuses[5], 5));
    MPI_Wait(&receives[2], &status);
    CHECK(tells_of(&status, 2) && receives[2] == MPI_REQUEST_NULL);
    MPI_Waitall(COUNT, receives, statuses);
    CHECK(is_empty(&statuses[2]) && tells_of(&statuses[3], 3));
    MPI_Barrier(MPI_COMM_WORLD);
}

static void any_takes_one_at_a_time(void)
{
    post_receives();
    for (int i = COUNT - 1; i >= 0; i--) {
        int index = -1;
        MPI_Status status;
        mark(&status, 1);
        send_value(i);
        MPI_Waitany(COUNT, receives, &index, &status);
        CHECK(index == i && has_come(i) && tells_of(&status, i));
        CHECK(receives[i] == MPI_REQUEST_NULL && status.MPI_ERROR == UNTOUCHED);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void some_takes_what_there_is(void)
{
    int left_over = COUNT, count = -1, indices[COUNT];
    bool is_seen[COUNT] = {false};
    MPI_Status statuses[COUNT];
    post_receives();
    for (int i = 0; i < COUNT; i++)
        send_value(i);
    while (left_over > 0) {
        MPI_Waitsome(COUNT, receives, &count, indices, statuses);
        CHECK(count >= 1 && count <= left_over);
        for (int i = 0; i < count; i++) {
            CHECK(!is_seen[indices[i]] && tells_of(&statuses[i], indices[i]));
            is_seen[indices[i]] = true;
        }
        left_over -= count;
    }
    MPI_Waitsome(COUNT, receives, &count, indices, statuses);
    CHECK(count == MPI_UNDEFINED);
}

static void one_failure_fills_all_error_fields(void)
{
    int pair[2] = {1, 2}, code, class;
    MPI_Status statuses[COUNT];
    post_receives();
    mark(statuses, COUNT);
    for (int i = 0; i < COUNT; i++)
        if (i == 3)
            MPI_Send(pair, 2, MPI_INT, right(), 3, MPI_COMM_WORLD);
        else
            send_value(i);
    code = MPI_Waitall(COUNT, receives, statuses);
    MPI_Error_class(code, &class);
    CHECK(class == MPI_ERR_IN_STATUS);
    for (int i = 0; i < COUNT; i++) {
        CHECK(receives[i] == MPI_REQUEST_NULL);
        MPI_Error_class(statuses[i].MPI_ERROR, &class);
        CHECK(class == (i == 3 ? MPI_ERR_TRUNCATE : MPI_SUCCESS));
    }
    CHECK(statuses[3].MPI_SOURCE == left() && statuses[3].MPI_TAG == 3);
}

// The message is received although nobody can ask for it any more.
static void a_freed_request_goes_on(void)
{
    volatile int *number = &numbers[0];
    MPI_Request receive;
    numbers[0] = -1;
    MPI_Irecv(numbers, 1, MPI_INT, left(), 1, MPI_COMM_WORLD, &receive);
    MPI_Request copy = receive;
    MPI_Request_free(&receive);
    CHECK(receive == MPI_REQUEST_NULL);
    CHECK_CLASS(MPI_Wait(&copy, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    MPI_Send(&rank, 1, MPI_INT, right(), 1, MPI_COMM_WORLD);
    while (*number < 0) {
        int flag;
        MPI_Iprobe(MPI_ANY_SOURCE, 12345, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
    CHECK(numbers[0] == left());
    MPI_Barrier(MPI_COMM_WORLD);
}

static void persistent_requests_start_together(void)
{
    MPI_Request both[2];
    int in = -1, out;
    MPI_Send_init(&out, 1, MPI_INT, right(), 2, MPI_COMM_WORLD, &both[0]);
    MPI_Recv_init(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                  &both[1]);
    for (out = 10; out < 20; out++) {
        MPI_Status status;
        MPI_Startall(2, both);
        MPI_Wait(&both[1], &status);
        CHECK(in == out && status.MPI_SOURCE == left() && status.MPI_TAG == 2);
        MPI_Wait(&both[0], MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Request_free(&both[0]);
    MPI_Request_free(&both[1]);
}

// As many as real programs have, in the order in which matching has most to look at.
static void many_are_matched_in_reverse(void)
{
    enum { MANY = 30000 };
    MPI_Request *many = malloc(MANY * sizeof *many);
    int *got = malloc(MANY * sizeof *got);
    for (int i = 0; i < MANY; i++)
        MPI_Irecv(&got[i], 1, MPI_INT, i % 2 ? MPI_ANY_SOURCE : left(), i,
                  MPI_COMM_WORLD, &many[i]);
    for (int i = MANY - 1; i >= 0; i--) {
        int value = rank * MANY + i;
        MPI_Send(&value, 1, MPI_INT, right(), i, MPI_COMM_WORLD);
    }
    MPI_Waitall(MANY, many, MPI_STATUSES_IGNORE);
    for (int i = 0; i < MANY; i++)
        CHECK(got[i] == left() * MANY + i);
    free(got);
    free(many);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    nothing_to_wait_for();
    tests_are_false_until_messages_come();
    looking_completes_nothing();
    any_takes_one_at_a_time();
    some_takes_what_there_is();
    one_failure_fills_all_error_fields();
    a_freed_request_goes_on();
    persistent_requests_start_together();
    many_are_matched_in_reverse();
    return finish();
}
