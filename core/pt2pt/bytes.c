// SPDX-License-Identifier: BSD-3-Clause
// Blocking transfers of bytes on the collective channel, for the algorithms of
// collective/.
#include "pt2pt/transfer.h"

// Takes no memory, so that a short message fails for no member alone.
static int carry_out_bytes(struct transfer_parameters parameters)
{
    parameters.channel = CHANNEL_COLLECTIVE;
    return transfer_carry_out(&parameters, NULL, MPI_STATUS_IGNORE);
}

int pt2pt_send(struct communicator *comm, const void *bytes, size_t size,
               int destination, int tag)
{
    return carry_out_bytes(
        send_parameters(bytes, (MPI_Count)size, type_byte(), destination, tag, comm));
}

int pt2pt_receive(struct communicator *comm, void *bytes, size_t size, int source,
                  int tag)
{
    return carry_out_bytes(
        receive_parameters(bytes, (MPI_Count)size, type_byte(), source, tag, comm));
}
