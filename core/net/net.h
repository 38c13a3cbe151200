// SPDX-License-Identifier: BSD-3-Clause
// net: messages and remote memory access between nodes, over libfabric. The only
// folder that includes rdma/*.h; libfabric's codes do not leave it.
//
// Glossary
//   provider  libfabric's driver for one kind of network
//   address   a provider's name of an endpoint, at most NET_ADDRESS_MAX bytes
//   region    registered memory that peers may read and write by key (rkey) and address
//   access    remote write or read (RDMA)
//   counter   operations issued and completed towards one target; flush waits on it
//   lifeline  connection that shows a peer that this process is alive
//
// Calls are not thread-safe by themselves: callers hold the message lock.
#pragma once

#include "base/base.h"

// The longest message of any network has 64 KiB of data and what is said of them.
enum { NET_ADDRESS_MAX = 128, NET_MESSAGE_MAX = (64 << 10) + 256 };

struct net; // private

struct net_counter {
    _Atomic(uint64_t) issued;    // written with the message lock held
    _Atomic(uint64_t) completed; // remotely complete: written by whoever polls
    _Atomic(int) error;          // first error class, 0 when none
    struct net_counter *total;   // counts these operations and others, or NULL
    void (*completed_one)(struct net_counter *counter);
};

// Counts an operation that is now under way. Callers hold the message lock.
static inline void net_counter_issue(struct net_counter *counter)
{
    uint64_t issued = atomic_load_explicit(&counter->issued, memory_order_relaxed);
    atomic_store_explicit(&counter->issued, issued + 1, memory_order_relaxed);
}

// How many operations are under way. Operations that happen before the call, in the
// sense of C11, are counted.
static inline uint64_t net_counter_pending(const struct net_counter *counter)
{
    uint64_t completed =
        atomic_load_explicit(&counter->completed, memory_order_acquire);
    return atomic_load_explicit(&counter->issued, memory_order_relaxed) - completed;
}

// Counts a completion, with an error class or 0. Afterwards the counter may be gone.
static inline void net_counter_complete(struct net_counter *counter, int error)
{
    if (unlikely(error)) {
        int none = 0;
        atomic_compare_exchange_strong(&counter->error, &none, error);
    }
    atomic_fetch_add_explicit(&counter->completed, 1, memory_order_release);
    if (counter->completed_one != NULL)
        counter->completed_one(counter);
}

// The error class of the first operation that has failed since the last call, or 0.
static inline int net_counter_take_error(struct net_counter *counter)
{
    return likely(atomic_load(&counter->error) == 0)
               ? 0
               : atomic_exchange(&counter->error, 0);
}

// The remote key (rkey) and address by which peers access a region.
struct net_remote {
    uint64_t key, address;
};

struct net_region {
    struct net_remote remote;
    void *handle; // private
};

// Chooses a provider (never shm, never net of libfabric 1.17) and opens one endpoint.
// `receive` is called by net_poll for every message that has come; `bytes` stay valid
// during the call only. When it returns false the message is handed over again later.
int net_start(struct net **net, int size,
              bool (*receive)(const void *message, size_t bytes));
void net_stop(struct net *net);

// The secret of the job, by which processes show who they are. Before the first message.
void net_set_secret(struct net *net, const struct secret *secret);

size_t net_address(const struct net *net, char address[NET_ADDRESS_MAX]);
// Makes `rank` reachable by its address; may be called again with the same address.
int net_connect(struct net *net, int rank, const void *address, size_t bytes);
// A rank that was to be reached and is not known, or -1. It is returned once for each try.
int net_take_wanted(struct net *net);

// The most bytes of a message.
size_t net_message_max(const struct net *net);
// Memory for so many bytes, where the next message is made that is to be sent without a
// copy. It stays until another function of the network is called.
void *net_outbox(struct net *net);
// Sends a message, from the outbox or from elsewhere. The bytes may be reused at once.
// *sent is false when the network is busy or the rank unknown: poll, then try again.
int net_send(struct net *net, int rank, const void *message, size_t bytes, bool *sent);

// Memory that peers may access until net_deregister. Its key is a random number of 64
// bits where the provider allows, for `common` > 0 the same at all processes that give
// that number, as a rule.
int net_register(struct net *net, void *memory, size_t bytes, uint64_t common,
                 struct net_region *region);
void net_deregister(struct net *net, struct net_region *region);

// A remote write or read of any size.
struct net_access {
    int rank;
    bool is_write;
    void *local; // memory that must stay untouched until the access is complete
    size_t bytes;
    struct net_remote target;
    struct net_counter *counter;
};
// Starts as much of the access as the network takes, so that `local`, `bytes` and
// `target` become what is left: when that is something, poll, then call again. The rest
// of a long one is left to net_poll, unless many wait. The counter's `issued` grows by
// the provider's operations; `completed` follows when the data is in the target's memory
// (write) or here (read).
int net_access(struct net *net, struct net_access *access);
// The same for callers that cannot wait: net_poll goes on with what the network does not
// take now, and counts an error for the counter. MPI_ERR_NO_MEM.
int net_access_queued(struct net *net, const struct net_access *access);
// What has not begun of the accesses with this counter does not begin any more.
void net_access_withdraw(struct net *net, const struct net_counter *counter);

// Tells of reads that the last look, a second ago or more, has found under way: whose
// memory they read, and how much of it. Hardware reads what it has pinned.
typedef void net_read_teller(int rank, const struct net_remote *memory, size_t bytes);
void net_tell_late_reads(struct net *net, uint64_t now, net_read_teller *tell);
// Reads a byte of each page of memory that is registered with this key.
void net_touch(const struct net *net, const struct net_remote *memory, size_t bytes);

// Does hardware carry out accesses, so that a short one needs no aggregation? Otherwise
// each costs calls of the system at both ends.
bool net_has_cheap_access(const struct net *net);

// Handles completions and received messages; returns how many events.
int net_poll(struct net *net);
// The same but for messages, which it leaves to net_poll, so that handlers may call it.
int net_progress(struct net *net);

// A peer to which an operation has failed because the connection is lost, or -1. A peer
// is returned once; of those that are lost between two calls only the first one.
int net_take_lost(struct net *net);
// Has a message of unknown peers, from here or to here, been lost since the last call?
bool net_take_doubt(struct net *net);
// Has the network no memory for the message that was to be sent last?
bool net_is_starved(const struct net *net);

// ---- lifelines ----------------------------------------------------------------
// Offers lifelines until net_stop. The port where peers get them, 0 where addresses are
// not the internet's or the system refuses.
enum { NET_HOST_MAX = 64 };
int net_lifeline_offer(struct net *net);
// The lifeline of the process with this address and port: a descriptor that becomes
// readable when the process has stopped the network, has died, or its host has, or a
// reason why there is none. `host` gets the internet address.
enum {
    NET_NO_LIFELINE = -1,
    NET_LIFELINE_REFUSED = -2 // nobody offers it any more, or a firewall is in the way
};
int net_lifeline_take(const struct net *net, const void *address, size_t bytes,
                      int port, char host[NET_HOST_MAX]);
// Has the process died whose lifeline is readable? Else it has stopped in order.
bool net_lifeline_is_cut(int lifeline);

// For a thread that wants to sleep: the descriptors of which one becomes readable when
// there is something to poll, the second of them for events of connections, or -1;
// net_may_sleep says whether sleeping is safe now. Who is busy with what the network did
// not take may sleep if the descriptors tell when to try again, and tries once more before.
int net_descriptor(const struct net *net);
int net_event_descriptor(const struct net *net);
bool net_may_sleep(struct net *net, bool is_busy);

const char *net_provider(const struct net *net); // "tcp;ofi_rxm"
