// SPDX-License-Identifier: BSD-3-Clause
// The handle table, and the references that keep objects alive.
#include "object/object.h"

#include <assert.h>
#include <string.h>

// A free slot keeps in its tag the generation of its next handle, where handles have
// it, and below that the slot that follows in the queue. RESTING makes it match nothing:
// no user address and no INTEGER has a ninth of such a tag.
#define RESTING ((uint64_t)1 << 63)

enum {
    FIRST_DYNAMIC = 1024, // below are the ABI codes
    RESTING_SLOTS = 4096, // so many freed slots rest before one is used again
    GENERATIONS = 1 << 9,
};

struct objects objects = {.lock = PTHREAD_MUTEX_INITIALIZER};

static inline uint32_t slot_of(uint64_t handle)
{
    return handle & (HANDLE_SLOTS - 1);
}

static void slot_fill(uintptr_t handle, uint64_t tag, struct object *object)
{
    objects.slots[slot_of(handle)] = object;
    objects.tags[slot_of(handle)] = tag;
}

// A handle that no one holds: a slot that has never been used while few rest, else the
// one that has rested longest. 0 when all are in use.
static uintptr_t handle_take(void)
{
    uintptr_t first_generation = (uintptr_t)1 << HANDLE_INDEX_BITS;
    if (objects.fresh == 0)
        objects.fresh = FIRST_DYNAMIC;
    if (objects.free < RESTING_SLOTS && objects.fresh < HANDLE_SLOTS)
        return first_generation | objects.fresh++;
    if (objects.free == 0)
        return 0;
    uint32_t index = objects.oldest;
    uint64_t resting = objects.tags[index] - RESTING;
    objects.oldest = slot_of(resting);
    objects.free--;
    return (uintptr_t)(resting - slot_of(resting)) | index;
}

static void handle_give_back(uintptr_t handle)
{
    uint32_t index = slot_of(handle);
    uint64_t generation = (handle >> HANDLE_INDEX_BITS) + 1;
    if (generation == GENERATIONS)
        generation = 1;
    objects.tags[index] = RESTING | generation << HANDLE_INDEX_BITS;
    if (objects.free++ == 0)
        objects.oldest = index;
    else
        objects.tags[objects.newest] |= index;
    objects.newest = index;
}

void object_init(struct object *object, void (*destroy)(struct object *))
{
    *object = (struct object){.references = 1, .destroy = destroy};
}

int object_open(struct object *object, enum object_kind kind)
{
    if (object->is_predefined)
        return 0;
    pthread_mutex_lock(&objects.lock);
    if (object->handle == 0) {
        object->handle = (uint32_t)handle_take();
        if (object->handle != 0)
            slot_fill(object->handle, handle_tag(kind, object->handle), object);
    }
    bool is_open = object->handle != 0;
    object->handles += is_open;
    pthread_mutex_unlock(&objects.lock);
    if (is_open)
        return 0;
    object_release(object);
    return fail(MPI_ERR_NO_MEM, "all %d handles are in use",
                HANDLE_SLOTS - FIRST_DYNAMIC);
}

void object_open_predefined(struct object *object, enum object_kind kind,
                            uintptr_t code)
{
    assert(code < FIRST_DYNAMIC);
    object->is_predefined = true;
    object->handle = (uint32_t)code;
    slot_fill(code, handle_tag(kind, code), object);
}

void object_close_predefined(struct object *object)
{
    slot_fill(object->handle, 0, NULL);
    object->handle = 0;
}

void object_close(struct object *object)
{
    if (object->is_predefined)
        return;
    pthread_mutex_lock(&objects.lock);
    assert(object->handles > 0);
    if (--object->handles == 0) {
        handle_give_back(object->handle);
        object->handle = 0;
    }
    pthread_mutex_unlock(&objects.lock);
    object_release(object);
}

void object_release(void *released)
{
    struct object *object = released;
    if (object == NULL || object->is_predefined)
        return;
    if (atomic_fetch_sub_explicit(&object->references, 1, memory_order_acq_rel) == 1)
        object->destroy(object);
}

void object_set_name(char own[MPI_MAX_OBJECT_NAME], const char *name)
{
    size_t length = strnlen(name, MPI_MAX_OBJECT_NAME - 1);
    memmove(own, name, length);
    own[length] = '\0';
}

void object_get_name(const char own[MPI_MAX_OBJECT_NAME], char *name, int *length)
{
    *length = (int)strlen(own);
    memcpy(name, own, (size_t)*length + 1);
}
