// SPDX-License-Identifier: BSD-3-Clause
// The state of the progress engine and the functions that drive it.
#pragma once

#include "message/queue.h"
#include "message/seal.h"

#include <pthread.h>

enum {
    MESSAGE_ADDRESS_QUESTION,
    MESSAGE_ADDRESSES,
    MESSAGE_DEATH,
    MESSAGE_ECHO,
    MESSAGE_INQUIRY,
    MESSAGE_HELPED, // the sender has copied the last bytes of a joint copy
    MESSAGE_BUNDLE, // messages that have left together
    MESSAGE_TOUCH,  // asks the owner of memory that cannot be read, as it seems
    MESSAGE_OWN_KINDS
};
_Static_assert((int)MESSAGE_OWN_KINDS == (int)MESSAGE_NEXT_KIND,
               "kinds of upper layers follow");

struct backlog {
    struct message_queue queue;
    int next; // 1 + rank of the next backlog that is not empty, 0 for none
};

struct progress_thread {
    pthread_t handle;
    _Atomic(uint32_t) naps; // futex word: 1 while it naps or pauses
    _Atomic(bool) is_running;
    uint64_t nap, pause;    // how long the next one lasts
    uint64_t patience, end; // how long it polls in vain, and until when it does now
};

// A joint copy that this process has begun; without `ended` there is none.
struct joint {
    joint_ended *ended;
    void *argument;
    struct joint_name name;
    int helper; // node_rank
};

enum { BUNDLE_MAX = 32 << 10 };

// Messages of a burst, which leave together: see bundle.c.
struct bundle {
    uint32_t kinds;          // a bit for each that may join
    int rank;                // where they go, and all messages of the burst
    uint32_t burst;          // messages since the last poll
    uint64_t limit;          // time until when a poll follows on a short one
    bool has_kept;           // some of them for a while
    int trust;               // that a poll follows soon
    _Atomic(bool) *has_left; // of the upper layer
    size_t handled; // bytes of a bundle that has come, of which the rest is deferred
    size_t bytes;   // of those that wait now
    _Alignas(8) char data[BUNDLE_MAX];
};

struct waiter; // see wait.c
struct long_wait;
struct inquiry;

struct messages {
    _Atomic(uint32_t) lock;          // futex word, see progress.c
    bool has_threads;                // the lock is needed
    bool is_crowded;                 // the machine: more processes of the job than CPUs
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
    bool is_waking, must_wake;       // see message_wake
    _Atomic(bool) has_sleepers;      // there are such
    _Atomic(uint64_t) program_polls; // how often the program has polled for itself
    _Atomic(bool) shares_core;       // with a local peer, when that was last looked at
    _Atomic(uint64_t) next_look; // for deaths, if looks stay in vain; 0: none is yet
    message_handler *handlers[MESSAGE_KINDS]; // NULL: of no registered kind
    uint32_t can_fail;                        // a bit for each kind
    message_follower *follower;               // NULL: none
    struct message_queue early; // came before their handler was registered
    struct joint joints[JOINT_COPIES];
    struct backlog *backlogs;      // [size of the job]
    int first_backlog;             // 1 + rank
    _Atomic(bool) network_is_busy; // some backlog goes to another node
    _Atomic(uint32_t) waiting;     // enum messages_waiting

    struct secret secret;    // of the job
    struct seals seals;      // that follow from it
    struct numbers *numbers; // [size of the job]; NULL in a job of one node

    struct {
        struct long_wait *first;
        uint32_t number; // that was given last
    } waits;
    struct inquiry *inquiry;                      // under way, or NULL
    uint32_t inquiries;                           // that have begun
    awaited_explainer *explainers[AWAITED_KINDS]; // of upper layers
    holdings_teller *tell_holdings;

    // Another process, of this node or the leader of the next.
    struct {
        _Atomic(int) descriptor; // readable when it has ended, or -1
        int rank;
        char host[NET_HOST_MAX]; // internet address; empty for a local peer
        uint64_t refused;        // when it has refused its lifeline, 0: it has not
    } watched;
    _Atomic(bool) death_is_told; // to tools

    struct progress_thread node_thread, network_thread;
    _Atomic(bool) is_stopping;
    int wakeup; // eventfd that ends the network thread's sleep, or -1
    _Atomic(bool) network_thread_sleeps; // or is about to
    uint64_t sleep_end;                  // program_polls that end its sleep

    struct bundle bundle;
};

// ---- send.c
// Does somebody wait for a message of this kind?
static inline bool message_must_arrive(const struct messages *messages, int kind)
{
    return !(messages->can_fail & UINT32_C(1) << kind);
}
// Handles messages that came before their handler was registered, if it is now; returns
// how many.
int deliver_early(struct messages *messages);
// Sends what rings and network take now; returns how many messages.
int backlogs_send(struct messages *messages);
// Notes whether some message waits. Callers hold the message lock.
static inline void waiting_set(struct messages *messages, enum messages_waiting what,
                               bool is_waiting)
{
    uint32_t others = atomic_load_explicit(&messages->waiting, memory_order_relaxed) &
                      ~(uint32_t)what;
    atomic_store(&messages->waiting, is_waiting ? others | (uint32_t)what : others);
}
// Receive messages, from shm, net or a bundle; false when the message is deferred.
bool deliver_from_node(int node_rank, uint16_t kind, const void *message, size_t bytes);
bool deliver_from_network(const void *message, size_t bytes);
bool deliver_message(int source, int kind, const void *message, size_t bytes);

// ---- bundle.c
// Keeps a message of a burst, to a rank of another node, if it may: it leaves with others.
bool bundle_take(struct messages *messages, int rank, int kind, const void *head,
                 size_t head_bytes, const void *body, size_t body_bytes);
// Sends the bundle, which is not empty.
void bundle_leave(struct messages *messages);
// Ends a burst by a poll, so that its bundle leaves; returns how many have left.
int burst_end(struct messages *messages, bool is_progress_thread);
// Handles the messages of a bundle that has come. False when one of them is deferred: the
// bundle is to be handed over once more.
bool bundle_deliver(struct messages *messages, int source, const char *bundle,
                    size_t bytes);

// ---- progress.c
enum { POLL_MAX = 64 }; // messages of one sender per poll
int poll_once(struct messages *messages, bool is_progress_thread);
// Tells tools of a sleep that has begun at `start` and ends now.
static inline void raise_sleep(enum event event, uint64_t start)
{
    if (event_is_wanted(event))
        event_raise(event, (MPI_Count[]){(MPI_Count)(clock_nanoseconds() - start)});
}

// ---- joint.c
void joints_start(void);

// ---- progress_thread.c
int network_thread_start(struct messages *messages);
void progress_threads_stop(struct messages *messages);
// A backlog has begun, or the program polls for itself.
void network_thread_wake(struct messages *messages);
// The program is about to sleep and leaves the network to its progress thread.
void network_thread_rouse(struct messages *messages);
