// SPDX-License-Identifier: BSD-3-Clause
// attributes_run_their_callbacks: MPI-4.1 7.7, and Fortran's view of values (19.3.7).
// Needs the core.

#include "check.h"
#include "object/object.h"

#include <string.h>

static struct communicator one, other;
static int copies, drops;
static int drop_result;
static char order[8];

static int copy_value(uintptr_t handle, int keyval, void *extra_state, void *value,
                      void *copied, int *flag)
{
    CHECK(handle == object_handle(&one) && keyval != MPI_KEYVAL_INVALID);
    CHECK(*(int *)extra_state == 42);
    *(void **)copied = (char *)value + 1;
    *flag = 1;
    copies++;
    return 0;
}

static int drop_value(uintptr_t handle, int keyval, void *value, void *extra_state)
{
    CHECK(handle == object_handle(&one) || handle == object_handle(&other));
    CHECK(keyval != MPI_KEYVAL_INVALID);
    CHECK(*(int *)extra_state == 42);
    size_t length = strlen(order);
    if (length + 1 < sizeof order)
        order[length] = *(char *)value;
    drops++;
    return drop_result;
}

static int extra_state = 42;
static char values[] = "abcdefg";

static int make_key(generic_function *copy, generic_function *drop)
{
    int keyval;
    CHECK(keyval_make(KIND_COMM, copy, drop, &extra_state, &keyval) == 0);
    return keyval;
}

static void *value_of(struct communicator *comm, int keyval)
{
    void *value = NULL;
    int flag = -1;
    CHECK(attribute_get(KIND_COMM, comm, keyval, &value, &flag) == 0);
    CHECK(flag == (value != NULL));
    return value;
}

static void values_are_set_replaced_and_deleted(void)
{
    int key = make_key(NULL, (generic_function *)drop_value);
    CHECK(value_of(&one, key) == NULL);
    CHECK(attribute_delete(KIND_COMM, &one, key) == MPI_ERR_KEYVAL);
    CHECK(attribute_set(KIND_COMM, &one, key, values) == 0);
    CHECK(value_of(&one, key) == values && drops == 0);
    CHECK(attribute_set(KIND_COMM, &one, key, values + 1) == 0);
    CHECK(value_of(&one, key) == values + 1 && drops == 1);
    drop_result = MPI_ERR_IO;
    CHECK(attribute_set(KIND_COMM, &one, key, values) == MPI_ERR_IO);
    CHECK(attribute_delete(KIND_COMM, &one, key) == MPI_ERR_IO);
    CHECK(value_of(&one, key) == values + 1);
    drop_result = 0;
    CHECK(attribute_delete(KIND_COMM, &one, key) == 0 && drops == 4);
    CHECK(value_of(&one, key) == NULL);
    CHECK(keyval_free(KIND_COMM, &key) == 0 && key == MPI_KEYVAL_INVALID);
}

static void a_freed_key_lives_until_its_attributes_are_gone(void)
{
    int key = make_key(NULL, (generic_function *)drop_value), freed = key;
    CHECK(attribute_set(KIND_COMM, &one, key, values) == 0);
    CHECK(keyval_free(KIND_COMM, &freed) == 0);
    int other_key =
        make_key(NULL, NULL); // in the memory of the freed one, were it gone
    drops = 0;
    CHECK(value_of(&one, key) == values);
    CHECK(attribute_set(KIND_COMM, &one, key, values + 1) == 0 && drops == 1);
    CHECK(attribute_set(KIND_COMM, &other, key, values + 2) == 0);
    CHECK(attribute_delete(KIND_COMM, &one, key) == 0 && drops == 2);
    CHECK(value_of(&one, key) == NULL && value_of(&other, key) == values + 2);
    freed = key;
    CHECK(keyval_free(KIND_COMM, &freed) == 0 && freed == MPI_KEYVAL_INVALID);
    CHECK(attributes_drop(&other) == 0 && drops == 3);
    CHECK(attribute_set(KIND_COMM, &one, key, values) == MPI_ERR_KEYVAL);
    CHECK(attribute_delete(KIND_COMM, &one, key) == MPI_ERR_KEYVAL);
    CHECK(keyval_free(KIND_COMM, &key) == MPI_ERR_KEYVAL);
    CHECK(keyval_free(KIND_COMM, &other_key) == 0);
}

static void wrong_keys_are_errors(void)
{
    int key = make_key(NULL, NULL), predefined = MPI_WIN_BASE, flag;
    void *value;
    CHECK(attribute_set(KIND_WIN, &one, key, values) == MPI_ERR_KEYVAL);
    CHECK(keyval_free(KIND_WIN, &key) == MPI_ERR_KEYVAL);
    CHECK(attribute_set(KIND_COMM, &one, MPI_TAG_UB, values) == MPI_ERR_KEYVAL);
    CHECK(attribute_get(KIND_COMM, &one, MPI_KEYVAL_INVALID, &value, &flag) ==
          MPI_ERR_KEYVAL);
    CHECK(keyval_free(KIND_WIN, &predefined) == MPI_ERR_KEYVAL);
    CHECK(keyval_free(KIND_COMM, &key) == 0);
}

static void duplicates_copy_what_their_callbacks_say(void)
{
    int none = make_key(NULL, (generic_function *)drop_value);
    int same =
        make_key((generic_function *)(uintptr_t)1, (generic_function *)drop_value);
    int call = make_key((generic_function *)copy_value, (generic_function *)drop_value);
    CHECK(attribute_set(KIND_COMM, &one, none, values) == 0);
    CHECK(attribute_set(KIND_COMM, &one, same, values + 1) == 0);
    CHECK(attribute_set(KIND_COMM, &one, call, values + 3) == 0);
    CHECK(attributes_copy(&one, &other) == 0 && copies == 1);
    CHECK(value_of(&other, none) == NULL);
    CHECK(value_of(&other, same) == values + 1);
    CHECK(value_of(&other, call) == values + 4);
    memset(order, 0, sizeof order);
    CHECK(attributes_drop(&one) == 0 && strcmp(order, "dba") == 0);
    CHECK(attributes_drop(&other) == 0 && strcmp(order, "dbaeb") == 0);
}

static void fortran_sets_integers_and_c_sees_their_address(void)
{
    uintptr_t handle = object_handle(&one);
    int key = make_key((generic_function *)(uintptr_t)1, NULL);
    oriel_attribute_is_integer(KIND_COMM, handle, key, -5);
    CHECK(attribute_set(KIND_COMM, &one, key, (void *)(MPI_Aint)-5) == 0);
    CHECK(*(MPI_Aint *)value_of(&one, key) == -5);
    CHECK(oriel_attribute_integer(KIND_COMM, handle, key, value_of(&one, key)) == -5);
    CHECK(attributes_copy(&one, &other) == 0);
    CHECK(value_of(&one, key) != value_of(&other, key));
    CHECK(attributes_drop(&one) == 0);
    CHECK(*(MPI_Aint *)value_of(&other, key) == -5);
    CHECK(attributes_drop(&other) == 0);
    CHECK(attribute_set(KIND_COMM, &one, key, values) == 0);
    CHECK(oriel_attribute_integer(KIND_COMM, handle, key, values) == (MPI_Aint)values);
    CHECK(attributes_drop(&one) == 0);
    MPI_Aint size = (MPI_Aint)1 << 40;
    int unit = 8;
    CHECK(oriel_attribute_integer(KIND_WIN, 0, MPI_WIN_SIZE, &size) == size);
    CHECK(oriel_attribute_integer(KIND_WIN, 0, MPI_WIN_DISP_UNIT, &unit) == 8);
    CHECK(oriel_attribute_integer(KIND_WIN, 0, MPI_WIN_BASE, &unit) == (MPI_Aint)&unit);
}

int main(void)
{
    object_open_predefined(&one.object, KIND_COMM, (uintptr_t)MPI_COMM_WORLD);
    object_open_predefined(&other.object, KIND_COMM, (uintptr_t)MPI_COMM_SELF);
    values_are_set_replaced_and_deleted();
    a_freed_key_lives_until_its_attributes_are_gone();
    wrong_keys_are_errors();
    duplicates_copy_what_their_callbacks_say();
    fortran_sets_integers_and_c_sees_their_address();
    return 0;
}
