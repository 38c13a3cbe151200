// SPDX-License-Identifier: BSD-3-Clause
// Error codes and their texts, those of the program included (MPI-4.1 9.4, 9.5).
#pragma once

#include "object/object.h"

// The text that MPI_Error_string gives for a code, with the detail of this thread's
// last error if it was of that class; false and "" for one that there is not.
bool error_describe(int code, char text[MPI_MAX_ERROR_STRING]);
void errors_forget(void); // classes and codes added by the program
