// SPDX-License-Identifier: BSD-3-Clause
// Blocking transfers of bytes on the collective channel, for the algorithms of
// collective/.
#include "pt2pt/transfer.h"

int pt2pt_send(struct communicator *comm, const void *bytes, size_t size,
               int destination, int tag)
{
    struct transfer *transfer;
    int err = pt2pt_isend(comm, CHANNEL_COLLECTIVE, bytes, (MPI_Count)size, type_byte(),
                          destination, tag, &transfer);
    return err ? err : pt2pt_finish(transfer, MPI_STATUS_IGNORE);
}

int pt2pt_receive(struct communicator *comm, void *bytes, size_t size, int source,
                  int tag)
{
    struct transfer *transfer;
    int err = pt2pt_ireceive(comm, CHANNEL_COLLECTIVE, bytes, (MPI_Count)size,
                             type_byte(), source, tag, &transfer);
    return err ? err : pt2pt_finish(transfer, MPI_STATUS_IGNORE);
}

int pt2pt_exchange(struct communicator *comm, const void *out, size_t out_size,
                   int destination, void *in, size_t in_size, int source, int tag)
{
    struct transfer *receive;
    int err = pt2pt_ireceive(comm, CHANNEL_COLLECTIVE, in, (MPI_Count)in_size,
                             type_byte(), source, tag, &receive);
    if (err)
        return err;
    err = pt2pt_send(comm, out, out_size, destination, tag);
    if (err) { // what should come may never come
        message_lock();
        pt2pt_abandon(receive);
        message_unlock();
        return err;
    }
    return pt2pt_finish(receive, MPI_STATUS_IGNORE);
}
