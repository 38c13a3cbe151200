// SPDX-License-Identifier: BSD-3-Clause
// Exchange of the processes' network addresses.
#pragma once

#include "message/message.h"

// The descriptor of a node is a text with its segment, its choice of a secret, and its
// leader's address and lifeline. A leader needs the descriptors of all nodes, a local
// peer that of the first.
enum { NODE_DESCRIPTOR_MAX = SHM_DESCRIPTOR_MAX + 32 + 5 + 2 * NET_ADDRESS_MAX + 5 };
void node_descriptor_write(const struct net *net, const struct secret *secret,
                           int lifeline, char *text, size_t text_size);
int node_descriptors_read(struct messages *messages);
// Connects every process with those on other nodes.
int addresses_exchange(struct messages *messages);
// The lifeline of the node's leader, see net_lifeline_take.
int node_lifeline_take(int node, char host[NET_HOST_MAX]);
