// SPDX-License-Identifier: BSD-3-Clause
// Source lines of code addresses, for what people are told. The lines come from the debug
// information of the program (-g) by libdw of elfutils, which is loaded when it is first
// asked; without either, object and offset are named.
#pragma once

#include "base/compiler.h"

#include <stdbool.h>
#include <stddef.h>

enum { SOURCE_FILE_BYTES = 256, SOURCE_FUNCTION_BYTES = 128, SOURCE_TEXT_BYTES = 200 };

struct source_line {
    char file[SOURCE_FILE_BYTES];         // as the compiler was given it; "": not known
    int line;                             // 0: not known
    char function[SOURCE_FUNCTION_BYTES]; // "": not known
    char object[SOURCE_FILE_BYTES];       // program or library with the code
    size_t offset;                        // of the address in it
};

// An address within the instruction by which the program has called the procedure that is
// under way on this thread: the innermost that is not in one of Oriel's own libraries.
// NULL if there is none. Costs some microseconds and, the first time, memory.
const void *calling_address(void);

// An address in the C function of that procedure, NULL if there is none; and its name,
// "MPI_Put", or "a call" where that is not known.
const void *calling_entry(void);
const char *entry_text(const void *entry, char text[SOURCE_TEXT_BYTES]);

// Whose code is at this address: that of the C library, of another library of Oriel's, or
// neither? In a program that the objects of the C library have been linked into by
// themselves, as tests do, the first cannot be told from the last.
enum code_owner { CODE_OF_OTHERS, CODE_OF_CORE, CODE_OF_LAYER };
enum code_owner code_owner(const void *address);
bool code_owner_is_known(void);
// In the handler of a signal, which an instruction of Oriel's or of a function that it has
// called directly has caused: the call of the program, like calling_address(), and
// *entry like calling_entry(); both may be NULL.
const void *faulting_call(const void *instruction, const void **entry);
// Has Oriel's C library called, however far down, what has caused it?
bool faults_below_core(const void *instruction);

// Finds what is known of a code address. False when no line is. Any thread may call; costs
// a millisecond the first time, and more with much debug information.
bool source_line_find(const void *address, struct source_line *found);

// Writes "file.c:123 (function)", or "program+0x1a2b (function)" when no line is known.
// Returns `text`.
const char *source_line_text(const void *address, char text[SOURCE_TEXT_BYTES]);
