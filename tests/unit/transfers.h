// SPDX-License-Identifier: BSD-3-Clause
// Transfers of bytes in the world, for the tests of pt2pt.
#pragma once

#include "collective_job.h"
#include "pt2pt/transfer.h"

static inline struct transfer *send_start(enum channel channel, const void *buffer,
                                          MPI_Count bytes, int to, int tag)
{
    struct transfer *transfer;
    message_lock();
    CHECK(pt2pt_begin_send(process.world, channel, buffer, bytes, type_of(MPI_BYTE), to,
                           tag, &transfer) == 0);
    message_unlock();
    return transfer;
}

static inline struct transfer *receive_start(enum channel channel, void *buffer,
                                             MPI_Count bytes, int from, int tag)
{
    struct transfer *transfer;
    message_lock();
    CHECK(pt2pt_begin_receive(process.world, channel, buffer, bytes, type_of(MPI_BYTE),
                              from, tag, &transfer) == 0);
    message_unlock();
    return transfer;
}

static inline int transfer_finish(struct transfer *transfer, MPI_Status *status)
{
    if (transfer == NULL)
        return 0; // a short message has left
    int err = request_wait(&transfer->request);
    if (!err)
        return pt2pt_end(transfer, status);
    message_lock();
    pt2pt_abandon(transfer);
    message_unlock();
    return err;
}
