// SPDX-License-Identifier: BSD-3-Clause
// The options of mpiexec: one table, from which come the parser, --help, the names that
// resemble an unknown one, and the completion of shells.
#pragma once

#include "launch.h"

enum { RANKS_MAX = 1 << 16, SECONDS_MAX = 1 << 20 };

struct parser {
    struct plan *plan;
    struct section *section;         // the one being read
    const struct argument *argument; // the option being read
    const char *name;                // as it was typed
    int value_count;
    const struct argument *hosts_from; // what has named the section's hosts, or NULL
    char **file_arguments;             // what a file has in place of the rest, or NULL
    FILE *notes;                       // lines about options that are ignored
    bool is_quiet;
};

// Where --help has an option.
enum argument_group {
    GROUP_START,
    GROUP_HOSTS,
    GROUP_CORES,
    GROUP_VARIABLES,
    GROUP_OUTPUT,
    GROUP_END,
    GROUP_GRANTED, // has its effect without being asked for
    GROUP_IGNORED, // the job is right without; a line says why
    GROUP_REFUSED, // the job would not be what was asked for
    GROUP_COUNT
};

struct argument {
    enum argument_group group;
    // Spellings between bars. One dash is as good as two.
    const char *names;
    // What follows, a word each: its name in capitals, or the choices between bars.
    const char *values;
    void (*apply)(struct parser *parser, char **values);
    const char *meaning; // or why it is ignored, or what to use in its place
};
extern const struct argument argument_table[];
extern const int argument_count;

// Refuses the command line.
_Noreturn void usage_error(const char *format, ...) PRINTF_LIKE(1, 2);
// The place of `text`, of `length` bytes, among words between bars, or -1.
int choice_find(const char *words, const char *text, size_t length);
// A number of at least 1 that counts or is `what`; refuses others.
int argument_number(const struct parser *parser, const char *text, const char *what,
                    int most);

// Adds hosts of a list or a file to the section; refuses what is none.
void hosts_add(struct parser *parser, const char *list);
void hosts_add_file(struct parser *parser, const char *path);
// --map-by.
void mapping_set(struct parser *parser, const char *text);
// Once all options are read: the hosts of the plan, the ranks of sections that have no
// number of their own, the universe.
void hosts_complete(struct parser *parser);

// The words of a file in which each line is what could stand between colons; NULL ends
// them. Refuses a file that cannot be read.
char **arguments_of_file(const char *path);

// For completion: one line per option, its spellings and what follows; then the
// library's variables.
void arguments_list(void);
void arguments_help(void);
