// SPDX-License-Identifier: BSD-3-Clause
// Waits that find their request complete, inline. A function oriel_X_quick is the fast
// form of the C procedure X: it has its arguments, of which nothing is known, and is
// tried before they are checked.
#pragma once

#include "object/object.h"

// Completes the request of an operation that was done at once.
static inline bool oriel_wait_quick(MPI_Request *request, MPI_Status *status)
{
    if (unlikely(request == NULL) || request_of_handle(*request) != &request_done)
        return false;
    if (unlikely(status != MPI_STATUS_IGNORE))
        request_result(&request_done, status);
    *request = MPI_REQUEST_NULL;
    return true;
}
