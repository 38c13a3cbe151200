// SPDX-License-Identifier: BSD-3-Clause
// What a program has left open at MPI_Finalize.
#pragma once

// With ORIEL_CHECK=leaks, a finding for each window and communicator, and for the others
// of a kind, that the program holds although it ends. None is an error of MPI.
void left_open_tell(void);
