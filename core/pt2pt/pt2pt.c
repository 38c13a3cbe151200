// SPDX-License-Identifier: BSD-3-Clause
// Sends and receives for the layers above.
#include "pt2pt/remote_read.h"

static int begin_new(const struct transfer_parameters *parameters,
                     struct transfer **made)
{
    struct transfer *transfer = NULL;
    int err = transfer_make(parameters, &transfer);
    if (err)
        return err;
    transfer_pack(transfer);
    err = transfer_begin(transfer);
    if (err)
        object_release(transfer);
    else
        *made = transfer;
    return err;
}

int pt2pt_begin_send(struct communicator *comm, enum channel channel,
                     const void *buffer, MPI_Count count, struct datatype *type,
                     int destination, int tag, struct transfer **transfer)
{
    struct transfer_parameters parameters =
        send_parameters(buffer, count, type, destination, tag, comm);
    parameters.channel = channel;
    *transfer = NULL;
    if (type->is_contiguous && parameters_leave_at_once(&parameters))
        return parameters_send(&parameters, MESSAGE_EAGER, buffer,
                               (size_t)(count * type->size));
    return begin_new(&parameters, transfer);
}

int pt2pt_begin_receive(struct communicator *comm, enum channel channel, void *buffer,
                        MPI_Count count, struct datatype *type, int source, int tag,
                        struct transfer **transfer)
{
    struct transfer_parameters parameters =
        receive_parameters(buffer, count, type, source, tag, comm);
    parameters.channel = channel;
    return begin_new(&parameters, transfer);
}

bool pt2pt_is_done(const struct transfer *transfer)
{
    return request_is_complete(&transfer->request);
}

int pt2pt_end(struct transfer *transfer, MPI_Status *status)
{
    int err = request_result(&transfer->request, status);
    object_release(transfer);
    return err;
}

int pt2pt_end_exactly(struct transfer *transfer)
{
    const struct request *request = &transfer->request;
    int err = request->error;
    if (!transfer->parameters.is_send && !err && request->bytes < transfer->bytes)
        err = fail(MPI_ERR_TRUNCATE,
                   "%ju bytes have come from rank %d and %ju are to be received",
                   (uintmax_t)request->bytes, request->source,
                   (uintmax_t)transfer->bytes);
    int ended = pt2pt_end(transfer, MPI_STATUS_IGNORE);
    return err ? err : ended;
}

void pt2pt_abandon(struct transfer *transfer)
{
    transfer_hide(transfer);
    object_release(transfer);
}

bool pt2pt_withdraw(struct transfer *transfer)
{
    if (transfer_is_accessed(transfer))
        return false;
    pt2pt_abandon(transfer);
    return true;
}
