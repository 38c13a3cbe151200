// SPDX-License-Identifier: BSD-3-Clause
// A libfabric with one provider, which plays a network between processes of one
// machine: it carries out remote accesses by itself, while their target computes, in
// packets and in any order, and completes in any order what it was asked for; few bytes
// can be injected, and few accesses are taken at once.
//   FAKE_FABRIC=hardware  every mode of memory registration is demanded (the default)
//   FAKE_FABRIC=software  none is, and the provider is one whose accesses are not cheap
//   FAKE_FABRIC_LATENCY=n microseconds that a message takes; an access twice that
//
// Glossary
//   datagram    a message on its way, in a local socket of its receiver
//   access      remote write or read under way, of several packets
//   completion  what a completion queue has not reported yet
//   trip        of a message to its receiver; a remote access takes two
#pragma once

#include "fabric.h"

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    MESSAGE_BYTES = 1 << 16, // longest message
    PACKET_BYTES = 4096,
    INJECT_BYTES = 32,
    ACCESSES = 64,
    RECEIVES = 256,
    COMPLETIONS = 4096,
    REGIONS = 4096,
    PEERS = 4096,
    HARDWARE_MODES = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY |
                     FI_MR_ENDPOINT,
};

// The address of an endpoint.
struct name {
    int32_t pid;
    uint32_t number;
    uint64_t regions; // its table, in that process
};

// Its handle is the descriptor that the user hands over with local memory.
struct region {
    struct fid_mr mr;
    uint64_t key, rights; // key 0: not open
    uint64_t base;        // the remote address of its first byte
    char *memory;
    size_t bytes;
    bool is_enabled;
};

struct access {
    void *context;
    bool is_write;
    char *local;
    size_t bytes, packets, packets_done;
    size_t first; // packet; the others follow in a circle
    uint64_t address, key;
    struct name target;
    uint64_t due; // nanoseconds
    unsigned trips;
    int error;
};

struct completion {
    struct fi_cq_msg_entry entry;
    int error;
    uint64_t due;
    unsigned trips;
};

struct receive {
    void *context, *memory;
    size_t bytes;
};

// All that is open: one of each kind.
struct provider {
    struct fid_fabric fabric;
    struct fid_domain domain;
    struct fid_av addresses;
    struct fid_cq completion_queue;
    struct fid_ep endpoint;
    uint64_t modes, next_key, latency; // nanoseconds
    struct name own;
    int socket;
    struct region regions[REGIONS];
    struct name peers[PEERS];
    size_t peer_count;
    struct access accesses[ACCESSES];
    size_t access_count;
    struct completion completions[COMPLETIONS];
    size_t completion_count;
    struct receive receives[RECEIVES]; // a circle
    size_t first_receive, receive_count;
    _Atomic(uint64_t) messages, accesses_begun, packets, bytes;
    _Atomic(unsigned) trips;
};
extern struct provider provider;

// ---- traffic.c --------------------------------------------------------------------
int traffic_open(void);
void traffic_close(void);
extern struct fi_ops_msg message_ops;
extern struct fi_ops_rma access_ops;
extern struct fi_ops_cq queue_ops;
// Is nothing under way that no event of the socket tells of?
bool traffic_is_idle(void);
