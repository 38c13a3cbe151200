// SPDX-License-Identifier: BSD-3-Clause
// The C side of f08_and_c.f90: a tool that counts calls, and what C sees of
// attributes and statuses.
#include <mpi.h>
#include <stdint.h>

int c_puts(void);
MPI_Aint c_integer_attribute(int win, int keyval);
int c_set_attribute(int win, int keyval, void *value);
int c_ignored(const MPI_Fint *status, const MPI_Fint *statuses);
int c_ignored_f08(const MPI_F08_status *status, const MPI_F08_status *statuses);

static int puts_seen;

int c_puts(void)
{
    return puts_seen;
}

int MPI_Put(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
            int target_rank, MPI_Aint target_disp, int target_count,
            MPI_Datatype target_datatype, MPI_Win win)
{
    puts_seen++;
    return PMPI_Put(origin_addr, origin_count, origin_datatype, target_rank,
                    target_disp, target_count, target_datatype, win);
}

// Fortran calls this where counts are of 8 bytes.
int MPI_Put_c(const void *origin_addr, MPI_Count origin_count,
              MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
              MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win)
{
    puts_seen++;
    return PMPI_Put_c(origin_addr, origin_count, origin_datatype, target_rank,
                      target_disp, target_count, target_datatype, win);
}

// C sees an attribute that Fortran has set as a pointer to an integer (MPI-4.1 19.3.7).
MPI_Aint c_integer_attribute(int win, int keyval)
{
    MPI_Aint *value;
    int flag;
    MPI_Win_get_attr((MPI_Win)(intptr_t)win, keyval, &value, &flag);
    return flag ? *value : 0;
}

int c_set_attribute(int win, int keyval, void *value)
{
    return MPI_Win_set_attr((MPI_Win)(intptr_t)win, keyval, value);
}

// Whether these are the arguments of Fortran procedures that want no statuses.
int c_ignored(const MPI_Fint *status, const MPI_Fint *statuses)
{
    return status == MPI_F_STATUS_IGNORE && statuses == MPI_F_STATUSES_IGNORE;
}

int c_ignored_f08(const MPI_F08_status *status, const MPI_F08_status *statuses)
{
    return status == MPI_F08_STATUS_IGNORE && statuses == MPI_F08_STATUSES_IGNORE;
}
