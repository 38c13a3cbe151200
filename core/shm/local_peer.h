// SPDX-License-Identifier: BSD-3-Clause
// Identity and life of the processes of the node.
#pragma once

#include "shm/shm.h"

void peer_record_fill(struct shm *shm); // fills this process's record
// The nearest process from which all of the node descend, 0 if none is seen.
int local_peers_ancestor(const struct shm *shm);
