// SPDX-License-Identifier: BSD-3-Clause
// Calls that read and write statuses (MPI-4.1 3.2.5, 3.8.4, 13.3).

#include "pt2pt/pt2pt.h"

#include <oriel_core.h>

int oriel_get_count(const MPI_Status *status, struct datatype *datatype,
                    MPI_Count *count)
{
    MPI_Count bytes = (MPI_Count)status_bytes(status), size = datatype->size;
    if (size > 0 && bytes % size == 0)
        *count = bytes / size;
    else
        *count = bytes == 0 ? 0 : MPI_UNDEFINED;
    return 0;
}

int oriel_test_cancelled(const MPI_Status *status, int *flag)
{
    *flag = status_is_cancelled(status);
    return 0;
}

int oriel_status_get_source(const MPI_Status *status, int *source)
{
    *source = status->MPI_SOURCE;
    return 0;
}

int oriel_status_get_tag(const MPI_Status *status, int *tag)
{
    *tag = status->MPI_TAG;
    return 0;
}

int oriel_status_get_error(const MPI_Status *status, int *err)
{
    *err = status->MPI_ERROR;
    return 0;
}

int oriel_status_set_source(MPI_Status *status, int source)
{
    status->MPI_SOURCE = source;
    return 0;
}

int oriel_status_set_tag(MPI_Status *status, int tag)
{
    status->MPI_TAG = tag;
    return 0;
}

int oriel_status_set_error(MPI_Status *status, int err)
{
    status->MPI_ERROR = err;
    return 0;
}

int oriel_status_set_cancelled(MPI_Status *status, int flag)
{
    status_set(status, status->MPI_SOURCE, status->MPI_TAG, status_bytes(status),
               flag != 0);
    return 0;
}
