// SPDX-License-Identifier: BSD-3-Clause
// Where calls come from. C programs call the procedures themselves; Fortran programs call
// the Fortran layer, whose functions call them. What has called such a function is found
// by unwinding the stack once; from then on its place on the stack is known, and is read
// as long as there is what an unwinding has found before.
#include "trace.h"

#include <link.h>
#include <string.h>
#include <unwind.h>

static const char LAYER[] = "/liboriel_fortran.so";

struct range {
    uint64_t begin, end;
};

static struct range object_range(const struct dl_phdr_info *object)
{
    struct range range = {UINT64_MAX, 0};
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        uint64_t begin = object->dlpi_addr + part->p_vaddr;
        if (part->p_type != PT_LOAD)
            continue;
        range.begin = begin < range.begin ? begin : range.begin;
        range.end =
            begin + part->p_memsz > range.end ? begin + part->p_memsz : range.end;
    }
    return range;
}

// ---- the Fortran layer ----------------------------------------------------------------
static struct range layer;

static bool is_in_layer(uint64_t address)
{
    return address - layer.begin < layer.end - layer.begin;
}

struct search {
    bool has_met_layer;
    uint64_t site, place; // on the stack
};

static _Unwind_Reason_Code search_frame(struct _Unwind_Context *frame, void *argument)
{
    struct search *search = argument;
    uint64_t address = _Unwind_GetIP(frame);
    bool is_inside = is_in_layer(address);
    if (search->has_met_layer && !is_inside) {
        search->site = address;
        search->place = _Unwind_GetCFA(frame) - sizeof(void *);
        return _URC_END_OF_STACK;
    }
    search->has_met_layer |= is_inside;
    return _URC_NO_REASON;
}

static struct site_cache *site_cached(struct recorder *recorder, uint64_t returns,
                                      uintptr_t frame)
{
    uint64_t hash = returns * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    for (uint64_t i = 0; i < 4; i++) {
        struct site_cache *entry = &recorder->sites[(hash + i) % SITES_CACHED];
        if (entry->returns != returns)
            continue;
        if (*(const uint64_t *)(frame + (uintptr_t)entry->distance) == entry->site)
            return entry;
    }
    return NULL;
}

static uint64_t site_search(struct recorder *recorder, uint64_t returns,
                            uintptr_t frame)
{
    struct search search = {0};
    _Unwind_Backtrace(search_frame, &search);
    if (search.site == 0)
        return returns;
    uint64_t place = search.place;
    if (place > frame && *(const uint64_t *)place == search.site) {
        static _Thread_local unsigned turn; // spreads the callers of one function
        uint64_t hash = returns * UINT64_C(0x9e3779b97f4a7c15) >> 32;
        recorder->sites[(hash + turn++ % 4) % SITES_CACHED] =
            (struct site_cache){returns, search.site, (ptrdiff_t)(place - frame)};
    }
    return search.site;
}

uint64_t site_find(struct recorder *recorder, uint64_t returns, uintptr_t frame)
{
    if (__builtin_expect(!is_in_layer(returns), 1))
        return returns;
    const struct site_cache *entry = site_cached(recorder, returns, frame);
    return entry ? entry->site : site_search(recorder, returns, frame);
}

// ---- files ----------------------------------------------------------------------------
static int print_file(struct dl_phdr_info *object, size_t bytes, void *argument)
{
    (void)bytes, (void)argument;
    struct range range = object_range(object);
    if (strstr(object->dlpi_name, LAYER))
        layer = range;
    if (range.begin < range.end)
        file_print("file %llx %llx %llx %s\n", (unsigned long long)range.begin,
                   (unsigned long long)range.end, (unsigned long long)object->dlpi_addr,
                   object->dlpi_name);
    return 0;
}

void sites_print_files(void)
{
    dl_iterate_phdr(print_file, NULL);
}
