// SPDX-License-Identifier: BSD-3-Clause
// MPI_Send and its modes, blocking, nonblocking and persistent (MPI-4.1 3.2.1, 3.4,
// 3.7.2, 3.9). A short message, unless it is synchronous, has left with the call, or has
// joined those of a burst.
// MPI_Rsend is MPI_Send, since a posted receive saves nothing.
#include "pt2pt/transfer.h"

#include <oriel_core.h>

static inline __attribute__((always_inline)) int
send_bytes(const struct transfer_parameters *parameters, int kind, const void *data,
           size_t bytes)
{
    message_lock();
    int err = parameters_send(parameters, kind, data, bytes);
    message_unlock();
    return err;
}

static __attribute__((noinline)) int
send_packed(const struct transfer_parameters *parameters, int kind, size_t bytes)
{
    char packed[EAGER_MAX];
    datatype_pack(parameters->type, parameters->count, parameters->buffer, packed);
    return send_bytes(parameters, kind, packed, bytes);
}

static inline __attribute__((always_inline)) int
send_at_once(const struct transfer_parameters *parameters, int kind)
{
    size_t bytes = (size_t)(parameters->count * parameters->type->size);
    return likely(parameters->type->is_contiguous)
               ? send_bytes(parameters, kind, parameters->buffer, bytes)
               : send_packed(parameters, kind, bytes);
}

// A sender waits while the receiver takes less than it sends, lest memory runs out.
static inline int send_and_wait(const struct transfer_parameters *parameters)
{
    if (!parameters_leave_at_once(parameters))
        return send_carry_out(parameters);
    if (races_are_checked())
        transfer_use_buffer(parameters, NULL);
    int err = send_at_once(parameters, MESSAGE_EAGER);
    return err ? err
               : message_wait_for_backlog(
                     comm_job_rank(parameters->comm, parameters->rank));
}

// A nonblocking sender makes progress, if much waits, and looks whether the receiver has
// died. What has joined a bundle leaves before its request is complete.
static __attribute__((noinline)) int help_on(uint32_t waiting, struct request **request)
{
    if (!(waiting & MESSAGES_CLOGGED)) {
        *request = &request_leaving;
        return 0;
    }
    message_progress_and_yield();
    return message_looked(false);
}

static inline __attribute__((always_inline)) int
start_send(const struct transfer_parameters *parameters, struct request **request)
{
    if (!parameters_leave_at_once(parameters) ||
        races_are_checked()) // it is told of the wait
        return transfer_start(parameters, NULL, request);
    int err = send_at_once(parameters, MESSAGE_EAGER_IN_BURST);
    if (err)
        return err;
    *request = &request_done;
    uint32_t waiting = message_waiting();
    return likely(waiting == 0) ? 0 : help_on(waiting, request);
}

static inline struct transfer_parameters
synchronous_parameters(const void *buf, MPI_Count count, struct datatype *datatype,
                       int dest, int tag, struct communicator *comm)
{
    struct transfer_parameters parameters =
        send_parameters(buf, count, datatype, dest, tag, comm);
    parameters.is_synchronous = true;
    return parameters;
}

// ---- blocking

int oriel_send(const void *buf, MPI_Count count, struct datatype *datatype, int dest,
               int tag, struct communicator *comm)
{
    struct transfer_parameters parameters =
        send_parameters(buf, count, datatype, dest, tag, comm);
    return send_and_wait(&parameters);
}

int oriel_rsend(const void *buf, MPI_Count count, struct datatype *datatype, int dest,
                int tag, struct communicator *comm)
{
    struct transfer_parameters parameters =
        send_parameters(buf, count, datatype, dest, tag, comm);
    return send_and_wait(&parameters);
}

int oriel_ssend(const void *buf, MPI_Count count, struct datatype *datatype, int dest,
                int tag, struct communicator *comm)
{
    struct transfer_parameters parameters =
        synchronous_parameters(buf, count, datatype, dest, tag, comm);
    return send_and_wait(&parameters);
}

int oriel_bsend(const void *buf, MPI_Count count, struct datatype *datatype, int dest,
                int tag, struct communicator *comm)
{
    struct transfer_parameters parameters =
        send_parameters(buf, count, datatype, dest, tag, comm);
    return buffered_send(&parameters);
}

// ---- nonblocking

int oriel_isend(const void *buf, MPI_Count count, struct datatype *datatype, int dest,
                int tag, struct communicator *comm, struct request **request)
{
    struct transfer_parameters parameters =
        send_parameters(buf, count, datatype, dest, tag, comm);
    return start_send(&parameters, request);
}

int oriel_irsend(const void *buf, MPI_Count count, struct datatype *datatype, int dest,
                 int tag, struct communicator *comm, struct request **request)
{
    struct transfer_parameters parameters =
        send_parameters(buf, count, datatype, dest, tag, comm);
    return start_send(&parameters, request);
}

int oriel_issend(const void *buf, MPI_Count count, struct datatype *datatype, int dest,
                 int tag, struct communicator *comm, struct request **request)
{
    struct transfer_parameters parameters =
        synchronous_parameters(buf, count, datatype, dest, tag, comm);
    return start_send(&parameters, request);
}

int oriel_ibsend(const void *buf, MPI_Count count, struct datatype *datatype, int dest,
                 int tag, struct communicator *comm, struct request **request)
{
    struct transfer_parameters parameters =
        send_parameters(buf, count, datatype, dest, tag, comm);
    int err = buffered_send(&parameters);
    if (!err)
        *request = &request_done;
    return err;
}

// ---- persistent

int oriel_send_init(const void *buf, MPI_Count count, struct datatype *datatype,
                    int dest, int tag, struct communicator *comm,
                    struct request **request)
{
    struct transfer_parameters parameters =
        send_parameters(buf, count, datatype, dest, tag, comm);
    return transfer_make_persistent(&parameters, request);
}

int oriel_rsend_init(const void *buf, MPI_Count count, struct datatype *datatype,
                     int dest, int tag, struct communicator *comm,
                     struct request **request)
{
    struct transfer_parameters parameters =
        send_parameters(buf, count, datatype, dest, tag, comm);
    return transfer_make_persistent(&parameters, request);
}

int oriel_ssend_init(const void *buf, MPI_Count count, struct datatype *datatype,
                     int dest, int tag, struct communicator *comm,
                     struct request **request)
{
    struct transfer_parameters parameters =
        synchronous_parameters(buf, count, datatype, dest, tag, comm);
    return transfer_make_persistent(&parameters, request);
}

int oriel_bsend_init(const void *buf, MPI_Count count, struct datatype *datatype,
                     int dest, int tag, struct communicator *comm,
                     struct request **request)
{
    struct transfer_parameters parameters =
        send_parameters(buf, count, datatype, dest, tag, comm);
    parameters.is_buffered = true;
    return transfer_make_persistent(&parameters, request);
}
