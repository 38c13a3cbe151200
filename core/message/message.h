// SPDX-License-Identifier: BSD-3-Clause
// message: active messages between any two processes of the job, over shm inside a node
// and net between nodes, and the progress engine that runs their handlers.
//
// Glossary
//   kind             which handler a message is for; each kind is owned by one upper
//                    layer
//   handler          runs at the target inside message_poll, with the message lock
//                    held; it may send (message_send never blocks) but must not wait
//   progress         receiving and handling of messages; done by every blocked call,
//                    and by a progress thread while the program computes
//   progress thread  one of two: the node thread sleeps on the node's doorbell, the
//                    network thread on the network's descriptor
//   deferred         left in its ring or buffer for lack of memory, and handled later
//   loss             of a message that somebody may wait for; its process counts as
//                    dead
//   backlog          queue of messages to one rank that wait for its ring or the
//                    network
//   message lock     guards net, rings and everything that handlers touch
#pragma once

#include "boot/boot.h"
#include "message/awaited.h"
#include "net/net.h"
#include "shm/shm.h"

// A kind is a number, the same in all processes. A layer numbers its kinds in its header,
// from where those of the layer below end.
enum { MESSAGE_NEXT_KIND = 8, MESSAGE_KINDS = 32 };

// Bytes of head and body together: inside a node 8 KiB of data with what is said of them,
// to another node at most so many, since each message to it may be calls of the system.
enum {
    MESSAGE_MAX = SHM_MESSAGE_MAX,
    MESSAGE_MAX_BETWEEN_NODES = NET_MESSAGE_MAX - CACHE_LINE
};
// The most bytes of a message to this rank.
size_t message_max(int rank);

// `source` is the rank of the sender in the job; `message` is aligned to 8.
typedef void message_handler(int source, const void *message, size_t bytes);

// Makes the message lock. Needs process.thread_level.
int messages_start(void);
// Needs process.boot with its nodes, and .options. Starts process.shm and, in a job of
// several nodes, process.net, so that each process may send messages to each other.
// Collective over the job.
int messages_connect(void);
// Sends what is queued if there are connections, ends the progress threads, stops
// process.net and process.shm. The caller has made sure that no process needs this one
// any more.
void messages_stop(void);

// A kind of messages, as a layer registers it when it starts.
struct message_kind {
    int number;
    message_handler *handler;
    bool can_fail; // to send one, for lack of memory: with it fails what it begins
};
// Messages that came before their kind was registered are handled now. The caller does
// not hold the message lock.
void message_register(const struct message_kind kinds[], size_t count);
// Messages of these kinds have no effect from now on.
void message_unregister(const struct message_kind kinds[], size_t count);

// Sends head and body as one message to a rank of the job (the process itself too: it
// is handled by a later message_poll). The bytes are copied or sent before the call
// returns; what a full ring or a busy network does not take now joins the backlog,
// which later progress sends. Order between two processes is kept. Callers hold the
// message lock. MPI_ERR_NO_MEM, or the network's error. A message whose kind cannot
// fail has then been lost, which is known to all, so that handlers need not look.
int message_send(int rank, int kind, const void *head, size_t head_bytes,
                 const void *body, size_t body_bytes);

// Can messages with so many bytes together, each of SHM_PART_MIN or more but for the last
// one, be sent now without waiting? Of the network that is likely, not certain. Callers
// hold the message lock.
bool message_has_room(int rank, size_t bytes);

// Has all that was sent to a local peer come to its ring? Callers hold the message lock.
bool message_is_in_ring(int rank);
// Waits until it has. Errors as message_wait. The message lock is free.
int message_await_ring(int rank);

// More processes of the job than CPUs on this node?
bool message_is_crowded(void);

// Is there a backlog? Callers hold the message lock.
bool message_has_backlog(void);
// Which messages have been sent and wait here: those of a long backlog, or of a bundle,
// which leaves with the next poll. Callers need not hold the message lock.
enum messages_waiting { MESSAGES_CLOGGED = 1, MESSAGES_BUNDLED = 2 };
uint32_t message_waiting(void);
// From now on messages of this kind to other nodes may join a bundle. *has_left becomes
// false when one does, and true when the bundle leaves.
void message_bundle_kind(int kind, _Atomic(bool) *has_left);
// Limits a process that sends much: if a backlog is long, waits until that to this rank
// is short. Errors as message_wait. The message lock is free.
int message_wait_for_backlog(int rank);

// Defers the message, for lack of memory; called by handlers that have not done
// anything yet. It is handled again later, before all later messages of its sender.
void message_defer(void);
// Notes that something cannot go on now for lack of memory. Calls that wait for long
// fail with MPI_ERR_NO_MEM while that is so.
void message_starve(void);

// Records that a message of a process, or to it, has been lost, or that the process
// cannot do what others wait for; `why` says how. From now on waits of all processes
// end as after a death, with this class. The message lock is held.
void message_lost(int rank, int error_class, const char *why);

// Refuses a message that makes no sense; called by handlers. Refused messages are
// counted, and the first is reported.
enum { STRANGER = -1 }; // as source: no process of the job
void message_refuse(int source, const char *what);

// ---- joint copies (shm.h) -----------------------------------------------------------
// Callers of all these hold the message lock.

// Called, once, when all bytes of a joint copy are there, or with the class of an error.
typedef void joint_ended(void *argument, int error);
// Begins a joint copy with a local peer. The caller asks that for help, by a message of its
// own kind, then carries out its side by shm_joint_work, with or without the message lock,
// and calls message_joint_look. False when too many are under way.
bool message_joint_begin(int rank, uint64_t bytes, joint_ended *ended, void *argument,
                         struct joint_name *name);
// Ends the joint copies that are complete.
void message_joint_look(void);
// Gives one up: waits until the helper copies no more. `ended` is not called.
void message_joint_leave(struct joint_name name);
// The helper's side, which a local peer has asked for.
void message_joint_help(int rank, const struct joint_side *side);

// The message lock; recursive calls are errors. While the process has one thread (no
// MPI_THREAD_MULTIPLE and no progress thread) it costs a load and a branch.
void message_lock(void);
bool message_try_lock(void);         // false: another thread holds it, or this one does
bool message_lock_unless_held(void); // false: this thread holds it
void message_unlock(void);

// Function called after each poll, with the message lock held: it goes on with what the
// messages have made possible and returns how much it has done. On a progress thread it
// must not call functions of the program. NULL: none. The caller holds the message
// lock.
typedef int message_follower(bool is_progress_thread);
void message_follow(message_follower *follower);

// Receives, handles and completes what there is; returns how many events. The message
// lock is held by the caller (message_poll) or taken if free (message_progress).
int message_poll(void);
int message_progress(void);

// Handles all messages that local peers have sent before the call. MPI_ERR_NO_MEM when they
// cannot be handled for more than a tenth of a second. The message lock is free.
int message_drain(void);

// message_progress for a program that tests in vain and will soon test again: gives the
// core away when nothing has come and the node has more processes than CPUs.
void message_progress_and_yield(void);
// Notes the outcome of each test of the program. MPI_ERR_PROC_ABORTED when a process of
// the job has died and looks have been in vain for more than a tenth of a second.
int message_looked(bool has_found);

// Returns when done(argument) is true; makes progress meanwhile, spins briefly, then
// yields, then sleeps until a message comes. done() is called with the message lock
// held, after every batch of messages, and must be cheap. The condition must become
// true by a message, a network completion or another thread's message_poll.
// MPI_ERR_PROC_ABORTED when a process of the job has died and the wait takes longer
// than a tenth of a second, MPI_ERR_NO_MEM when messages cannot be handled then; done()
// was false.
// `explain` says what a wait that takes long depends on; NULL: only on messages that
// processes answer by themselves.
int message_wait(bool (*done)(void *argument), void *argument, wait_explainer *explain);
// The same for a caller that holds the message lock, which is free afterwards.
int message_wait_locked(bool (*done)(void *argument), void *argument,
                        wait_explainer *explain);

// Ends the sleep of this process's threads that wait for something that has now come
// about by a call of another thread. Callers hold the message lock.
void message_wake(void);

// One step of waiting for a word in shared memory that a local peer will change: makes
// progress and gives the core away after a while. Start with *spins = 0, call it in a
// loop around the test, and message_backoff_end behind the loop. MPI_ERR_PROC_ABORTED as
// above. The message lock is free. The process that changes such a word may call shm_ring
// to shorten the naps of a long wait. `explain` is that of message_wait.
int message_backoff(unsigned *spins, wait_explainer *explain, const void *argument);
// Ends such a wait.
void message_backoff_end(unsigned spins);

// Looks for deaths: MPI_ERR_PROC_ABORTED when a process of the job is known to have died.
// MPI_ERR_NO_MEM when messages wait for memory. The message lock is free.
int message_check_deaths(void);
// The same without a look, also with the message lock held.
int message_known_death(void);

// Has messages to this process handled while it computes: starts the node thread if
// options allow, local peers exist and it is not yet running. The caller does not hold
// the message lock; one thread at a time calls.
int message_serve(void);
// Progress threads of this process that run.
int message_threads(void);
