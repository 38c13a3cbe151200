// SPDX-License-Identifier: BSD-3-Clause
// boot: who is in the job, and a small key-value exchange through the launcher.
//
// Glossary
//   rank      number of a process in the job, 0 .. size-1 (= rank in MPI_COMM_WORLD)
//   node      processes that share memory; ORIEL_FAKE_NODES splits a machine into several
//   leader    the lowest rank of a node
//   driver    how one kind of launcher is spoken to (PMI-1 wire, none)
#pragma once

#include "base/base.h"

struct boot {
    int rank, size;
    int node, node_count;      // index of this process's node; number of nodes
    int node_rank, node_size;  // position among, and number of, the node's processes
    const int *node_of;        // [size] node of each rank
    const int *node_rank_of;   // [size] position of each rank in its node
    const int *node_members;   // [node_size] ranks of this node, ascending
    const int *leaders;        // [node_count] leader of each node
    int app_number;            // MPI_APPNUM
    int universe_size;         // MPI_UNIVERSE_SIZE, -1 when the launcher does not say
    char job[64];              // a name that no other job on the machine has
    const struct boot_driver *driver; // private
    void *driver_state;               // private
};

// Finds the launcher (PMI_FD / PMI_PORT, else none), learns rank, size and nodes.
// A launcher that Oriel cannot speak to gives MPI_ERR_OTHER with its name and remedy.
int boot_start(struct boot **boot);

// Key-value exchange: puts of all processes before a fence are seen by gets after it.
// Keys up to 63 and values up to 1023 printable characters without blanks.
int boot_put(struct boot *boot, const char *key, const char *value);
int boot_fence(struct boot *boot);
int boot_get(struct boot *boot, const char *key, char *value, size_t value_size);

// Ends the whole job with exit code `code`; does not return.
_Noreturn void boot_abort(struct boot *boot, int code, const char *why);

// Says goodbye to the launcher and frees `boot`.
void boot_stop(struct boot *boot);
