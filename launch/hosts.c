// SPDX-License-Identifier: BSD-3-Clause
// Placement of ranks on hosts.
#include "launch.h"

#include <stdlib.h>
#include <string.h>

bool hosts_parse(char *text, struct hosts *hosts)
{
    for (char *name = strtok(text, ", \t\n"); name; name = strtok(NULL, ", \t\n")) {
        char *colon = strrchr(name, ':'), *end = NULL;
        struct host host = {.name = name};
        if (colon) {
            *colon = '\0';
            host.slots = (int)strtol(colon + 1, &end, 10);
            if (end == colon + 1 || *end != '\0' || host.slots < 1)
                return false;
        }
        struct host *list =
            realloc(hosts->list, (size_t)(hosts->count + 1) * sizeof *list);
        if (!list || *name == '\0' || *name == '-')
            return false;
        list[hosts->count++] = host;
        hosts->list = list;
    }
    return hosts->count > 0;
}

// A host without a number of slots has as many as spread the ranks evenly.
static int slots_of(const struct hosts *hosts, int host, int ranks)
{
    int slots = hosts->list[host].slots;
    return slots > 0 ? slots : (ranks + hosts->count - 1) / hosts->count;
}

void hosts_place(const struct hosts *hosts, int ranks, int *host_of)
{
    int rank = 0;
    for (int host = 0; rank < ranks; host = (host + 1) % hosts->count)
        for (int i = slots_of(hosts, host, ranks); i > 0 && rank < ranks; i--)
            host_of[rank++] = host;
}
