// SPDX-License-Identifier: BSD-3-Clause
// A send and a receive in one call (MPI-4.1 3.10).
#include "pt2pt/middle.h"

#include <oriel_core.h>
#include <stdlib.h>

// A request of two transfers, complete when both are; its status is that of the
// receive.
struct exchange {
    struct request request;
    struct transfer send, receive;
    int left;   // transfers that have not ended
    char *copy; // of what is sent, when the receive replaces it
};

static int exchange_result(struct request *request, MPI_Status *status)
{
    struct exchange *exchange = (struct exchange *)request;
    int send_err = exchange->send.request.error;
    if (races_are_checked())
        races_return_buffers_of(request);
    int err = request_result(&exchange->receive.request, status);
    return err ? err : send_err;
}

// Among alternatives, two of which both are needed cannot be told.
static void exchange_explain(const struct request *request,
                             struct explanation *explanation)
{
    const struct exchange *exchange = (const struct exchange *)request;
    transfer_explain(&exchange->receive, explanation);
    transfer_explain(&exchange->send, explanation);
    explanation->is_open |= explanation->is_any;
}

static const struct request_kind exchange_kind = {.result = exchange_result,
                                                  .explain = exchange_explain};

static void exchange_half_ended(struct transfer *part)
{
    struct exchange *exchange = part->part_of;
    if (--exchange->left == 0)
        request_complete(&exchange->request, 0);
}

static void exchange_destroy(struct object *object)
{
    struct exchange *exchange = (struct exchange *)object;
    transfer_clear(&exchange->send);
    transfer_clear(&exchange->receive);
    request_clear(&exchange->request);
    free(exchange->copy);
    free(exchange);
}

static int exchange_make(const struct transfer_parameters *send,
                         const struct transfer_parameters *receive, char *copy,
                         struct exchange **made)
{
    struct exchange *exchange = malloc(sizeof *exchange);
    if (exchange == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for two messages");
    int err = transfer_init(&exchange->send, send);
    if (err)
        goto free_exchange;
    err = transfer_init(&exchange->receive, receive);
    if (err)
        goto clear_send;
    request_init(&exchange->request, &exchange_kind, send->comm, exchange_destroy);
    exchange->send.ended = exchange->receive.ended = exchange_half_ended;
    exchange->send.part_of = exchange->receive.part_of = exchange;
    exchange->left = 2;
    exchange->copy = copy;
    *made = exchange;
    return 0;

clear_send:
    transfer_clear(&exchange->send);
free_exchange:
    free(exchange);
    return err;
}

// A transfer that could not begin ends with the error.
static void exchange_begin_half(struct transfer *transfer)
{
    int err = transfer_begin(transfer);
    if (err)
        transfer_end(transfer, err);
}

// ORIEL_CHECK=races: until the request is complete.
static void exchange_use_buffers(const struct exchange *exchange)
{
    const struct request *request = &exchange->request;
    if (exchange->copy == NULL)
        transfer_use_buffer(&exchange->send.parameters, request);
    transfer_use_buffer(&exchange->receive.parameters, request);
}

static void exchange_begin(struct exchange *exchange)
{
    if (races_are_checked())
        exchange_use_buffers(exchange);
    transfer_pack(&exchange->send);
    message_lock();
    exchange_begin_half(&exchange->receive);
    exchange_begin_half(&exchange->send);
    message_unlock();
}

static int exchange_and_wait(const struct transfer_parameters *send,
                             const struct transfer_parameters *receive,
                             MPI_Status *status)
{
    struct exchange *exchange = NULL;
    int err = exchange_make(send, receive, NULL, &exchange);
    if (err)
        return err;
    exchange->send.parameters.is_awaited = true;
    exchange_begin(exchange);
    err = send_wait(&exchange->send, &exchange->request);
    if (err) {
        message_lock();
        transfer_hide(&exchange->receive);
        transfer_hide(&exchange->send);
        message_unlock();
    } else {
        err = request_result(&exchange->request, status);
    }
    object_release(exchange);
    return err;
}

// Takes over `copy`, also on failure.
static int exchange_start(const struct transfer_parameters *send,
                          const struct transfer_parameters *receive, char *copy,
                          struct request **request)
{
    struct exchange *exchange = NULL;
    int err = exchange_make(send, receive, copy, &exchange);
    if (err) {
        free(copy);
        return err;
    }
    err = object_open(&exchange->request.object, KIND_REQUEST);
    if (err)
        return err;
    exchange_begin(exchange);
    *request = &exchange->request;
    return 0;
}

// ---- two buffers

int oriel_sendrecv(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype,
                   int dest, int sendtag, void *recvbuf, MPI_Count recvcount,
                   struct datatype *recvtype, int source, int recvtag,
                   struct communicator *comm, MPI_Status *status)
{
    struct transfer_parameters send =
        send_parameters(sendbuf, sendcount, sendtype, dest, sendtag, comm);
    struct transfer_parameters receive =
        receive_parameters(recvbuf, recvcount, recvtype, source, recvtag, comm);
    return exchange_and_wait(&send, &receive, status);
}

int oriel_isendrecv(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype,
                    int dest, int sendtag, void *recvbuf, MPI_Count recvcount,
                    struct datatype *recvtype, int source, int recvtag,
                    struct communicator *comm, struct request **request)
{
    struct transfer_parameters send =
        send_parameters(sendbuf, sendcount, sendtype, dest, sendtag, comm);
    struct transfer_parameters receive =
        receive_parameters(recvbuf, recvcount, recvtype, source, recvtag, comm);
    return exchange_start(&send, &receive, NULL, request);
}

// ---- one buffer: what is sent is a packed copy

static int copy_of(const struct transfer_parameters *receive, char **copy,
                   size_t *bytes)
{
    int err = parameters_bytes(receive, bytes);
    if (err)
        return err;
    *copy = malloc(*bytes + 1);
    if (*copy == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for a copy of %zu bytes", *bytes);
    datatype_pack(receive->type, receive->count, receive->buffer, *copy);
    return 0;
}

int oriel_sendrecv_replace(void *buf, MPI_Count count, struct datatype *datatype,
                           int dest, int sendtag, int source, int recvtag,
                           struct communicator *comm, MPI_Status *status)
{
    struct transfer_parameters receive =
        receive_parameters(buf, count, datatype, source, recvtag, comm);
    char *copy = NULL;
    size_t bytes = 0;
    int err = copy_of(&receive, &copy, &bytes);
    if (err)
        return err;
    struct transfer_parameters send =
        send_parameters(copy, (MPI_Count)bytes, type_byte(), dest, sendtag, comm);
    err = exchange_and_wait(&send, &receive, status);
    free(copy);
    return err;
}

int oriel_isendrecv_replace(void *buf, MPI_Count count, struct datatype *datatype,
                            int dest, int sendtag, int source, int recvtag,
                            struct communicator *comm, struct request **request)
{
    struct transfer_parameters receive =
        receive_parameters(buf, count, datatype, source, recvtag, comm);
    char *copy = NULL;
    size_t bytes = 0;
    int err = copy_of(&receive, &copy, &bytes);
    if (err)
        return err;
    struct transfer_parameters send =
        send_parameters(copy, (MPI_Count)bytes, type_byte(), dest, sendtag, comm);
    return exchange_start(&send, &receive, copy, request);
}
