// SPDX-License-Identifier: BSD-3-Clause
// Calls that test requests (MPI-4.1 3.7.3, 3.7.5, 3.7.6). They make progress once if
// needed. Null and inactive requests count as complete, with an empty status.
#include "pt2pt/requests.h"

#include <oriel_core.h>

// Whether the request is complete, after progress if needed. MPI_ERR_PROC_ABORTED when a
// local peer has died, after many tests in vain; the request goes on.
static int request_test(const struct request *request, int *flag)
{
    if (!request_is_complete(request))
        message_progress_and_yield();
    *flag = request_is_complete(request);
    return message_looked(*flag);
}

static int test_all(int count, const MPI_Request requests[], int *flag)
{
    if (!are_complete(count, requests))
        message_progress_and_yield();
    *flag = are_complete(count, requests);
    return message_looked(*flag);
}

static int test_any(int count, const MPI_Request requests[], int *found)
{
    *found = find_complete(count, requests);
    if (*found == NONE_COMPLETE) {
        message_progress_and_yield();
        *found = find_complete(count, requests);
    }
    return message_looked(*found != NONE_COMPLETE);
}

// ---- tests that complete requests

int oriel_test(MPI_Request *request, int *flag, MPI_Status *status)
{
    struct request *tested = request_of_handle(*request);
    *flag = true;
    if (!request_is_active(tested)) {
        status_set_empty(status);
        return 0;
    }
    int err = request_test(tested, flag);
    return *flag ? request_finish(tested, request, status) : err;
}

int oriel_testall(int count, MPI_Request array_of_requests[], int *flag,
                  MPI_Status array_of_statuses[])
{
    int err = test_all(count, array_of_requests, flag);
    return *flag ? finish_all(count, array_of_requests, array_of_statuses) : err;
}

int oriel_testany(int count, MPI_Request array_of_requests[], int *index, int *flag,
                  MPI_Status *status)
{
    int found;
    int err = test_any(count, array_of_requests, &found);
    *flag = found != NONE_COMPLETE;
    if (*flag)
        return finish_one(array_of_requests, found, index, status);
    *index = MPI_UNDEFINED;
    return err;
}

int oriel_testsome(int incount, MPI_Request array_of_requests[], int *outcount,
                   int array_of_indices[], MPI_Status array_of_statuses[])
{
    int found;
    int err = test_any(incount, array_of_requests, &found);
    int finish_err = finish_complete(incount, array_of_requests, outcount,
                                     array_of_indices, array_of_statuses);
    return err ? err : finish_err;
}

// ---- looks that leave requests as they are

int oriel_request_get_status(struct request *request, int *flag, MPI_Status *status)
{
    *flag = true;
    int err = request_is_active(request) ? request_test(request, flag) : 0;
    if (*flag)
        request_look(request, status);
    return err;
}

int oriel_request_get_status_all(int count, const MPI_Request array_of_requests[],
                                 int *flag, MPI_Status array_of_statuses[])
{
    int err = test_all(count, array_of_requests, flag);
    for (int i = 0; i < count && *flag; i++)
        request_look(request_of_handle(array_of_requests[i]),
                     status_at(array_of_statuses, i));
    return err;
}

int oriel_request_get_status_any(int count, const MPI_Request array_of_requests[],
                                 int *index, int *flag, MPI_Status *status)
{
    int found;
    int err = test_any(count, array_of_requests, &found);
    *flag = found != NONE_COMPLETE;
    *index = found < 0 ? MPI_UNDEFINED : found;
    if (*flag)
        request_look(found < 0 ? NULL : request_of_handle(array_of_requests[found]),
                     status);
    return err;
}

int oriel_request_get_status_some(int incount, const MPI_Request array_of_requests[],
                                  int *outcount, int array_of_indices[],
                                  MPI_Status array_of_statuses[])
{
    int number = 0;
    if (!are_complete(incount, array_of_requests)) // also while some stay complete
        message_progress_and_yield();
    int found = find_complete(incount, array_of_requests);
    for (int i = 0; i < incount && found >= 0; i++) {
        struct request *request = request_of_handle(array_of_requests[i]);
        if (!request_is_active(request) || !request_is_complete(request))
            continue;
        request_look(request, status_at(array_of_statuses, number));
        array_of_indices[number++] = i;
    }
    *outcount = found == NONE_ACTIVE ? MPI_UNDEFINED : number;
    return message_looked(found != NONE_COMPLETE);
}
