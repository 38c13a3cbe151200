// SPDX-License-Identifier: BSD-3-Clause
// Calls that look whether requests are complete (MPI-4.1 3.7.3, 3.7.5, 3.7.6). They make
// progress once if that is needed. Null and inactive requests count as complete, with an
// empty status.
#include "pt2pt/requests.h"

#include <oriel_core.h>

bool request_test(const struct request *request)
{
    if (request_is_complete(request))
        return true;
    message_progress_and_yield();
    return request_is_complete(request);
}

static bool test_all(int count, const MPI_Request requests[])
{
    if (are_complete(count, requests))
        return true;
    message_progress_and_yield();
    return are_complete(count, requests);
}

static int test_any(int count, const MPI_Request requests[])
{
    int found = find_complete(count, requests);
    if (found != NONE_COMPLETE)
        return found;
    message_progress_and_yield();
    return find_complete(count, requests);
}

// ---- tests that complete requests

int oriel_test(MPI_Request *request, int *flag, MPI_Status *status)
{
    struct request *tested = request_of_handle(*request);
    bool is_active = request_is_active(tested);
    *flag = !is_active || request_test(tested);
    if (!is_active)
        status_set_empty(status);
    return is_active && *flag ? request_finish(tested, request, status) : 0;
}

int oriel_testall(int count, MPI_Request array_of_requests[], int *flag,
                  MPI_Status array_of_statuses[])
{
    *flag = test_all(count, array_of_requests);
    return *flag ? finish_all(count, array_of_requests, array_of_statuses) : 0;
}

int oriel_testany(int count, MPI_Request array_of_requests[], int *index, int *flag,
                  MPI_Status *status)
{
    int found = test_any(count, array_of_requests);
    *flag = found != NONE_COMPLETE;
    if (*flag)
        return finish_one(array_of_requests, found, index, status);
    *index = MPI_UNDEFINED;
    return 0;
}

int oriel_testsome(int incount, MPI_Request array_of_requests[], int *outcount,
                   int array_of_indices[], MPI_Status array_of_statuses[])
{
    test_any(incount, array_of_requests);
    return finish_complete(incount, array_of_requests, outcount, array_of_indices,
                           array_of_statuses);
}

// ---- looks that leave requests as they are

// The error of a request that is looked at is for the call that completes it.
static void look_at(struct request *request, MPI_Status *status)
{
    if (request_is_active(request))
        request_result(request, status);
    else
        status_set_empty(status);
}

int oriel_request_get_status(struct request *request, int *flag, MPI_Status *status)
{
    *flag = !request_is_active(request) || request_test(request);
    if (*flag)
        look_at(request, status);
    return 0;
}

int oriel_request_get_status_all(int count, const MPI_Request array_of_requests[],
                                 int *flag, MPI_Status array_of_statuses[])
{
    *flag = test_all(count, array_of_requests);
    for (int i = 0; i < count && *flag; i++)
        look_at(request_of_handle(array_of_requests[i]),
                status_at(array_of_statuses, i));
    return 0;
}

int oriel_request_get_status_any(int count, const MPI_Request array_of_requests[],
                                 int *index, int *flag, MPI_Status *status)
{
    int found = test_any(count, array_of_requests);
    *flag = found != NONE_COMPLETE;
    *index = found < 0 ? MPI_UNDEFINED : found;
    if (*flag)
        look_at(found < 0 ? NULL : request_of_handle(array_of_requests[found]), status);
    return 0;
}

int oriel_request_get_status_some(int incount, const MPI_Request array_of_requests[],
                                  int *outcount, int array_of_indices[],
                                  MPI_Status array_of_statuses[])
{
    int number = 0;
    test_all(incount, array_of_requests); // one that stays complete ends no progress
    int found = find_complete(incount, array_of_requests);
    for (int i = 0; i < incount && found >= 0; i++) {
        struct request *request = request_of_handle(array_of_requests[i]);
        if (!request_is_active(request) || !request_is_complete(request))
            continue;
        look_at(request, status_at(array_of_statuses, number));
        array_of_indices[number++] = i;
    }
    *outcount = found == NONE_ACTIVE ? MPI_UNDEFINED : number;
    return 0;
}
