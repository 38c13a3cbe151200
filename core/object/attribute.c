// SPDX-License-Identifier: BSD-3-Clause
// Attributes and their keys (MPI-4.1 7.7), the same for every kind of object. One lock
// guards the lists of all objects and the lives of keys; it is free while a function of
// the program runs, because that may call MPI and wait for threads that do.
#include "object/object.h"

#include <oriel_core.h>
#include <stdlib.h>

// Values of a copy function that are no functions: MPI_*_NULL_COPY_FN, MPI_*_DUP_FN.
// The first also stands for MPI_*_NULL_DELETE_FN.
static generic_function *const null_function = NULL;
static inline bool is_dup_function(generic_function *function)
{
    return (uintptr_t)function == 1;
}

// ---- the lock

static void attributes_enter(void)
{
    pthread_mutex_lock(&objects.attributes_lock);
}

static void attributes_leave(void)
{
    pthread_mutex_unlock(&objects.attributes_lock);
}

// How many copy functions this thread is in. Such a thread waits for no other one, so
// that no two can wait for each other.
static _Thread_local int copying;

// ---- the functions of the program

// A C program sees the address of an integer that was set from Fortran.
static void *value_in_c(const struct attribute *attribute)
{
    return attribute->is_integer ? (void *)&attribute->value : (void *)attribute->value;
}

static int call_copy(struct keyval *key, uintptr_t handle, const struct attribute *from,
                     struct attribute *to, int *flag)
{
    if (key->invoke_copy != NULL) {
        to->is_integer = true;
        return key->invoke_copy(key->copy, handle, key->number, &key->extra_state,
                                from->value, &to->value, flag);
    }
    typedef int copy_function(uintptr_t handle, int keyval, void *extra_state,
                              void *value, void *copied_value, int *flag);
    void *copied = value_in_c(from);
    int code = ((copy_function *)key->copy)(
        handle, key->number, (void *)key->extra_state, value_in_c(from), &copied, flag);
    to->is_integer = from->is_integer && copied == value_in_c(from);
    to->value = to->is_integer ? from->value : (MPI_Aint)copied;
    return code;
}

static int call_drop(struct keyval *key, uintptr_t handle,
                     const struct attribute *attribute)
{
    if (key->invoke_drop != NULL)
        return key->invoke_drop(key->drop, handle, key->number, attribute->value,
                                &key->extra_state);
    typedef int drop_function(uintptr_t handle, int keyval, void *value,
                              void *extra_state);
    return ((drop_function *)key->drop)(handle, key->number, value_in_c(attribute),
                                        (void *)key->extra_state);
}

// ---- keys

// The last reference goes with the lock held.
static void keyval_destroy(struct object *object)
{
    object_retire(object);
    free(object);
}

int keyval_make(enum object_kind applies_to, generic_function *copy,
                generic_function *drop, void *extra_state, int *keyval)
{
    struct keyval *made = malloc(sizeof *made);
    if (made == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for an attribute key");
    *made = (struct keyval){.applies_to = applies_to,
                            .copy = copy,
                            .drop = drop,
                            .extra_state = (MPI_Aint)extra_state};
    object_init(&made->object, keyval_destroy);
    int err = object_open(&made->object, KIND_KEYVAL);
    if (!err)
        *keyval = made->number = (int)object_handle(made);
    return err;
}

// The key of a keyval, or NULL after fail(MPI_ERR_KEYVAL). The lock is held.
static struct keyval *keyval_find(enum object_kind kind, int keyval)
{
    struct keyval *found = handle_object(KIND_KEYVAL, (uintptr_t)keyval);
    if (found != NULL && found->applies_to == kind)
        return found;
    const char *reason = "is freed or was never created";
    if (found != NULL)
        reason = "was created for another kind of object";
    else if (keyval > 0 && keyval < 1024)
        reason = "is predefined; its attributes are read-only";
    fail(MPI_ERR_KEYVAL, "keyval = %d: %s", keyval, reason);
    return NULL;
}

// Attributes that have the key keep it alive, and its keyval valid: it is by that that
// the program deletes them (MPI-4.1 7.7.2).
int keyval_free(enum object_kind applies_to, int *keyval)
{
    attributes_enter();
    struct keyval *key = keyval_find(applies_to, *keyval);
    bool is_first = key != NULL && !key->is_freed;
    if (is_first) {
        key->is_freed = true;
        object_release(key);
    }
    attributes_leave();
    if (key == NULL)
        return MPI_ERR_KEYVAL;
    *keyval = MPI_KEYVAL_INVALID;
    return 0;
}

int oriel_win_create_keyval(generic_function *win_copy_attr_fn,
                            generic_function *win_delete_attr_fn, int *win_keyval,
                            void *extra_state)
{
    return keyval_make(KIND_WIN, win_copy_attr_fn, win_delete_attr_fn, extra_state,
                       win_keyval);
}

int oriel_win_free_keyval(int *win_keyval)
{
    return keyval_free(KIND_WIN, win_keyval);
}

int oriel_type_create_keyval(generic_function *type_copy_attr_fn,
                             generic_function *type_delete_attr_fn, int *type_keyval,
                             void *extra_state)
{
    return keyval_make(KIND_DATATYPE, type_copy_attr_fn, type_delete_attr_fn,
                       extra_state, type_keyval);
}

int oriel_type_free_keyval(int *type_keyval)
{
    return keyval_free(KIND_DATATYPE, type_keyval);
}

// ---- the list of an object; the lock is held

// One whose delete function runs is gone for all threads but the one that runs it.
static bool is_there(const struct attribute *attribute)
{
    return attribute->deleter == 0 || attribute->deleter == thread_identity();
}

// Where the attribute with this key hangs, or where it would be appended.
static struct attribute **attribute_place(struct object *object,
                                          const struct keyval *key)
{
    struct attribute **place = &object->attributes;
    while (*place != NULL && ((*place)->key != key || !is_there(*place)))
        place = &(*place)->next;
    return place;
}

// An attribute that can be changed or deleted, or 0 and NULL if there is none: its
// value must outlive the copy functions that read it. The caller holds a reference of
// the key.
static int attribute_settle(struct object *object, const struct keyval *key,
                            struct attribute **settled)
{
    struct attribute *found;
    while ((found = *attribute_place(object, key)) != NULL && found->copiers > 0 &&
           copying == 0)
        pthread_cond_wait(&objects.attribute_copied, &objects.attributes_lock);
    if (found != NULL && (found->copiers > 0 || found->deleter != 0))
        return fail(MPI_ERR_KEYVAL,
                    "keyval = %d: the %s function of the attribute runs", key->number,
                    found->deleter ? "delete" : "copy");
    *settled = found;
    return 0;
}

static void attribute_remove(struct object *object, struct attribute *removed)
{
    struct attribute **place = &object->attributes;
    while (*place != removed)
        place = &(*place)->next;
    *place = removed->next;
    object_release(removed->key);
    free(removed);
}

static int attribute_append(struct object *object, struct keyval *key,
                            struct attribute value)
{
    struct attribute *made = malloc(sizeof *made);
    if (made == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for an attribute");
    *made = (struct attribute){
        .key = key, .value = value.value, .is_integer = value.is_integer};
    object_retain(key);
    struct attribute **end = &object->attributes;
    while (*end != NULL)
        end = &(*end)->next;
    *end = made;
    return 0;
}

// Has the program's function take leave of a value that nobody else can reach. The lock
// is free meanwhile; the caller holds a reference of the key.
static int run_drop(struct object *object, struct keyval *key,
                    const struct attribute *dropped)
{
    if (key->drop == null_function)
        return 0;
    attributes_leave();
    int err = call_drop(key, object_handle(object), dropped);
    attributes_enter();
    return err ? fail(err, "the delete function of keyval %d returned %d", key->number,
                      err)
               : 0;
}

// The new value is in place before the old one goes, and the old one returns if its
// function refuses.
static int attribute_replace(struct object *object, struct attribute *attribute,
                             struct attribute value)
{
    struct keyval *key = attribute->key;
    struct attribute old = *attribute;
    attribute->value = value.value;
    attribute->is_integer = value.is_integer;
    int err = run_drop(object, key, &old);
    attribute = err ? *attribute_place(object, key) : NULL;
    if (attribute != NULL && attribute->value == value.value) {
        attribute->value = old.value;
        attribute->is_integer = old.is_integer;
    }
    return err;
}

static int attribute_drop(struct object *object, struct attribute *attribute)
{
    struct keyval *key = attribute->key;
    attribute->deleter = thread_identity();
    object_retain(key);
    int err = run_drop(object, key, attribute);
    attribute->deleter = 0;
    if (!err)
        attribute_remove(object, attribute);
    object_release(key);
    return err;
}

// ---- what programs do

// What Fortran is about to set, so that the value is an integer from the first moment.
static _Thread_local struct {
    enum object_kind kind; // 0: nothing
    int keyval;
    uintptr_t handle;
    MPI_Aint value;
} announced;

void oriel_attribute_is_integer(enum object_kind kind, uintptr_t handle, int keyval,
                                MPI_Aint value)
{
    announced.kind = kind;
    announced.keyval = keyval;
    announced.handle = handle;
    announced.value = value;
}

static bool is_announced(enum object_kind kind, const void *object, int keyval,
                         MPI_Aint value)
{
    if (announced.kind != kind || announced.keyval != keyval ||
        announced.handle != object_handle(object) || announced.value != value)
        return false;
    announced.kind = 0;
    return true;
}

int attribute_set(enum object_kind kind, void *object, int keyval, void *value)
{
    struct attribute new = {.value = (MPI_Aint)value};
    struct attribute *attribute = NULL;
    new.is_integer = is_announced(kind, object, keyval, new.value);
    attributes_enter();
    struct keyval *key = keyval_find(kind, keyval);
    int err = MPI_ERR_KEYVAL;
    if (key != NULL) {
        object_retain(key);
        err = attribute_settle(object, key, &attribute);
        if (!err)
            err = attribute ? attribute_replace(object, attribute, new)
                            : attribute_append(object, key, new);
        object_release(key);
    }
    attributes_leave();
    return err;
}

// The attribute that this thread has got last, for oriel_attribute_integer.
static _Thread_local struct {
    const void *value;
    MPI_Aint integer;
} got;

int attribute_get(enum object_kind kind, void *object, int keyval, void *value,
                  int *flag)
{
    attributes_enter();
    const struct keyval *key = keyval_find(kind, keyval);
    const struct attribute *found = key ? *attribute_place(object, key) : NULL;
    if (found != NULL) {
        got.value = value_in_c(found);
        got.integer = found->value;
    }
    attributes_leave();
    if (key == NULL)
        return MPI_ERR_KEYVAL;
    *flag = found != NULL;
    if (found != NULL)
        *(const void **)value = got.value;
    return 0;
}

int attribute_delete(enum object_kind kind, void *object, int keyval)
{
    struct attribute *attribute = NULL;
    attributes_enter();
    struct keyval *key = keyval_find(kind, keyval);
    int err = MPI_ERR_KEYVAL;
    if (key != NULL) {
        object_retain(key);
        err = attribute_settle(object, key, &attribute);
        if (!err)
            err = attribute ? attribute_drop(object, attribute)
                            : fail(MPI_ERR_KEYVAL,
                                   "keyval = %d: no attribute is set for it", keyval);
        object_release(key);
    }
    attributes_leave();
    return err;
}

// Copies one attribute to a duplicate, if its copy function says so. The lock is free
// while that runs, and the attribute stays where it is.
static int attribute_copy(struct object *from, struct attribute *attribute,
                          struct object *to)
{
    struct keyval *key = attribute->key;
    struct attribute copied = {.value = attribute->value,
                               .is_integer = attribute->is_integer};
    int flag = is_dup_function(key->copy), err = 0;
    if (!flag && key->copy != null_function) {
        copying++;
        attributes_leave();
        err = call_copy(key, object_handle(from), attribute, &copied, &flag);
        attributes_enter();
        copying--;
    }
    if (err)
        return fail(err, "the copy function of keyval %d returned %d", key->number,
                    err);
    return flag ? attribute_append(to, key, copied) : 0;
}

int attributes_copy(void *from, void *to)
{
    int err = 0;
    attributes_enter();
    struct attribute *attribute = ((struct object *)from)->attributes;
    while (attribute != NULL && !err) {
        struct attribute *copied = attribute;
        copied->copiers++;
        if (copied->deleter == 0)
            err = attribute_copy(from, copied, to);
        attribute = copied->next;
        if (--copied->copiers == 0)
            pthread_cond_broadcast(&objects.attribute_copied);
    }
    attributes_leave();
    return err;
}

// The one to be dropped next: that which was set last (MPI-4.1 11.2.4).
static struct attribute *attribute_last(const struct object *object)
{
    struct attribute *last = NULL;
    for (struct attribute *one = object->attributes; one != NULL; one = one->next)
        if (one->deleter == 0)
            last = one;
    return last;
}

int attributes_drop(void *dropped)
{
    struct object *object = dropped;
    struct attribute *last;
    int err = 0;
    attributes_enter();
    while (!err && (last = attribute_last(object)) != NULL)
        err = attribute_drop(object, last);
    attributes_leave();
    return err;
}

// ---- the view of Fortran

void oriel_keyval_invokers(int keyval, copy_invoker *copy, delete_invoker *drop)
{
    struct keyval *key = handle_object(KIND_KEYVAL, (uintptr_t)keyval);
    if (key == NULL)
        return;
    key->invoke_copy = copy;
    key->invoke_drop = drop;
}

static void find_value(enum object_kind kind, uintptr_t handle, int keyval,
                       const void *seen, MPI_Aint *integer)
{
    attributes_enter();
    struct object *object = handle_object(kind, handle);
    const struct keyval *key = handle_object(KIND_KEYVAL, (uintptr_t)keyval);
    const struct attribute *found =
        object && key ? *attribute_place(object, key) : NULL;
    if (found != NULL && value_in_c(found) == seen)
        *integer = found->value;
    attributes_leave();
}

// Fortran sees the value of a predefined attribute where C sees its address, but for
// MPI_WIN_BASE (12.2.6). A tool between Fortran and C may have got others meanwhile.
MPI_Aint oriel_attribute_integer(enum object_kind kind, uintptr_t handle, int keyval,
                                 void *value)
{
    MPI_Aint integer = (MPI_Aint)value;
    if (keyval == MPI_WIN_SIZE)
        return *(const MPI_Aint *)value;
    if (keyval < 1024 && keyval != MPI_WIN_BASE)
        return *(const int *)value;
    if (value == got.value)
        return got.integer;
    find_value(kind, handle, keyval, value, &integer);
    return integer;
}
