// SPDX-License-Identifier: BSD-3-Clause
// stale_and_foreign_handles_are_noticed: a handle names its object while the program
// holds it and nothing afterwards, however many objects come and go.
// Needs the core.

#include "check.h"
#include "object/object.h"

#include <pthread.h>

enum { MANY = 100000, THREADS = 4 };

static void destroy(struct object *object)
{
    free(object);
}

static struct object *open_one(enum object_kind kind)
{
    struct object *object = malloc(sizeof *object);
    CHECK(object != NULL);
    object_init(object, destroy);
    CHECK(object_open(object, kind) == 0);
    return object;
}

static void a_handle_is_good_until_closed(void)
{
    struct object *object = open_one(KIND_INFO);
    uintptr_t handle = object_handle(object);
    CHECK(handle >= HANDLE_GENERATION && handle <= INT32_MAX);
    CHECK(handle_object(KIND_INFO, handle) == object);
    CHECK(handle_object(KIND_GROUP, handle) == NULL);
    CHECK(handle_object(KIND_INFO, handle + HANDLE_GENERATION) == NULL);
    CHECK(handle_object(KIND_INFO, handle | (uintptr_t)1 << 40) == NULL);
    object_close(object);
    CHECK(handle_object(KIND_INFO, handle) == NULL);
    CHECK(handle_object(KIND_INFO, 0) == NULL);
}

static void an_object_given_out_twice_is_closed_twice(void)
{
    struct object *object = open_one(KIND_GROUP);
    uintptr_t handle = object_handle(object);
    object_retain(object);
    CHECK(object_open(object, KIND_GROUP) == 0);
    CHECK(object_handle(object) == handle);
    object_close(object);
    CHECK(handle_object(KIND_GROUP, handle) == object);
    object_close(object);
    CHECK(handle_object(KIND_GROUP, handle) == NULL);
}

static void an_object_in_use_gets_a_new_handle(void)
{
    struct object *object = open_one(KIND_ERRHANDLER);
    uintptr_t handle = object_handle(object);
    object_retain(object); // the user
    object_close(object);
    CHECK(handle_object(KIND_ERRHANDLER, handle) == NULL);
    CHECK(object_open(object, KIND_ERRHANDLER) == 0);
    CHECK(object_handle(object) != handle);
    object_close(object);
}

static void stale_handles_stay_stale(void)
{
    struct object *first = open_one(KIND_INFO);
    uintptr_t stale = object_handle(first);
    object_close(first);
    for (int i = 0; i < 10 * MANY; i++) {
        struct object *object = open_one(KIND_INFO);
        CHECK(object_handle(object) != stale);
        object_close(object);
    }
    CHECK(objects.of[KIND_INFO].fresh < 10000); // slots are used again
}

static void many_objects_have_different_handles(void)
{
    static struct object *opened[MANY];
    for (int i = 0; i < MANY; i++)
        opened[i] = open_one(KIND_DATATYPE);
    for (int i = 0; i < MANY; i++)
        CHECK(handle_object(KIND_DATATYPE, object_handle(opened[i])) == opened[i]);
    for (int i = 0; i < MANY; i++)
        object_close(opened[i]);
}

static void *churn(void *argument)
{
    for (int i = 0; i < MANY; i++) {
        struct object *object = open_one(KIND_OP);
        CHECK(handle_object(KIND_OP, object_handle(object)) == object);
        object_close(object);
    }
    return argument;
}

static void threads_do_not_disturb_each_other(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, churn, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
}

// As if all slots that have never been used were in use; what rests is used up.
static void a_full_table_is_an_error(void)
{
    static struct object *opened[HANDLE_SLOTS];
    int free_slots = (int)objects.of[KIND_OP].free, count = 0;
    objects.of[KIND_OP].fresh = HANDLE_SLOTS;
    CHECK(free_slots > 0);
    for (; count < free_slots; count++)
        opened[count] = open_one(KIND_OP);
    struct object *object = malloc(sizeof *object);
    CHECK(object != NULL);
    object_init(object, destroy);
    CHECK(object_open(object, KIND_OP) == MPI_ERR_NO_MEM); // and the object is gone
    object_close(opened[--count]);
    opened[count++] = open_one(KIND_OP);
    while (count-- > 0)
        object_close(opened[count]);
}

int main(void)
{
    a_handle_is_good_until_closed();
    an_object_given_out_twice_is_closed_twice();
    an_object_in_use_gets_a_new_handle();
    stale_handles_stay_stale();
    many_objects_have_different_handles();
    threads_do_not_disturb_each_other();
    a_full_table_is_an_error();
    return 0;
}
