// SPDX-License-Identifier: BSD-3-Clause
// The hints of a window (MPI-4.1 12.2.1, 12.2.3, 12.2.7): one row per key that Oriel
// knows; docs/hints.md tells what each does. A value that makes no sense is ignored;
// MPI_Win_get_info shows what is in use.
#include "window/hints.h"

#include <oriel_core.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_boolean(const char *value)
{
    return strcasecmp(value, "true") == 0 || strcasecmp(value, "false") == 0;
}

static bool is_number(const char *value)
{
    return *value != '\0' && strspn(value, "0123456789") == strlen(value);
}

// "none", or some of rar, raw, war, waw with commas between.
static bool is_ordering(const char *value)
{
    if (strcmp(value, "none") == 0)
        return true;
    for (;; value += 4) {
        if (strncmp(value, "rar", 3) != 0 && strncmp(value, "raw", 3) != 0 &&
            strncmp(value, "war", 3) != 0 && strncmp(value, "waw", 3) != 0)
            return false;
        if (value[3] == '\0')
            return true;
        if (value[3] != ',')
            return false;
    }
}

static bool is_operators(const char *value)
{
    return strcmp(value, "same_op") == 0 || strcmp(value, "same_op_no_op") == 0;
}

static bool is_sharing(const char *value)
{
    return is_boolean(value) || strcasecmp(value, "insist") == 0;
}

// The power of two in `value`, or 0.
static size_t parse_alignment(const char *value)
{
    if (!is_number(value))
        return 0;
    unsigned long long alignment = strtoull(value, NULL, 10);
    bool is_power = alignment != 0 && (alignment & (alignment - 1)) == 0;
    return is_power ? (size_t)alignment : 0;
}

static bool is_alignment(const char *value)
{
    return parse_alignment(value) != 0;
}

// Kinds of memory that Oriel tells apart, with commas between (MPI-4.1 11.4.3).
static bool is_kinds(const char *value)
{
    static const char *const kinds[] = {"system", "mpi", "mpi:alloc_mem",
                                        "mpi:win_allocate", "mpi:win_allocate_shared"};
    for (;; value++) {
        size_t length = strcspn(value, ","), i = 0,
               count = sizeof kinds / sizeof *kinds;
        while (i < count &&
               (strlen(kinds[i]) != length || strncmp(kinds[i], value, length) != 0))
            i++;
        value += length;
        if (i == count || *value == '\0')
            return i < count;
    }
}

static const struct hint {
    const char *key;
    const char *otherwise; // NULL: not shown unless given
    bool (*is_valid)(const char *value);
    bool may_change; // after the window has been opened
    int flavor;      // of the windows that have it; 0: all
} hints[] = {
    {"no_locks", "false", is_boolean, true, 0},
    {"accumulate_ordering", "rar,raw,war,waw", is_ordering, true, 0},
    {"accumulate_ops", "same_op_no_op", is_operators, true, 0},
    {"mpi_accumulate_granularity", "0", is_number, false, 0},
    {"same_size", "false", is_boolean, false, 0},
    {"same_disp_unit", "false", is_boolean, false, 0},
    {"mpi_assert_memory_alloc_kinds", NULL, is_kinds, true, 0},
    {"mpi_minimum_memory_alignment", "64", is_alignment, false,
     MPI_WIN_FLAVOR_ALLOCATE},
    {"mpi_minimum_memory_alignment", "64", is_alignment, false, MPI_WIN_FLAVOR_SHARED},
    {"alloc_shared_noncontig", "false", is_boolean, false, MPI_WIN_FLAVOR_SHARED},
    {"oriel_share_pages", "false", is_sharing, false, MPI_WIN_FLAVOR_CREATE},
    {"oriel_share_pages", "false", is_sharing, false, MPI_WIN_FLAVOR_DYNAMIC},
};
enum { HINTS = sizeof hints / sizeof *hints };

static bool has_hint(const struct window *window, const struct hint *hint)
{
    return hint->flavor == 0 || hint->flavor == window->flavor;
}

// Copies the value that `given` has for a hint, if it is a valid one.
static bool given_value(const struct hint *hint, const struct info *given,
                        char value[MPI_MAX_INFO_VAL])
{
    return info_value(given, hint->key, value) && hint->is_valid(value);
}

// The keys of all kinds of windows are known to each, for programs give one info to many;
// and so are those that MPI_Win_get_info shows.
static bool is_known_key(const char *key)
{
    for (int i = 0; i < HINTS; i++)
        if (strcmp(hints[i].key, key) == 0)
            return true;
    return strcmp(key, "mpi_memory_alloc_kinds") == 0 || strcmp(key, KEY_REFUSED) == 0;
}

static const char *nearest_key(const char *key)
{
    const char *nearest = NULL;
    int least = spelling_limit(strlen(key));
    for (int i = 0; i < HINTS; i++) {
        int distance =
            spelling_distance(key, strlen(key), hints[i].key, strlen(hints[i].key));
        if (distance < least) {
            least = distance;
            nearest = hints[i].key;
        }
    }
    return nearest;
}

static void unknown_key_tell(const struct call_site *site, const char *key)
{
    const char *nearest = is_known_key(key) ? NULL : nearest_key(key);
    if (nearest != NULL)
        finding_tell(RULE_UNKNOWN_KEY, site, 1,
                     "info key %s is not known; did you mean %s?", key, nearest);
}

static void unused_value_tell(const struct call_site *site, const struct hint *hint,
                              const struct info *given)
{
    char value[MPI_MAX_INFO_VAL];
    if (info_value(given, hint->key, value) && !hint->is_valid(value))
        finding_tell(RULE_UNUSED_VALUE, site, 1,
                     "info key %s cannot be %s: the value is not used", hint->key,
                     value);
}

// Keys that resemble none may be meant for another library. All members mostly give the
// same, of which one of them tells.
static void hints_check(const char *call, const struct window *window,
                        const struct info *given)
{
    struct call_site site = {.rank = process.rank, .call = call};
    char key[MPI_MAX_INFO_KEY + 1];
    if (given == NULL || window->comm->rank != 0 || process.options.check < CHECK_BASIC)
        return;
    for (int i = 0; info_key(given, i, key); i++)
        unknown_key_tell(&site, key);
    for (int i = 0; i < HINTS; i++)
        if (has_hint(window, &hints[i]))
            unused_value_tell(&site, &hints[i], given);
}

static void hints_apply(struct window *window)
{
    char ordering[MPI_MAX_INFO_VAL];
    window_set_trait(window, TRAIT_NO_LOCKS,
                     info_flag(window->info, "no_locks", false));
    window->is_ordered = !info_value(window->info, "accumulate_ordering", ordering) ||
                         strcmp(ordering, "none") != 0;
}

// Most windows have none, and no memory for them.
int hint_keep(struct window *window, const char *key, const char *value)
{
    struct info *kept = window->info, *made;
    if (kept != NULL)
        return info_put(kept, key, value);
    int err = info_make(&made);
    if (err)
        return err;
    if (atomic_compare_exchange_strong(&window->info, &kept, made))
        kept = made;
    else // another thread was faster
        object_release(made);
    return info_put(kept, key, value);
}

int hints_choose(struct window *window, const struct info *given, const char *call)
{
    char value[MPI_MAX_INFO_VAL];
    int err = 0;
    for (int i = 0; i < HINTS && !err; i++)
        if (has_hint(window, &hints[i]) && given_value(&hints[i], given, value))
            err = hint_keep(window, hints[i].key, value);
    hints_apply(window);
    hints_check(call, window, given);
    return err;
}

size_t hint_alignment(const struct info *info)
{
    char value[MPI_MAX_INFO_VAL];
    bool is_given = info_value(info, "mpi_minimum_memory_alignment", value);
    size_t alignment = is_given ? parse_alignment(value) : 0;
    return alignment > CACHE_LINE ? alignment : CACHE_LINE;
}

uint64_t hint_granularity(const struct info *info)
{
    char value[MPI_MAX_INFO_VAL];
    bool is_given = info_value(info, "mpi_accumulate_granularity", value);
    return is_given ? strtoull(value, NULL, 10) : 0;
}

int oriel_win_set_info(struct window *win, struct info *info)
{
    char value[MPI_MAX_INFO_VAL];
    int err = 0;
    for (int i = 0; i < HINTS && !err; i++)
        if (hints[i].may_change && given_value(&hints[i], info, value))
            err = hint_keep(win, hints[i].key, value);
    hints_apply(win);
    hints_check("MPI_Win_set_info", win, info);
    return err ? err : window_serve(win);
}

// What is kept, and what holds otherwise.
static int hints_show(const struct window *window, struct info *shown)
{
    char value[MPI_MAX_INFO_VAL];
    int err = memory_kinds_show(shown);
    for (int i = 0; i < HINTS && !err; i++) {
        const struct hint *hint = &hints[i];
        if (!has_hint(window, hint))
            continue;
        const char *used =
            info_value(window->info, hint->key, value) ? value : hint->otherwise;
        if (used != NULL)
            err = info_put(shown, hint->key, used);
    }
    if (!err && info_value(window->info, KEY_REFUSED, value))
        err = info_put(shown, KEY_REFUSED, value);
    return err;
}

int oriel_win_get_info(struct window *win, struct info **info_used)
{
    struct info *shown;
    int err = info_make(&shown);
    if (err)
        return err;
    err = hints_show(win, shown);
    if (err) {
        object_release(shown);
        return err;
    }
    *info_used = shown;
    return object_open(&shown->object, KIND_INFO);
}

// Passive targets compute while their peers ask them for locks across nodes, or want to
// accumulate to memory that local peers cannot map.
int window_serve(struct window *window)
{
    bool has_local_peers = window->comm->node_size > 1;
    bool is_asked =
        window_has(window, TRAIT_NODES) || (has_local_peers && !window->is_mapped);
    return is_asked && !window_has(window, TRAIT_NO_LOCKS) ? message_serve() : 0;
}
