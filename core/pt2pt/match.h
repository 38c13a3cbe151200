// SPDX-License-Identifier: BSD-3-Clause
// Matching of messages and receives.
//
//   envelope            the head of a message, which is matched against receives
//   unexpected message  one that came before a matching receive was posted; it waits in
//                       the unexpected queue
//   id                  names a transfer under way on the wire: index and generation,
//                       never an address
#pragma once

#include "pt2pt/pt2pt.h"

struct transfer_parameters;
struct middle_times;

// Opens an eager message, before its data, and is all of a request to send.
struct envelope {
    uint64_t context;
    uint64_t bytes; // of the whole message
    uint64_t place; // with a request to send: address in the sender, or offset
    int32_t source; // rank in the communicator
    int32_t tag;
    uint8_t channel;        // enum channel
    uint8_t is_for_keeping; // request to send: its sender may ask to keep the data
    uint8_t is_in_segment;  // `place` is an offset in the node's segment
    uint8_t is_exposed;     // `place` is an address of the network; its key follows
    uint32_t
        sender; // id of a send that wants to know when its message is received, or 0
};

// ORIEL_CHECK=races: which clock comes with the message.
static inline struct message_key envelope_key(const struct envelope *envelope)
{
    return (struct message_key){envelope->context, envelope->channel, envelope->tag};
}

enum { EAGER_IN_PARTS_MAX = 64 * 1024 }; // bytes of a message to a local peer

// The wildcards of a receive.
enum pattern {
    PATTERN_EXACT,
    PATTERN_ANY_RANK = 1,
    PATTERN_ANY_TAG = 2,
    PATTERN_ANY = PATTERN_ANY_RANK | PATTERN_ANY_TAG,
    PATTERNS
};

struct unexpected {
    struct {
        struct unexpected *next, *previous;
    } links[PATTERNS]; // in the bucket in which receives of a pattern look for it
    int peer;          // rank in the job
    bool is_rts;
    bool is_taken; // by MPI_Mprobe or MPI_Improbe
    struct envelope envelope;
    char data[];
};

// An eager message of another process whose last parts are still to come: no other message
// of that process that is matched comes before them.
struct incoming {
    struct transfer *transfer;     // that receives it, or NULL
    struct unexpected *unexpected; // that keeps it, or NULL
    uint64_t come, bytes;          // of the message
    int peer;
    struct incoming *next; // whose peer has the same hash, or among the spare ones
};

// Posted receives of a pattern and the unexpected messages that they could match, by
// the hash of what the pattern fixes, both in order. So a receive looks into one
// bucket, a message into one for each pattern that is in use.
struct bucket {
    struct transfer *posted, *last_posted;
    struct unexpected *unexpected, *last_unexpected;
};

enum { BUCKET_BITS = 10, INCOMING_BITS = 6 };

struct matching {
    struct bucket buckets[PATTERNS][1 << BUCKET_BITS];
    size_t posted[PATTERNS]; // receives
    size_t posted_in_all;
    uint64_t postings; // so far
    struct named {     // by index of the id
        struct transfer *transfer;
        uint32_t generation;
        uint32_t next_free; // 1 + index
    } * names;
    uint32_t name_count, first_free;               // 1 + index, 0 for none
    struct incoming *incoming[1 << INCOMING_BITS]; // by the last bits of the peer
    struct incoming *spare_incoming;               // of messages that have come
    struct exposed_data *left_exposed;             // by sends that were given up
    struct send_buffer *buffer; // that the process has attached, or NULL
    struct transfer *spares;    // memory of transfers that have ended
    size_t spare_count;
    struct middle_times *middle_times; // of each local peer, or NULL
};

// Another process of this node.
static inline bool is_local_peer(int rank)
{
    const struct boot *boot = process.boot;
    return rank != boot->rank && boot_is_local(boot, rank);
}

static inline bool is_on_other_node(int rank)
{
    return !boot_is_local(process.boot, rank);
}

static inline struct incoming **incoming_bucket(int peer)
{
    unsigned last_bits = (unsigned)peer & ((1 << INCOMING_BITS) - 1);
    return &process.matching->incoming[last_bits];
}

// May the data of this request to send be kept? Where it waits unmatched is room for them.
static inline bool may_be_kept(int peer, const struct envelope *envelope)
{
    return envelope->is_for_keeping && envelope->bytes <= EAGER_IN_PARTS_MAX &&
           is_local_peer(peer);
}

// The message that comes in parts from a peer now, or NULL.
static inline struct incoming *incoming_of(int peer)
{
    struct incoming *incoming = *incoming_bucket(peer);
    while (unlikely(incoming != NULL) && incoming->peer != peer)
        incoming = incoming->next;
    return incoming;
}
// Room to note a message of the peer that comes in parts. MPI_ERR_NO_MEM.
int incoming_prepare(int peer);
// Notes it, where it is received or kept, or where it is from now on.
void incoming_begin(int peer, struct incoming incoming);
// All of it has come.
void incoming_end(struct incoming *incoming);
void incoming_free_all(void);

// Takes the first unexpected message that a receive matches; NULL: there is none, and the
// receive is posted.
struct unexpected *unexpected_take_or_post(struct transfer *transfer);
bool posted_remove(struct transfer *transfer); // false: it was not posted (any more)
struct transfer *posted_take(int peer, const struct envelope *envelope);
// Keeps a message of which these bytes have come; the rest follows, unless it is a
// request to send, whose bytes are the key if it has one.
int unexpected_add(int peer, const struct envelope *envelope, bool is_rts,
                   const void *data, size_t bytes);
// The first unexpected message that matches the parameters of a receive.
struct unexpected *unexpected_find(const struct transfer_parameters *parameters);
// A request to send, or a message whose sender awaits its receipt, by the sender's id.
struct unexpected *unexpected_find_of(int peer, uint64_t context, uint32_t sender);
bool posted_has(const struct transfer *transfer); // is it among the posted receives?
void awaited_messages_start(void);
void unexpected_free_all(void);
struct unexpected *unexpected_take(const struct transfer_parameters *parameters);
// The request to send that a peer withdraws; NULL if it has been matched.
struct unexpected *unexpected_take_rts(int peer, uint64_t context, uint32_t sender);
