// SPDX-License-Identifier: BSD-3-Clause
// Faults: accesses to memory that is not there. Those of a call of MPI to a buffer that it
// was given end the process like any other; before that people are told which call it was.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Watches for them, unless the program or a tool does so itself.
void faults_watch(void);
// Leaves them to the system again.
void faults_leave(void);

// Writes what has exposed the memory to other processes, as "window halo"; false: nothing.
typedef bool exposure_namer(const void *memory, char *text, size_t bytes);
// Has faults in such memory told of by this name, whoever accesses it for another process:
// Oriel, or the network for it.
void faults_name_exposures(exposure_namer *name);
