// SPDX-License-Identifier: BSD-3-Clause
// pt2pt: tagged messages between members of a communicator, with matching in order, and
// the calls that complete requests.
//
// Glossary
//   channel     separates a communicator's own collective traffic from its program's
//   parameters  of a transfer: buffer, count, type, rank, tag, communicator, send mode
//   transfer    one send or receive under way; begins with a request
//   eager       protocol of short messages: they are sent with their data at once,
//               longer ones in several parts
//   rendezvous  protocol of long messages: the sender asks to send (RTS), the receiver
//               gets the data, by a copy or in fragments, and says when it is done; the
//               sender helps with a long copy
//   middle      length of messages that may go by both, between local peers
#pragma once

#include "races/races.h"

// Schedules need not wait for each other, and so have a channel of their own. On the
// group channel some members of a communicator call a procedure by a tag of the
// program.
enum channel { CHANNEL_USER, CHANNEL_COLLECTIVE, CHANNEL_SCHEDULE, CHANNEL_GROUP };

// ORIEL_CHECK=races: what their messages order counts. What CHANNEL_COLLECTIVE is for is a
// meeting.
static inline bool is_ordered(unsigned channel)
{
    return channel != CHANNEL_COLLECTIVE;
}

// Kinds of messages.
enum {
    MESSAGE_EAGER = RACES_NEXT_KIND, // eager: a message with all its data
    MESSAGE_EAGER_IN_BURST,          // the same of a nonblocking send
    MESSAGE_RTS,                     // rendezvous: request to send a long message
    MESSAGE_DONE,                    // rendezvous: the receiver has all that it wants
    MESSAGE_GET,      // rendezvous: send a piece of the data in fragments
    MESSAGE_FRAGMENT, // rendezvous: a fragment of the data
    MESSAGE_CANCEL,   // a request to send is withdrawn if it is unmatched
    MESSAGE_PART,     // eager: the next part of a message that has begun
    MESSAGE_HELP,     // rendezvous: copy a part of the data to the receiver
    MESSAGE_KEEP,     // rendezvous: keep the data of a request that is unmatched
    PT2PT_NEXT_KIND
};

struct transfer; // private; lives from its beginning to pt2pt_end or pt2pt_abandon

int pt2pt_start(void);
void pt2pt_stop(void);

// Frees the buffer attached to a communicator or session that ends; NULL is allowed.
void send_buffer_free(struct send_buffer *buffer);

// Returns when the request is complete. MPI_ERR_PROC_ABORTED when a local peer has
// died; the request goes on.
int request_wait(struct request *request);

// Buffers hold `count` elements of `type`. MPI_ANY_SOURCE and MPI_ANY_TAG match anything,
// MPI_PROC_NULL completes at once. A message longer than the receive buffer gives
// MPI_ERR_TRUNCATE with both lengths, and nothing is written past the buffer. Callers hold
// the message lock and do not wait: begin, then pt2pt_is_done until it is true, then
// pt2pt_end, which gives the error and frees the transfer; or pt2pt_abandon to give the
// transfer up. A short message leaves at once, and its transfer is NULL.
int pt2pt_begin_send(struct communicator *comm, enum channel channel,
                     const void *buffer, MPI_Count count, struct datatype *type,
                     int destination, int tag, struct transfer **transfer);
int pt2pt_begin_receive(struct communicator *comm, enum channel channel, void *buffer,
                        MPI_Count count, struct datatype *type, int source, int tag,
                        struct transfer **transfer);
bool pt2pt_is_done(const struct transfer *transfer);
int pt2pt_end(struct transfer *transfer, MPI_Status *status);
// Like pt2pt_end; MPI_ERR_TRUNCATE also for a message shorter than the receive buffer.
int pt2pt_end_exactly(struct transfer *transfer);
void pt2pt_abandon(struct transfer *transfer);
// Explains a wait for it.
void transfer_explain(const struct transfer *transfer, struct explanation *explanation);
// Gives the transfer up unless another node may be accessing its memory; then it is to
// be ended once it is done, which is soon, and the call returns false.
bool pt2pt_withdraw(struct transfer *transfer);

// Blocking transfers of bytes on the collective channel, for the algorithms above.
int pt2pt_send(struct communicator *comm, const void *bytes, size_t size,
               int destination, int tag);
int pt2pt_receive(struct communicator *comm, void *bytes, size_t size, int source,
                  int tag);
