// SPDX-License-Identifier: BSD-3-Clause
// Faults: accesses to memory that is not there. Those of a call of MPI to a buffer that it
// was given end the process like any other; before that people are told which call it was.
#pragma once

// Watches for them, unless the program or a tool does so itself.
void faults_watch(void);
// Leaves them to the system again.
void faults_leave(void);
