// SPDX-License-Identifier: BSD-3-Clause
// Attributes and their keys (MPI-4.1 7.7), the same for every kind of object.
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

// What Fortran sees of a value: the integer that it set, or C's pointer as an integer.
static MPI_Aint integer_value(const struct attribute *attribute)
{
    bool is_integer = attribute->value == &attribute->integer;
    return is_integer ? attribute->integer : (MPI_Aint)attribute->value;
}

static int call_copy(const struct keyval *key, uintptr_t handle,
                     const struct attribute *from, struct attribute *to, int *flag)
{
    if (key->invoke_copy != NULL) {
        to->value = &to->integer;
        return key->invoke_copy(key->copy, handle, key->number, key->extra_state,
                                integer_value(from), &to->integer, flag);
    }
    typedef int copy_function(uintptr_t handle, int keyval, void *extra_state,
                              void *value, void *copied_value, int *flag);
    return ((copy_function *)key->copy)(handle, key->number, key->extra_state,
                                        from->value, &to->value, flag);
}

static int call_drop(const struct keyval *key, uintptr_t handle,
                     const struct attribute *attribute)
{
    if (key->invoke_drop != NULL)
        return key->invoke_drop(key->drop, handle, key->number,
                                integer_value(attribute), key->extra_state);
    typedef int drop_function(uintptr_t handle, int keyval, void *value,
                              void *extra_state);
    return ((drop_function *)key->drop)(handle, key->number, attribute->value,
                                        key->extra_state);
}

static void keyval_destroy(struct object *object)
{
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
                            .extra_state = extra_state};
    object_init(&made->object, keyval_destroy);
    int err = object_open(&made->object, KIND_KEYVAL);
    if (!err)
        *keyval = made->number = (int)object_handle(made);
    return err;
}

// The key of a keyval, or NULL after fail(MPI_ERR_KEYVAL).
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

// Attributes that have the key keep it alive (MPI-4.1 7.7.2).
int keyval_free(enum object_kind applies_to, int *keyval)
{
    struct keyval *key = keyval_find(applies_to, *keyval);
    if (key == NULL)
        return MPI_ERR_KEYVAL;
    object_close(&key->object);
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

// Where the attribute with this key hangs, or where it would be appended.
static struct attribute **attribute_place(struct object *object,
                                          const struct keyval *key)
{
    struct attribute **place = &object->attributes;
    while (*place != NULL && (*place)->key != key)
        place = &(*place)->next;
    return place;
}

static int run_drop(struct object *object, struct attribute *attribute)
{
    struct keyval *key = attribute->key;
    if (key->drop == null_function)
        return 0;
    int err = call_drop(key, object_handle(object), attribute);
    return err ? fail(err, "the delete function of keyval %d returned %d", key->number,
                      err)
               : 0;
}

static void attribute_remove(struct attribute **place)
{
    struct attribute *removed = *place;
    *place = removed->next;
    object_release(removed->key);
    free(removed);
}

static int attribute_append(struct attribute **place, struct keyval *key, void *value)
{
    struct attribute *made = malloc(sizeof *made);
    if (made == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for an attribute");
    *made = (struct attribute){.key = key, .value = value};
    object_retain(key);
    *place = made;
    return 0;
}

int attribute_set(enum object_kind kind, void *object, int keyval, void *value)
{
    struct keyval *key = keyval_find(kind, keyval);
    if (key == NULL)
        return MPI_ERR_KEYVAL;
    struct attribute **place = attribute_place(object, key);
    if (*place == NULL)
        return attribute_append(place, key, value);
    int err = run_drop(object, *place);
    if (!err)
        (*place)->value = value;
    return err;
}

int attribute_get(enum object_kind kind, void *object, int keyval, void *value,
                  int *flag)
{
    struct keyval *key = keyval_find(kind, keyval);
    if (key == NULL)
        return MPI_ERR_KEYVAL;
    const struct attribute *found = *attribute_place(object, key);
    *flag = found != NULL;
    if (found != NULL)
        *(void **)value = found->value;
    return 0;
}

int attribute_delete(enum object_kind kind, void *object, int keyval)
{
    struct keyval *key = keyval_find(kind, keyval);
    if (key == NULL)
        return MPI_ERR_KEYVAL;
    struct attribute **place = attribute_place(object, key);
    if (*place == NULL)
        return fail(MPI_ERR_KEYVAL, "keyval = %d: no attribute is set for it", keyval);
    int err = run_drop(object, *place);
    if (!err)
        attribute_remove(place);
    return err;
}

// Copies one attribute to the end of a duplicate's list, if its copy function says so.
static int attribute_copy(struct object *from, struct attribute *attribute,
                          struct attribute **end)
{
    struct keyval *key = attribute->key;
    struct attribute copied = {.value = attribute->value,
                               .integer = attribute->integer};
    bool is_integer = attribute->value == &attribute->integer;
    int flag = is_dup_function(key->copy);
    if (!flag && key->copy != null_function) {
        int err = call_copy(key, object_handle(from), attribute, &copied, &flag);
        if (err)
            return fail(err, "the copy function of keyval %d returned %d", key->number,
                        err);
    }
    if (!flag)
        return 0;
    int err = attribute_append(end, key, copied.value);
    if (!err && (copied.value == &copied.integer ||
                 (is_integer && copied.value == &attribute->integer))) {
        (*end)->integer = copied.integer;
        (*end)->value = &(*end)->integer;
    }
    return err;
}

int attributes_copy(void *from, void *to)
{
    struct attribute **end = &((struct object *)to)->attributes;
    struct attribute *attribute = ((struct object *)from)->attributes;
    for (; attribute != NULL; attribute = attribute->next) {
        int err = attribute_copy(from, attribute, end);
        if (err)
            return err;
        if (*end != NULL)
            end = &(*end)->next;
    }
    return 0;
}

// In the reverse order of setting, as for MPI_COMM_SELF (MPI-4.1 11.2.4).
int attributes_drop(void *dropped)
{
    struct object *object = dropped;
    while (object->attributes != NULL) {
        struct attribute **last = &object->attributes;
        while ((*last)->next != NULL)
            last = &(*last)->next;
        int err = run_drop(object, *last);
        if (err)
            return err;
        attribute_remove(last);
    }
    return 0;
}

void oriel_keyval_invokers(int keyval, copy_invoker *copy, delete_invoker *drop)
{
    struct keyval *key = handle_object(KIND_KEYVAL, (uintptr_t)keyval);
    if (key == NULL)
        return;
    key->invoke_copy = copy;
    key->invoke_drop = drop;
}

static struct attribute *attribute_of_handle(enum object_kind kind, uintptr_t handle,
                                             int keyval)
{
    struct object *object = handle_object(kind, handle);
    const struct keyval *key = handle_object(KIND_KEYVAL, (uintptr_t)keyval);
    return object && key ? *attribute_place(object, key) : NULL;
}

void oriel_attribute_is_integer(enum object_kind kind, uintptr_t handle, int keyval)
{
    struct attribute *attribute = attribute_of_handle(kind, handle, keyval);
    if (attribute == NULL)
        return;
    attribute->integer = (MPI_Aint)attribute->value;
    attribute->value = &attribute->integer;
}

// Fortran sees the value of a predefined attribute where C sees its address, but for
// MPI_WIN_BASE (12.2.6).
MPI_Aint oriel_attribute_integer(enum object_kind kind, uintptr_t handle, int keyval,
                                 void *value)
{
    if (keyval == MPI_WIN_SIZE)
        return *(const MPI_Aint *)value;
    if (keyval < 1024 && keyval != MPI_WIN_BASE)
        return *(const int *)value;
    const struct attribute *attribute = attribute_of_handle(kind, handle, keyval);
    return attribute != NULL ? integer_value(attribute) : (MPI_Aint)value;
}
