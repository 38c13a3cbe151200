// SPDX-License-Identifier: BSD-3-Clause
// What the files of object/ share among themselves.
#pragma once

#include "object/object.h"

// The text that MPI_Error_string gives for a code, with the detail of this thread's last
// error if it was of that class.
void error_describe(int code, char text[MPI_MAX_ERROR_STRING]);
void errors_forget(void); // classes and codes added by the program
