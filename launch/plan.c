// SPDX-License-Identifier: BSD-3-Clause
// A plan as text, for the relay that starts some of its ranks: strings, each ended by a
// zero, numbers as decimal strings.
#include "launch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static void write_text(struct sink *sink, const char *text)
{
    sink_put(sink, text, strlen(text) + 1);
}

static void write_number(struct sink *sink, int number)
{
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    write_text(sink, text);
}

static int count_of(char **list)
{
    int count = 0;
    while (list[count])
        count++;
    return count;
}

static void write_list(struct sink *sink, char **list)
{
    write_number(sink, count_of(list));
    for (; *list; list++)
        write_text(sink, *list);
}

static void write_settings(struct sink *sink, const struct settings *settings)
{
    write_number(sink, settings->count);
    for (int i = 0; i < settings->count; i++) {
        write_text(sink, settings->list[i].name);
        write_text(sink, settings->list[i].value);
    }
}

void plan_write(const struct plan *plan, struct sink *sink)
{
    char *here = getcwd(NULL, 0);
    write_text(sink, here ? here : "/");
    free(here);
    write_list(sink, environ);
    write_settings(sink, &plan->settings);
    write_number(sink, (int)plan->binding);
    write_number(sink, plan->reports_binding);
    write_number(sink, plan->shares_heap);
    write_number(sink, plan->is_traced);
    write_number(sink, plan->section_count);
    for (int i = 0; i < plan->section_count; i++) {
        const struct section *section = &plan->sections[i];
        write_number(sink, section->ranks);
        write_text(sink, section->path);
        write_text(sink, section->directory ? section->directory : "");
        write_list(sink, section->argv);
        write_settings(sink, &section->settings);
    }
}

// ---- and back -----------------------------------------------------------------------
struct reader {
    char *next, *end;
    bool is_bad;
};

static char *read_text(struct reader *reader)
{
    char *text = reader->next;
    char *zero = text < reader->end ? memchr(text, 0, (size_t)(reader->end - text)) : 0;
    if (!zero) {
        reader->is_bad = true;
        return (char *)"";
    }
    reader->next = zero + 1;
    return text;
}

// Reads a number of items, each of which takes at least a byte.
static int reader_number(struct reader *reader)
{
    int number = atoi(read_text(reader));
    bool is_sound = number >= 0 && number <= reader->end - reader->next;
    reader->is_bad |= !is_sound;
    return is_sound ? number : 0;
}

enum { RANKS_MAX = 1 << 24 };

static int read_ranks(struct reader *reader)
{
    int ranks = atoi(read_text(reader));
    reader->is_bad |= ranks < 1 || ranks > RANKS_MAX;
    return reader->is_bad ? 0 : ranks;
}

static char **read_list(struct reader *reader)
{
    int count = reader_number(reader);
    char **list = calloc((size_t)count + 1, sizeof *list);
    reader->is_bad |= !list;
    for (int i = 0; list && i < count; i++)
        list[i] = read_text(reader);
    return list;
}

static void read_settings(struct reader *reader, struct settings *settings)
{
    settings->count = reader_number(reader);
    settings->list = calloc((size_t)settings->count + 1, sizeof *settings->list);
    if (!settings->list) {
        settings->count = 0;
        reader->is_bad = true;
    }
    for (int i = 0; i < settings->count; i++) {
        settings->list[i].name = read_text(reader);
        settings->list[i].value = read_text(reader);
    }
}

bool plan_read(char *bytes, size_t count, struct plan *plan)
{
    struct reader reader = {bytes, bytes + count, false};
    char *here = read_text(&reader);
    char **environment = read_list(&reader);
    for (char **entry = environment; entry && *entry; entry++)
        putenv(*entry); // the bytes stay
    free(environment);
    read_settings(&reader, &plan->settings);
    plan->binding = (enum binding)reader_number(&reader);
    reader.is_bad |= plan->binding > BIND_DOMAIN;
    plan->reports_binding = reader_number(&reader) != 0;
    plan->shares_heap = reader_number(&reader) != 0;
    plan->is_traced = reader_number(&reader) != 0;
    plan->section_count = reader_number(&reader);
    plan->sections = calloc((size_t)plan->section_count + 1, sizeof *plan->sections);
    if (!plan->sections || reader.is_bad)
        return false;
    for (int i = 0; i < plan->section_count; i++) {
        struct section *section = &plan->sections[i];
        section->ranks = read_ranks(&reader);
        section->path = read_text(&reader);
        section->directory = read_text(&reader);
        if (*section->directory == '\0')
            section->directory = NULL;
        section->argv = read_list(&reader);
        read_settings(&reader, &section->settings);
        plan->ranks += section->ranks;
        reader.is_bad |= plan->ranks > RANKS_MAX;
    }
    if (!reader.is_bad && chdir(here) != 0)
        say("no directory %s here", here);
    return !reader.is_bad;
}
