// SPDX-License-Identifier: BSD-3-Clause
// INTEGER is C's int, and a status of Fortran is C's.
#pragma once

#include "buffers.h"

typedef int fortran_integer;

static inline int to_int(fortran_integer value)
{
    return value;
}

// The status for C; `copy` is for where it must be another one.
static inline MPI_Status *status_to_c(void *status, MPI_Status *copy)
{
    (void)copy;
    return address_unless_ignored(status);
}

static inline void status_to_fortran(const MPI_Status *copy, void *status)
{
    (void)copy;
    (void)status;
}
