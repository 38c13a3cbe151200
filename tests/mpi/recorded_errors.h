// SPDX-License-Identifier: BSD-3-Clause
// What the files of recorded_errors share.
#pragma once

#include <mpi.h>

#include <stdio.h>
#include <string.h>

// Prints the class that a call gives.
static void note(const char *procedure, int code)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;
    MPI_Error_string(code, text, &length);
    printf("%s %.*s\n", procedure, (int)strcspn(text, ":"), text);
}

#define RAISE(procedure, ...) note(#procedure, procedure(__VA_ARGS__))

// Errors of calls that no other process takes part in, but for those of windows.
void raise_errors_of_objects(void);
