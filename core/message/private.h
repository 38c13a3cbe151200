// SPDX-License-Identifier: BSD-3-Clause
// Private to message: the state of the progress engine.
#pragma once

#include "message/message.h"

#include <pthread.h>

enum { MESSAGE_ADDRESSES, MESSAGE_DEATH, MESSAGE_ECHO, MESSAGE_OWN_KINDS };
_Static_assert((int)MESSAGE_OWN_KINDS == (int)MESSAGE_NEXT_KIND,
               "kinds of upper layers follow");

// A message that waits: for its handler to be registered, or to be sent.
struct queued_message {
    struct queued_message *next;
    int rank; // its source or its destination
    int kind;
    size_t bytes;
    _Alignas(8) char data[];
};

struct message_queue {
    struct queued_message *first, *last;
    size_t count;
};

struct backlog {
    struct message_queue queue;
    int next; // 1 + rank of the next backlog that is not empty, 0 for none
};

// A message on its way between nodes. The seal is a hash, under the secret of the job,
// of the destination and all that follows, so that only processes of the job can make
// one. Numbers grow, so that each is taken once and no hash is made of the same twice.
struct sealed {
    uint64_t seal;
    uint64_t number;
    uint32_t source;
    uint32_t kind;
    char message[MESSAGE_MAX];
};
enum { SEALED_HEAD = offsetof(struct sealed, message), SEAL_KEYS = 128 };

// The last messages between this process and one of another node.
struct numbers {
    uint64_t sent, taken;
};

struct progress_thread {
    pthread_t handle;
    _Atomic(uint32_t) naps; // futex word: 1 while it naps or pauses
    _Atomic(bool) is_running;
    uint64_t nap, pause;    // how long the next one lasts
    uint64_t patience, end; // how long it polls in vain, and until when it does now
};

struct waiter; // see wait.c

struct messages {
    pthread_mutex_t lock;
    bool has_threads;                // the lock is needed
    _Atomic(int) lock_waiters;       // threads that wait for it
    struct spare *spares;            // see queue.c
    uint32_t spares_used;            // a bit for each
    bool is_deferred;                // the message that is being handled
    _Atomic(bool) is_starved;        // since the last poll something waits for memory
    bool has_doubt;                  // whether messages are lost: see gaps.c
    uint64_t next_echo;              // earliest time
    bool has_poller;                 // a thread waits and polls for the others,
    struct waiter *resting;          // which rest
    struct waiter *sleeping;         // threads that sleep on the doorbell
    _Atomic(bool) has_sleepers;      // there are such
    _Atomic(uint64_t) program_polls; // how often the program has polled for itself
    _Atomic(bool) shares_core;       // with a local peer, when that was last looked at
    _Atomic(uint64_t) next_look; // for deaths, if looks stay in vain; 0: none is yet
    message_handler *handlers[MESSAGE_KINDS]; // NULL: of no registered kind
    uint32_t can_fail;                        // a bit for each kind
    message_follower *follower;               // NULL: none
    struct message_queue early;    // came before their handler was registered
    struct backlog *backlogs;      // [size of the job]
    int first_backlog;             // 1 + rank
    _Atomic(bool) network_is_busy; // some backlog goes to another node
    _Atomic(bool) is_clogged;      // some backlog is long

    struct address_book *book;     // while addresses are exchanged
    struct secret secret;          // of the job
    uint64_t seal_keys[SEAL_KEYS]; // that follow from it
    struct numbers *numbers;       // [size of the job]; NULL in a job of one node

    // Another process, of this node or the leader of the next.
    struct {
        _Atomic(int) descriptor; // readable when it has ended, or -1
        int rank;
        char host[NET_HOST_MAX]; // internet address; empty for a local peer
    } watched;
    _Atomic(bool) death_is_told; // to tools

    struct progress_thread node_thread, network_thread;
    _Atomic(bool) is_stopping;
    int wakeup; // eventfd that ends the network thread's sleep, or -1
};

// ---- queue.c
int spares_start(struct messages *messages); // MPI_ERR_NO_MEM
void spares_stop(struct messages *messages);
// Are there enough for what any handler sends?
bool spares_suffice(const struct messages *messages);
// Adds a copy of `what`, whose bytes are those of head and body.
int queue_add(struct messages *messages, struct message_queue *queue,
              const struct queued_message *what, const void *head, const void *body,
              size_t body_bytes);
void queue_drop_first(struct messages *messages, struct message_queue *queue);
void queue_clear(struct messages *messages, struct message_queue *queue);

// ---- gaps.c
void gaps_start(void);
// To be called while there is doubt: asks whether messages have been lost. Callers hold
// the message lock.
void gaps_look(struct messages *messages);

// ---- send.c
// Does somebody wait for a message of this kind?
static inline bool message_must_arrive(const struct messages *messages, int kind)
{
    return !(messages->can_fail & UINT32_C(1) << kind);
}
// Those that came before their handler was there, if it is now; how many.
int deliver_early(struct messages *messages);
// Sends what rings and network take now; returns how many messages.
int backlogs_send(struct messages *messages);
// What shm and net hand over; false when it has been deferred.
bool deliver_from_node(int node_rank, uint16_t kind, const void *message, size_t bytes);
bool deliver_from_network(const void *message, size_t bytes);

// ---- seal.c
// From now on messages are sealed under this secret.
void seals_start(struct messages *messages, const struct secret *secret);
// Seals a message to a rank of another node; returns its bytes.
size_t message_seal(struct messages *messages, int rank, int kind, const void *head,
                    size_t head_bytes, const void *body, size_t body_bytes,
                    struct sealed *sealed);
// Has a process of another node sent it to this one, and is it newer than those taken?
bool seal_is_good(const struct messages *messages, const struct sealed *sealed,
                  size_t bytes);

// ---- addresses.c
// The descriptor of a node holds its choice of a secret and its leader's address and
// lifeline as text. A leader needs the descriptors of all nodes, a local peer that of
// the first.
enum { NODE_DESCRIPTOR_MAX = SHM_DESCRIPTOR_MAX + 32 + 5 + 2 * NET_ADDRESS_MAX + 5 };
void node_descriptor_write(const struct net *net, const struct secret *secret,
                           int lifeline, char *text, size_t text_size);
int node_descriptors_read(struct messages *messages);
// Connects every process with those on other nodes.
int addresses_exchange(struct messages *messages);
// The lifeline of the node's leader, see net_lifeline_take.
int node_lifeline_take(int node, char host[NET_HOST_MAX]);

// ---- deaths.c
// In a job of several nodes: begins to watch a process, of which all have attached.
void deaths_watch(struct messages *messages);
// The watched process may have ended.
void deaths_look(struct messages *messages);
// MPI_ERR_PROC_ABORTED if it is this process that has died.
int deaths_check(int rank);

// ---- progress.c
int poll_once(struct messages *messages, bool is_progress_thread);
// Tells tools of a sleep that has begun at `start` and ends now.
static inline void raise_sleep(enum event event, uint64_t start)
{
    if (event_is_wanted(event))
        event_raise(event, (MPI_Count[]){(MPI_Count)(clock_nanoseconds() - start)});
}

// ---- progress_thread.c
int network_thread_start(struct messages *messages);
void progress_threads_stop(struct messages *messages);
// The program is about to sleep and leaves the network to its progress thread.
void network_thread_rouse(struct messages *messages);
