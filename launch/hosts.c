// SPDX-License-Identifier: BSD-3-Clause
// Lists of hosts, and the placement of ranks on them.
#include "launch.h"

#include <stdlib.h>
#include <string.h>

static struct host *host_find(const struct hosts *hosts, const char *name)
{
    for (int i = 0; i < hosts->count; i++)
        if (strcmp(hosts->list[i].name, name) == 0)
            return &hosts->list[i];
    return NULL;
}

static bool host_add(struct hosts *hosts, struct host host)
{
    size_t bytes = (size_t)(hosts->count + 1) * sizeof *hosts->list;
    struct host *list = realloc(hosts->list, bytes);
    if (!list)
        return false;
    list[hosts->count++] = host;
    hosts->list = list;
    return true;
}

// Schedulers write a host once for each of its slots.
static bool host_mention(struct hosts *hosts, struct host host)
{
    struct host *known = host_find(hosts, host.name);
    if (!known)
        return host_add(hosts, host);
    known->slots =
        (known->slots > 0 ? known->slots : 1) + (host.slots > 0 ? host.slots : 1);
    return true;
}

static bool read_slots(const char *text, int *slots)
{
    char *end;
    long number = strtol(text, &end, 10);
    *slots = (int)number;
    return end != text && *end == '\0' && number >= 1 && number <= 1 << 24;
}

bool hosts_parse(char *text, struct hosts *hosts)
{
    struct host *last = NULL;
    for (char *word = strtok(text, ", \t\r\n"); word; word = strtok(NULL, ", \t\r\n")) {
        struct host host = {.name = word};
        if (last && (strncmp(word, "max_slots=", 10) == 0 ||
                     strncmp(word, "max-slots=", 10) == 0))
            continue; // no more than the slots are used before all hosts are full
        if (last && strncmp(word, "slots=", 6) == 0) {
            int others = last->slots > 0 ? last->slots - 1 : 0; // of earlier mentions
            if (!read_slots(word + 6, &last->slots))
                return false;
            last->slots += others;
            continue;
        }
        char *colon = strrchr(word, ':');
        if (colon) {
            *colon = '\0';
            if (!read_slots(colon + 1, &host.slots))
                return false;
        }
        if (*word == '\0' || *word == '-' || strchr(word, '=') ||
            !host_mention(hosts, host))
            return false;
        last = host_find(hosts, word);
    }
    return last != NULL;
}

bool hosts_unite(struct hosts *hosts, const struct hosts *added)
{
    for (int i = 0; i < added->count; i++) {
        struct host *known = host_find(hosts, added->list[i].name);
        if (!known && !host_add(hosts, added->list[i]))
            return false;
        if (known && known->slots < added->list[i].slots)
            known->slots = added->list[i].slots;
    }
    return true;
}

// ---- placement ------------------------------------------------------------------------

// The hosts of a section, and how far they are filled.
struct placement {
    const struct plan *plan;
    const struct hosts *hosts;
    int even_slots; // of a host that does not say how many: they spread the ranks evenly
    int64_t round;  // how often all hosts have been full, and 1
    int *used;      // slots of each host of the plan
};

static int64_t slots_of(const struct placement *placement, const struct host *host)
{
    if (placement->plan->per_host > 0)
        return placement->plan->per_host;
    return host->slots > 0 ? host->slots : placement->even_slots;
}

// The first host that is not full, or the one of those that has the fewest ranks.
static int placement_next(struct placement *placement)
{
    const struct hosts *all = &placement->plan->hosts, *hosts = placement->hosts;
    for (;; placement->round++) {
        int next = -1;
        for (int i = 0; i < hosts->count; i++) {
            int host = (int)(host_find(all, hosts->list[i].name) - all->list);
            int used = placement->used[host];
            if (used < placement->round * slots_of(placement, &hosts->list[i]) &&
                (next < 0 ||
                 (placement->plan->maps_by_host && used < placement->used[next])))
                next = host;
        }
        if (next >= 0)
            return next;
    }
}

static int even_slots_of(const struct plan *plan, const struct section *section)
{
    int ranks = section->ranks, hosts = section->hosts.count;
    if (hosts == 0) { // shared by all sections without hosts of their own
        ranks = 0;
        hosts = plan->hosts.count;
        for (int i = 0; i < plan->section_count; i++)
            if (plan->sections[i].hosts.count == 0)
                ranks += plan->sections[i].ranks;
    }
    return (ranks + hosts - 1) / hosts;
}

bool hosts_place(const struct plan *plan, int *host_of)
{
    int *used = calloc((size_t)plan->hosts.count + 1, sizeof *used);
    for (int i = 0; used && i < plan->section_count && plan->hosts.count > 0; i++) {
        const struct section *section = &plan->sections[i];
        struct placement placement = {
            .plan = plan,
            .hosts = section->hosts.count > 0 ? &section->hosts : &plan->hosts,
            .even_slots = even_slots_of(plan, section),
            .round = 1,
            .used = used,
        };
        for (int j = 0; j < section->ranks; j++, host_of++) {
            *host_of = placement_next(&placement);
            used[*host_of]++;
        }
    }
    free(used);
    return used != NULL;
}
