// SPDX-License-Identifier: BSD-3-Clause
// Calls that wait for requests (MPI-4.1 3.7.3, 3.7.5). Null and inactive requests count
// as complete, with an empty status.
#include "pt2pt/requests.h"

#include <oriel_core.h>

static bool is_one_request_complete(void *argument)
{
    return request_is_complete(argument);
}

static void explain_one_request(const void *request, struct explanation *explanation)
{
    request_explain(request, explanation);
}

int request_wait(struct request *request)
{
    return request_is_complete(request)
               ? 0
               : message_wait(is_one_request_complete, request, explain_one_request);
}

int oriel_wait(MPI_Request *request, MPI_Status *status)
{
    struct request *waited = request_of_handle(*request);
    if (!request_is_active(waited)) {
        status_set_empty(status);
        return 0;
    }
    int err = request_wait(waited);
    if (err)
        return err;
    return request_finish(waited, request, status);
}

// The state of a wait for an array of requests.
struct waited {
    const MPI_Request *requests;
    int count;
    int next; // all before it are complete, or none is
};

static bool are_all_complete(void *argument)
{
    struct waited *waited = argument;
    for (; waited->next < waited->count; waited->next++) {
        const struct request *request =
            request_of_handle(waited->requests[waited->next]);
        if (request_is_active(request) && !request_is_complete(request))
            return false;
    }
    return true;
}

static bool is_one_complete(void *argument)
{
    struct waited *waited = argument;
    waited->next = find_complete(waited->count, waited->requests);
    return waited->next != NONE_COMPLETE;
}

static void explain_active(const struct waited *waited, struct explanation *explanation)
{
    for (int i = 0; i < waited->count; i++) {
        const struct request *request = request_of_handle(waited->requests[i]);
        if (request_is_active(request))
            request_explain(request, explanation);
    }
}

static void explain_all(const void *argument, struct explanation *explanation)
{
    explain_active(argument, explanation);
}

static void explain_any(const void *argument, struct explanation *explanation)
{
    explanation->is_any = true;
    explain_active(argument, explanation);
}

int oriel_waitall(int count, MPI_Request array_of_requests[],
                  MPI_Status array_of_statuses[])
{
    struct waited waited = {array_of_requests, count, 0};
    int err = are_all_complete(&waited)
                  ? 0
                  : message_wait(are_all_complete, &waited, explain_all);
    return err ? err : finish_all(count, array_of_requests, array_of_statuses);
}

int oriel_waitany(int count, MPI_Request array_of_requests[], int *index,
                  MPI_Status *status)
{
    struct waited waited = {array_of_requests, count, 0};
    int err = is_one_complete(&waited)
                  ? 0
                  : message_wait(is_one_complete, &waited, explain_any);
    if (err)
        return err;
    return finish_one(array_of_requests, waited.next, index, status);
}

int oriel_waitsome(int incount, MPI_Request array_of_requests[], int *outcount,
                   int array_of_indices[], MPI_Status array_of_statuses[])
{
    struct waited waited = {array_of_requests, incount, 0};
    int err = is_one_complete(&waited)
                  ? 0
                  : message_wait(is_one_complete, &waited, explain_any);
    if (err)
        return err;
    return finish_complete(incount, array_of_requests, outcount, array_of_indices,
                           array_of_statuses);
}
