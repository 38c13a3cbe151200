// SPDX-License-Identifier: BSD-3-Clause
// The handle table, and the references that keep objects alive.
#include "object/object.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// A free slot keeps in place of a handle the generation of its next one and, in the
// bits of index and kind, the slot that follows in the queue. RESTING makes it match no
// handle: not an address of a program, nor an INTEGER.
#define RESTING ((uintptr_t)1 << 63)

enum {
    FIRST_DYNAMIC = 1024, // below are the ABI codes
    RESTING_SLOTS = 8192, // so many freed slots rest before one is used again
    GENERATIONS = 1 << 8,
};

struct objects objects = {.attributes_lock = PTHREAD_MUTEX_INITIALIZER,
                          .errhandlers_lock = PTHREAD_MUTEX_INITIALIZER,
                          .infos_lock = PTHREAD_MUTEX_INITIALIZER,
                          .names_lock = PTHREAD_MUTEX_INITIALIZER,
                          .attribute_copied = PTHREAD_COND_INITIALIZER,
                          .lock = PTHREAD_MUTEX_INITIALIZER};

// Slots that have never been used are 0, which is no handle either.
static __attribute__((constructor)) void refuse_zero(void)
{
    for (int kind = 0; kind < KIND_COUNT; kind++)
        objects.of[kind].handles[0] = RESTING;
}

static inline uint32_t slot_of(uintptr_t handle)
{
    return handle & (HANDLE_SLOTS - 1);
}

// Takes the lock of the handles, which a process of one thread needs not; false then.
static inline bool handles_lock(void)
{
    bool locks = !thread_is_alone();
    if (locks)
        pthread_mutex_lock(&objects.lock);
    return locks;
}

static inline void handles_unlock(bool is_locked)
{
    if (is_locked)
        pthread_mutex_unlock(&objects.lock);
}

static void slot_fill(enum object_kind kind, uintptr_t handle, struct object *object)
{
    struct handles *table = &objects.of[kind];
    table->objects[slot_of(handle)] = object;
    table->handles[slot_of(handle)] = handle;
    object->handle = (uint32_t)handle;
    object->kind = (uint8_t)kind;
}

// A handle that no one holds: a slot that has never been used while few rest, else the
// one that has rested longest. 0 when all are in use.
static uintptr_t handle_take(enum object_kind kind)
{
    struct handles *table = &objects.of[kind];
    if (table->fresh == 0)
        table->fresh = FIRST_DYNAMIC;
    if (table->free < RESTING_SLOTS && table->fresh < HANDLE_SLOTS)
        return (uintptr_t)HANDLE_GENERATION + HANDLE_KIND * kind + table->fresh++;
    if (table->free == 0)
        return 0;
    uint32_t index = table->oldest;
    uintptr_t resting = table->handles[index] - RESTING;
    table->oldest = slot_of(resting);
    table->free--;
    return resting - slot_of(resting) + HANDLE_KIND * kind + index;
}

static void handle_give_back(enum object_kind kind, uintptr_t handle)
{
    struct handles *table = &objects.of[kind];
    uint32_t index = slot_of(handle);
    uintptr_t generation = handle / HANDLE_GENERATION + 1;
    if (generation == GENERATIONS)
        generation = 1;
    table->handles[index] = RESTING + generation * HANDLE_GENERATION;
    if (table->free++ == 0)
        table->oldest = index;
    else
        table->handles[table->newest] += index;
    table->newest = index;
}

int object_open(struct object *object, enum object_kind kind)
{
    if (object->is_predefined)
        return 0;
    bool is_locked = handles_lock();
    if (object->handle == 0) {
        uintptr_t handle = handle_take(kind);
        if (handle != 0)
            slot_fill(kind, handle, object);
    }
    bool is_open = object->handle != 0;
    object->handles += is_open;
    handles_unlock(is_locked);
    if (unlikely(process.options.analyses & ANALYSIS_LEAKS))
        object->opened_at = calling_address();
    if (is_open)
        return 0;
    object_release(object);
    return fail(MPI_ERR_NO_MEM, "all %d handles of this kind are in use",
                HANDLE_SLOTS - FIRST_DYNAMIC);
}

void object_open_predefined(struct object *object, enum object_kind kind,
                            uintptr_t code)
{
    assert(code < FIRST_DYNAMIC);
    object->is_predefined = true;
    slot_fill(kind, code, object);
}

void object_close_predefined(struct object *object)
{
    objects.of[object->kind].handles[slot_of(object->handle)] = RESTING;
    object->handle = 0;
}

void object_protect(struct object *object)
{
    object->is_predefined = true;
}

void object_unprotect(struct object *object)
{
    object->is_predefined = false;
}

void object_close(struct object *object)
{
    if (object->is_predefined)
        return;
    bool is_locked = handles_lock();
    assert(object->handles > 0);
    if (--object->handles == 0) {
        handle_give_back(object->kind, object->handle);
        object->handle = 0;
    }
    handles_unlock(is_locked);
    object_release(object);
}

bool object_close_one_of_many(struct object *object)
{
    pthread_mutex_lock(&objects.lock);
    bool is_one_of_many = object->handles > 1;
    object->handles -= is_one_of_many;
    pthread_mutex_unlock(&objects.lock);
    if (is_one_of_many)
        object_release(object);
    return is_one_of_many;
}

void *object_next_open(enum object_kind kind, uint32_t *at)
{
    const struct handles *table = &objects.of[kind];
    if (*at < FIRST_DYNAMIC)
        *at = FIRST_DYNAMIC;
    for (; *at < table->fresh; ++*at)
        if (table->handles[*at] < RESTING && !table->objects[*at]->is_predefined)
            return table->objects[(*at)++];
    return NULL;
}

void object_retire(struct object *object)
{
    pthread_mutex_lock(&objects.lock);
    handle_give_back(object->kind, object->handle);
    object->handle = 0;
    pthread_mutex_unlock(&objects.lock);
}

// How many are left.
static inline uint32_t reference_drop(_Atomic(uint32_t) *references)
{
    if (unlikely(!thread_is_alone()))
        return atomic_fetch_sub_explicit(references, 1, memory_order_acq_rel) - 1;
    uint32_t left = atomic_load_explicit(references, memory_order_relaxed) - 1;
    atomic_store_explicit(references, left, memory_order_relaxed);
    return left;
}

void object_release(void *released)
{
    struct object *object = released;
    if (object == NULL || object->is_predefined)
        return;
    if (reference_drop(&object->references) == 0)
        object->destroy(object);
}

int object_set_name(_Atomic(char *) *own, const char *name)
{
    size_t length = strnlen(name, MPI_MAX_OBJECT_NAME - 1);
    char *room = malloc(MPI_MAX_OBJECT_NAME), *unused = room;
    if (room == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for the name of an object");
    pthread_mutex_lock(&objects.names_lock);
    if (*own == NULL) {
        *own = room;
        unused = NULL;
    }
    memmove(*own, name, length);
    (*own)[length] = '\0';
    pthread_mutex_unlock(&objects.names_lock);
    free(unused);
    return 0;
}

void object_get_name(const char *own, char *name, int *length)
{
    const char *given = object_name_or_none(own);
    pthread_mutex_lock(&objects.names_lock);
    *length = (int)strlen(given);
    memcpy(name, given, (size_t)*length + 1);
    pthread_mutex_unlock(&objects.names_lock);
}
