// SPDX-License-Identifier: BSD-3-Clause
// INTEGER has 8 bytes, so that C gets copies of what has to be int.
#pragma once

#include "buffers.h"

#include <limits.h>

typedef int64_t fortran_integer;

enum { STATUS_INTEGERS = sizeof(MPI_Status) / sizeof(int) };

// integer8.c; also for the entry points in Fortran.
void *oriel_address_of_copy(void *argument, void *copy);
void oriel_narrow(void *argument, int64_t count, int copy[]);
void oriel_widen(const int copy[], int64_t count, void *argument);

// A number that does not fit becomes one that is no valid rank, count, size or mask.
static inline int to_int(fortran_integer value)
{
    return value == (int)value ? (int)value : INT_MIN;
}

static inline MPI_Status *status_to_c(void *status, MPI_Status *copy)
{
    oriel_narrow(status, STATUS_INTEGERS, (int *)copy);
    return oriel_address_of_copy(status, copy);
}

static inline void status_to_fortran(const MPI_Status *copy, void *status)
{
    oriel_widen((const int *)copy, STATUS_INTEGERS, status);
}
