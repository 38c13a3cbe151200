// SPDX-License-Identifier: BSD-3-Clause
// oriel-info: what this Oriel is, what it finds on this machine, and whether it works.
//
// Glossary
//   report  what is printed: sections of values, for people or as JSON
#pragma once

#include "base/base.h"

struct report {
    bool is_json;
    int depth;     // sections that are open
    bool is_empty; // the innermost one
};

// Opens a section; one within another is closed before it.
void report_open(struct report *report, const char *name);
void report_close(struct report *report);
void report_value(struct report *report, const char *name, const char *format, ...)
    PRINTF_LIKE(3, 4);

void report_providers(struct report *report);
void report_settings(struct report *report);
void report_limits(struct report *report);

// The path of a file that is installed beside this program, such as "mpiexec" or
// "../lib"; NULL without memory.
char *path_beside(const char *name);

// Starts jobs of two processes that put and get; false when one of them fails.
bool self_test(struct report *report);
// What a process of them does; returns its exit code.
int self_test_rank(void);
