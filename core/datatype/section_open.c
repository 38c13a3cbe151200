// SPDX-License-Identifier: BSD-3-Clause
// Opens array sections for calls. Those used last stay open, because a halo exchange
// uses the same few in every step. Each section has one place where it may be; who looks
// there counts as its user, so that to find it needs no lock, and a place without users
// may be given to another section.
#include "datatype/datatypes.h"
#include "datatype/section.h"

#include <limits.h>
#include <stdlib.h>

enum { MOVING = INT_MIN / 2 }; // so far below 0 are the users while a section moves in

static inline __attribute__((always_inline)) struct kept_section *
place_of(const struct section *section, int rank, MPI_Count count)
{
    const uint64_t factor = 0x9e3779b97f4a7c15;
    uint64_t mixed = (uint64_t)count;
    for (int i = 0; i < rank; i++) {
        mixed += (uint64_t)section->dimension[i].stride;
        mixed = mixed * factor + (uint64_t)section->dimension[i].extent;
    }
    return &datatypes.kept[mixed * factor >> (64 - KEPT_SECTIONS_BITS)];
}

// A place that has never been used has rank 0, a type that the program has freed no
// handle.
static inline __attribute__((always_inline)) bool
is_same(const struct kept_section *kept, const struct section *section, int rank,
        MPI_Count count, MPI_Datatype type)
{
    if (kept->section.rank != rank || kept->count != count ||
        kept->section.element_bytes != section->element_bytes)
        return false;
    for (int i = 0; i < rank; i++)
        if (kept->section.dimension[i].extent != section->dimension[i].extent ||
            kept->section.dimension[i].stride != section->dimension[i].stride)
            return false;
    return object_handle(kept->type) == (uintptr_t)type;
}

// A section that is open, with one more user; NULL if it is not there.
static inline __attribute__((always_inline)) struct open_section *
section_find(const struct section *section, int rank, MPI_Count count,
             MPI_Datatype type)
{
    struct kept_section *kept = place_of(section, rank, count);
    int users = atomic_fetch_add_explicit(&kept->open.users, 1, memory_order_acquire);
    if (likely(users > 0) && likely(is_same(kept, section, rank, count, type)))
        return &kept->open;
    atomic_fetch_sub_explicit(&kept->open.users, 1, memory_order_release);
    return NULL;
}

static inline void section_use(struct typed_buffer *buffer, struct open_section *opened)
{
    buffer->count = 1;
    buffer->section = opened;
    buffer->type = opened->whole;
}

static void whole_close(struct open_section *opened)
{
    object_close(handle_object(KIND_DATATYPE, (uintptr_t)opened->whole));
}

static void place_clear(struct kept_section *kept)
{
    if (kept->open.whole == NULL)
        return;
    whole_close(&kept->open);
    object_release(kept->type);
    kept->open.whole = NULL;
}

// Fills a place that has no users but itself, for the caller, too.
static struct open_section *place_fill(struct kept_section *kept,
                                       const struct section *section, MPI_Count count,
                                       struct datatype *type, MPI_Datatype whole)
{
    int free_users = kept->open.whole != NULL;
    if (!atomic_compare_exchange_strong(&kept->open.users, &free_users, MOVING))
        return NULL;
    place_clear(kept);
    object_retain(type);
    kept->open.whole = whole;
    kept->type = type;
    kept->count = count;
    kept->section = *section;
    atomic_fetch_add(&kept->open.users, 2 - MOVING);
    return &kept->open;
}

// Takes over the handle `whole`; NULL if it cannot be kept.
static struct open_section *section_keep(const struct section *section, MPI_Count count,
                                         struct datatype *type, MPI_Datatype whole)
{
    if (!type->is_committed || atomic_flag_test_and_set(&datatypes.kept_lock))
        return NULL;
    struct kept_section *kept = place_of(section, section->rank, count);
    struct open_section *opened = place_fill(kept, section, count, type, whole);
    atomic_flag_clear(&datatypes.kept_lock);
    return opened;
}

// Takes over the handle of what cannot be kept; NULL after fail().
static struct open_section *section_use_once(MPI_Datatype whole)
{
    struct open_section *opened = malloc(sizeof *opened);
    if (opened == NULL) {
        object_close(handle_object(KIND_DATATYPE, (uintptr_t)whole));
        fail(MPI_ERR_NO_MEM, "no memory for an array section");
        return NULL;
    }
    opened->whole = whole;
    atomic_init(&opened->users, 1);
    return opened;
}

static int section_open_new(struct typed_buffer *buffer, const struct section *section,
                            MPI_Count count, MPI_Datatype type)
{
    struct datatype *old = handle_object(KIND_DATATYPE, (uintptr_t)type), *made;
    if (old == NULL)
        return fail(MPI_ERR_TYPE, "datatype = %#jx: is not a datatype",
                    (uintmax_t)(uintptr_t)type);
    if (count < 0)
        return fail(MPI_ERR_COUNT, "count = %jd: must be >= 0", (intmax_t)count);
    int err = section_make(section, count, old, &made);
    if (!err)
        err = object_open(&made->object, KIND_DATATYPE);
    if (err)
        return err;
    MPI_Datatype whole = (MPI_Datatype)object_handle(made);
    struct open_section *opened = section_keep(section, count, old, whole);
    if (opened == NULL)
        opened = section_use_once(whole);
    if (opened == NULL)
        return MPI_ERR_NO_MEM;
    section_use(buffer, opened);
    return 0;
}

int oriel_section_open(struct typed_buffer *buffer, const struct section *section,
                       MPI_Count count, MPI_Datatype type)
{
    struct open_section *found = section_find(section, section->rank, count, type);
    if (found == NULL)
        return section_open_new(buffer, section, count, type);
    section_use(buffer, found);
    return 0;
}

// Apart, so that it takes no registers of the usual case.
static __attribute__((noinline)) int vector_open_new(struct typed_buffer *buffer,
                                                     MPI_Count element_bytes,
                                                     MPI_Count count, MPI_Datatype type,
                                                     MPI_Count extent, MPI_Aint stride)
{
    struct section section = {element_bytes, 1, {{extent, stride}}};
    return section_open_new(buffer, &section, count, type);
}

int oriel_vector_open(struct typed_buffer *buffer, MPI_Count element_bytes,
                      MPI_Count count, MPI_Datatype type, MPI_Count extent,
                      MPI_Aint stride)
{
    struct section section = {element_bytes, 1, {{extent, stride}}};
    struct open_section *found = section_find(&section, 1, count, type);
    if (unlikely(found == NULL))
        return vector_open_new(buffer, element_bytes, count, type, extent, stride);
    section_use(buffer, found);
    return 0;
}

void oriel_section_drop(struct open_section *opened)
{
    whole_close(opened);
    free(opened);
}

void sections_forget(void)
{
    for (int i = 0; i < 1 << KEPT_SECTIONS_BITS; i++) {
        place_clear(&datatypes.kept[i]);
        datatypes.kept[i] = (struct kept_section){0};
    }
}
