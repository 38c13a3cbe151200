// SPDX-License-Identifier: BSD-3-Clause
// The table of mpiexec's options, and what each does to the plan.
#include "arguments.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- what starts ----------------------------------------------------------------------
static void apply_ranks(struct parser *parser, char **values)
{
    parser->section->ranks = argument_number(parser, values[0], "processes", RANKS_MAX);
}

static void apply_directory(struct parser *parser, char **values)
{
    parser->section->directory = values[0];
}

static void apply_path(struct parser *parser, char **values)
{
    parser->section->search_path = values[0];
}

static void apply_file(struct parser *parser, char **values)
{
    parser->file_arguments = arguments_of_file(values[0]);
}

static void apply_universe(struct parser *parser, char **values)
{
    static const char words[] = "infinite|INFINITE|system|SYSTEM";
    int choice = choice_find(words, values[0], strlen(values[0]));
    parser->plan->universe =
        choice < 0   ? argument_number(parser, values[0], "processes", RANKS_MAX)
        : choice < 2 ? UNIVERSE_UNKNOWN
                     : UNIVERSE_OF_HOSTS;
}

static void require_library(const char *option, const char *name)
{
    char *library = path_beside(name);
    if (!library || access(library, R_OK) != 0)
        usage_error("%s: there is no library %s", option, library ? library : "");
    free(library);
}

static void apply_share(struct parser *parser, char **values)
{
    (void)values;
    require_library("--share-heap", ORIEL_HEAP_LIBRARY);
    parser->plan->shares_heap = true;
}

static void apply_trace(struct parser *parser, char **values)
{
    require_library("--trace", ORIEL_TRACE_LIBRARY);
    parser->plan->trace_folder = values[0];
}

static void apply_summary(struct parser *parser, char **values)
{
    (void)values;
    require_library("--summary", ORIEL_TRACE_LIBRARY);
    parser->plan->prints_summary = true;
}

// ---- where ----------------------------------------------------------------------------
static void apply_hosts(struct parser *parser, char **values)
{
    hosts_add(parser, values[0]);
}

static void apply_host_file(struct parser *parser, char **values)
{
    hosts_add_file(parser, values[0]);
}

static void apply_per_host(struct parser *parser, char **values)
{
    parser->plan->per_host = argument_number(parser, values[0], "processes", RANKS_MAX);
}

static void apply_one_per_host(struct parser *parser, char **values)
{
    (void)values;
    parser->plan->per_host = 1;
}

static void apply_mapping(struct parser *parser, char **values)
{
    mapping_set(parser, values[0]);
}

static void apply_mapping_by_name(struct parser *parser, char **values)
{
    (void)values;
    mapping_set(parser, strstr(parser->name, "by") + 2);
}

static void apply_agent(struct parser *parser, char **values)
{
    parser->plan->agent = values[0];
}

static void apply_binding(struct parser *parser, char **values)
{
    // The order is that of enum binding. What Open MPI allows behind a colon, and no more.
    size_t length = strcspn(values[0], ":");
    int binding = choice_find(parser->argument->values, values[0], length);
    const char *rest = values[0] + length;
    if (strcmp(rest, ":overload-allowed") == 0 || strcmp(rest, ":if-supported") == 0)
        rest = "";
    if (binding < 0 || *rest != '\0')
        usage_error("--bind-to %s: %s is allowed", values[0], parser->argument->values);
    parser->plan->binding =
        binding <= BIND_DOMAIN ? (enum binding)binding : BIND_SOCKET;
}

static void apply_report(struct parser *parser, char **values)
{
    (void)values;
    parser->plan->reports_binding = true;
}

// ---- variables ------------------------------------------------------------------------
static void setting_add(struct settings *settings, const char *name, const char *value)
{
    if (*name == '\0' || strchr(name, '='))
        usage_error("'%s' is no name of an environment variable (-env NAME VALUE, "
                    "-x NAME=VALUE)",
                    name);
    size_t bytes = (size_t)(settings->count + 1) * sizeof *settings->list;
    struct setting *list = realloc(settings->list, bytes);
    if (!list)
        usage_error("no memory for %s", name);
    list[settings->count++] = (struct setting){name, value};
    settings->list = list;
}

static void apply_setting(struct parser *parser, char **values)
{
    setting_add(&parser->section->settings, values[0], values[1]);
}

static void apply_global_setting(struct parser *parser, char **values)
{
    setting_add(&parser->plan->settings, values[0], values[1]);
}

static void apply_memory_kinds(struct parser *parser, char **values)
{
    setting_add(&parser->section->settings, "ORIEL_MEMORY_KINDS", values[0]);
}

// Without a value the variable is in the environment, which all programs get.
static void apply_export(struct parser *parser, char **values)
{
    char *equals = strchr(values[0], '=');
    if (equals) {
        *equals = '\0';
        setting_add(&parser->plan->settings, values[0], equals + 1);
    } else if (!getenv(values[0])) {
        fprintf(parser->notes, "-x %s: the variable is not set\n", values[0]);
    }
}

// ---- output and end -------------------------------------------------------------------
static void apply_tag(struct parser *parser, char **values)
{
    (void)values;
    parser->plan->tags_output = true;
}

static void apply_merge(struct parser *parser, char **values)
{
    (void)values;
    parser->plan->merges_errors = true;
}

static void apply_output_file(struct parser *parser, char **values)
{
    parser->plan->output_pattern = values[0];
}

static void apply_error_file(struct parser *parser, char **values)
{
    parser->plan->error_pattern = values[0];
}

// The files have Open MPI's names: of its first job, unless that is not wanted.
static void apply_output_folder(struct parser *parser, char **values)
{
    size_t length = strcspn(values[0], ":");
    const char *rest = values[0] + length, *job = "/1";
    if (strcmp(rest, ":nojobid") == 0 || strcmp(rest, ":nojobid,nocopy") == 0)
        job = "";
    else if (*rest != '\0' && strcmp(rest, ":nocopy") != 0)
        usage_error("%s %s: nojobid or nocopy is allowed behind the colon",
                    parser->name, values[0]);
    char *output, *error;
    if (asprintf(&output, "%.*s%s/rank.%%R/stdout", (int)length, values[0], job) < 0 ||
        asprintf(&error, "%.*s%s/rank.%%R/stderr", (int)length, values[0], job) < 0)
        usage_error("no memory for %s", values[0]);
    parser->plan->output_pattern = output;
    parser->plan->error_pattern = error;
}

// Open MPI's words for what has options of its own, between commas.
static void apply_output(struct parser *parser, char **values)
{
    for (char *word = strtok(values[0], ","); word; word = strtok(NULL, ",")) {
        if (strcmp(word, "tag") == 0)
            parser->plan->tags_output = true;
        else if (strcmp(word, "merge") == 0)
            parser->plan->merges_errors = true;
        else if (strncmp(word, "dir=", 4) == 0)
            apply_output_folder(parser, (char *[]){word + 4, NULL});
        else
            usage_error("%s %s: tag, merge or dir=DIR is allowed", parser->name, word);
    }
}

// Ranks may run in another folder.
static void apply_finding_file(struct parser *parser, char **values)
{
    char *here = values[0][0] != '/' ? getcwd(NULL, 0) : NULL, *path;
    if (asprintf(&path, "%s%s%s", here ? here : "", here ? "/" : "", values[0]) < 0)
        usage_error("no memory for %s", values[0]);
    free(here);
    parser->plan->report = path;
    setting_add(&parser->plan->settings, "ORIEL_REPORT", path);
}

static void apply_check_exit(struct parser *parser, char **values)
{
    parser->plan->check_exit = argument_number(parser, values[0], "as exit code", 255);
}

static void apply_quiet(struct parser *parser, char **values)
{
    (void)values;
    parser->is_quiet = true;
}

static void apply_verbose(struct parser *parser, char **values)
{
    (void)values;
    parser->plan->is_verbose = true;
}

static void apply_timeout(struct parser *parser, char **values)
{
    parser->plan->timeout = argument_number(parser, values[0], "seconds", SECONDS_MAX);
}

static void apply_keep(struct parser *parser, char **values)
{
    (void)values;
    parser->plan->keeps_job = true;
}

static void apply_help(struct parser *parser, char **values)
{
    (void)parser, (void)values;
    arguments_help();
    exit(EXIT_SUCCESS);
}

static void apply_list(struct parser *parser, char **values)
{
    (void)parser, (void)values;
    arguments_list();
    exit(EXIT_SUCCESS);
}

static void apply_version(struct parser *parser, char **values)
{
    (void)parser, (void)values;
    puts("mpiexec (Oriel) " ORIEL_VERSION);
    exit(EXIT_SUCCESS);
}

// ---- other launchers' -----------------------------------------------------------------
static void accept_as_granted(struct parser *parser, char **values)
{
    (void)parser, (void)values;
}

static void accept_and_note(struct parser *parser, char **values)
{
    fprintf(parser->notes, "%s ", parser->name);
    for (int i = 0; i < parser->value_count; i++)
        fprintf(parser->notes, "%s ", values[i]);
    fprintf(parser->notes, "is ignored: %s\n", parser->argument->meaning);
}

static void refuse_argument(struct parser *parser, char **values)
{
    (void)values;
    usage_error("%s is not offered: %s", parser->name, parser->argument->meaning);
}

// clang-format off
const struct argument argument_table[] = {
    {GROUP_START, "-n|-np|-c", "N", apply_ranks,
     "start N processes [what the hosts offer, without hosts 1]"},
    {GROUP_START, "-wdir|-wd", "DIR", apply_directory, "run this program in a directory"},
    {GROUP_START, "-path", "DIRS", apply_path,
     "look for this program there, and not in PATH"},
    {GROUP_START, "-configfile|--app", "FILE", apply_file,
     "read the rest of the command line from a file, a program a line"},
    {GROUP_START, "-usize", "N", apply_universe,
     "MPI_UNIVERSE_SIZE; infinite: not set; system: what the hosts offer [the job]"},
    {GROUP_START, "-memory-alloc-kinds", "KINDS", apply_memory_kinds,
     "kinds of memory that this program asks for (MPI-4.1 11.4.3): system,mpi"},
    {GROUP_START, "--share-heap", "", apply_share,
     "take allocations of 128 KiB and more from shared memory, for created windows"},

    {GROUP_HOSTS, "--hosts|--host|-H", "A:N,B:N", apply_hosts,
     "run N processes on A, the next N on B and so on"},
    {GROUP_HOSTS, "--hostfile|-f|--machinefile|--default-hostfile", "FILE",
     apply_host_file, "... one a line: A, A:N or A slots=N"},
    {GROUP_HOSTS, "-ppn|-N|--npernode|-perhost", "N", apply_per_host,
     "run N processes on each host, whatever it offers"},
    {GROUP_HOSTS, "--pernode", "", apply_one_per_host, "run one process on each host"},
    {GROUP_HOSTS, "--map-by", "slot|node|core|hwthread|socket|package|numa|ppr:N:node",
     apply_mapping, "next process: on the same host while it has room, or on the next"},
    {GROUP_HOSTS, "--bynode|--byslot", "", apply_mapping_by_name, "--map-by node, slot"},
    {GROUP_HOSTS, "--launch-agent|-launcher-exec|-launcher|-bootstrap", "CMD",
     apply_agent, "what starts commands on a host [ssh]"},

    {GROUP_CORES, "--bind-to", "share|none|core|hwthread|socket|numa|package",
     apply_binding, "a share of the cores if they suffice, or the next one of these [share]"},

    {GROUP_CORES, "--report-bindings", "", apply_report,
     "say on which processors each process may run"},

    {GROUP_VARIABLES, "-env", "NAME VALUE", apply_setting,
     "set an environment variable for this program"},
    {GROUP_VARIABLES, "-genv", "NAME VALUE", apply_global_setting,
     "... for all programs"},
    {GROUP_VARIABLES, "-x", "NAME[=VALUE]", apply_export,
     "... for all programs; without a value it is passed on as all are"},

    {GROUP_OUTPUT, "-l|--tag-output|-prepend-rank", "", apply_tag,
     "begin each line of output with [rank]"},
    {GROUP_OUTPUT, "--merge-stderr-to-stdout", "", apply_merge,
     "write the processes' standard error to standard output"},
    {GROUP_OUTPUT, "-outfile-pattern", "PATTERN", apply_output_file,
     "write output to files; %r: rank, %R: with zeros, %h: host"},
    {GROUP_OUTPUT, "-errfile-pattern", "PATTERN", apply_error_file,
     "... the standard error"},
    {GROUP_OUTPUT, "--output-filename", "DIR", apply_output_folder,
     "write both to DIR/1/rank.N/stdout and stderr"},
    {GROUP_OUTPUT, "--output", "WHAT", apply_output,
     "tag, merge and dir=DIR for the above, with commas"},
    {GROUP_OUTPUT, "--report", "FILE", apply_finding_file,
     "what is wrong with the program, as JSON lines; FILE.sarif: as SARIF 2.1.0"},
    {GROUP_OUTPUT, "--trace", "DIR", apply_trace,
     "record all calls of MPI; DIR gets a page and a trace for Perfetto"},
    {GROUP_OUTPUT, "--summary", "", apply_summary,
     "say at the end which calls have waited, where and for whom"},
    {GROUP_OUTPUT, "-v|--verbose", "", apply_verbose,
     "say which processes start and end"},
    {GROUP_OUTPUT, "-q|--quiet", "", apply_quiet,
     "do not say which options are ignored"},

    {GROUP_END, "--timeout", "SECONDS", apply_timeout,
     "end the job after that time, with code 124 [MPIEXEC_TIMEOUT]"},
    {GROUP_END, "--check-exit", "N", apply_check_exit,
     "exit code when the job ends well and something wrong was found [0]"},
    {GROUP_END, "--keep-job|-disable-auto-cleanup|--enable-recovery", "", apply_keep,
     "let the others go on when a process dies"},
    {GROUP_END, "-h|--help", "", apply_help, "print this help"},
    {GROUP_END, "-V|--version", "", apply_version, "print the version"},
    {GROUP_END, "--list-options", "", apply_list,
     "print the options for the completion of a shell"},

    {GROUP_GRANTED, "--allow-run-as-root", "", accept_as_granted, "root may start jobs"},
    {GROUP_GRANTED, "--oversubscribe", "", accept_as_granted,
     "there may be more processes than cores or slots"},
    {GROUP_GRANTED, "--use-hwthread-cpus", "", accept_as_granted,
     "a share has all hardware threads of its cores"},
    {GROUP_GRANTED, "-envall|-genvall", "", accept_as_granted,
     "programs get the whole environment"},
    {GROUP_GRANTED, "-envlist|-genvlist", "NAMES", accept_as_granted,
     "these variables are part of it"},
    {GROUP_GRANTED, "-disable-x|-disable-hostname-propagation", "", accept_as_granted,
     "neither is done"},

    {GROUP_IGNORED, "--mca|--gmca|--omca|--pmixmca|--prtemca", "NAME VALUE",
     accept_and_note, "it is for Open MPI; ORIEL_ variables are settings of Oriel"},
    {GROUP_IGNORED, "-am|--tune", "FILE", accept_and_note, "it is for Open MPI"},
    {GROUP_IGNORED, "--prefix", "DIR", accept_and_note,
     "Oriel is at the same path on all hosts"},
    {GROUP_IGNORED, "--noprefix", "", accept_and_note,
     "Oriel is at the same path on all hosts"},
    {GROUP_IGNORED, "--display-map|--display-allocation|"
     "-print-all-exitcodes|--show-progress", "", accept_and_note,
     "--verbose says where each process runs and how it ends"},
    {GROUP_IGNORED, "--display", "WHAT", accept_and_note,
     "--verbose says where each process runs and how it ends"},
    {GROUP_IGNORED, "--cpus-per-proc|--cpus-per-rank", "N", accept_and_note,
     "each process has an equal share of the cores"},
    {GROUP_IGNORED, "--rank-by", "WHAT", accept_and_note, "--map-by says it"},
    {GROUP_IGNORED, "-iface", "NAME", accept_and_note,
     "ORIEL_PROVIDER and libfabric's FI_ variables choose the network"},
    {GROUP_IGNORED, "-rmk|-topolib|-demux|-localhost|-order-nodes", "NAME", accept_and_note,
     "it is for Hydra"},
    {GROUP_IGNORED, "-profile|-pmi-port", "", accept_and_note,
     "it is for Hydra"},

    {GROUP_REFUSED, "-envnone|-genvnone", "", refuse_argument,
     "programs get the whole environment; `env -i` runs mpiexec with less"},
    {GROUP_REFUSED, "-enable-x", "", refuse_argument, "use --launch-agent 'ssh -X'"},
    {GROUP_REFUSED, "--nooversubscribe", "", refuse_argument,
     "give no more than the slots of the hosts by -n"},
    {GROUP_REFUSED, "--rankfile|-rf", "FILE", refuse_argument,
     "name the hosts in the order of the ranks by --hosts"},
    {GROUP_REFUSED, "--nolocal|-skip-launch-node", "", refuse_argument,
     "leave this host out of --hosts"},
    {GROUP_REFUSED, "--npersocket|--ppr", "N", refuse_argument,
     "use -ppn N and --bind-to socket"},
    {GROUP_REFUSED, "--cpu-set|--cpu-list", "LIST", refuse_argument,
     "run mpiexec by `taskset -c LIST`"},
    {GROUP_REFUSED, "-membind|-gpus-per-proc", "WHAT", refuse_argument,
     "run the program by `numactl` or a script"},
    {GROUP_REFUSED, "-arch|-soft|-file|-initial-errhandler", "WHAT", refuse_argument,
     "it is optional in the standard"},
    {GROUP_REFUSED, "-s|--preload-binary", "", refuse_argument,
     "programs have to be there on all hosts"},
    {GROUP_REFUSED, "--preload-files", "FILES", refuse_argument,
     "files have to be there on all hosts"},
    {GROUP_REFUSED, "--stdin", "WHO", refuse_argument,
     "rank 0 gets the standard input"},
    {GROUP_REFUSED, "--timestamp-output", "", refuse_argument,
     "pipe the output through `ts`"},
    {GROUP_REFUSED, "-prepend-pattern", "PATTERN", refuse_argument, "use -l"},
    {GROUP_REFUSED, "--debug|-tv", "", refuse_argument,
     "start mpiexec in the debugger, or attach to it"},
    {GROUP_REFUSED, "--xterm", "RANKS", refuse_argument,
     "run `xterm -e program` as the program"},
    {GROUP_REFUSED, "-nameserver|--ompi-server|--dvm", "WHERE", refuse_argument,
     "Oriel starts no processes later"},
    {GROUP_REFUSED, "-info", "", refuse_argument, "oriel-info says it"},
};
// clang-format on
const int argument_count = sizeof argument_table / sizeof argument_table[0];
