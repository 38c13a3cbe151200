// SPDX-License-Identifier: BSD-3-Clause
// window: what an RMA window is: its memory, what it knows of its members, which
// accesses its open epoch allows, and the locks that protect its memory.
//
// Glossary
//   member       process of the window's group; its descriptor, struct member, has place,
//                size, unit and key of its memory
//   memory       of a member: what it exposes in the window
//   target       a member as the destination of an operation
//   peer         what this process keeps of a target; made on first use
//   epoch        MPI-4.1 12.5: the period in which accesses are allowed
//   lock record  the locks of a local member, in the segment
//   attachment   memory that a member has attached to a dynamic window, whose memory
//                begins at address 0 and has bytes only where something is attached
//   stripe       lock of the elements whose offsets have the same hash
#pragma once

#include "window/epoch.h"
#include "window/member_table.h"

// Bits of window->traits. The fast forms of a call (sync/inline.h) may run if no trait is
// set that matters to it.
enum trait {
    TRAIT_THREADS = 1 << 0,  // MPI_THREAD_MULTIPLE: epochs change under the guard
    TRAIT_NODES = 1 << 1,    // spans nodes: an origin may wait for a lock elsewhere
    TRAIT_NO_LOCKS = 1 << 2, // the hint: MPI_Win_lock_all looks at all members' memory
    TRAIT_SHOWN =
        1 << 3, // the program may load from local peers' memory and store there:
                // MPI_Win_lock_all takes all their locks
    TRAIT_WATCHED = 1 << 4, // ORIEL_CHECK=races: each call tells what it does
    LOCK_TRAITS = TRAIT_THREADS | TRAIT_NODES |
                  TRAIT_WATCHED, // matter to locks of single targets
    LOCK_ALL_TRAITS = LOCK_TRAITS | TRAIT_NO_LOCKS | TRAIT_SHOWN,
};

struct window {
    struct object object;
    struct epoch epoch;
    _Atomic(uint32_t) traits;  // enum trait
    _Atomic(bool) guard;       // see window_guard
    int size_of_group;         // = comm->size
    int flavor;                // MPI_WIN_FLAVOR_*
    int model;                 // MPI_WIN_UNIFIED
    bool is_ordered;           // hint: accumulates to one location keep their order
    bool is_mapped;            // local peers reach the own memory by loads and stores
    struct peer *self;         // this process as a target; &nobody before it is one
    struct communicator *comm; // private: over the members of the program's
    struct peers {
        struct peer **buckets; // by rank, a power of two
        unsigned bucket_count, count;
        _Atomic(struct peer *) first;
        const struct peer_owner *owner; // a window may outlast struct windows
    } peers;
    struct member_table members;        // of the whole group; rows in the segment
    struct local_member *local_members; // [comm->node_size], in the segment
    struct lock_record *lock_records; // likewise, in memory of `comm`, as what follows
    struct watched_window *watched;   // ORIEL_CHECK=races, or NULL
    _Atomic(uint64_t) *lock_clocks; // the same: in the segment, see window_lock_clocks
    void *base;                     // own memory
    MPI_Aint size;
    MPI_Aint unit;
    struct shared_pages shared; // of the own memory, which the program has brought
    int unit_attribute;         // `unit` as MPI_WIN_DISP_UNIT shows it
    void *allocation;           // memory to be given back with the window, or NULL
    struct {
        struct attachment *list; // in the segment
        size_t room;
    } attached;               // MPI_WIN_FLAVOR_DYNAMIC: the own memory
    struct net_region region; // of the own memory, if spans_nodes and size > 0
    bool has_region;
    struct distant_lock
        *distant_locks;        // of origins on other nodes, in order of tickets
    struct neighbours origins; // while exposed
    struct early_notice *early_notices; // of processes that are not yet peers
    _Atomic(struct info *) info;        // hints that have been given, or NULL
    struct window *next_open;           // of process.windows->open
    _Atomic(char *) name;               // see object_set_name
};

// Kinds of messages.
enum {
    MESSAGE_LOCK = COLLECTIVE_NEXT_KIND, // lock request, operations under the lock
    MESSAGE_GRANT,                       // a lock request was granted, or not
    MESSAGE_UNLOCK,                      // lock release
    MESSAGE_NOTICE,                      // a process has posted or completed
    MESSAGE_LAST, // the last operations of an origin, and the notice of completion
    WINDOW_NEXT_KIND
};

// Functions of rma: its state of each peer, and operations that travel with messages of
// synchronisation.
struct peer_owner {
    // Chooses the means and makes the traffic (MPI_ERR_NO_MEM).
    int (*open)(const struct window *window, struct peer *peer);
    void (*close)(struct peer *peer);
    // Sends the operations that are aggregated, if any are. It and the following are
    // called with the message lock held.
    int (*send)(struct peer *peer);
    // At the target: carries a batch out, or, with an error, does not, and sends the
    // answer, behind the grant if there is one.
    void (*serve)(int source, const void *request, size_t bytes, int error,
                  const struct sync_head *grant);
    message_handler *answered; // at the origin: takes an answer
};

// State of this layer for the process; guarded by the message lock.
struct windows {
    struct window *open;           // all that are
    struct kept_memory *kept;      // freed by the program, but still in use by windows
    bool has_kept;                 // ever
    _Atomic(int) asked_locks;      // of other nodes, wanted and not answered yet
    _Atomic(struct peer *) wanted; // whose lock has not been asked for yet, or NULL
    const struct peer_owner *peer_owner;
    bool watches_forks; // for shared pages
    int fork_pipe[2];   // by which a child says that it has its copies; -1: none
};
// After messages_start; MPI_ERR_NO_MEM.
int windows_start(const struct peer_owner *owner);
void windows_stop(void);

// Has the window any of these traits?
static inline bool window_has(const struct window *window, enum trait traits)
{
    return (atomic_load_explicit(&window->traits, memory_order_relaxed) & traits) != 0;
}

static inline void window_set_trait(struct window *window, enum trait trait,
                                    bool is_set)
{
    if (is_set)
        atomic_fetch_or_explicit(&window->traits, trait, memory_order_relaxed);
    else
        atomic_fetch_and_explicit(&window->traits, ~(uint32_t)trait,
                                  memory_order_relaxed);
}

// Whether the descriptors, the peers with their locks and the state of the epoch agree. No
// other thread is within a call on the window.
bool window_is_valid(const struct window *window);
// For assertions where a call on the window begins or ends: one of another thread may be
// half done.
static inline bool window_is_settled(const struct window *window)
{
    return window_has(window, TRAIT_THREADS) || window_is_valid(window);
}

// The descriptor of a rank.
struct member window_member(const struct window *window, int rank);

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
int window_admit(struct window *window, int rank, struct peer **peer);
// The same; the current target has been admitted already. `rank` is not MPI_PROC_NULL.
static inline int window_target(struct window *window, int rank, struct peer **peer)
{
    const struct peer *current = epoch_current(&window->epoch);
    if (unlikely(current->rank != rank))
        return window_admit(window, rank, peer);
    *peer = (struct peer *)current; // not nobody, so not constant
    return 0;
}

// The open epoch in words: "a lock_all epoch is open".
const char *window_epoch(const struct window *window);

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
// The address at `offset` of memory that begins at `base` here. That of a dynamic
// window may begin anywhere, so the sum may wrap.
static inline char *exposed_at(const void *base, uint64_t offset)
{
    return (char *)((uintptr_t)base + offset);
}
// The other way round.
static inline uint64_t offset_from(const void *base, const void *address)
{
    return (uint64_t)(uintptr_t)address - (uint64_t)(uintptr_t)base;
}

// An attachment of which nothing is mapped here; no bytes: none is known.
struct unmapped_attachment {
    uint64_t version; // of the list
    uint64_t address, bytes;
};
// What is attached without a gap and mapped here, see peer_is_found.
struct found_attachment {
    uint64_t version;        // of the list
    uint64_t address, bytes; // in the owner's process; no bytes: nothing is
    char *memory;            // the same here
    struct unmapped_attachment unmapped;
};
// 0 if all of these bytes of the owner's process are attached now, MPI_ERR_RMA_RANGE if
// not (the caller says more), MPI_ERR_PROC_ABORTED if the owner has died. *found: what
// is found around them, if that has them all; else it has no bytes, and may have the
// attachment that they begin in. May be NULL.
int attachments_check(const struct attachments *attached, uint64_t address,
                      uint64_t bytes, struct found_attachment *found);
// The fast forms use what is found from now on, or nothing if it has no bytes.
void peer_keep_found(struct peer *peer, const struct found_attachment *found);

// ---- locks --------------------------------------------------------------------
// Asks for the lock of a target whose state is LOCK_ASKED, when all that this process has
// asked for before are answered. On this node the call returns with the lock held, or with
// MPI_ERR_RMA_CONFLICT if the target is exposed; that of another node is wanted.
int peer_lock(struct window *window, struct peer *peer);
// Gives the lock back; the operations that it protected have been completed.
int peer_unlock(struct window *window, struct peer *peer);

// What goes in front of the operations that are sent to the peer now: the kind of the
// message, or 0 for none. Callers of this and the following hold the message lock.
int peer_sync_head(const struct peer *peer, struct sync_head *head);
// It has been sent.
void peer_sync_sent(struct peer *peer);
// Ends the epoch towards a target of another node, or one that waits for this origin:
// sends what is aggregated, and with it the release of the lock or the notice of
// completion. Errors come again when the lock is awaited or given back.
void peer_part(struct peer *peer);
// Has the peer been told? Once.
static inline bool peer_take_parted(struct peer *peer)
{
    bool has_parted = peer->has_parted;
    peer->has_parted = false;
    return has_parted;
}

// Has this process asked for locks that are not answered yet?
static inline bool locks_are_asked(void)
{
    return atomic_load_explicit(&process.windows->asked_locks, memory_order_relaxed) >
           0;
}
// Waits until all locks that this process has asked for are answered. A process takes
// several locks one after the other, so that processes with the same order never wait
// for each other.
int locks_await_answers(void);
// Waits until a lock that was asked for is held. MPI_ERR_RMA_SYNC when refused,
// MPI_ERR_RMA_CONFLICT when the target was exposed; that lasts until the epoch ends.
int peer_await_answer(struct peer *peer);
static inline int peer_await_lock(struct peer *peer)
{
    return likely(peer_lock_state(peer) < LOCK_WANTED) ? 0 : peer_await_answer(peer);
}
// Is the lock that of another node, and not held yet? Then batches go with the request or
// after it, and remote accesses await it.
static inline bool peer_is_asked_for(const struct peer *peer)
{
    int state = peer_lock_state(peer);
    return unlikely(state == LOCK_WANTED || state == LOCK_SENT);
}
// Waits until an operation may be started, while another thread takes the lock.
// Errors as above.
int peer_await_access(struct peer *peer);

// What its holders have done, of a lock on this node (ORIEL_CHECK=races).
static inline struct lock_clocks window_lock_clocks(const struct window *window,
                                                    int node_rank)
{
    size_t size = (size_t)process.boot->size;
    _Atomic(uint64_t) *clocks =
        window->lock_clocks + LOCK_CLOCKS * size * (size_t)node_rank;
    return (struct lock_clocks){.shared = clocks,
                                .exclusive = clocks + size,
                                .updates = clocks + 2 * size,
                                .flushes = clocks + 3 * size};
}

// The lock record of this member.
static inline struct lock_record *window_own_lock_record(const struct window *window)
{
    return &window->lock_records[window->comm->node_rank];
}
static inline bool window_is_exposed(const struct window *window)
{
    return atomic_load_explicit(&window_own_lock_record(window)->is_exposed,
                                memory_order_relaxed);
}
// Is this member locked by a process that has not begun to unlock it? A lock of another
// node may have been given back by a message that is still under way.
bool window_is_locked(struct window *window);
// MPI_ERR_RMA_CONFLICT if one of these members on this node, by node rank, is exposed.
int window_check_exposed(const struct window *window, int first, int end);

// Explains a wait for the lock of a peer on another node, which is the argument.
wait_explainer grant_explain;

// ---- notices ------------------------------------------------------------------
int peer_notify(const struct window *window, const struct peer *peer, enum notice kind);
// Counts what came from processes before they became peers. Callers hold the guard.
void window_count_early(struct window *window);
// Explains a wait for the notice.
void notice_explain(const struct peer *peer, enum notice kind,
                    struct explanation *explanation);
// Waits until the peer has posted for the epoch that this process has started.
int peer_await_post(struct peer *peer);
