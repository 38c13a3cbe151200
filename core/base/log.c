// SPDX-License-Identifier: BSD-3-Clause
// Lines for people on standard error. A line is one write(), so that lines of several
// processes do not mix.
#include "base/base.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 1024, HEAD_MAX_BYTES = 64 };

static bool log_is_colored(void)
{
    const char *shown = getenv("MPIEXEC_COLOR");
    char file[COLOR_FILE_BYTES];
    bool is_passed_on =
        shown != NULL && color_file(STDERR_FILENO, file) && strcmp(file, shown) == 0;
    return (is_passed_on || isatty(STDERR_FILENO)) && !color_is_refused();
}

const char *log_color(const char *color)
{
    return log_is_colored() ? color : "";
}

// What each line begins with.
static int write_head(char *line, size_t bytes)
{
    const char *color = log_color(COLOR_HEAD), *end = log_color(COLOR_END);
    return process.rank < 0 ? snprintf(line, bytes, "%soriel:%s ", color, end)
                            : snprintf(line, bytes, "%soriel: rank %d:%s ", color,
                                       process.rank, end);
}

static void write_line(const char *format, va_list arguments)
{
    char line[LINE_MAX_BYTES];
    int used = write_head(line, sizeof line);
    int room = (int)sizeof line - used;
    int length = vsnprintf(line + used, (size_t)room, format, arguments);
    if (length < 0)
        return;
    used += length < room ? length : room - 1;
    line[used++] = '\n'; // replaces the terminating zero
    ssize_t written = write(STDERR_FILENO, line, (size_t)used);
    (void)written; // nowhere to complain to
}

void log_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_line(format, arguments);
    va_end(arguments);
}

void log_verbose(const char *format, ...)
{
    if (!process.options.verbose)
        return;
    va_list arguments;
    va_start(arguments, format);
    write_line(format, arguments);
    va_end(arguments);
}

void log_lines(const char *text)
{
    char head[HEAD_MAX_BYTES], *lines = NULL;
    size_t bytes;
    FILE *out = open_memstream(&lines, &bytes);
    if (out == NULL)
        return;
    write_head(head, sizeof head);
    while (*text != '\0') {
        int length = (int)strcspn(text, "\n");
        fprintf(out, "%s%.*s\n", head, length, text);
        text += length + (text[length] == '\n');
    }
    fclose(out);
    ssize_t written = write(STDERR_FILENO, lines, bytes);
    (void)written; // nowhere to complain to
    free(lines);
}
