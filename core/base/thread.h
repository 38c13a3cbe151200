// SPDX-License-Identifier: BSD-3-Clause
// Threads of this process.
#pragma once

#include <stdint.h>

uint64_t thread_identity(void); // differs between living threads
// From now on the calling thread works in short bursts, so that it need not wait when it
// is woken while others compute.
void thread_run_briefly(void);
