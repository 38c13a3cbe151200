// SPDX-License-Identifier: BSD-3-Clause
// message: active messages between any two processes of the job, over shm inside a node
// and net between nodes, and the progress engine that runs their handlers.
//
// Glossary
//   kind        which handler a message is for; each kind is owned by one upper layer
//   handler     runs at the target inside message_progress, with the message lock held;
//               it may send (message_send never blocks) but must not wait
//   progress    receiving and handling what has come; done by every blocked call, and by
//               the progress thread when the process computes
//   message lock  guards net, rings and everything that handlers touch
#pragma once

#include "boot/boot.h"
#include "net/net.h"
#include "shm/shm.h"

// One row per kind; the owner registers its handler when it starts.
enum message_kind {
    MESSAGE_ADDRESSES,  // message: table of network addresses, at start-up
    MESSAGE_EAGER,      // pt2pt: a message with all its data
    MESSAGE_OFFER,      // pt2pt: a large message is ready to be fetched
    MESSAGE_FETCHED,    // pt2pt: a large message has been fetched
    MESSAGE_PULL,       // pt2pt: send the data of an offer as parts
    MESSAGE_PART,       // pt2pt: a part of a large message
    MESSAGE_LOCK,       // sync: lock request
    MESSAGE_GRANT,      // sync: a lock request was granted
    MESSAGE_UNLOCK,     // sync: lock release
    MESSAGE_RMA,        // rma: an operation that the target carries out
    MESSAGE_RMA_REPLY,  // rma: its result or acknowledgement
    MESSAGE_KINDS
};

enum { MESSAGE_MAX = 8000 }; // bytes of head and body together

// `source` is the rank of the sender in the job.
typedef void message_handler(int source, const void *message, size_t bytes);

int messages_start(struct messages **messages); // uses process.boot, .shm; opens .net
void messages_stop(struct messages *messages);
void message_register(enum message_kind kind, message_handler *handler);

// Sends head and body as one message to a rank of the job (the process itself too). The
// bytes are copied or sent before the call returns; what a full ring or a busy network
// does not take now is queued here and sent by later progress. Order between two
// processes is kept. Callers hold the message lock.
int message_send(int rank, enum message_kind kind, const void *head, size_t head_bytes,
                 const void *body, size_t body_bytes);

// The message lock; recursive calls are errors. Under MPI_THREAD_SINGLE without a
// progress thread it costs two plain stores.
void message_lock(void);
void message_unlock(void);

// Receives, handles and completes what there is; returns how many events. The message
// lock is held by the caller (message_poll) or taken if free (message_progress).
int message_poll(void);
int message_progress(void);

// Returns when done(argument) is true; makes progress meanwhile, spins briefly, then
// yields, then sleeps until a message comes. done() is called with the message lock held
// and must be cheap. MPI_ERR_PROC_ABORTED when a peer of this node has died.
int message_wait(bool (*done)(void *argument), void *argument);

// One step of waiting for a word in shared memory that another process of the node will
// change: makes progress and gives the core away after a while. Start with *spins = 0
// and call it in a loop around the test. Nonzero when a peer of the node has died.
int message_backoff(unsigned *spins);

// Makes sure that operations which this process must serve while it computes are served
// from now on: starts the progress thread if options allow and it is not yet running.
int message_serve(void);
