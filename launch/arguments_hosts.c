// SPDX-License-Identifier: BSD-3-Clause
// What the command line says about hosts.
#include "arguments.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// With Open MPI, a list chooses from the hosts of a file.
static void hosts_check_source(struct parser *parser)
{
    if (parser->hosts_from && parser->hosts_from != parser->argument)
        usage_error("%s: the hosts of this program are named by another option, too",
                    parser->name);
    parser->hosts_from = parser->argument;
}

void hosts_add(struct parser *parser, const char *list)
{
    hosts_check_source(parser);
    char *copy = strdup(list); // the names stay in it
    if (!copy || !hosts_parse(copy, &parser->section->hosts))
        usage_error("'%s' is no list of hosts: name[:processes],...", list);
}

// One host a line; # begins a comment.
void hosts_add_file(struct parser *parser, const char *path)
{
    FILE *file = fopen(path, "re");
    if (!file)
        usage_error("cannot read the hosts in %s: %s", path, strerror(errno));
    char line[512];
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "#\n")] = '\0';
        if (line[strspn(line, " \t\r")] != '\0')
            hosts_add(parser, line);
    }
    fclose(file);
    if (parser->section->hosts.count == 0)
        usage_error("there is no host in %s", path);
}

// What Open MPI has behind the second colon: more processes than cores are allowed
// anyway, and processing elements are what binding shares out.
static void check_modifiers(struct parser *parser, const char *text)
{
    while (*text == ':' || *text == ',') {
        size_t length = strcspn(++text, ":,");
        if (length > 3 && strncasecmp(text, "pe=", 3) == 0)
            fprintf(parser->notes,
                    "%.*s of --map-by is ignored: each process has an equal share of "
                    "the cores\n",
                    (int)length, text);
        else if (length != strlen("oversubscribe") ||
                 strncasecmp(text, "oversubscribe", length) != 0)
            usage_error("--map-by: '%.*s' is not offered", (int)length, text);
        text += length;
    }
}

static bool read_per_host(struct parser *parser, const char *text)
{
    int ranks, used = 0;
    if (sscanf(text, "ppr:%d:node%n", &ranks, &used) != 1 || used == 0 || ranks < 1 ||
        ranks > RANKS_MAX)
        return false;
    parser->plan->per_host = ranks;
    check_modifiers(parser, text + used);
    return true;
}

void mapping_set(struct parser *parser, const char *text)
{
    static const char words[] = "slot|node|core|hwthread|socket|package|numa";
    enum { SLOT, NODE, CORE, HWTHREAD };
    if (read_per_host(parser, text))
        return;
    size_t length = strcspn(text, ":");
    int choice = *text == ':' ? SLOT : choice_find(words, text, length);
    if (choice < 0)
        usage_error("--map-by %s: %s or ppr:N:node is allowed", text, words);
    parser->plan->maps_by_host = choice == NODE;
    if (choice > HWTHREAD)
        fprintf(parser->notes,
                "--map-by %.*s is ignored: processes of neighbouring ranks get "
                "neighbouring cores\n",
                (int)length, text);
    check_modifiers(parser, text + length);
}

// ---- once all is read -----------------------------------------------------------------
static int offered_slots(const struct plan *plan, const struct hosts *hosts)
{
    int64_t slots = 0;
    for (int i = 0; i < hosts->count; i++) {
        int said = hosts->list[i].slots;
        slots += plan->per_host > 0 ? plan->per_host : said > 0 ? said : 1;
    }
    if (slots > RANKS_MAX)
        usage_error("the hosts offer more than %d slots", RANKS_MAX);
    return (int)slots;
}

// A program alone fills its hosts; of several, each starts one process.
static int ranks_by_default(const struct plan *plan, const struct section *section)
{
    if (section->hosts.count > 0)
        return offered_slots(plan, &section->hosts);
    if (plan->section_count > 1)
        return 1;
    return plan->per_host > 0 ? plan->per_host : 1;
}

// Of the batch job in which mpiexec runs, as far as it says so.
static int count_batch_hosts(void)
{
    const char *nodes = getenv("SLURM_JOB_NUM_NODES"), *path = getenv("PBS_NODEFILE");
    FILE *file = path ? fopen(path, "re") : NULL;
    int count = nodes ? atoi(nodes) : 0;
    char line[512], first[512] = "";
    while (file && count < 2 && fgets(line, sizeof line, file)) {
        count = *first != '\0' && strcmp(line, first) != 0 ? 2 : 1;
        memcpy(first, line, sizeof first);
    }
    if (file)
        fclose(file);
    return count;
}

// People whose launcher asks the batch system expect all nodes to be used.
static void note_batch_job(struct parser *parser)
{
    if (parser->plan->hosts.count == 0 && count_batch_hosts() > 1)
        fprintf(parser->notes,
                "this batch job has more nodes, but all processes start on this one: "
                "%s uses the others\n",
                getenv("PBS_NODEFILE") ? "-f $PBS_NODEFILE" : "srun, or --hosts,");
}

void hosts_complete(struct parser *parser)
{
    struct plan *plan = parser->plan;
    for (int i = 0; i < plan->section_count; i++) {
        struct section *section = &plan->sections[i];
        if (!hosts_unite(&plan->hosts, &section->hosts))
            usage_error("no memory for the hosts");
        if (section->ranks == 0)
            section->ranks = ranks_by_default(plan, section);
        plan->ranks += section->ranks;
        if (plan->ranks > RANKS_MAX)
            usage_error("%d processes are more than %d", plan->ranks, RANKS_MAX);
    }
    if (plan->universe == UNIVERSE_OF_HOSTS)
        plan->universe = offered_slots(plan, &plan->hosts);
    if (plan->universe >= 0 && plan->universe < plan->ranks)
        plan->universe = plan->ranks;
    note_batch_job(parser);
}
