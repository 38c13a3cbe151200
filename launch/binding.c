// SPDX-License-Identifier: BSD-3-Clause
// Binding of ranks to cores. The kernel by itself often puts two ranks of a small job
// on one core, where one polls until its time slice ends while the other could answer.
#include "launch.h"

#include <stdlib.h>

// A hardware thread and its place in the machine.
struct processor {
    int number, package, die, core;
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

static int compare_cores(const struct processor *one, const struct processor *two)
{
    if (one->package != two->package)
        return one->package < two->package ? -1 : 1;
    if (one->die != two->die)
        return one->die < two->die ? -1 : 1;
    return (one->core > two->core) - (one->core < two->core);
}

static int processor_compare(const void *left, const void *right)
{
    const struct processor *one = left, *two = right;
    int order = compare_cores(one, two);
    return order ? order : (one->number > two->number) - (one->number < two->number);
}

// Neighbours in the list are near each other in the machine.
static int list_processors(const cpu_set_t *set, struct processor *list)
{
    int count = 0;
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, set))
            list[count++] = (struct processor){
                .number = i,
                .package = processor_read_number(i, "physical_package_id", 0),
                .die = processor_read_number(i, "die_id", 0),
                .core = processor_read_number(i, "core_id", i)};
    qsort(list, (size_t)count, sizeof *list, processor_compare);
    return count;
}

void binding_find_cores(struct cores *cores)
{
    static struct processor list[CPU_SETSIZE];
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return; // there are more than fit; nobody is bound
    int count = list_processors(&allowed, list);
    cores->list = calloc((size_t)count, sizeof *cores->list);
    for (int i = 0; cores->list && i < count; i++) {
        if (i == 0 || compare_cores(&list[i - 1], &list[i]) != 0)
            cores->count++;
        CPU_SET(list[i].number, &cores->list[cores->count - 1]);
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

static bool find_core(const struct cores *cores, int place, cpu_set_t *set)
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
           (plan->binding == BIND_CORE || !nodes || atoi(nodes) <= 1);
}

void binding_apply(const struct job *job, const struct rank *rank)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    int place = (int)(rank - job->ranks);
    if (is_bound(job->plan) && (job->plan->binding == BIND_CORE
                                    ? find_core(&job->cores, place, &set)
                                    : find_share(&job->cores, job->size, place, &set)))
        sched_setaffinity(0, sizeof set, &set);
}
