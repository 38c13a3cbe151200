// SPDX-License-Identifier: BSD-3-Clause
// Binding of ranks to cores. The kernel by itself often puts two ranks of a small job
// on one core, where one polls until its time slice ends while the other could answer.
#include "launch.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>

// A hardware thread: its place in the machine, from large to small.
enum { PLACE_SOCKET, PLACE_DOMAIN, PLACE_DIE, PLACE_CORE, PLACE_NUMBER, PLACES };
struct processor {
    int place[PLACES];
};

// Processors that are alike in so many places are bound to together.
static const int alike[] = {
    [BIND_SHARE] = PLACE_CORE + 1,    [BIND_NOT] = PLACE_CORE + 1,
    [BIND_CORE] = PLACE_CORE + 1,     [BIND_THREAD] = PLACE_NUMBER + 1,
    [BIND_SOCKET] = PLACE_SOCKET + 1, [BIND_DOMAIN] = PLACE_DOMAIN + 1,
};

static int processor_read_number(int processor, const char *name, int otherwise)
{
    char path[96];
    int number = otherwise;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/%s", processor,
             name);
    FILE *file = fopen(path, "re");
    if (!file)
        return otherwise;
    if (fscanf(file, "%d", &number) != 1)
        number = otherwise;
    fclose(file);
    return number;
}

// The kernel links to a processor's domain of memory by its name, node0.
static int processor_domain(int processor)
{
    char path[64];
    int domain = 0;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d", processor);
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (sscanf(entry->d_name, "node%d", &domain) == 1)
            break;
    if (folder)
        closedir(folder);
    return domain;
}

static int compare_places(const struct processor *one, const struct processor *two,
                          int places)
{
    for (int i = 0; i < places; i++)
        if (one->place[i] != two->place[i])
            return one->place[i] < two->place[i] ? -1 : 1;
    return 0;
}

static int processor_compare(const void *left, const void *right)
{
    return compare_places(left, right, PLACES);
}

// Neighbours in the list are near each other in the machine.
static int list_processors(const cpu_set_t *set, struct processor *list)
{
    int count = 0;
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, set))
            list[count++] = (struct processor){
                {[PLACE_SOCKET] = processor_read_number(i, "physical_package_id", 0),
                 [PLACE_DOMAIN] = processor_domain(i),
                 [PLACE_DIE] = processor_read_number(i, "die_id", 0),
                 [PLACE_CORE] = processor_read_number(i, "core_id", i),
                 [PLACE_NUMBER] = i}};
    qsort(list, (size_t)count, sizeof *list, processor_compare);
    return count;
}

void binding_find_cores(struct cores *cores, enum binding binding)
{
    static struct processor list[CPU_SETSIZE];
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return; // there are more than fit; nobody is bound
    int count = list_processors(&allowed, list);
    cores->list = calloc((size_t)count, sizeof *cores->list);
    for (int i = 0; cores->list && i < count; i++) {
        if (i == 0 || compare_places(&list[i - 1], &list[i], alike[binding]) != 0)
            cores->count++;
        CPU_SET(list[i].place[PLACE_NUMBER], &cores->list[cores->count - 1]);
    }
}

// Gives each rank an equal share of all cores, as far as possible: jobs that run at the
// same time each use every core, and their first ranks, which may have more to do,
// begin at different ones.
static bool find_share(const struct cores *cores, int ranks, int place, cpu_set_t *set)
{
    if (ranks == 1 || ranks > cores->count)
        return false;
    place = (int)((place + getppid()) % ranks);
    int end = (int)((int64_t)(place + 1) * cores->count / ranks);
    for (int i = (int)((int64_t)place * cores->count / ranks); i < end; i++)
        CPU_OR(set, set, &cores->list[i]);
    return true;
}

static bool find_next(const struct cores *cores, int place, cpu_set_t *set)
{
    if (cores->count == 0)
        return false;
    *set = cores->list[place % cores->count];
    return true;
}

// Ranks that stand for several machines (ORIEL_FAKE_NODES) are not bound.
static bool is_bound(const struct plan *plan)
{
    const char *nodes = getenv("ORIEL_FAKE_NODES");
    return plan->binding != BIND_NOT &&
           (plan->binding != BIND_SHARE || !nodes || atoi(nodes) <= 1);
}

// Numbers and ranges of them, as in 0-3,8. The rank's standard error takes the line.
static void report_binding(const struct rank *rank)
{
    cpu_set_t set;
    char text[512] = "all";
    size_t used = 0;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        CPU_ZERO(&set); // there are more than fit
    for (int first = 0; first < CPU_SETSIZE && used < sizeof text; first++) {
        int last = first;
        if (!CPU_ISSET(first, &set))
            continue;
        while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &set))
            last++;
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 first == last ? "%s%d" : "%s%d-%d",
                                 used > 0 ? "," : "", first, last);
        first = last;
    }
    say("rank %d may run on processors %s", rank->number, text);
}

// Threads of Oriel may run on all cores of the job, wherever the rank is bound.
void binding_tell(const struct cores *cores)
{
    union {
        cpu_set_t set;
        uint64_t words[sizeof(cpu_set_t) / sizeof(uint64_t)];
    } all = {.words = {0}};
    char text[17 * sizeof all.words / sizeof *all.words + 1] = "";
    size_t used = 0;
    for (int i = 0; i < cores->count; i++)
        CPU_OR(&all.set, &all.set, &cores->list[i]);
    for (size_t i = 0; i < sizeof all.words / sizeof *all.words; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%" PRIx64,
                                 i > 0 ? "," : "", all.words[i]);
    setenv("MPIEXEC_CORES", text, 1);
}

void binding_apply(const struct job *job, const struct rank *rank)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    int place = (int)(rank - job->ranks);
    if (is_bound(job->plan) && (job->plan->binding == BIND_SHARE
                                    ? find_share(&job->cores, job->size, place, &set)
                                    : find_next(&job->cores, place, &set)))
        sched_setaffinity(0, sizeof set, &set);
    if (job->plan->reports_binding)
        report_binding(rank);
}
