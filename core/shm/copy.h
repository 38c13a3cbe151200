// SPDX-License-Identifier: BSD-3-Clause
// Permission to copy to and from this process's memory.
#pragma once

#include "shm/shm.h"

enum opening { MEMORY_CLOSED, MEMORY_BEING_OPENED, MEMORY_OPEN };
// Opens the leader's memory until all have attached.
void memory_open_for_trial(const struct shm *shm);
void memory_close_after_trial(const struct shm *shm);
void memory_close(struct shm *shm);
