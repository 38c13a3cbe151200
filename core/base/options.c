// SPDX-License-Identifier: BSD-3-Clause
// The settings of Oriel: one row per ORIEL_ environment variable.
#include "base/base.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum option_type {
    OPTION_CHOICE,  // one of the words in `allowed`; the field is an int, its index
    OPTION_SWITCH,  // one of two words in `allowed`; the field is a bool
    OPTION_INTEGER, // 0 .. maximum; the field is an int
    OPTION_BYTES,   // a number with K, M, G or T behind it; the field is a size_t
    OPTION_TEXT,    // the field is a const char *, NULL when not set
};

struct option {
    const char *name;
    enum option_type type;
    const char *allowed;  // words separated by |, or what to write in their place
    const char *standard; // the value when the variable is not set
    long maximum;
    size_t field; // its place in struct options
    const char *description;
};

static const struct option option_table[] = {
    {"ORIEL_CHECK", OPTION_CHOICE, "off|basic|full", "full", 0,
     offsetof(struct options, check), "how much of the arguments is checked"},
    {"ORIEL_VERBOSE", OPTION_SWITCH, "0|1", "0", 0, offsetof(struct options, verbose),
     "say what was chosen and why"},
    {"ORIEL_FAKE_NODES", OPTION_INTEGER, "number", "1", 1 << 20,
     offsetof(struct options, fake_nodes),
     "split the ranks of a machine into nodes that use the network"},
    {"ORIEL_PROVIDER", OPTION_TEXT, "name", "", 0, offsetof(struct options, provider),
     "libfabric provider to use between nodes"},
    {"ORIEL_PROGRESS", OPTION_SWITCH, "off|thread", "thread", 0,
     offsetof(struct options, progress_thread),
     "who serves other processes while this one computes"},
    {"ORIEL_SPIN", OPTION_INTEGER, "microseconds", "50", 1000000,
     offsetof(struct options, spin_microseconds),
     "how long a blocked call polls before it gives its core away"},
    {"ORIEL_HEAP", OPTION_BYTES, "bytes", "0", 0, offsetof(struct options, heap_bytes),
     "address space of a process's shared heap; 0: the machine's memory"},
};
enum { OPTION_COUNT = sizeof option_table / sizeof option_table[0] };

// The place of `text` among words separated by |, or -1.
static int word_index(const char *words, const char *text)
{
    size_t length = strlen(text);
    for (int index = 0;; index++) {
        size_t word = strcspn(words, "|");
        if (word == length && strncmp(words, text, length) == 0)
            return index;
        if (words[word] == '\0')
            return -1;
        words += word + 1;
    }
}

// A number of bytes such as 4096, 64K or 2G.
static bool parse_bytes(const char *text, size_t *bytes)
{
    static const char units[] = "KMGT";
    if (*text < '0' || *text > '9')
        return false;
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    const char *unit = *end != '\0' ? strchr(units, *end) : NULL;
    int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    if (errno || *(unit ? end + 1 : end) != '\0' || number > SIZE_MAX >> shift)
        return false;
    *bytes = (size_t)number << shift;
    return true;
}

static bool parse_integer(const char *text, long maximum, int *number)
{
    if (*text < '0' || *text > '9')
        return false;
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || *end != '\0' || value > maximum)
        return false;
    *number = (int)value;
    return true;
}

static bool parse(const struct option *option, const char *text, void *field)
{
    switch (option->type) {
    case OPTION_CHOICE: {
        int index = word_index(option->allowed, text);
        if (index >= 0)
            *(int *)field = index;
        return index >= 0;
    }
    case OPTION_SWITCH: {
        int index = word_index(option->allowed, text);
        *(bool *)field = index == 1;
        return index >= 0;
    }
    case OPTION_INTEGER:
        return parse_integer(text, option->maximum, field);
    case OPTION_BYTES:
        return parse_bytes(text, field);
    case OPTION_TEXT:
        *(const char **)field = *text != '\0' ? text : NULL;
        return true;
    }
    return false;
}

int options_read(struct options *options)
{
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct option *option = &option_table[i];
        const char *text = getenv(option->name);
        if (!text || *text == '\0')
            text = option->standard;
        if (parse(option, text, (char *)options + option->field))
            continue;
        if (option->type == OPTION_INTEGER)
            return fail(MPI_ERR_ARG, "%s=%s: a number from 0 to %ld is allowed",
                        option->name, text, option->maximum);
        return fail(MPI_ERR_ARG, "%s=%s: allowed is %s", option->name, text,
                    option->type == OPTION_BYTES ? "a number such as 4096, 64M or 2G"
                                                 : option->allowed);
    }
    return 0;
}

bool option_exists(const char *name, size_t length)
{
    for (int i = 0; i < OPTION_COUNT; i++) {
        const char *known = option_table[i].name;
        if (strlen(known) == length && strncmp(known, name, length) == 0)
            return true;
    }
    return false;
}

void options_list(FILE *file)
{
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct option *option = &option_table[i];
        char setting[64];
        snprintf(setting, sizeof setting, "%s=%s", option->name, option->allowed);
        fprintf(file, "  %-32s %s", setting, option->description);
        if (*option->standard != '\0')
            fprintf(file, " [%s]", option->standard);
        fputc('\n', file);
    }
}
