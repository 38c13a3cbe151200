// SPDX-License-Identifier: BSD-3-Clause
// The command line of mpiexec (MPI-4.1 11.5), and its help.
#include "launch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RANKS_MAX = 1 << 16 };

struct parser {
    struct plan *plan;
    struct section *section; // the one being read
};

static _Noreturn void usage_error(const char *format, ...) PRINTF_LIKE(1, 2);
static _Noreturn void usage_error(const char *format, ...)
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

static void add_setting(struct settings *settings, char **values)
{
    if (*values[0] == '\0' || strchr(values[0], '='))
        usage_error("'%s' is no name of an environment variable", values[0]);
    settings->list[settings->count++] = (struct setting){values[0], values[1]};
}

static void apply_ranks(struct parser *parser, char **values)
{
    char *end;
    errno = 0;
    long ranks = strtol(values[0], &end, 10);
    if (errno || end == values[0] || *end != '\0' || ranks < 1 || ranks > RANKS_MAX)
        usage_error("'%s' processes: a number from 1 to %d is allowed", values[0],
                    RANKS_MAX);
    parser->section->ranks = (int)ranks;
}

static void apply_setting(struct parser *parser, char **values)
{
    add_setting(&parser->section->settings, values);
}

static void apply_global_setting(struct parser *parser, char **values)
{
    add_setting(&parser->plan->settings, values);
}

static void apply_directory(struct parser *parser, char **values)
{
    parser->section->directory = values[0];
}

static void add_hosts(struct parser *parser, char *list)
{
    char *copy = strdup(list); // the names stay in it
    if (!copy || !hosts_parse(copy, &parser->plan->hosts))
        usage_error("'%s' is no list of hosts: name[:processes],...", list);
}

static void apply_hosts(struct parser *parser, char **values)
{
    add_hosts(parser, values[0]);
}

// One host a line, `name` or `name:processes`; # begins a comment.
static void apply_host_file(struct parser *parser, char **values)
{
    FILE *file = fopen(values[0], "re");
    if (!file)
        usage_error("cannot read the hosts in %s: %s", values[0], strerror(errno));
    char line[512];
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "#\n")] = '\0';
        if (line[strspn(line, " \t\r")] != '\0')
            add_hosts(parser, line);
    }
    fclose(file);
}

static void apply_agent(struct parser *parser, char **values)
{
    parser->plan->agent = values[0];
}

static void apply_binding(struct parser *parser, char **values)
{
    static const char *const words[] = {
        [BIND_SHARE] = "share", [BIND_NOT] = "none", [BIND_CORE] = "core"};
    int binding = 0, count = sizeof words / sizeof words[0];
    while (binding < count && strcmp(values[0], words[binding]) != 0)
        binding++;
    if (binding == count)
        usage_error("--bind-to %s: share, core or none is allowed", values[0]);
    parser->plan->binding = (enum binding)binding;
}

static void apply_tag(struct parser *parser, char **values)
{
    (void)values;
    parser->plan->tags_output = true;
}

static void apply_verbose(struct parser *parser, char **values)
{
    (void)values;
    parser->plan->is_verbose = true;
}

static void apply_keep(struct parser *parser, char **values)
{
    (void)values;
    parser->plan->keeps_job = true;
}

static void apply_share(struct parser *parser, char **values)
{
    (void)values;
    char *library = heap_library();
    if (!library || access(library, R_OK) != 0)
        usage_error("--share-heap: there is no library %s", library ? library : "");
    free(library);
    parser->plan->shares_heap = true;
}

static void apply_help(struct parser *parser, char **values);

static void apply_version(struct parser *parser, char **values)
{
    (void)parser, (void)values;
    puts("mpiexec (Oriel) " ORIEL_VERSION);
    exit(EXIT_SUCCESS);
}

static const struct argument {
    const char *names[3];
    int values; // how many arguments follow
    void (*apply)(struct parser *parser, char **values);
    const char *usage, *description;
} argument_table[] = {
    {{"-n", "-np", "--np"}, 1, apply_ranks, "-n N, -np N", "start N processes [1]"},
    {{"-env"},
     2,
     apply_setting,
     "-env NAME VALUE",
     "set an environment variable for this program"},
    {{"-genv"}, 2, apply_global_setting, "-genv NAME VALUE", "... for all programs"},
    {{"-wdir", "--wdir"},
     1,
     apply_directory,
     "-wdir DIR",
     "run this program in a directory"},
    {{"-hosts", "--hosts", "--host"},
     1,
     apply_hosts,
     "--hosts A:N,B:N",
     "run N processes on A, the next N on B and so on"},
    {{"-f", "--hostfile"}, 1, apply_host_file, "--hostfile FILE", "... one a line"},
    {{"--launch-agent"},
     1,
     apply_agent,
     "--launch-agent CMD",
     "what starts commands on a host [ssh]"},
    {{"--bind-to", "-bind-to"},
     1,
     apply_binding,
     "--bind-to WHAT",
     "share: of the cores, if they suffice; core: one; none [share]"},
    {{"--share-heap"},
     0,
     apply_share,
     "--share-heap",
     "take allocations of 128 KiB and more from shared memory, for created windows"},
    {{"-l", "--tag-output"},
     0,
     apply_tag,
     "-l, --tag-output",
     "begin each line of output with [rank]"},
    {{"-v", "--verbose"},
     0,
     apply_verbose,
     "-v, --verbose",
     "say which processes start and end"},
    {{"--keep-job", "-disable-auto-cleanup"},
     0,
     apply_keep,
     "--keep-job",
     "let the others go on when a process dies"},
    {{"-h", "-help", "--help"}, 0, apply_help, "-h, --help", "print this help"},
    {{"-V", "-version", "--version"},
     0,
     apply_version,
     "-V, --version",
     "print the version"},
};
enum { ARGUMENT_COUNT = sizeof argument_table / sizeof argument_table[0] };

static void apply_help(struct parser *parser, char **values)
{
    (void)parser, (void)values;
    puts("usage: mpiexec [-n N] [option ...] program [argument ...] [: ...]\n\n"
         "Starts an MPI program, on this machine or on several. After a colon follows "
         "another program\n"
         "of the same job, with its own options.\n\nOptions:");
    for (int i = 0; i < ARGUMENT_COUNT; i++)
        printf("  %-20s %s\n", argument_table[i].usage, argument_table[i].description);
    puts("\nThe exit code is that of the first process that failed, 128 + the number "
         "of\n"
         "the signal that killed it, or 0. SIGINT, SIGTERM, SIGHUP and SIGQUIT go to "
         "all\n"
         "processes; a second one kills them.\n\n"
         "Programs linked with Oriel read these variables [default]:");
    options_list(stdout);
    exit(EXIT_SUCCESS);
}

static const struct argument *find_argument(const char *name)
{
    for (int i = 0; i < ARGUMENT_COUNT; i++)
        for (int j = 0; j < 3 && argument_table[i].names[j]; j++)
            if (strcmp(argument_table[i].names[j], name) == 0)
                return &argument_table[i];
    usage_error("unknown option %s", name);
}

// Reads one section at argv; returns where the next one begins, or NULL at the end.
static char **parse_section(struct parser *parser, char **argv)
{
    struct section *section = parser->section;
    section->ranks = 1;
    while (*argv && (*argv)[0] == '-') {
        const struct argument *argument = find_argument(*argv);
        for (int i = 1; i <= argument->values; i++)
            if (!argv[i])
                usage_error("%s: what follows is missing (%s)", *argv, argument->usage);
        argument->apply(parser, argv + 1);
        argv += 1 + argument->values;
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

void arguments_parse(int argc, char **argv, struct plan *plan)
{
    // There are fewer sections, and fewer settings in each, than arguments.
    size_t most = (size_t)argc;
    struct setting *settings = calloc(most, sizeof *settings);
    *plan = (struct plan){
        .sections = calloc(most, sizeof *plan->sections),
        .settings.list = calloc(most, sizeof *settings),
        .agent = (char *)"ssh",
    };
    if (!settings || !plan->sections || !plan->settings.list) {
        say("no memory for %d arguments", argc);
        exit(EXIT_FAILURE);
    }
    for (char **next = argv + 1; next;) {
        struct section *section = &plan->sections[plan->section_count++];
        section->settings.list = settings;
        next = parse_section(&(struct parser){plan, section}, next);
        settings += section->settings.count;
        plan->ranks += section->ranks;
        if (plan->ranks > RANKS_MAX)
            usage_error("%d processes are more than %d", plan->ranks, RANKS_MAX);
    }
}
