// SPDX-License-Identifier: BSD-3-Clause
// Procedures with faults that no record shows; the rest of the library is as it is.
#include <mpi.h>

#include <signal.h>
#include <stddef.h>

int MPI_Win_get_attr(MPI_Win win, int keyval, void *value, int *flag)
{
    return keyval > MPI_WIN_MODEL ? MPI_ERR_KEYVAL
                                  : PMPI_Win_get_attr(win, keyval, value, flag);
}

int MPI_Neighbor_alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype,
                          void *recvbuf, int recvcount, MPI_Datatype recvtype,
                          MPI_Comm comm)
{
    if (recvcount > 0)
        *(int *)recvbuf = 0;
    return PMPI_Neighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount,
                                  recvtype, comm);
}

int MPI_Rget(void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
             int target_rank, MPI_Aint target_disp, int target_count,
             MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request)
{
    if (target_rank == MPI_PROC_NULL)
        return MPI_ERR_RMA_SYNC;
    return PMPI_Rget(origin_addr, origin_count, origin_datatype, target_rank,
                     target_disp, target_count, target_datatype, win, request);
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message,
               MPI_Status *status)
{
    int error = PMPI_Mprobe(source, tag, comm, message, status);
    if (error == MPI_SUCCESS && status != MPI_STATUS_IGNORE)
        status->MPI_SOURCE = 0;
    return error;
}

int MPI_Info_get_string(MPI_Info info, const char *key, int *buflen, char *value,
                        int *flag)
{
    if (buflen != NULL && *buflen == 0 && value == NULL)
        return MPI_ERR_ARG;
    return PMPI_Info_get_string(info, key, buflen, value, flag);
}

int MPI_Comm_set_name(MPI_Comm comm, const char *name)
{
    if (name != NULL && *name == '\0')
        raise(SIGSEGV);
    return PMPI_Comm_set_name(comm, name);
}

int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session)
{
    int error = PMPI_Session_init(info, errhandler, session);
    if (error != MPI_SUCCESS)
        MPI_Comm_call_errhandler(MPI_COMM_SELF, error);
    return error;
}

int MPI_Get(void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
            int target_rank, MPI_Aint target_disp, int target_count,
            MPI_Datatype target_datatype, MPI_Win win)
{
    if (origin_addr == MPI_IN_PLACE)
        return MPI_SUCCESS;
    return PMPI_Get(origin_addr, origin_count, origin_datatype, target_rank,
                    target_disp, target_count, target_datatype, win);
}
