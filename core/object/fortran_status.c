// SPDX-License-Identifier: BSD-3-Clause
// Statuses of C and Fortran (MPI-4.1 19.3.5): all have the same layout.
#include <oriel_core.h>

#include <string.h>

_Static_assert(sizeof(MPI_F08_status) == sizeof(MPI_Status) &&
                   MPI_F_STATUS_SIZE * sizeof(MPI_Fint) == sizeof(MPI_Status),
               "statuses are copied as they are");

static int status_copy(const void *from, void *to)
{
    memcpy(to, from, sizeof(MPI_Status));
    return MPI_SUCCESS;
}

int oriel_status_c2f(const MPI_Status *c_status, MPI_Fint *f_status)
{
    return status_copy(c_status, f_status);
}

int oriel_status_f2c(const MPI_Fint *f_status, MPI_Status *c_status)
{
    return status_copy(f_status, c_status);
}

int oriel_status_c2f08(const MPI_Status *c_status, MPI_F08_status *f08_status)
{
    return status_copy(c_status, f08_status);
}

int oriel_status_f082c(const MPI_F08_status *f08_status, MPI_Status *c_status)
{
    return status_copy(f08_status, c_status);
}

int oriel_status_f2f08(const MPI_Fint *f_status, MPI_F08_status *f08_status)
{
    return status_copy(f_status, f08_status);
}

int oriel_status_f082f(const MPI_F08_status *f08_status, MPI_Fint *f_status)
{
    return status_copy(f08_status, f_status);
}
