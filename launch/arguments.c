// SPDX-License-Identifier: BSD-3-Clause
// Reads the command line of mpiexec (MPI-4.1 11.5), and prints its help.
#include "arguments.h"

#include "base/spelling.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void usage_error(const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    say("%s", text);
    fputs("usage: mpiexec [-n N] [option ...] program [argument ...] [: ...]\n"
          "       mpiexec --help\n",
          stderr);
    exit(EXIT_USAGE);
}

int choice_find(const char *words, const char *text, size_t length)
{
    const char *word;
    size_t bytes;
    for (int i = 0; (bytes = word_at(words, i, &word)) > 0; i++)
        if (bytes == length && strncmp(word, text, length) == 0)
            return i;
    return -1;
}

int argument_number(const struct parser *parser, const char *text, const char *what,
                    int most)
{
    char *end;
    errno = 0;
    long number = strtol(text, &end, 10);
    if (errno || end == text || *end != '\0' || number < 1 || number > most)
        usage_error("%s: '%s' %s: a number from 1 to %d is allowed", parser->name, text,
                    what, most);
    return (int)number;
}

// ---- names ----------------------------------------------------------------------------
static const char *skip_dashes(const char *name)
{
    for (int dashes = 0; dashes < 2 && *name == '-'; dashes++)
        name++;
    return name;
}

static bool has_name(const struct argument *argument, const char *name, size_t length)
{
    const char *word;
    size_t bytes;
    for (int i = 0; (bytes = word_at(argument->names, i, &word)) > 0; i++) {
        const char *known = skip_dashes(word);
        if (bytes - (size_t)(known - word) == length &&
            strncmp(known, name, length) == 0)
            return true;
    }
    return false;
}

// The known name that resembles an unknown one most, and its length: 0 if none does.
static size_t nearest_name(const char *name, size_t length, const char **nearest)
{
    size_t found = 0, bytes;
    *nearest = "";
    int least = spelling_limit(length);
    for (int i = 0; i < argument_count; i++) {
        const char *word;
        for (int j = 0; (bytes = word_at(argument_table[i].names, j, &word)) > 0; j++) {
            const char *known = skip_dashes(word);
            int distance =
                spelling_distance(name, length, known, bytes - (size_t)(known - word));
            if (distance < least) {
                least = distance;
                *nearest = word;
                found = bytes;
            }
        }
    }
    return found;
}

static const struct argument *find_argument(const char *name)
{
    const char *text = skip_dashes(name), *nearest;
    size_t length = strcspn(text, "=");
    for (int i = 0; i < argument_count; i++)
        if (has_name(&argument_table[i], text, length))
            return &argument_table[i];
    size_t found = nearest_name(text, length, &nearest);
    if (found > 0)
        usage_error("unknown option %s; did you mean %.*s?", name, (int)found, nearest);
    usage_error("unknown option %s", name);
}

// ---- the command line -----------------------------------------------------------------
static int values_of(const struct argument *argument)
{
    int values = *argument->values != '\0';
    for (const char *blank = argument->values; (blank = strchr(blank, ' ')); blank++)
        values++;
    return values;
}

// "--name=value" is "--name value" where one value follows. Returns what comes behind.
static char **read_option(struct parser *parser, char **argv)
{
    const struct argument *argument = find_argument(*argv);
    int values = values_of(argument);
    char *equals = strchr(*argv, '=');
    parser->argument = argument;
    parser->name = *argv;
    parser->value_count = values;
    if (equals) {
        if (values != 1)
            usage_error("%s: one value and no other may follow a =", *argv);
        *equals = '\0';
        argument->apply(parser, (char *[]){equals + 1, NULL});
        return argv + 1;
    }
    size_t name_length = strcspn(argument->names, "|");
    for (int i = 1; i <= values; i++)
        if (!argv[i])
            usage_error("%s: what follows is missing (%.*s %s)", *argv,
                        (int)name_length, argument->names, argument->values);
    argument->apply(parser, argv + 1);
    return argv + 1 + values;
}

// Reads one section at argv; returns where the next one begins, or NULL at the end.
static char **parse_section(struct parser *parser, char **argv)
{
    struct section *section = parser->section;
    while (*argv && (*argv)[0] == '-') {
        argv = read_option(parser, argv);
        if (!parser->file_arguments)
            continue;
        if (*argv)
            usage_error("%s comes last: %s is in the way", parser->name, *argv);
        argv = parser->file_arguments;
        parser->file_arguments = NULL;
    }
    if (!*argv || strcmp(*argv, ":") == 0)
        usage_error("no program to run");
    section->argv = argv;
    while (*argv && strcmp(*argv, ":") != 0)
        argv++;
    if (!*argv)
        return NULL;
    *argv = NULL; // the colon ends the program's arguments
    return argv + 1;
}

// The last one of the plan.
static struct section *section_add(struct plan *plan)
{
    size_t bytes = (size_t)(plan->section_count + 1) * sizeof *plan->sections;
    struct section *sections = realloc(plan->sections, bytes);
    if (!sections)
        usage_error("no memory for %d programs", plan->section_count + 1);
    plan->sections = sections;
    sections[plan->section_count] = (struct section){0};
    return &sections[plan->section_count++];
}

static void print_notes(const char *notes)
{
    for (size_t length; *notes != '\0'; notes += length + 1) {
        length = strcspn(notes, "\n");
        say("%.*s", (int)length, notes);
    }
}

// What both other launchers read.
static void read_environment(struct parser *parser)
{
    const char *seconds = getenv("MPIEXEC_TIMEOUT");
    if (seconds && *seconds != '\0') {
        parser->name = "MPIEXEC_TIMEOUT";
        parser->plan->timeout =
            argument_number(parser, seconds, "seconds", SECONDS_MAX);
    }
}

void arguments_parse(int argc, char **argv, struct plan *plan)
{
    (void)argc;
    char *notes = NULL;
    size_t bytes;
    struct parser parser = {.plan = plan, .notes = open_memstream(&notes, &bytes)};
    *plan = (struct plan){.agent = (char *)"ssh"};
    if (!parser.notes)
        usage_error("no memory for the arguments");
    read_environment(&parser);
    for (char **next = argv + 1; next;) {
        parser.section = section_add(plan);
        parser.hosts_from = NULL;
        next = parse_section(&parser, next);
    }
    hosts_complete(&parser);
    fclose(parser.notes);
    if (!parser.is_quiet)
        print_notes(notes);
    free(notes);
}

// ---- help -----------------------------------------------------------------------------
enum { HELP_COLUMN = 25, HELP_WIDTH = 96 };

static int print_names(const struct argument *argument)
{
    int first = (int)strcspn(argument->names, "|");
    int used = printf("  %.*s%s%s", first, argument->names,
                      *argument->values != '\0' ? " " : "", argument->values);
    if (used >= HELP_COLUMN)
        used = printf("\n") - 1;
    return printf("%*s%s", HELP_COLUMN - used, "", argument->meaning) + used;
}

static void print_usage(const struct argument *argument)
{
    int used = print_names(argument);
    const char *others = strchr(argument->names, '|'), *word;
    if (others && used + strlen(others) + strlen("; also") > HELP_WIDTH)
        printf(",\n%*salso ", HELP_COLUMN, "");
    else if (others)
        printf("; also ");
    size_t bytes;
    for (int i = 1; (bytes = word_at(argument->names, i, &word)) > 0; i++)
        printf("%s%.*s", i == 1 ? "" : ", ", (int)bytes, word);
    putchar('\n');
}

void arguments_help(void)
{
    static const char *const headings[GROUP_COUNT] = {
        [GROUP_START] = "Programs",
        [GROUP_HOSTS] = "Hosts",
        [GROUP_CORES] = "Cores",
        [GROUP_VARIABLES] = "Variables",
        [GROUP_OUTPUT] = "Output",
        [GROUP_END] = "The end, and help",
        [GROUP_GRANTED] = "Accepted, since it is so anyway",
        [GROUP_IGNORED] = "Ignored, with a line that says why",
        [GROUP_REFUSED] = "Refused"};
    puts("usage: mpiexec [-n N] [option ...] program [argument ...] [: ...]\n\n"
         "Starts an MPI program, on this machine or on several. After a colon follows "
         "another program\n"
         "of the same job, with its own options. One dash is as good as two, and "
         "--name=value as\n"
         "--name value.");
    for (int i = 0; i < argument_count; i++) {
        if (i == 0 || argument_table[i].group != argument_table[i - 1].group)
            printf("\n%s:\n", headings[argument_table[i].group]);
        print_usage(&argument_table[i]);
    }
    puts(
        "\nThe exit code is that of the first process that failed, 128 + the number "
        "of\n"
        "the signal that killed it, or 0; 2, 126 or 127 if nothing could be started, "
        "124 after\n"
        "--timeout. SIGINT, SIGTERM and SIGHUP go to all processes; a second one kills "
        "them.\n"
        "SIGQUIT shows what they wait for, and so does the end of --timeout.\n\n"
        "Programs linked with Oriel read these variables [default]:");
    options_list(stdout);
}

void arguments_list(void)
{
    for (int i = 0; i < argument_count; i++)
        if (argument_table[i].group < GROUP_GRANTED)
            printf("%s %s\n", argument_table[i].names, argument_table[i].values);
    for (int i = 0; i < option_count; i++)
        printf("%s=%s\n", option_table[i].name, option_table[i].allowed);
}
