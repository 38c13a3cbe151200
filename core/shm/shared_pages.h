// SPDX-License-Identifier: BSD-3-Clause
// Pages that are shared in place.
#pragma once

#include "shm/shm.h"

// Forgets the ranges of pages that are shared still, when the process stops; they stay
// the program's.
void shared_ranges_forget(struct shm *shm);
