// SPDX-License-Identifier: BSD-3-Clause
// What this library knows of the Fortran compiler (MPI-5.0 20.3). The datatypes say it,
// and the Fortran layer has told them the width of INTEGER when it was loaded; so a
// program can ask, and is refused when it would tell.

#include "datatype/datatypes.h"

#include <ctype.h>
#include <oriel_core.h>
#include <stdio.h>
#include <string.h>

enum { KEY_BYTES = 48 };

// "mpi_real16" of MPI_REAL16, before the end of a key.
static void key_of(const struct datatype *type, const char *end, char key[KEY_BYTES])
{
    snprintf(key, KEY_BYTES, "%s%s", type->name, end);
    for (char *letter = key; *letter; letter++)
        *letter = (char)tolower((unsigned char)*letter);
}

static int put_sizes(struct info *info)
{
    static const MPI_Datatype sized[] = {MPI_LOGICAL, MPI_INTEGER, MPI_REAL,
                                         MPI_DOUBLE_PRECISION};
    int err = 0;
    for (size_t i = 0; !err && i < sizeof sized / sizeof sized[0]; i++) {
        const struct datatype *type = predefined_type(sized[i]);
        char key[KEY_BYTES], value[24];
        key_of(type, "_size", key);
        snprintf(value, sizeof value, "%lld", (long long)type->size);
        err = info_put(info, key, value);
    }
    return err;
}

// All optional types have their bytes here, whatever a compiler has: they can be moved.
static int put_support(struct info *info)
{
    static const MPI_Datatype optional[] = {
        MPI_LOGICAL1, MPI_LOGICAL2,  MPI_LOGICAL4,  MPI_LOGICAL8,      MPI_LOGICAL16,
        MPI_INTEGER1, MPI_INTEGER2,  MPI_INTEGER4,  MPI_INTEGER8,      MPI_INTEGER16,
        MPI_REAL2,    MPI_REAL4,     MPI_REAL8,     MPI_REAL16,        MPI_COMPLEX4,
        MPI_COMPLEX8, MPI_COMPLEX16, MPI_COMPLEX32, MPI_DOUBLE_COMPLEX};
    int err = 0;
    for (size_t i = 0; !err && i < sizeof optional / sizeof optional[0]; i++) {
        char key[KEY_BYTES];
        key_of(predefined_type(optional[i]), "_supported", key);
        err = info_put(info, key, "true");
    }
    return err;
}

int oriel_abi_get_fortran_info(struct info **info)
{
    struct info *made = NULL;
    int err = info_make(&made);
    if (err)
        return err;
    err = put_sizes(made);
    if (!err)
        err = put_support(made);
    if (err) {
        object_release(made);
        return err;
    }
    *info = made;
    return object_open(&made->object, KIND_INFO);
}

int oriel_abi_set_fortran_info(struct info *info)
{
    (void)info;
    return fail(MPI_ERR_ABI, "the sizes of Fortran's types are set already; "
                             "MPI_Abi_get_fortran_info tells them");
}

// .TRUE. is 1 in the compilers that the Fortran layer is built with, in all its bytes.
static bool truth_write(int bytes, void *logical, bool truth)
{
    union {
        int8_t one;
        int16_t two;
        int32_t four;
        int64_t eight;
    } value;
    switch (bytes) {
    case 1:
        value.one = truth;
        break;
    case 2:
        value.two = truth;
        break;
    case 4:
        value.four = truth;
        break;
    case 8:
        value.eight = truth;
        break;
    default:
        return false;
    }
    memcpy(logical, &value, (size_t)bytes);
    return true;
}

int oriel_abi_get_fortran_booleans(int logical_size, void *logical_true,
                                   void *logical_false, int *is_set)
{
    *is_set = truth_write(logical_size, logical_true, true) &&
              truth_write(logical_size, logical_false, false);
    return 0;
}

int oriel_abi_set_fortran_booleans(int logical_size, void *logical_true,
                                   void *logical_false)
{
    (void)logical_true;
    (void)logical_false;
    return fail(MPI_ERR_ABI,
                "logical_size = %d: the values of .TRUE. and .FALSE. are set already",
                logical_size);
}
