// SPDX-License-Identifier: BSD-3-Clause
// What a program has left open at MPI_Finalize.
#pragma once

// A finding for each window whose epoch has not been closed; and with ORIEL_CHECK=leaks
// one for each window and communicator, and for the others of a kind, of which the
// program still holds a handle.
void left_open_tell(void);
