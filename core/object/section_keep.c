// SPDX-License-Identifier: BSD-3-Clause
// The array sections used last: a halo exchange uses the same few in every step, and
// finding one takes a tenth of the time of making its datatype.
#include "object/private.h"

#include <stdlib.h>

enum { KEPT_SECTIONS = 16 };

struct kept_section {
    struct section section;
    MPI_Count count;
    struct datatype *type, *whole; // `whole` is NULL in a free place
};

// Each section has one place where it may be.
static struct kept_section *place_of(const struct section *section, MPI_Count count)
{
    uint64_t mixed = (uint64_t)count * 0x9e3779b97f4a7c15;
    for (int i = 0; i < section->rank; i++) {
        mixed ^= (uint64_t)section->dimension[i].stride;
        mixed = (mixed << 7 | mixed >> 57) + (uint64_t)section->dimension[i].extent;
    }
    return &objects.kept[mixed * 0x9e3779b97f4a7c15 >> 60];
}

static bool is_same(const struct kept_section *kept, const struct section *section,
                    MPI_Count count, const struct datatype *type)
{
    if (kept->whole == NULL || kept->type != type || kept->count != count ||
        kept->section.rank != section->rank ||
        kept->section.element_bytes != section->element_bytes)
        return false;
    for (int i = 0; i < section->rank; i++)
        if (kept->section.dimension[i].extent != section->dimension[i].extent ||
            kept->section.dimension[i].stride != section->dimension[i].stride)
            return false;
    return true;
}

static bool try_lock(void)
{
    return !atomic_flag_test_and_set_explicit(&objects.kept_lock, memory_order_acquire);
}

static void unlock(void)
{
    atomic_flag_clear_explicit(&objects.kept_lock, memory_order_release);
}

struct datatype *section_find(const struct section *section, MPI_Count count,
                              const struct datatype *type)
{
    if (!try_lock())
        return NULL;
    struct datatype *found = NULL;
    const struct kept_section *kept = objects.kept ? place_of(section, count) : NULL;
    if (kept != NULL && is_same(kept, section, count, type)) {
        found = kept->whole;
        object_retain(found);
    }
    unlock();
    return found;
}

// Whoever uses a kept datatype has a reference besides that of the handle.
static bool is_in_use(const struct kept_section *kept)
{
    return kept->whole != NULL && atomic_load(&kept->whole->object.references) > 1;
}

static void kept_clear(struct kept_section *kept)
{
    if (kept->whole == NULL)
        return;
    object_close(&kept->whole->object);
    object_release(kept->type);
    kept->whole = NULL;
}

void section_keep(const struct section *section, MPI_Count count, struct datatype *type,
                  struct datatype *whole)
{
    if (!try_lock())
        return;
    if (objects.kept == NULL)
        objects.kept = calloc(KEPT_SECTIONS, sizeof *objects.kept);
    struct kept_section *kept = objects.kept ? place_of(section, count) : NULL;
    if (kept != NULL && !is_in_use(kept)) {
        kept_clear(kept);
        whole->is_kept = true;
        object_retain(whole);
        object_retain(type);
        *kept = (struct kept_section){*section, count, type, whole};
    }
    unlock();
}

void sections_forget(void)
{
    for (int i = 0; objects.kept != NULL && i < KEPT_SECTIONS; i++)
        kept_clear(&objects.kept[i]);
    free(objects.kept);
    objects.kept = NULL;
}
