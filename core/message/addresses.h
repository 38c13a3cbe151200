// SPDX-License-Identifier: BSD-3-Clause
// Network addresses of the processes of other nodes.
#pragma once

#include "message/message.h"

// The descriptor of a node is a text with its segment, its choice of a secret, and its
// leader's address and lifeline.
enum { NODE_DESCRIPTOR_MAX = SHM_DESCRIPTOR_MAX + 32 + 5 + 2 * NET_ADDRESS_MAX + 5 };
void node_descriptor_write(const struct net *net, const struct secret *secret,
                           int lifeline, char *text, size_t text_size);

// The bytes of the table of addresses in a node's segment, of which pages count when they
// are used; 0 in a job of one node.
size_t addresses_bytes(const struct boot *boot);
// Writes this process's address to the table, and a leader that of the first leader and
// the secret of the job, which is the first leader's choice. To be called when the leaders'
// descriptors are with the launcher, before local peers read what has been written.
int addresses_open(void);
// The secret of the job.
const struct secret *addresses_secret(void);
// Answers other nodes from now on.
void addresses_start(void);

// Makes a process of another node known to the network if its address is in the table; else
// asks the launcher for that of a leader, and the leader for the others. To be called again
// when the network wants it. The message lock is held.
void addresses_find(int rank);
// May that address still be found if no other process makes progress?
bool addresses_can_find(int rank);

// The lifeline of the node's leader, see net_lifeline_take.
int node_lifeline_take(int node, char host[NET_HOST_MAX]);
