// SPDX-License-Identifier: BSD-3-Clause
// MPI_Recv and MPI_Mrecv, blocking, nonblocking and persistent (MPI-4.1 3.2.4, 3.7.2,
// 3.8.3, 3.9).
#include "pt2pt/probe.h"
#include "pt2pt/transfer.h"

#include <oriel_core.h>

int oriel_recv(void *buf, MPI_Count count, struct datatype *datatype, int source,
               int tag, struct communicator *comm, MPI_Status *status)
{
    struct transfer_parameters parameters =
        receive_parameters(buf, count, datatype, source, tag, comm);
    return transfer_carry_out(&parameters, NULL, status);
}

int oriel_irecv(void *buf, MPI_Count count, struct datatype *datatype, int source,
                int tag, struct communicator *comm, struct request **request)
{
    struct transfer_parameters parameters =
        receive_parameters(buf, count, datatype, source, tag, comm);
    return transfer_start(&parameters, NULL, request);
}

int oriel_recv_init(void *buf, MPI_Count count, struct datatype *datatype, int source,
                    int tag, struct communicator *comm, struct request **request)
{
    struct transfer_parameters parameters =
        receive_parameters(buf, count, datatype, source, tag, comm);
    return transfer_make_persistent(&parameters, request);
}

// ---- messages that a probe has taken

// The parameters of a receive of the message; MPI_MESSAGE_NO_PROC has none.
static struct transfer_parameters message_parameters(void *buf, MPI_Count count,
                                                     struct datatype *datatype,
                                                     const struct message *message)
{
    return message->unexpected
               ? receive_parameters(buf, count, datatype, MPI_ANY_SOURCE, MPI_ANY_TAG,
                                    message->comm)
               : receive_parameters(buf, count, datatype, MPI_PROC_NULL, MPI_ANY_TAG,
                                    process.self);
}

// A message whose receive could not begin stays.
static int end_message(struct message *message, MPI_Message *handle,
                       struct communicator *comm, int err)
{
    if (err)
        raise_on(comm);
    if (message->unexpected == NULL) {
        *handle = MPI_MESSAGE_NULL;
        object_close(&message->object);
    }
    return err;
}

int oriel_mrecv(void *buf, MPI_Count count, struct datatype *datatype,
                MPI_Message *message, MPI_Status *status)
{
    struct message *taken = handle_object(KIND_MESSAGE, (uintptr_t)*message);
    struct transfer_parameters parameters =
        message_parameters(buf, count, datatype, taken);
    int err = transfer_carry_out(&parameters, &taken->unexpected, status);
    return end_message(taken, message, parameters.comm, err);
}

int oriel_imrecv(void *buf, MPI_Count count, struct datatype *datatype,
                 MPI_Message *message, struct request **request)
{
    struct message *taken = handle_object(KIND_MESSAGE, (uintptr_t)*message);
    struct transfer_parameters parameters =
        message_parameters(buf, count, datatype, taken);
    int err = transfer_start(&parameters, &taken->unexpected, request);
    return end_message(taken, message, parameters.comm, err);
}
