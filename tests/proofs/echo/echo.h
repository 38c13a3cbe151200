// SPDX-License-Identifier: BSD-3-Clause
// The transcript of a program that calls entry points over a recording core: what was
// called, what the core saw, which error handler was raised, what the caller got back.
// One fact a line; the proof compares it with what the table says.
//
// Objects are named by kind and number: "WIN 2". Numbers have a meaning:
//   0-2 made by the program, 3-5 predefined, 6 a datatype that is not committed,
//   7-14 results of the core, 15 the datatype of an array section
#pragma once

#include "oriel.h"

// Begins a call. The core's results are numbers from `results` on; where they are
// objects, it gives none unless `has_objects`. It returns `error`.
void echo_call(const char *entry, intmax_t results, int has_objects, int error);

// ---- one line each; `verb` is "saw" in the core and "got" in the caller ---------------
void echo_number(const char *verb, const char *name, intmax_t value);
void echo_real(const char *verb, const char *name, double value);
void echo_text(const char *verb, const char *name, const char *text);
void echo_handle(const char *verb, const char *name, uintptr_t handle);
void echo_status(const char *verb, const char *name, const MPI_Status *status);
void echo_object(const char *name, const void *object);
void echo_function(const char *name, generic_function *function);
void echo_core(const char *name); // a core function begins

// ---- what programs pass --------------------------------------------------------------
uintptr_t echo_handle_of(const char *kind, int number);
// Gives the handle of a constant an object too.
void echo_place(const char *kind, uintptr_t handle);
// The object itself, to change what conditions ask for.
void *echo_object_of(const char *kind, int number);
void echo_own_function(int number, generic_function *function);
// Buffers are the columns of one array of integers.
enum { ECHO_ROWS = 16, ECHO_COLUMNS = 24 };
void echo_memory(int memory[ECHO_COLUMNS][ECHO_ROWS]);
int *echo_column(int column);
void echo_column_text(int column); // "got buffer 3 300 301 ..."

// ---- what the recording core does ----------------------------------------------------
intmax_t echo_result(int position);
int echo_error(void);
int echo_has_objects(void);
void *echo_result_object(enum object_kind kind, int position); // may be NULL
uintptr_t echo_result_handle(enum object_kind kind, int position);
void echo_give_status(MPI_Status *status, int position, int index);
void echo_string(char *string, int position);
// Shows where a buffer is; one that the caller does not have is a copy, is shown, and
// changed if results go there.
void echo_buffer(const char *name, const void *address, bool is_changed, int position);
