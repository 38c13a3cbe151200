// SPDX-License-Identifier: BSD-3-Clause
// Prints a report: for people with indented names, or as JSON (RFC 8259).
#include "info.h"

#include <ctype.h>

static void print_string(const char *text)
{
    putchar('"');
    for (; *text != '\0'; text++)
        if (*text == '"' || *text == '\\')
            printf("\\%c", *text);
        else if ((unsigned char)*text < ' ')
            printf("\\u%04x", (unsigned)*text);
        else
            putchar(*text);
    putchar('"');
}

// What stands before the next name of JSON.
static void begin_member(struct report *report, const char *name)
{
    printf("%s\n%*s", report->is_empty ? "" : ",", 2 * report->depth, "");
    print_string(name);
    printf(": ");
    report->is_empty = false;
}

void report_open(struct report *report, const char *name)
{
    if (report->is_json) {
        if (report->depth == 0) {
            putchar('{');
            report->depth = 1;
            report->is_empty = true;
        }
        begin_member(report, name);
        putchar('{');
    } else if (report->depth == 0) {
        printf("%c%s\n", toupper((unsigned char)*name), name + 1);
    } else {
        printf("%*s%s\n", 2 * report->depth, "", name);
    }
    report->depth++;
    report->is_empty = true;
}

void report_close(struct report *report)
{
    report->depth--;
    if (report->is_json) {
        if (!report->is_empty)
            printf("\n%*s", 2 * report->depth, "");
        putchar('}');
        if (report->depth == 0)
            putchar('\n');
    } else if (report->depth == 0) {
        puts(report->is_empty ? "  none\n" : "");
    }
    report->is_empty = false;
}

void report_value(struct report *report, const char *name, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (report->is_json) {
        begin_member(report, name);
        print_string(text);
    } else {
        printf("%*s%-*s %s\n", 2 * report->depth, "", 24 - 2 * report->depth, name,
               text);
        report->is_empty = false;
    }
}
