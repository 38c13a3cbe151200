// SPDX-License-Identifier: BSD-3-Clause
// Options: settings that are read once from ORIEL_ environment variables.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// How much the generated entry points check (ORIEL_CHECK).
enum check_level { CHECK_OFF, CHECK_BASIC, CHECK_FULL };

// What else is checked while the program runs, as bits (ORIEL_CHECK).
enum analysis { ANALYSIS_LEAKS = 1, ANALYSIS_RACES = 2, ANALYSIS_ERRORS = 4 };

enum { OPTION_TEXT_BYTES = 1024 };

// Settings, each from one environment variable or set by a tool before the library
// starts; option.c has the table with names, defaults and descriptions.
struct options {
    bool are_read;
    int check;             // ORIEL_CHECK=full|basic|off: enum check_level
    int analyses;          // ORIEL_CHECK=leaks,races,errors: enum analysis
    int verbose;           // ORIEL_VERBOSE: say what was chosen and why
    int fake_nodes;        // ORIEL_FAKE_NODES: split the ranks of a machine
    int progress_thread;   // ORIEL_PROGRESS=thread|off
    int spin_microseconds; // ORIEL_SPIN: how long a blocked call polls before it gives
                           // its core away
    int share_pages;       // ORIEL_SHARE_PAGES=off|windows
    size_t heap_bytes;     // ORIEL_HEAP: address space of a process's heap, 0 = RAM
    char provider[OPTION_TEXT_BYTES]; // ORIEL_PROVIDER: of libfabric, "" = any
    char report[OPTION_TEXT_BYTES];   // ORIEL_REPORT: file of findings, "" = none
    char stuck[OPTION_TEXT_BYTES];    // ORIEL_STUCK=seconds[,abort]|off
};

enum option_type {
    OPTION_CHOICE,  // one of the words in `allowed`; the field is an int, its index
    OPTION_INTEGER, // 0 .. maximum; the field is an int
    OPTION_BYTES,   // a number with K, M, G or T behind it; the field is a size_t
    OPTION_TEXT,    // the field is a char[OPTION_TEXT_BYTES], "" when not set
};

struct option {
    const char *name;
    enum option_type type;
    const char *allowed;  // words separated by |, or what to write in their place
    const char *extras;   // of a choice: words that may stand beside it, or NULL
    const char *standard; // the value when the variable is not set
    long maximum;
    size_t field;                       // its place in struct options
    size_t extra_field;                 // the int whose bits are the extras
    bool (*is_right)(const char *text); // of an OPTION_TEXT; NULL: any text is
    bool is_common;                     // all processes of a job must have the same
    bool is_late; // has an effect when it changes while the library runs
    const char *description;
};
extern const struct option option_table[];
extern const int option_count;

// Reads every ORIEL_ variable, unless that has been done; a value that does not parse
// gives MPI_ERR_ARG with the variable, its value and what is allowed. An empty value
// counts as not set. Where extras may stand beside a choice there are commas between.
int options_read(struct options *options);
static inline void *option_field(const struct option *option, struct options *options)
{
    return (char *)options + option->field;
}
// Bytes of the field.
size_t option_bytes(const struct option *option);
// Sets an option to what is in a field of its type; MPI_ERR_ARG if that is not allowed.
int option_set(const struct option *option, struct options *options, const void *value);
// The time after which a call that waits asks whether its wait can end, as ORIEL_STUCK
// says it; 0: never. Whether the job ends if it cannot.
struct stuck_limit {
    uint64_t nanoseconds;
    bool must_abort;
};
struct stuck_limit stuck_limit_of(const char *text);
// The index-th of words separated by |, as in an OPTION_CHOICE, and its length; 0 if
// there is none.
size_t word_at(const char *words, int index, const char **word);
// Is there an option of this name (`length` bytes), or a setting of Oriel's commands?
bool option_exists(const char *name, size_t length);
// The option whose name resembles one most, or NULL.
const struct option *option_nearest(const char *name, size_t length);
// Writes one line per option: name, allowed values, default, description.
void options_list(FILE *file);
