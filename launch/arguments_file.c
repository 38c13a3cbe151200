// SPDX-License-Identifier: BSD-3-Clause
// The file of -configfile (MPI-4.1 11.5): each line is what could stand between colons, #
// begins a comment, and a backslash at the end continues the line. Quotes and backslashes
// keep blanks together.
#include "arguments.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct words {
    char **list;
    int count;
};

static void words_add(struct words *words, char *word)
{
    char **list =
        realloc(words->list, (size_t)(words->count + 2) * sizeof *words->list);
    if (!list)
        usage_error("no memory for the arguments of a file");
    list[words->count++] = word;
    list[words->count] = NULL;
    words->list = list;
}

// Takes one word from the text, in place; NULL when there is no more in this line.
static char *words_take(char **text)
{
    char *next = *text + strspn(*text, " \t\r"), *word = next, *end = next;
    char quote = '\0';
    if (*next == '\0' || *next == '#')
        return NULL;
    for (; *next != '\0' && (quote || !strchr(" \t\r", *next)); next++) {
        if (quote ? *next == quote : *next == '"' || *next == '\'')
            quote = quote ? '\0' : *next;
        else if (*next == '\\' && quote != '\'' && next[1] != '\0')
            *end++ = *++next;
        else
            *end++ = *next;
    }
    if (quote)
        usage_error("a quote is not closed: %s", word);
    *text = next + (*next != '\0');
    *end = '\0';
    return word;
}

static void take_line(struct words *words, char *line)
{
    bool is_first = true;
    for (char *word; (word = words_take(&line)); is_first = false) {
        if (is_first && words->count > 0)
            words_add(words, (char *)":");
        words_add(words, word);
    }
}

// A backslash before a newline and the newline are nothing.
static void join_lines(char *text)
{
    char *end = text;
    for (; *text != '\0'; text++)
        if (text[0] == '\\' && text[1] == '\n')
            text++;
        else
            *end++ = *text;
    *end = '\0';
}

char **arguments_of_file(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = NULL; // the words stay in it
    size_t bytes = 0;
    errno = 0;
    ssize_t length = file ? getdelim(&text, &bytes, '\0', file) : -1;
    if (!file || !text || (length < 0 && !feof(file)))
        usage_error("cannot read the arguments in %s: %s", path, strerror(errno));
    text[length > 0 ? length : 0] = '\0';
    fclose(file);
    struct words words = {0};
    join_lines(text);
    for (char *line = text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        take_line(&words, line);
    }
    if (words.count == 0)
        usage_error("there is no program in %s", path);
    return words.list;
}
