// SPDX-License-Identifier: BSD-3-Clause
// A member, the descriptor that all members have of one, and a peer, the state that
// this process keeps of one.
#pragma once

#include "window/lock_record.h"
#include "window/sync_head.h"

#include <assert.h>

struct means;        // of rma: how operations get at a peer's memory
struct peer_traffic; // of rma: what is under way to a peer

// The part of a member's memory that is shared pages, which local peers map.
struct shared_part {
    uint64_t begin, bytes; // of the memory; no bytes: none
    uint64_t offset;       // in the segment
};

// Where a member has its memory, which is known on its node alone.
struct local_member {
    uint64_t place;            // offset in the segment or address in its process
    bool is_in_segment;        // `place` is an offset
    struct shared_part shared; // if that is not all
};

// The descriptor of a member.
struct member {
    uint64_t size;             // bytes
    uint64_t unit;             // displacement unit in bytes
    struct net_remote net;     // for other nodes
    uint32_t handle;           // of its window object, so that messages can name it
    int32_t node_rank;         // of local peers: index of lock_records
    struct local_member local; // likewise
};

enum lock_state {
    LOCK_NONE,
    LOCK_HELD,
    LOCK_UNCHECKED, // MPI_MODE_NOCHECK: the program knows that nothing conflicts
    LOCK_WANTED,    // to be asked for by the message that has the first operations
    LOCK_SENT,      // the request is under way
    LOCK_ASKED,     // a thread is taking it, or about to want it
    LOCK_REFUSED,   // the target has freed the window
    LOCK_EXPOSED,   // the target did not, for its memory is exposed by MPI_Win_post
};

// Notices between the neighbours of general active target epochs.
enum notice {
    NOTICE_POST,     // to origins: may access me now
    NOTICE_COMPLETE, // to targets: my accesses are complete
    NOTICES
};

struct peer {
    int rank;      // in the window
    char *address; // where its memory begins in this process, or would if only a
                   // part of it is mapped; NULL if none is. Of a dynamic window:
                   // where address 0 of the peer's process would be
    char *base;    // the same, or, if accesses are watched, the address, which then
                   // is NULL, since the fast forms of calls would not tell
    MPI_Aint begin, end; // of the bytes that are mapped
    MPI_Aint unit;
    uint64_t word_places; // offsets from `begin` on at which 8 bytes are mapped
    int job_rank;
    int lock_type;     // MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE when locked
    _Atomic(int) lock; // enum lock_state
    bool is_asked;     // a request for the lock is under way
    bool is_parting;   // what is sent now is the last of the epoch,
    bool has_parted;   // and the target has been told
    const struct window *window;
    const struct member *member;
    struct {
        _Atomic(uint32_t) came;
        uint32_t expected;
    } notices[NOTICES];              // from the peer, since the window was opened
    bool is_target;                  // ACCESS_START: member of the group
    struct lock_record *lock_record; // NULL: on another node
    const struct means *means;       // chosen when the peer is made
    const struct means *watched;  // accesses are watched: that which they have; or NULL
    struct peer_traffic *traffic; // NULL: operations are complete when they return
    const struct attachments *attached; // of a dynamic window, on this node; else NULL
    uint64_t found;                     // of `attached`: the version of which something
                                        // is mapped; NOTHING_FOUND: of none
    struct peer *next;                  // of all peers
    struct peer *next_in_bucket;        // of those with the same hash
};

extern const struct peer nobody; // MPI_PROC_NULL; its lock record is never free
// Stands for a target whose memory is mapped only as long as it is found attached. No
// bytes of it are, and it has the rank of nobody.
extern const struct peer attached_target;

static const uint64_t NOTHING_FOUND = UINT64_MAX; // no version

// The members of a group that was given to MPI_Win_start or MPI_Win_post.
struct neighbours {
    struct peer **members;
    int count;
    int done; // origins at the front that have completed
};

// ---- what of the peer's memory is mapped
// What a search has found attached and mapped of a dynamic window is so as long as the
// list has the same version. The target changes that before it detaches anything
// (attachments.c). An access that happens after the detach, however the processes have
// synchronized, loads the new version, for loads of one word never go back; so it
// searches, and fails. Loads and stores of the memory come after the acquiring load of
// the version. One that a program starts while its target detaches may still come
// through, as if it had been earlier.
static inline bool peer_is_found(const struct peer *peer)
{
    return atomic_load_explicit(&peer->attached->version, memory_order_acquire) ==
           peer->found;
}

static inline bool peer_is_mapped_for_good(const struct peer *peer)
{
    return peer->attached == NULL && peer->base != NULL;
}

// ---- the lock of the peer's memory --------------------------------------------
static inline int peer_lock_state(const struct peer *peer)
{
    return atomic_load_explicit(&peer->lock, memory_order_acquire);
}

static inline void peer_set_lock_state(struct peer *peer, enum lock_state state)
{
    atomic_store_explicit(&peer->lock, state, memory_order_release);
}

// Marks the lock as wanted; the caller asks for it unless it is unchecked.
static inline void peer_want_lock(struct peer *peer, int type, bool is_unchecked)
{
    assert(peer_lock_state(peer) == LOCK_NONE);
    peer->lock_type = type;
    peer_set_lock_state(peer, is_unchecked ? LOCK_UNCHECKED : LOCK_ASKED);
}

// The request for a lock that is wanted is under way.
static inline void peer_set_sent(struct peer *peer)
{
    assert(peer_lock_state(peer) == LOCK_WANTED && !peer->is_asked);
    peer->is_asked = true;
    peer_set_lock_state(peer, LOCK_SENT);
}

// The answer has come, perhaps after the wait for it has failed.
static inline void peer_set_answered(struct peer *peer, int error)
{
    peer->is_asked = false;
    if (peer_lock_state(peer) == LOCK_SENT)
        peer_set_lock_state(peer, error == 0                      ? LOCK_HELD
                                  : error == MPI_ERR_RMA_CONFLICT ? LOCK_EXPOSED
                                                                  : LOCK_REFUSED);
}

// The lock record of a peer on this node has let this process in.
static inline void peer_hold_lock(struct peer *peer, int type)
{
    peer->lock_type = type;
    peer_set_lock_state(peer, LOCK_HELD);
}

// Gives the lock of a peer on this node back.
static inline void peer_leave_lock(struct peer *peer)
{
    assert(peer_lock_state(peer) == LOCK_HELD);
    lock_record_leave(peer->lock_record, peer->lock_type);
    peer_set_lock_state(peer, LOCK_NONE);
}

// ---- notices ------------------------------------------------------------------
// One more is to come.
static inline void peer_expect_notice(struct peer *peer, enum notice kind)
{
    peer->notices[kind].expected++;
}

static inline void peer_count_notice(struct peer *peer, enum notice kind)
{
    atomic_fetch_add_explicit(&peer->notices[kind].came, 1, memory_order_release);
}

// Have all notices come that were expected?
static inline bool peer_has_notice(const struct peer *peer, enum notice kind)
{
    uint32_t came =
        atomic_load_explicit(&peer->notices[kind].came, memory_order_acquire);
    return (int32_t)(came - peer->notices[kind].expected) >= 0;
}
