// SPDX-License-Identifier: BSD-3-Clause
// What the files of pt2pt/ share. See pt2pt.h for the glossary.
//
//   envelope  what a message says about itself: matched against receives
//   arrival   a message for which no receive had been posted
//   id        names a transfer on the wire: index and generation, never an address
#pragma once

#include "pt2pt/pt2pt.h"

// Opens a message with all its data (MESSAGE_EAGER) and an offer (MESSAGE_OFFER).
struct envelope {
    uint64_t context;
    uint64_t bytes;   // of the whole message
    uint64_t address; // of an offered message in its process
    int32_t source;   // rank in the communicator
    int32_t tag;
    uint32_t channel; // enum channel
    uint32_t sender;  // id of an offering transfer
};

enum {
    EAGER_MAX = MESSAGE_MAX - sizeof(struct envelope),
    CHUNK = 64 * 1024, // what a receiver asks for at a time, two at once
};

struct transfer {
    struct transfer *next; // among the posted receives
    bool is_send, is_done;
    int error;   // error class, 0 when none
    uint32_t id; // 0 while it has no name on the wire
    int peer;    // rank in the job: destination, or source once matched
    uint64_t context;
    enum channel channel;
    int source, tag;                // wanted, then those of the message
    char *data;                     // the bytes, in `buffer` or packed
    size_t capacity;                // bytes that fit; of a send its length
    size_t length;                  // of the message that has come
    size_t wanted, asked, received; // of a message that comes in parts
    uint32_t sender;                // id of the offering transfer
    void *buffer;                   // where to unpack to, with count and type
    MPI_Count count;
    struct datatype *type;
    void *packed; // NULL when the type is contiguous
};

struct arrival {
    struct arrival *next;
    int peer; // rank in the job
    bool is_offer;
    struct envelope envelope;
    char data[];
};

// Posted receives and arrivals of the contexts that fall into one bucket, both in
// order. An end is where the next one is linked, NULL for the start of an empty list.
struct bucket {
    struct transfer *posted, **posted_end;
    struct arrival *arrived, **arrived_end;
};

enum { BUCKETS = 64 };

struct matching {
    struct bucket buckets[BUCKETS];
    struct named { // by index of the id
        struct transfer *transfer;
        uint32_t generation;
    } * names;
    uint32_t name_count;
};

// ---- ids
int transfer_name(struct transfer *transfer); // gives it an id; MPI_ERR_NO_MEM
void transfer_forget(struct transfer *transfer);
// The transfer that an id from the wire names, if it is one of this kind with this
// peer.
struct transfer *transfer_of(uint32_t id, bool is_send, int peer);

// ---- matching
void post(struct transfer *transfer);
void unpost(struct transfer *transfer);
struct transfer *take_posted(const struct envelope *envelope);
int keep_arrival(int peer, const struct envelope *envelope, bool is_offer,
                 const void *data);
struct arrival *take_arrival(const struct transfer *transfer);

// ---- what happens to a matched receive
void receive_eager(struct transfer *transfer, const struct envelope *envelope,
                   const void *data);
void receive_offer(struct transfer *transfer, int peer,
                   const struct envelope *envelope);

void register_handlers(void);
