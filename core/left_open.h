// SPDX-License-Identifier: BSD-3-Clause
// What a program has left open, or not looked at, at MPI_Finalize.
#pragma once

// A finding for each window whose epoch has not been closed; and with ORIEL_CHECK=leaks
// one for each window and communicator, and for the others of a kind, of which the
// program still holds a handle; with ORIEL_CHECK=errors one for each error that a call has
// returned and the program has not looked at.
void left_open_tell(void);
