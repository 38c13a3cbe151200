// SPDX-License-Identifier: BSD-3-Clause
// The nodes of the job: which ranks share one.
#pragma once

#include "boot/boot.h"

void nodes_free(struct boot *boot);

// The machine of each rank from a text such as "(vector,(0,4,2),(4,1,6))": groups of
// (first machine, number of machines, ranks per machine), begun again when they end
// before the ranks do. MPI_ERR_OTHER when the text is anything else.
int mapping_parse(const char *text, int size, int *machine_of);
// How many ranks each node has one behind the other by a text of one group, such as
// "(vector,(0,4,2))", which places all of them, if machines are split into `parts`; so no
// table of the ranks is needed. *of_machine: ranks of each machine, of which the last may
// have fewer. 0: by another text, or if the parts would not be alike.
int mapping_block(const char *text, int size, int parts, int *of_machine);
// Numbers machines from any values that ranks on one machine have in common: each by its
// lowest rank. MPI_ERR_NO_MEM.
int machines_number(const uint64_t *values, int size, int *machine_of);
// Splits each machine's ranks into `parts` blocks, at most one per rank, and numbers
// the nodes that result in the order of their lowest ranks. `machine_of` holds any
// numbers in 0 .. size-1; returns the number of nodes, or -1 when there is no memory.
int machines_split(const int *machine_of, int size, int parts, int *node_of);
