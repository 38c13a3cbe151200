// SPDX-License-Identifier: BSD-3-Clause
// The settings of Oriel: one row per ORIEL_ environment variable.
#include "base/base.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_stuck_limit(const char *text);

const struct option option_table[] = {
    {
        .name = "ORIEL_CHECK",
        .type = OPTION_CHOICE,
        .allowed = "off|basic|full",
        .extras = "leaks|races|errors",
        .standard = "full",
        .field = offsetof(struct options, check),
        .extra_field = offsetof(struct options, analyses),
        .is_late = true,
        .description = "how much of the arguments is checked, and what else",
    },
    {
        .name = "ORIEL_VERBOSE",
        .type = OPTION_CHOICE,
        .allowed = "0|1",
        .standard = "0",
        .field = offsetof(struct options, verbose),
        .is_late = true,
        .description = "say what was chosen and why",
    },
    {
        .name = "ORIEL_FAKE_NODES",
        .type = OPTION_INTEGER,
        .allowed = "number",
        .standard = "1",
        .maximum = 1 << 20,
        .field = offsetof(struct options, fake_nodes),
        .is_common = true,
        .description = "split the ranks of a machine into nodes that use the network",
    },
    {
        .name = "ORIEL_PROVIDER",
        .type = OPTION_TEXT,
        .allowed = "name",
        .standard = "",
        .field = offsetof(struct options, provider),
        .is_common = true,
        .description = "libfabric provider to use between nodes",
    },
    {
        .name = "ORIEL_PROGRESS",
        .type = OPTION_CHOICE,
        .allowed = "off|thread",
        .standard = "thread",
        .field = offsetof(struct options, progress_thread),
        .description = "who serves other processes while this one computes",
    },
    {
        .name = "ORIEL_SPIN",
        .type = OPTION_INTEGER,
        .allowed = "microseconds",
        .standard = "50",
        .maximum = 1000000,
        .field = offsetof(struct options, spin_microseconds),
        .is_late = true,
        .description = "how long a blocked call polls before it gives its core away",
    },
    {
        .name = "ORIEL_HEAP",
        .type = OPTION_BYTES,
        .allowed = "bytes",
        .standard = "0",
        .field = offsetof(struct options, heap_bytes),
        .is_common = true,
        .description =
            "address space of a process's shared heap; 0: the machine's memory",
    },
    {
        .name = "ORIEL_SHARE_PAGES",
        .type = OPTION_CHOICE,
        .allowed = "off|windows",
        .standard = "off",
        .field = offsetof(struct options, share_pages),
        .is_late = true,
        .description = "share the pages of memory that programs bring to windows",
    },
    {
        .name = "ORIEL_REPORT",
        .type = OPTION_TEXT,
        .allowed = "file",
        .standard = "",
        .field = offsetof(struct options, report),
        .description = "file that gets each finding as a line of JSON",
    },
    {
        .name = "ORIEL_STUCK",
        .type = OPTION_TEXT,
        .allowed = "seconds[,abort]|off",
        .standard = "10",
        .field = offsetof(struct options, stuck),
        .is_right = is_stuck_limit,
        .is_late = true,
        .description = "when a call that waits looks for a deadlock",
    },
};
const int option_count = sizeof option_table / sizeof option_table[0];

size_t word_at(const char *words, int index, const char **word)
{
    for (; index > 0 && *words != '\0'; index--) {
        words += strcspn(words, "|");
        words += *words == '|';
    }
    *word = words;
    return index == 0 ? strcspn(words, "|") : 0;
}

// The place of `text` (`bytes` of it) among words, or -1.
static int word_index(const char *words, const char *text, size_t bytes)
{
    const char *word;
    size_t length;
    for (int index = 0; (length = word_at(words, index, &word)) > 0; index++)
        if (length == bytes && strncmp(word, text, length) == 0)
            return index;
    return -1;
}

// A choice and extras, in any order with commas between: "full,leaks". Without a choice
// it is the standard one.
static bool parse_choice(const struct option *option, const char *text,
                         struct options *options)
{
    int *choice = option_field(option, options);
    int *extras = (int *)((char *)options + option->extra_field);
    *choice = -1;
    if (option->extras != NULL)
        *extras = 0;
    for (;; text++) {
        size_t length = option->extras ? strcspn(text, ",") : strlen(text);
        int index = word_index(option->allowed, text, length);
        int extra = option->extras ? word_index(option->extras, text, length) : -1;
        if ((index < 0 && extra < 0) || (index >= 0 && *choice >= 0))
            return false;
        if (index >= 0)
            *choice = index;
        else
            *extras |= 1 << extra;
        text += length;
        if (*text == '\0')
            break;
    }
    if (*choice < 0)
        *choice =
            word_index(option->allowed, option->standard, strlen(option->standard));
    return true;
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

enum { STUCK_SECONDS_MAX = 1000000 };

static bool stuck_limit_parse(const char *text, struct stuck_limit *limit)
{
    *limit = (struct stuck_limit){.nanoseconds = 0};
    if (strcmp(text, "off") == 0)
        return true;
    if (*text < '0' || *text > '9')
        return false;
    char *end;
    double seconds = strtod(text, &end);
    limit->must_abort = strcmp(end, ",abort") == 0;
    limit->nanoseconds = (uint64_t)(1e9 * (seconds <= STUCK_SECONDS_MAX ? seconds : 0));
    return (*end == '\0' || limit->must_abort) && limit->nanoseconds > 0;
}

static bool is_stuck_limit(const char *text)
{
    return stuck_limit_parse(text, &(struct stuck_limit){.nanoseconds = 0});
}

struct stuck_limit stuck_limit_of(const char *text)
{
    struct stuck_limit limit;
    stuck_limit_parse(text, &limit);
    return limit;
}

static bool is_allowed(const struct option *option, const void *value)
{
    const char *word;
    switch (option->type) {
    case OPTION_CHOICE:
        return *(const int *)value >= 0 &&
               word_at(option->allowed, *(const int *)value, &word) > 0;
    case OPTION_INTEGER:
        return *(const int *)value >= 0 && *(const int *)value <= option->maximum;
    case OPTION_TEXT:
        return memchr(value, '\0', OPTION_TEXT_BYTES) != NULL &&
               (option->is_right == NULL || option->is_right(value));
    case OPTION_BYTES:
        break;
    }
    return true;
}

size_t option_bytes(const struct option *option)
{
    switch (option->type) {
    case OPTION_BYTES:
        return sizeof(size_t);
    case OPTION_TEXT:
        return OPTION_TEXT_BYTES;
    default:
        return sizeof(int);
    }
}

int option_set(const struct option *option, struct options *options, const void *value)
{
    if (!is_allowed(option, value))
        return fail(MPI_ERR_ARG, "%s: the value is not allowed", option->name);
    memcpy(option_field(option, options), value, option_bytes(option));
    return 0;
}

static bool option_parse(const struct option *option, const char *text,
                         struct options *options)
{
    void *field = option_field(option, options);
    switch (option->type) {
    case OPTION_CHOICE:
        return parse_choice(option, text, options);
    case OPTION_INTEGER:
        return parse_integer(text, option->maximum, field);
    case OPTION_BYTES:
        return parse_bytes(text, field);
    case OPTION_TEXT:
        return snprintf(field, OPTION_TEXT_BYTES, "%s", text) < OPTION_TEXT_BYTES &&
               (option->is_right == NULL || option->is_right(text));
    }
    return false;
}

// Writes the allowed values of an option, for people.
static const char *option_remedy(const struct option *option, char *text, size_t bytes)
{
    switch (option->type) {
    case OPTION_INTEGER:
        snprintf(text, bytes, "a number from 0 to %ld", option->maximum);
        return text;
    case OPTION_BYTES:
        return "a number such as 4096, 64M or 2G";
    case OPTION_TEXT:
        if (option->is_right != NULL)
            return option->allowed;
        snprintf(text, bytes, "a text of less than %d bytes", OPTION_TEXT_BYTES);
        return text;
    default:
        if (option->extras == NULL)
            return option->allowed;
        snprintf(text, bytes, "%s, and %s with commas between", option->allowed,
                 option->extras);
        return text;
    }
}

int options_read(struct options *options)
{
    char allowed[128];
    for (int i = 0; i < option_count && !options->are_read; i++) {
        const struct option *option = &option_table[i];
        const char *text = getenv(option->name);
        if (!text || *text == '\0')
            text = option->standard;
        if (!option_parse(option, text, options))
            return fail(MPI_ERR_ARG, "%s=%s: allowed is %s", option->name, text,
                        option_remedy(option, allowed, sizeof allowed));
    }
    options->are_read = true;
    return 0;
}

bool option_exists(const char *name, size_t length)
{
    // Those of the compilers' wrappers, and of mpiexec.
    static const char others[] =
        "ORIEL_CC|ORIEL_CXX|ORIEL_FC|ORIEL_MEMORY_KINDS|ORIEL_TRACE";
    const char *other;
    size_t bytes;
    for (int i = 0; (bytes = word_at(others, i, &other)) > 0; i++)
        if (bytes == length && strncmp(other, name, length) == 0)
            return true;
    for (int i = 0; i < option_count; i++) {
        const char *known = option_table[i].name;
        if (strlen(known) == length && strncmp(known, name, length) == 0)
            return true;
    }
    return false;
}

const struct option *option_nearest(const char *name, size_t length)
{
    static const char prefix[] = "ORIEL_"; // which says nothing of the rest
    size_t same = sizeof prefix - 1;
    const struct option *nearest = NULL;
    if (length < same || strncmp(name, prefix, same) != 0)
        return NULL;
    int least = spelling_limit(length - same);
    for (int i = 0; i < option_count; i++) {
        const char *known = option_table[i].name + same;
        int distance =
            spelling_distance(name + same, length - same, known, strlen(known));
        if (distance < least) {
            least = distance;
            nearest = &option_table[i];
        }
    }
    return nearest;
}

void options_list(FILE *file)
{
    for (int i = 0; i < option_count; i++) {
        const struct option *option = &option_table[i];
        char setting[64];
        snprintf(setting, sizeof setting, "%s=%s%s%s", option->name, option->allowed,
                 option->extras ? "," : "", option->extras ? option->extras : "");
        fprintf(file, "  %-31s  %s", setting, option->description);
        if (*option->standard != '\0')
            fprintf(file, " [%s]", option->standard);
        fputc('\n', file);
    }
}
