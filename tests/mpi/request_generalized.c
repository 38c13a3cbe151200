// SPDX-License-Identifier: BSD-3-Clause
// generalized_requests_call_the_program: which function in which call, with which
// arguments, and what becomes of their errors (MPI-4.1 13.2, 13.3).
#include "window_test.h"

struct calls {
    int queries, frees, cancels, last_complete;
    int query_code, free_code;
};

static int query(void *state, MPI_Status *status)
{
    struct calls *calls = state;
    calls->queries++;
    MPI_Status_set_source(status, 3);
    MPI_Status_set_tag(status, 5);
    MPI_Status_set_cancelled(status, calls->cancels > 0);
    return calls->query_code;
}

static int release(void *state)
{
    struct calls *calls = state;
    calls->frees++;
    return calls->free_code;
}

static int cancel(void *state, int complete)
{
    struct calls *calls = state;
    calls->cancels++;
    calls->last_complete = complete;
    return MPI_SUCCESS;
}

static MPI_Request begin(struct calls *calls)
{
    MPI_Request request;
    MPI_Grequest_start(query, release, cancel, calls, &request);
    CHECK(request != MPI_REQUEST_NULL);
    return request;
}

static void complete_ones_are_queried_and_freed(void)
{
    struct calls calls = {0};
    MPI_Request request = begin(&calls);
    MPI_Status status;
    int flag = 1, is_cancelled = 1;
    MPI_Test(&request, &flag, &status);
    CHECK(!flag && calls.queries == 0);
    MPI_Grequest_complete(request);
    MPI_Request_get_status(request, &flag, &status);
    CHECK(flag && calls.queries == 1 && calls.frees == 0);
    MPI_Wait(&request, &status);
    CHECK(request == MPI_REQUEST_NULL && calls.queries == 2 && calls.frees == 1);
    MPI_Test_cancelled(&status, &is_cancelled);
    CHECK(status.MPI_SOURCE == 3 && status.MPI_TAG == 5 && !is_cancelled);
}

static void cancelling_asks_the_program(void)
{
    struct calls calls = {0};
    MPI_Request request = begin(&calls);
    MPI_Status status;
    int is_cancelled = 0;
    MPI_Cancel(&request);
    CHECK(calls.cancels == 1 && !calls.last_complete);
    MPI_Grequest_complete(request);
    MPI_Cancel(&request);
    CHECK(calls.cancels == 2 && calls.last_complete);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &is_cancelled);
    CHECK(is_cancelled);
}

// The program may complete an operation whose request it has freed.
static void freed_ones_end_when_complete(void)
{
    struct calls calls = {0};
    MPI_Request request = begin(&calls), copy = request;
    MPI_Request_free(&request);
    CHECK(request == MPI_REQUEST_NULL && calls.frees == 0);
    MPI_Grequest_complete(copy);
    CHECK(calls.frees == 1 && calls.queries == 0);
    request = begin(&calls);
    MPI_Grequest_complete(request);
    MPI_Request_free(&request);
    CHECK(calls.frees == 2 && calls.queries == 0);
}

static void errors_of_functions_are_returned(void)
{
    struct calls calls = {.query_code = MPI_ERR_OTHER};
    MPI_Request request = begin(&calls);
    MPI_Status status;
    MPI_Grequest_complete(request);
    CHECK_CLASS(MPI_Wait(&request, &status), MPI_ERR_OTHER);
    CHECK(request == MPI_REQUEST_NULL && calls.frees == 1);
    calls = (struct calls){.free_code = MPI_ERR_IO};
    request = begin(&calls);
    MPI_Grequest_complete(request);
    CHECK_CLASS(MPI_Waitall(1, &request, &status), MPI_ERR_IN_STATUS);
    CHECK(status.MPI_ERROR == MPI_ERR_IO);
}

// Among requests of messages.
static void they_mix_with_others(void)
{
    struct calls calls = {0};
    MPI_Request requests[2];
    int number = -1, index = -1;
    requests[1] = begin(&calls);
    MPI_Irecv(&number, 1, MPI_INT, left(), 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Grequest_complete(requests[1]);
    MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    CHECK(index == 1 && calls.frees == 1);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&rank, 1, MPI_INT, right(), 0, MPI_COMM_WORLD);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(number == left());
}

static void bad_requests_are_refused(void)
{
    MPI_Request receive, stale;
    int number;
    struct calls calls = {0};
    MPI_Irecv(&number, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &receive);
    stale = receive;
    CHECK_CLASS(MPI_Grequest_complete(receive), MPI_ERR_REQUEST);
    MPI_Cancel(&receive);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    CHECK_CLASS(MPI_Grequest_complete(stale), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Grequest_complete(MPI_REQUEST_NULL), MPI_ERR_REQUEST);
    MPI_Request request = begin(&calls);
    MPI_Grequest_complete(request);
    CHECK_CLASS(MPI_Grequest_complete(request), MPI_ERR_REQUEST);
    CHECK_CLASS(MPI_Start(&request), MPI_ERR_REQUEST);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_CLASS(MPI_Grequest_start(NULL, release, cancel, &calls, &request),
                MPI_ERR_ARG);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    complete_ones_are_queried_and_freed();
    cancelling_asks_the_program();
    freed_ones_end_when_complete();
    errors_of_functions_are_returned();
    they_mix_with_others();
    bad_requests_are_refused();
    return finish();
}
