// SPDX-License-Identifier: BSD-3-Clause
// window: what an RMA window is: its memory, what it knows of its members, which
// accesses its open epoch allows, and the locks that protect its memory.
//
// Glossary
//   member    descriptor of a member: place, size, unit and key of its memory; the
//             table of all members lies in the segment, once per node
//   part      the memory that one member brings to the window
//   target    a member as the destination of an operation
//   peer      what this process remembers of a target; made on first use
//   epoch     MPI-4.1 12.5: the period in which accesses are allowed
//   lock record  what the segment has of the locks of a local member's part
//   attachment  memory that a member has attached to a dynamic window; its part there
//             begins at address 0 and has bytes only where something is attached
//   stripe    lock of the elements whose offsets in a part have the same hash
#pragma once

#include "collective/collective.h"

struct means;        // of rma: how operations get at a peer's memory
struct peer_traffic; // of rma: what is under way to a peer

// The descriptor of a member, which all members have and only read once the window is
// open. It travels as it is, so it has no padding.
struct member {
    uint64_t place;       // for mates: offset in the segment or address in its process
    uint64_t size;        // bytes
    uint64_t unit;        // displacement unit in bytes
    struct net_remote net; // for other nodes
    uint32_t handle;      // of its window object, so that messages can name it
    int32_t node_rank; // among the window's members on its node: index of lock_records
    int32_t error;     // error class of a member that failed to bring its part, else 0
    uint32_t is_in_segment; // `place` is an offset
};

// What a member of a dynamic window has attached, see attach.c.
struct attachments {
    _Atomic(uint64_t) version; // a seqlock: odd while the owner changes what follows
    _Atomic(uint64_t) place;   // of the sorted array of them in the segment
    _Atomic(uint64_t) count;
    uint64_t segment; // where the segment is mapped in the owner's process
};

enum { LOCK_STRIPES = 32 };

// A ticket lock for readers and writers: an origin takes a ticket and enters when it is
// served. A writer is served until it leaves; a reader serves the next at once. All
// counters wrap.
struct lock_record {
    _Alignas(CACHE_LINE) _Atomic(uint32_t) next; // ticket for who comes
    _Atomic(uint32_t) serving;                   // ticket that may enter
    _Atomic(uint32_t) entered;                   // readers that have ever entered
    _Atomic(uint32_t) left;                      // readers that have ever left
    _Atomic(uint32_t) distant; // tickets that wait on behalf of other nodes
    _Atomic(bool) is_exposed;  // the part, from MPI_Win_post to MPI_Win_wait
    struct attachments attachments;
    _Atomic(uint32_t) updater;  // who alone updates elements of the part: see updater.c
    _Atomic(uint32_t) updating; // the same while it does so without atomic instructions
    // Each protects elements that no instruction updates whole: 0, or the node rank of
    // the holder plus 1.
    _Alignas(CACHE_LINE) _Atomic(uint32_t) stripes[LOCK_STRIPES];
};

enum lock_state {
    LOCK_NONE,
    LOCK_HELD,
    LOCK_UNCHECKED, // MPI_MODE_NOCHECK: the program knows that nothing conflicts
    LOCK_ASKED,     // taken or sent for, not granted yet
    LOCK_REFUSED,   // the target has freed the window
    LOCK_EXPOSED,   // the target did not, for its part is exposed by MPI_Win_post
};

// Kinds of messages.
enum {
    MESSAGE_LOCK = COLLECTIVE_NEXT_KIND, // lock request
    MESSAGE_GRANT,                       // a lock request was granted
    MESSAGE_UNLOCK,                      // lock release
    MESSAGE_NOTICE,                      // a process has posted or completed
    WINDOW_NEXT_KIND
};

// What a process tells its neighbours of general active target epochs.
enum notice {
    NOTICE_POST,     // to origins: may access me now
    NOTICE_COMPLETE, // to targets: my accesses are complete
    NOTICES
};

struct peer {
    int rank;      // in the window
    char *address; // where its part lies in this process; NULL if it is not mapped
    uint64_t size, unit;
    uint64_t units; // whole ones in the part
    int job_rank;
    int lock_type;     // MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE when locked
    _Atomic(int) lock; // enum lock_state
    const struct member *member;
    struct {
        _Atomic(uint32_t) came;
        uint32_t expected;
    } notices[NOTICES];              // from the peer, since the window was opened
    bool is_target;                  // ACCESS_START: member of the group
    struct lock_record *lock_record; // NULL: on another node
    const struct means *means;       // chosen when the peer is made
    struct peer_traffic *traffic;    // NULL: operations are complete when they return
    struct peer *next;               // of all peers
    struct peer *next_in_bucket;     // of those with the same hash
};

// Access epoch of this process on a window (MPI-4.1 12.5).
enum access {
    ACCESS_NONE,
    ACCESS_FENCE,      // after a fence without NOSUCCEED; no operation yet
    ACCESS_FENCE_USED, // after the first operation of a fence epoch
    ACCESS_START,      // between start and complete
    ACCESS_LOCK,       // one or more targets locked
    ACCESS_LOCK_ALL,   // lock_all; a target's lock is taken when it is first used
};

// The members of a group that was given to MPI_Win_start or MPI_Win_post.
struct neighbours {
    struct peer **members;
    int count;
    int done; // origins at the front that have completed
};

struct window {
    struct object object;
    // The target used last if the open epoch allows access to it and it is mapped;
    // otherwise &nobody. So one comparison of ranks checks the epoch.
    _Atomic(const struct peer *) current;
    // In a lock_all epoch where every operation so far was complete when its call
    // returned, all ranks below this have nothing to flush; otherwise 0.
    _Atomic(int) idle_ranks;
    _Atomic(enum access) access;
    _Atomic(bool) has_pending; // operations by net or messages may be under way
    _Atomic(bool) guard;       // see window_guard
    int size_of_group;         // = comm->size
    int flavor;                // MPI_WIN_FLAVOR_*
    int model;                 // MPI_WIN_UNIFIED
    int locks;                 // ACCESS_LOCK: targets locked
    bool is_unchecked;         // ACCESS_LOCK_ALL: by MPI_MODE_NOCHECK
    bool no_locks, is_ordered; // hints
    _Atomic(bool) is_shown;    // the program may load from mates' parts and store there
    bool is_mapped;            // mates reach the own part by loads and stores
    // The target that MPI_Win_lock locked last, and this process as a target of
    // MPI_Win_lock_all, of those that quick.h may lock; &nobody before the first.
    struct peer *usual, *usual_self;
    bool spans_nodes;
    struct communicator *comm; // private duplicate of the program's
    struct peers {
        struct peer **buckets; // by rank, a power of two
        unsigned bucket_count, count;
        _Atomic(struct peer *) first;
        const struct peer_owner *owner; // a window may outlast struct windows
    } peers;
    const struct member *members;     // [size_of_group], in the segment
    struct lock_record *lock_records; // [comm->node_size], in the segment
    void *table; // the node leader's allocation of lock records and members
    void *base;  // own part
    MPI_Aint size;
    MPI_Aint unit;
    int unit_attribute; // `unit` as MPI_WIN_DISP_UNIT shows it
    void *allocation;   // memory to be given back with the window, or NULL
    struct {
        struct attachment *list; // in the segment
        size_t room;
    } attached;               // MPI_WIN_FLAVOR_DYNAMIC: the own part
    struct net_region region; // of the own part, if spans_nodes and size > 0
    bool has_region;
    struct distant_lock
        *distant_locks;        // of origins on other nodes, in order of tickets
    struct neighbours targets; // ACCESS_START
    struct neighbours origins; // while exposed
    struct early_notice *early_notices; // of processes that are not yet peers
    struct info *info;                  // hints in use
    struct window *next_open;           // of process.windows->open
    char name[MPI_MAX_OBJECT_NAME];
};

extern const struct peer nobody; // MPI_PROC_NULL; its lock record is never free

// What rma adds to each peer.
struct peer_owner {
    // Chooses the means and makes the traffic (MPI_ERR_NO_MEM).
    int (*open)(const struct window *window, struct peer *peer);
    void (*close)(struct peer *peer);
};

// What this layer keeps for the process; guarded by the message lock.
struct windows {
    struct window *open;      // all that are
    struct kept_memory *kept; // freed by the program, but still in use by windows
    bool has_kept;            // ever
    const struct peer_owner *peer_owner;
};
// After messages_start; MPI_ERR_NO_MEM.
int windows_start(const struct peer_owner *owner);
void windows_stop(void);

// ---- targets ------------------------------------------------------------------
// The peer of a rank, or NULL if it has not been touched yet. Callers hold the guard or
// the message lock.
static inline struct peer *window_find_peer(const struct window *window, int rank)
{
    const struct peers *peers = &window->peers;
    if (unlikely(peers->count == 0))
        return NULL;
    struct peer *peer = peers->buckets[(unsigned)rank & (peers->bucket_count - 1)];
    while (peer != NULL && peer->rank != rank)
        peer = peer->next_in_bucket;
    return peer;
}
// The same, made if needed (MPI_ERR_NO_MEM). Callers hold the guard.
int window_make_peer(struct window *window, int rank, struct peer **peer);
static inline int window_peer(struct window *window, int rank, struct peer **peer)
{
    *peer = window_find_peer(window, rank);
    return likely(*peer != NULL) ? 0 : window_make_peer(window, rank, peer);
}

// Is this process of the job the window's rank?
static inline bool window_has_member(const struct window *window, int rank,
                                     int job_rank)
{
    return rank >= 0 && rank < window->size_of_group &&
           comm_job_rank(window->comm, rank) == job_rank;
}

// The target of an operation: checks that the open epoch allows it (MPI_ERR_RMA_SYNC),
// takes its lock in a lock_all epoch, waits until the lock is granted, and makes it the
// current one. The caller does not hold the guard.
int window_target(struct window *window, int rank, struct peer **peer);

// The epoch is changed with the guard held, or by a call that the program makes by one
// thread at a time.
static inline enum access window_access(const struct window *window)
{
    return atomic_load_explicit(&window->access, memory_order_relaxed);
}
static inline void window_set_access(struct window *window, enum access access)
{
    atomic_store_explicit(&window->access, access, memory_order_relaxed);
}

// The open epoch in words: "a lock_all epoch is open".
const char *window_epoch(const struct window *window);

// The caller knows that the epoch allows access to the peer.
static inline void window_make_current(struct window *window, const struct peer *peer)
{
    if (peer->address != NULL)
        atomic_store_explicit(&window->current, peer, memory_order_release);
}
// An operation is under way that is no load or store; before it starts.
static inline void window_expect_pending(struct window *window)
{
    atomic_store_explicit(&window->idle_ranks, 0, memory_order_relaxed);
    atomic_store(&window->has_pending, true);
}
static inline void window_forget_current(struct window *window)
{
    atomic_store_explicit(&window->current, &nobody, memory_order_relaxed);
}

// Guards epoch state and peers against other threads of the process. Not held while
// waiting; the message lock may be taken inside, never the other way round.
void window_guard_contended(struct window *window);
static inline void window_guard(struct window *window)
{
    if (unlikely(process.thread_level == MPI_THREAD_MULTIPLE))
        window_guard_contended(window);
}
static inline void window_unguard(struct window *window)
{
    atomic_store_explicit(&window->guard, false, memory_order_release);
}

// ---- memory -------------------------------------------------------------------
// The address of what is at `offset` in a part that begins at `part` here. That of a
// dynamic window may begin anywhere, so the sum may wrap.
static inline char *exposed_at(const void *part, uint64_t offset)
{
    return (char *)((uintptr_t)part + offset);
}

// 0 if all of these bytes of the owner's process are attached now, MPI_ERR_RMA_RANGE if
// not (the caller says more), MPI_ERR_PROC_ABORTED if the owner has died.
int attachments_check(const struct attachments *attached, uint64_t address,
                      uint64_t bytes);

// ---- lock records -------------------------------------------------------------
// `next` and `left` are changed by atomic operations of anyone; `serving` and `entered`
// by plain stores of the one who is served.
static inline bool lock_record_is_served(const struct lock_record *record,
                                         uint32_t ticket, int type)
{
    if (atomic_load_explicit(&record->serving, memory_order_acquire) != ticket)
        return false;
    return type == MPI_LOCK_SHARED ||
           atomic_load_explicit(&record->left, memory_order_acquire) ==
               atomic_load_explicit(&record->entered, memory_order_relaxed);
}

static inline void lock_record_serve_next(struct lock_record *record)
{
    uint32_t ticket = atomic_load_explicit(&record->serving, memory_order_relaxed);
    atomic_store_explicit(&record->serving, ticket + 1, memory_order_release);
}

// A ticket that is served becomes a lock that is held.
static inline void lock_record_enter(struct lock_record *record, int type)
{
    if (type != MPI_LOCK_SHARED)
        return;
    uint32_t entered = atomic_load_explicit(&record->entered, memory_order_relaxed);
    atomic_store_explicit(&record->entered, entered + 1, memory_order_relaxed);
    lock_record_serve_next(record);
}

static inline void lock_record_leave(struct lock_record *record, int type)
{
    if (type == MPI_LOCK_SHARED)
        atomic_fetch_add_explicit(&record->left, 1, memory_order_release);
    else
        lock_record_serve_next(record);
}

// Takes the lock if it is free and may be taken: a ticket only if it is served at once.
static inline bool lock_record_try(struct lock_record *record, int type)
{
    uint32_t ticket = atomic_load_explicit(&record->next, memory_order_relaxed);
    if (atomic_load_explicit(&record->is_exposed, memory_order_relaxed) ||
        !lock_record_is_served(record, ticket, type) ||
        !atomic_compare_exchange_strong_explicit(&record->next, &ticket, ticket + 1,
                                                 memory_order_relaxed,
                                                 memory_order_relaxed))
        return false;
    lock_record_enter(record, type);
    return true;
}

// ---- updaters -----------------------------------------------------------------
// Whoever updates elements of a part has joined its updaters before. While there is only
// one, it need not do so by atomic instructions; afterwards all do, for good.
uint32_t updater_program(void); // of this process; 0, many by itself, with threads
uint32_t updater_target(void);  // this process on behalf of others, one at a time
void updater_join(struct lock_record *record, uint32_t updater);

// Until updater_end, nobody else updates elements of the part; false if others may.
static inline bool updater_begin_alone(struct lock_record *record, uint32_t updater)
{
    if (atomic_load_explicit(&record->updater, memory_order_relaxed) != updater)
        return false;
    atomic_store(&record->updating, updater);
    if (likely(atomic_load(&record->updater) == updater))
        return true;
    atomic_store_explicit(&record->updating, 0, memory_order_release);
    return false;
}
static inline void updater_end(struct lock_record *record)
{
    atomic_store_explicit(&record->updating, 0, memory_order_release);
}

// ---- locks --------------------------------------------------------------------
// Asks for the lock of a target whose state is LOCK_ASKED. On this node the call
// returns with the lock held, or with MPI_ERR_RMA_CONFLICT if the target is exposed; for
// another node a request is on its way.
int peer_lock(struct window *window, struct peer *peer);
// Gives the lock back; the operations that it protected have been completed.
int peer_unlock(struct window *window, struct peer *peer);

static inline int peer_lock_state(const struct peer *peer)
{
    return atomic_load_explicit(&peer->lock, memory_order_acquire);
}

// Has this process asked for locks that are not answered yet?
static inline bool locks_are_asked(void)
{
    return atomic_load_explicit(&process.asked_locks, memory_order_relaxed) > 0;
}
// Waits until all locks that this process has asked for are answered. Whoever takes
// several locks does so one after the other, so that those who keep to one order never
// wait for each other.
int locks_await_answers(void);
// Waits until a lock that was asked for is held. MPI_ERR_RMA_SYNC when refused,
// MPI_ERR_RMA_CONFLICT when the target was exposed; that lasts until the epoch ends.
int peer_await_answer(struct peer *peer);
static inline int peer_await_lock(struct peer *peer)
{
    return likely(peer_lock_state(peer) < LOCK_ASKED) ? 0 : peer_await_answer(peer);
}

// The lock record of the own part.
static inline struct lock_record *window_own_lock_record(const struct window *window)
{
    return &window->lock_records[window->comm->node_rank];
}
static inline bool window_is_exposed(const struct window *window)
{
    return atomic_load_explicit(&window_own_lock_record(window)->is_exposed,
                                memory_order_relaxed);
}
// Is the own part locked by a process that has not begun to unlock it? A lock of another
// node may have been given back by a message that is still under way.
bool window_is_locked(struct window *window);
// MPI_ERR_RMA_CONFLICT if one of these members on this node, by node rank, is exposed.
int window_check_exposed(const struct window *window, int first, int end);

// ---- notices ------------------------------------------------------------------
int peer_notify(const struct window *window, const struct peer *peer, enum notice kind);
// Counts what came from processes before they became peers. Callers hold the guard.
void window_count_early(struct window *window);
// Have all notices come that were expected?
static inline bool peer_has_notice(const struct peer *peer, enum notice kind)
{
    uint32_t came =
        atomic_load_explicit(&peer->notices[kind].came, memory_order_acquire);
    return (int32_t)(came - peer->notices[kind].expected) >= 0;
}
// Waits until the peer has posted for the epoch that this process has started.
int peer_await_post(struct peer *peer);
