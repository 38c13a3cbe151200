// SPDX-License-Identifier: BSD-3-Clause
// Calls the copy and delete functions of attribute keys that Fortran programs create.
// The calls themselves are in oriel_support.f90, which knows LOGICAL and INTEGER.
#include <oriel.h>

_Static_assert(KIND_COMM == 1 && KIND_WIN == 3 && KIND_DATATYPE == 6,
               "oriel_support.f90 has the kinds of objects");

int oriel_fortran_copy(generic_function *function, uintptr_t handle, int keyval,
                       void *extra_state, MPI_Aint value_in, MPI_Aint *value_out,
                       int *flag);
int oriel_fortran_delete(generic_function *function, uintptr_t handle, int keyval,
                         MPI_Aint value, void *extra_state);
void oriel_keyval_calls_fortran(int keyval);

// What Fortran sees of a value: the integer that it set, or C's pointer as an integer.
static MPI_Aint fortran_value(const struct attribute *attribute)
{
    bool is_integer = attribute->value == &attribute->integer;
    return is_integer ? attribute->integer : (MPI_Aint)attribute->value;
}

static int invoke_copy(struct keyval *key, uintptr_t handle, struct attribute *from,
                       struct attribute *to, int *flag)
{
    to->value = &to->integer;
    return oriel_fortran_copy(key->copy, handle, key->number, key->extra_state,
                              fortran_value(from), &to->integer, flag);
}

static int invoke_delete(struct keyval *key, uintptr_t handle,
                         struct attribute *attribute)
{
    return oriel_fortran_delete(key->drop, handle, key->number,
                                fortran_value(attribute), key->extra_state);
}

void oriel_keyval_calls_fortran(int keyval)
{
    oriel_keyval_invokers(keyval, invoke_copy, invoke_delete);
}
