// SPDX-License-Identifier: BSD-3-Clause
// Transfers, from their start to their end.
#pragma once

#include "pt2pt/match.h"

enum {
    EAGER_MAX = MESSAGE_MAX - sizeof(struct envelope), // to any process
    PART_MAX = 8192, // bytes of data in one part of an eager message: whole cache lines
    CHUNK = 64 * 1024, // bytes of a get; two are under way at once
};

struct transfer_parameters {
    struct communicator *comm;
    void *buffer; // holds or takes `count` elements of `type`
    MPI_Count count;
    struct datatype *type;
    int rank; // destination or source
    int tag;
    enum channel channel;
    bool is_send, is_synchronous, is_buffered;
    bool is_awaited; // a send whose call waits for its end
};

static inline struct transfer_parameters
send_parameters(const void *buffer, MPI_Count count, struct datatype *type,
                int destination, int tag, struct communicator *comm)
{
    return (struct transfer_parameters){.comm = comm,
                                        .buffer = (void *)buffer,
                                        .count = count,
                                        .type = type,
                                        .rank = destination,
                                        .tag = tag,
                                        .channel = CHANNEL_USER,
                                        .is_send = true};
}

static inline struct transfer_parameters
receive_parameters(void *buffer, MPI_Count count, struct datatype *type, int source,
                   int tag, struct communicator *comm)
{
    return (struct transfer_parameters){.comm = comm,
                                        .buffer = buffer,
                                        .count = count,
                                        .type = type,
                                        .rank = source,
                                        .tag = tag,
                                        .channel = CHANNEL_USER};
}

// Bytes of data in the buffer; MPI_ERR_COUNT when they are more than there can be.
int parameters_bytes(const struct transfer_parameters *parameters, size_t *bytes);

static inline struct datatype *type_byte(void)
{
    return handle_object(KIND_DATATYPE, (uintptr_t)MPI_BYTE);
}

// ORIEL_CHECK=races: before the message is sent.
void transfer_order(const struct transfer_parameters *parameters);
// The same when the program begins it: its buffer is in use until the request is complete
// or, without one, while the call lasts. The message lock is free.
void transfer_use_buffer(const struct transfer_parameters *parameters,
                         const struct request *request);

struct transfer {
    struct request request; // source, tag and bytes are those of the message
    struct transfer_parameters parameters;
    struct bucket *bucket;            // of a receive that is posted
    struct transfer *next;            // among the posted receives of its bucket
    uint64_t number;                  // of its posting
    void (*ended)(struct transfer *); // called when it is complete, or NULL
    void *part_of;                    // what `ended` is to go on with
    uint64_t bytes;                   // that are sent, or fit
    char *data;                       // the bytes, in the buffer or packed
    char *packed;                     // NULL when the type is contiguous
    int peer;                         // rank in the job, of a receive once matched
    uint32_t id;                      // 0 while it has no name on the wire
    uint32_t sender;                  // id of the send that is received
    uint64_t wanted, asked, received; // of a message that comes in fragments
    struct remote_read *read;         // of its data, that is under way, or NULL
    struct exposed_data *exposed;     // of a send whose receiver may read it, or NULL
    uint64_t length;                  // of the message that has come
    bool is_joint;                    // a receive whose sender helps with the copy
    struct joint_name joint;          // which copy that is
};

// Sets up a transfer in the caller's memory, with memory to pack what has gaps
// (MPI_ERR_COUNT, MPI_ERR_NO_MEM); transfer_clear gives back what it owns.
int transfer_init(struct transfer *transfer,
                  const struct transfer_parameters *parameters);
void transfer_clear(struct transfer *transfer);
// The same in memory of its own, which goes with the last reference.
int transfer_make(const struct transfer_parameters *parameters, struct transfer **made);
// Packs what is to be sent, if that is needed.
void transfer_pack(struct transfer *transfer);
// Sends or posts it, with the message lock held. On an error it has not begun.
int transfer_begin(struct transfer *transfer);
static inline struct envelope envelope_of(const struct transfer_parameters *parameters,
                                          uint64_t bytes)
{
    return (struct envelope){.context = parameters->comm->context,
                             .bytes = bytes,
                             .source = parameters->comm->rank,
                             .tag = parameters->tag,
                             .channel = (uint8_t)parameters->channel};
}

// Is it a send that has left with the call, and so needs no transfer?
static inline bool
parameters_leave_at_once(const struct transfer_parameters *parameters)
{
    return !parameters->is_synchronous && parameters->rank != MPI_PROC_NULL &&
           parameters->count <= EAGER_MAX &&
           parameters->type->size <= EAGER_MAX && // the product is small too
           parameters->count * parameters->type->size <= EAGER_MAX;
}
// Sends its data, which have been packed if they had gaps, in an eager message of this
// kind. The message lock is held.
static inline int parameters_send(const struct transfer_parameters *parameters,
                                  int kind, const void *data, size_t bytes)
{
    struct envelope envelope = envelope_of(parameters, bytes);
    if (races_are_checked())
        transfer_order(parameters);
    return message_send(comm_job_rank(parameters->comm, parameters->rank), kind,
                        &envelope, sizeof envelope, data, bytes);
}

// For programs: blocking, nonblocking, persistent. A receive may be of a message that
// has been taken before; *taken is NULL afterwards.
int transfer_carry_out(const struct transfer_parameters *parameters,
                       struct unexpected **taken, MPI_Status *status);
// The same for a send; is_awaited need not be set.
int send_carry_out(const struct transfer_parameters *parameters);
int transfer_start(const struct transfer_parameters *parameters,
                   struct unexpected **taken, struct request **request);
int transfer_make_persistent(const struct transfer_parameters *parameters,
                             struct request **request);

// Ends a transfer, which may be gone afterwards.
void transfer_end(struct transfer *transfer, int error);
// Hides a transfer from messages that still come. The network does not write to its
// memory any more.
void transfer_hide(struct transfer *transfer);

// Explains a wait for a message of these parameters that has not come, and one for a
// transfer.
void parameters_explain(const struct transfer_parameters *parameters,
                        struct explanation *explanation);
void transfer_explain_request(const struct request *request,
                              struct explanation *explanation);

// MPI_Cancel.
int transfer_cancel(struct request *request);

// ---- ids
int transfer_name(struct transfer *transfer); // gives it an id; MPI_ERR_NO_MEM
void transfer_forget(struct transfer *transfer);
// The transfer that an id from the wire names, if it is one of this kind with this
// peer.
struct transfer *transfer_of(uint32_t id, bool is_send, int peer);

// ---- buffered sends (MPI-4.1 3.6)
// Sends from a copy in the attached buffer; MPI_ERR_BUFFER when there is no room.
int buffered_send(const struct transfer_parameters *parameters);
