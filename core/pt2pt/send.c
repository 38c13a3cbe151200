// SPDX-License-Identifier: BSD-3-Clause
// MPI_Send and its modes, blocking, nonblocking and persistent (MPI-4.1 3.2.1, 3.4,
// 3.7.2, 3.9). A short message that nobody waits for to be received has left with the
// call. MPI_Rsend is MPI_Send: that a receive is posted saves nothing.
#include "pt2pt/private.h"

#include <oriel_core.h>

static bool leaves_at_once(const struct order *order)
{
    return !order->is_synchronous && order->rank != MPI_PROC_NULL &&
           order->count <= EAGER_MAX &&
           order->type->size <= EAGER_MAX && // the product is small too
           order->count * order->type->size <= EAGER_MAX;
}

static int send_bytes(const struct order *order, const void *data, size_t bytes)
{
    struct envelope envelope = envelope_of(order, bytes);
    message_lock();
    int err = message_send(comm_job_rank(order->comm, order->rank), MESSAGE_EAGER,
                           &envelope, sizeof envelope, data, bytes);
    message_unlock();
    return err;
}

static __attribute__((noinline)) int send_packed(const struct order *order,
                                                 size_t bytes)
{
    char packed[EAGER_MAX];
    datatype_pack(order->type, order->count, order->buffer, packed);
    return send_bytes(order, packed, bytes);
}

static int send_at_once(const struct order *order)
{
    size_t bytes = (size_t)(order->count * order->type->size);
    return likely(order->type->is_contiguous) ? send_bytes(order, order->buffer, bytes)
                                              : send_packed(order, bytes);
}

// Who sends more than the receiver takes waits, lest memory runs out.
static int send_and_wait(const struct order *order)
{
    if (!leaves_at_once(order))
        return transfer_carry_out(order, NULL, MPI_STATUS_IGNORE);
    int err = send_at_once(order);
    return err ? err
               : message_wait_for_backlog(comm_job_rank(order->comm, order->rank));
}

// Who may not wait makes progress and looks whether the receiver has died.
static int help_on(void)
{
    message_progress_and_yield();
    return message_looked(false);
}

static int start_send(const struct order *order, struct request **request)
{
    if (!leaves_at_once(order))
        return transfer_start(order, NULL, request);
    int err = send_at_once(order);
    if (!err && unlikely(message_is_clogged()))
        err = help_on();
    if (!err)
        *request = &request_done;
    return err;
}

static inline struct order synchronous_order(const void *buf, MPI_Count count,
                                             struct datatype *datatype, int dest,
                                             int tag, struct communicator *comm)
{
    struct order order = send_order(buf, count, datatype, dest, tag, comm);
    order.is_synchronous = true;
    return order;
}

// ---- blocking

int oriel_send(const void *buf, MPI_Count count, struct datatype *datatype, int dest,
               int tag, struct communicator *comm)
{
    struct order order = send_order(buf, count, datatype, dest, tag, comm);
    return send_and_wait(&order);
}

int oriel_rsend(const void *buf, MPI_Count count, struct datatype *datatype, int dest,
                int tag, struct communicator *comm)
{
    struct order order = send_order(buf, count, datatype, dest, tag, comm);
    return send_and_wait(&order);
}

int oriel_ssend(const void *buf, MPI_Count count, struct datatype *datatype, int dest,
                int tag, struct communicator *comm)
{
    struct order order = synchronous_order(buf, count, datatype, dest, tag, comm);
    return send_and_wait(&order);
}

int oriel_bsend(const void *buf, MPI_Count count, struct datatype *datatype, int dest,
                int tag, struct communicator *comm)
{
    struct order order = send_order(buf, count, datatype, dest, tag, comm);
    return buffered_send(&order);
}

// ---- nonblocking

int oriel_isend(const void *buf, MPI_Count count, struct datatype *datatype, int dest,
                int tag, struct communicator *comm, struct request **request)
{
    struct order order = send_order(buf, count, datatype, dest, tag, comm);
    return start_send(&order, request);
}

int oriel_irsend(const void *buf, MPI_Count count, struct datatype *datatype, int dest,
                 int tag, struct communicator *comm, struct request **request)
{
    struct order order = send_order(buf, count, datatype, dest, tag, comm);
    return start_send(&order, request);
}

int oriel_issend(const void *buf, MPI_Count count, struct datatype *datatype, int dest,
                 int tag, struct communicator *comm, struct request **request)
{
    struct order order = synchronous_order(buf, count, datatype, dest, tag, comm);
    return start_send(&order, request);
}

int oriel_ibsend(const void *buf, MPI_Count count, struct datatype *datatype, int dest,
                 int tag, struct communicator *comm, struct request **request)
{
    struct order order = send_order(buf, count, datatype, dest, tag, comm);
    int err = buffered_send(&order);
    if (!err)
        *request = &request_done;
    return err;
}

// ---- persistent

int oriel_send_init(const void *buf, MPI_Count count, struct datatype *datatype,
                    int dest, int tag, struct communicator *comm,
                    struct request **request)
{
    struct order order = send_order(buf, count, datatype, dest, tag, comm);
    return transfer_make_persistent(&order, request);
}

int oriel_rsend_init(const void *buf, MPI_Count count, struct datatype *datatype,
                     int dest, int tag, struct communicator *comm,
                     struct request **request)
{
    struct order order = send_order(buf, count, datatype, dest, tag, comm);
    return transfer_make_persistent(&order, request);
}

int oriel_ssend_init(const void *buf, MPI_Count count, struct datatype *datatype,
                     int dest, int tag, struct communicator *comm,
                     struct request **request)
{
    struct order order = synchronous_order(buf, count, datatype, dest, tag, comm);
    return transfer_make_persistent(&order, request);
}

int oriel_bsend_init(const void *buf, MPI_Count count, struct datatype *datatype,
                     int dest, int tag, struct communicator *comm,
                     struct request **request)
{
    struct order order = send_order(buf, count, datatype, dest, tag, comm);
    order.is_buffered = true;
    return transfer_make_persistent(&order, request);
}
