// SPDX-License-Identifier: BSD-3-Clause
// Single copies: the members of a node read and write long data straight in each other's
// buffers, without a copy into the shared buffer. They show their buffers in a round,
// copy, and end with a barrier, before which no buffer may change.
#pragma once

#include "collective/shared_buffer.h"

// Shorter data, of all members together, go through the slots: a system call and a
// barrier cost more than one more copy does. Between cores that share no cache a copy
// through slots, which one core has just written, is dear much earlier than between others.
enum { SINGLE_COPY_BYTES = 32 * 1024 };

// Where local peers find a buffer: an offset in the segment, or an address to and from
// which the kernel copies. 0: they cannot reach it.
uint64_t place_of(const void *buffer, size_t bytes);
// Copy from and to what a member of the node has shown. Places count in bytes.
int place_read(const struct communicator *comm, int node_rank, uint64_t place, void *to,
               size_t bytes);
int place_write(const struct communicator *comm, int node_rank, uint64_t place,
                const void *from, size_t bytes);
// Reads without a copy if the data lie in the segment; else they come to `spare`.
int place_view(const struct communicator *comm, int node_rank, uint64_t place,
               void *spare, size_t bytes, const void **view);

// A round in which all members show their buffers, each for `total` bytes in all; where
// `shown` has no place to read from, all are told so by `*slots` = NULL, else these are
// the slots of the round. MPI_ERR_TRUNCATE as from round_agree.
int node_show(struct communicator *comm, struct shown shown, uint64_t total,
              const struct slot **slots);
