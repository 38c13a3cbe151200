// SPDX-License-Identifier: BSD-3-Clause
// Call sites: a number for each place where the program calls a procedure, and what people
// are told of those of all processes.
#include "races/state.h"

#include <stdlib.h>
#include <string.h>

enum { SITES_FIRST = 64, SITES_MAX = 1 << 20 };

// ---- own ones ---------------------------------------------------------------------------
static uint32_t *bucket_find(const struct call_sites *sites, struct call_place place)
{
    uint64_t mixed = ((uintptr_t)place.address ^ (uintptr_t)place.entry << 7) *
                     (uint64_t)0x9e3779b97f4a7c15u;
    for (uint32_t at = (uint32_t)(mixed >> 32);; at++) {
        uint32_t *bucket = &sites->buckets[at & (2 * sites->room - 1)];
        if (*bucket == 0)
            return bucket;
        const struct call_place *known = &sites->table[*bucket - 1];
        if (known->address == place.address && known->entry == place.entry)
            return bucket;
    }
}

static bool sites_grow(struct call_sites *sites)
{
    uint32_t room = sites->room > 0 ? 2 * sites->room : SITES_FIRST;
    struct call_sites grown = {.count = sites->count, .room = room};
    grown.table = realloc(sites->table, room * sizeof *grown.table);
    if (grown.table == NULL)
        return false;
    sites->table = grown.table;
    grown.buckets = calloc(2 * (size_t)room, sizeof *grown.buckets);
    if (grown.buckets == NULL)
        return false;
    for (uint32_t i = 0; i < grown.count; i++)
        *bucket_find(&grown, grown.table[i]) = i + 1;
    free(sites->buckets);
    *sites = grown;
    return true;
}

uint32_t site_at(struct call_place place)
{
    struct call_sites *sites = &process.races->sites;
    if (sites->count == sites->room && !sites_grow(sites))
        return 0;
    uint32_t *bucket = bucket_find(sites, place);
    if (*bucket == 0) {
        sites->table[sites->count] = place;
        *bucket = ++sites->count;
    }
    return *bucket - 1;
}

uint32_t site_now(void)
{
    return site_at(call_place());
}

static const char *place_name(struct call_place place, char text[SOURCE_TEXT_BYTES])
{
    bool is_name = place.entry == load_name || place.entry == store_name;
    return is_name ? place.entry : entry_text(place.entry, text);
}

// The procedure and the source line, with a line feed between them.
enum { SITE_TEXT_BYTES = 2 * SOURCE_TEXT_BYTES };

static int site_write(struct call_place place, char text[SITE_TEXT_BYTES])
{
    char procedure[SOURCE_TEXT_BYTES], source[SOURCE_TEXT_BYTES];
    return snprintf(text, SITE_TEXT_BYTES, "%.100s\n%s", place_name(place, procedure),
                    source_line_text(place.address, source));
}

// ---- of others --------------------------------------------------------------------------
static void site_send(int job_rank, uint32_t site)
{
    char text[SITE_TEXT_BYTES];
    int length = site_write(process.races->sites.table[site], text);
    message_send(job_rank, MESSAGE_SITE, &site, sizeof site, text, (size_t)length + 1);
}

void sites_tell(int job_rank)
{
    struct races *races = process.races;
    struct source *source = &races->sources[job_rank];
    for (; source->sites_told < races->sites.count; source->sites_told++)
        site_send(job_rank, source->sites_told);
}

static bool site_keep(struct source *source, uint32_t site, const char *text)
{
    if (site >= source->site_count) {
        struct site_text *sites =
            realloc(source->sites, (site + 1) * sizeof *source->sites);
        if (sites == NULL)
            return false;
        memset(sites + source->site_count, 0,
               (site + 1 - source->site_count) * sizeof *sites);
        source->sites = sites;
        source->site_count = site + 1;
    }
    const char *line = strchr(text, '\n');
    if (line == NULL || source->sites[site].procedure != NULL)
        return false;
    source->sites[site].procedure = strndup(text, (size_t)(line - text));
    source->sites[site].source = strdup(line + 1);
    return true;
}

static void handle_site(int rank, const void *message, size_t size)
{
    uint32_t site;
    const char *text = (const char *)message + sizeof site;
    if (size <= sizeof site || ((const char *)message)[size - 1] != '\0')
        return;
    memcpy(&site, message, sizeof site);
    if (site < SITES_MAX)
        site_keep(&process.races->sources[rank], site, text);
}

struct site_text site_text(int job_rank, uint32_t site)
{
    struct races *races = process.races;
    struct source *source = &races->sources[job_rank];
    if (job_rank == races->rank && site < races->sites.count) {
        char text[SITE_TEXT_BYTES];
        site_write(races->sites.table[site], text);
        site_keep(source, site, text);
    }
    return site < source->site_count ? source->sites[site] : (struct site_text){0};
}

// ---- start and stop -------------------------------------------------------------------
static const struct message_kind kinds[] = {
    {MESSAGE_SITE, handle_site, false},
};

void sites_start(void)
{
    message_register(kinds, sizeof kinds / sizeof *kinds);
}

static void source_forget_sites(struct source *source)
{
    for (uint32_t i = 0; i < source->site_count; i++) {
        free(source->sites[i].procedure);
        free(source->sites[i].source);
    }
    free(source->sites);
}

void sites_stop(struct races *races)
{
    message_unregister(kinds, sizeof kinds / sizeof *kinds);
    for (int i = 0; i < races->size; i++)
        source_forget_sites(&races->sources[i]);
    free(races->sites.table);
    free(races->sites.buckets);
}
