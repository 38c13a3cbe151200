// SPDX-License-Identifier: BSD-3-Clause
// Common to the calls that wait for or test arrays of requests. An array may hold null
// and inactive requests, as the program gave it.
#pragma once

#include "pt2pt/pt2pt.h"

// Explains a wait for a request.
void request_explain(const struct request *request, struct explanation *explanation);
bool are_complete(int count, const MPI_Request requests[]);
// The index of the first active request that is complete, or one of these.
enum { NONE_ACTIVE = -1, NONE_COMPLETE = -2 };
int find_complete(int count, const MPI_Request requests[]);

// Each completes requests for the program and returns what the call returns; statuses
// may be MPI_STATUSES_IGNORE. If one has failed, all statuses get an error class and the
// result is MPI_ERR_IN_STATUS.
// All are complete.
int finish_all(int count, MPI_Request requests[], MPI_Status statuses[]);
// The result of find_complete, which is not NONE_COMPLETE.
int finish_one(MPI_Request requests[], int found, int *index, MPI_Status *status);
// Those that are complete; their number is MPI_UNDEFINED if none is active.
int finish_complete(int count, MPI_Request requests[], int *outcount, int indices[],
                    MPI_Status statuses[]);

static inline MPI_Status *status_at(MPI_Status statuses[], int index)
{
    return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[index];
}
