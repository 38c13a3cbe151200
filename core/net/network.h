// SPDX-License-Identifier: BSD-3-Clause
// The open network, and the functions that the files of net/ share.
//
// Glossary
//   operation  what the provider is working on: a message, or bytes of an access
//   access     remote write or read
//   buffer     room for a message that the provider may use without asking again
//   arrived    messages that have come and wait for their turn at the upper layer
#pragma once

#include "net/net.h"

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

enum { RECEIVE_BUFFERS = 64, SEND_BUFFERS = 64, ACCESSES_MAX = 2048, INJECT_MAX = 256 };
// Receives that are posted beside those of connections. Messages come to all buffers in
// turn, so that these are in the cache if they are few.
enum { RECEIVES_AT_FIRST = 8 };

enum operation_kind { RECEIVING, SENDING, WRITING, READING };

// Its address is the context of the completion, so `context` comes first.
struct net_operation {
    struct fi_context2 context; // scratch space of the provider
    enum operation_kind kind;
    int rank;                    // the peer; -1 for a receive
    struct net_operation *next;  // in a pool or a queue
    char *buffer;                // of a message
    size_t bytes;                // of the message or the access; 0: none is under way
    struct net_counter *counter; // of the access
    struct net_remote target;    // of the access
    uint64_t seen_at;            // when it was last found to be under way, or 0
    void *local;                 // memory of the access in the program,
    void *memory, *descriptor;   // what the provider uses in its place
    // Where the provider wants local memory registered, an access has at most one of:
    struct net_operation *bounce; // a send operation whose buffer is `memory`
    struct fid_mr *registration;  // made for this access only
};

// Operations that are not in use. Those at `fresh` and above have never been used.
struct pool {
    struct net_operation *operations, *free;
    size_t fresh, size;
    enum operation_kind kind;
};

struct queue {
    struct net_operation *first, *last;
};

struct net_peer {
    bool is_known;           // from net_connect on
    bool is_wanted;          // is in the list of those that net_take_wanted returns,
    int next_wanted;         // 1 + rank of the next one, 0 for none
    fi_addr_t address;       // in the table; FI_ADDR_UNSPEC where there is none
    struct fid_ep *endpoint; // that leads to it; NULL while there is no connection
    char *name;              // by which it is connected with
    struct connection *connection; // under way, open or ended
    int error;                     // class, once the peer has been lost
    bool is_reached;               // the provider has accepted an operation for it
    size_t access_bytes;           // of accesses under way
    int waiting_accesses;
    double tried_at; // when it has refused the last one, 0 before the first
    double tried;    // seconds of trying in vain
};

struct net {
    struct fi_info *info;
    struct fid_fabric *fabric;
    struct fid_domain *domain;
    struct fid_av *addresses;
    struct fid_cq *completions;
    struct fid_ep *endpoint; // the one that leads to all peers, or NULL,
    struct fid_ep *receiver; // and where receives are posted
    struct fid *named;       // whose address peers get
    int descriptor;          // to sleep on, or -1
    int lifelines;           // the socket where they are offered, or -1
    size_t message_max;      // bytes of a message
    size_t inject_max;       // bytes of a message that need no buffer
    size_t access_max;       // bytes of an operation for an access
    size_t under_way_max;    // bytes of them to a peer, from which on no more begin
    double connect_seconds;  // how long to try until a peer is first reached
    bool must_register;      // local memory too (FI_MR_LOCAL)
    bool has_cheap_access;
    struct fid_mr *buffers_registration; // or NULL
    void *buffers_descriptor;
    char *buffers; // of the send and receive operations, and one more
    struct pool receives, sends, accesses;
    size_t sends_under_way, receives_posted;
    struct queue arrived;
    struct queue unposted;       // receives for the next poll to post
    bool is_delivering;          // messages
    struct open_region *regions; // open ones
    struct waiting_access *waiting, **waiting_end;
    bool (*receive)(const void *message, size_t bytes);
    bool has_doubt;           // see net_take_doubt
    _Atomic(bool) is_starved; // see net_is_starved
    int lost;                 // the first peer lost since net_take_lost, or -1
    int first_wanted;         // 1 + rank
    // With connections:
    struct secret secret; // of the job
    struct fid_eq *events;
    struct fid_pep *listener;
    struct connection *connections; // open ones
    int connecting, quiet_polls;
    int event_descriptor; // to sleep on, or -1
    int size;
    struct net_peer peers[]; // [size]
};

// A region from net_register to net_deregister.
struct open_region {
    struct fid_mr *registration;
    const char *memory;
    size_t bytes;
    struct open_region *next;
};

// An access is counted for the counter's total too.
static inline void access_count_begin(struct net_counter *counter)
{
    net_counter_issue(counter);
    if (counter->total != NULL)
        net_counter_issue(counter->total);
}

static inline void access_count_end(struct net_counter *counter, int error)
{
    if (counter->total != NULL)
        net_counter_complete(counter->total, error);
    net_counter_complete(counter, error);
}

// What is left of an access that the network has not taken yet.
struct waiting_access {
    struct net_access access;
    struct waiting_access *next;
};

// ---- library.c
// MPI_ERR_OTHER when libfabric cannot be loaded.
int library_check(void);

// ---- provider.c
// The best of what libfabric offers; freed with fi_freeinfo.
int provider_choose(const char *wanted, struct fi_info **info);
// Does the network's hardware carry out remote accesses?
bool provider_is_hardware(const struct fi_info *info);

// ---- error.c
// fail() with the class that a libfabric error code (positive) stands for and its text.
int net_fail(int code, const char *what);
// The same for a message to `rank`. Whatever the code, the peer is lost: later messages
// must not arrive without this one.
int net_fail_message(struct net *net, int rank, int code);
// Counts all peers as lost: the provider does not report completions any more.
void net_lose_all(struct net *net);
// fail() for an operation towards `rank`; remembers when the peer has been lost.
int net_fail_peer(struct net *net, int rank, int code, const char *what);
// To call when the provider takes nothing for `rank`: 0, or the error when the peer is
// lost or has not been reached for too long.
int net_still_trying(struct net *net, int rank);

// ---- pool.c
int pool_open(struct pool *pool, size_t size, enum operation_kind kind);
void pool_close(struct pool *pool);
struct net_operation *pool_take(struct pool *pool); // NULL when all are in use
struct net_operation *pool_next(struct pool *pool); // that pool_take would take
void pool_give(struct pool *pool, struct net_operation *operation);
void queue_put(struct queue *queue, struct net_operation *operation);
struct net_operation *queue_take(struct queue *queue); // NULL when empty

// ---- messages.c
int messages_open(struct net *net);
void messages_close(struct net *net);
void messages_flush(struct net *net);
void receive_post(struct net *net, struct net_operation *operation);
// Posts one more receive if there is a buffer.
void receive_add(struct net *net);

// ---- region.c
// 0 or a libfabric code (positive).
int region_register(struct net *net, const void *memory, size_t bytes, uint64_t access,
                    uint64_t common, struct fid_mr **registration);
void region_drop(struct net *net, struct open_region *region);
// Finds memory for the provider that stands for the local memory of an access. 0,
// FI_EAGAIN when buffers are short, or another libfabric code.
int local_prepare(struct net *net, struct net_operation *access);
// Undoes local_prepare; copies what was read to the local memory if the access was
// successful.
void local_finish(struct net *net, struct net_operation *access, bool is_ok);

// ---- access.c
// Is so little under way to the peer that more of an access may begin?
static inline bool access_may_begin(const struct net *net, int rank)
{
    return net->peers[rank].access_bytes < net->under_way_max;
}
// Starts as much of the access as the network takes now.
int access_begin(struct net *net, struct net_access *access);

// ---- waiting.c
// net_poll goes on with what is left of the access (MPI_ERR_NO_MEM).
int access_queue(struct net *net, const struct net_access *access);
// Starts what waits, as far as the network takes it now.
void accesses_resume(struct net *net);
// Does something wait for more than the end of what is under way to its peer?
bool accesses_may_begin(const struct net *net);
void accesses_drop(struct net *net);

// ---- peer.c
// Notes that the peer was to be reached and is not known.
void peer_want(struct net *net, int rank);
// Extracts the provider's address from one that net_address has written, padded with
// zeros; false when it is another provider's.
bool peer_address(const struct net *net, const void *address, size_t bytes,
                  char endpoint[NET_ADDRESS_MAX]);

// ---- connections.c
static inline bool has_connections(const struct net *net)
{
    return net->info->ep_attr->type == FI_EP_MSG;
}
int connections_open(struct net *net);
void connections_close(struct net *net);
// To call when no endpoint leads to the peer: -FI_EAGAIN while connecting, or a
// libfabric code (negative).
ssize_t connection_begin(struct net *net, int rank);
// Handles events of connections now and then.
void connections_progress(struct net *net);
bool connections_may_sleep(struct net *net);

// ---- lifeline.c
// Sends the holders of lifelines a byte: this process stops in order.
void lifelines_end(struct net *net);
