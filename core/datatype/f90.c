// SPDX-License-Identifier: BSD-3-Clause
// Datatypes found by what their numbers must hold: those of Fortran's parameterized
// intrinsic types and of a size (MPI-4.1 19.1.9), and pairs (6.9.4).
#include "datatype/contents.h"
#include "datatype/datatypes.h"

#include <float.h>
#include <limits.h>
#include <oriel_core.h>
#include <stdlib.h>

static struct datatype *predefined_of(MPI_Datatype handle)
{
    return handle_object(KIND_DATATYPE, (uintptr_t)handle);
}

// ---- parameterized types ------------------------------------------------------------
// Kinds of numbers, those of fewer digits first: decimal digits and exponent as the
// intrinsic functions of Fortran tell them.
struct kind {
    int precision, range;
    MPI_Datatype type;
};
static const struct kind integers[] = {{INT_MAX, 2, MPI_INTEGER1},
                                       {INT_MAX, 4, MPI_INTEGER2},
                                       {INT_MAX, 9, MPI_INTEGER4},
                                       {INT_MAX, 18, MPI_INTEGER8},
                                       {INT_MAX, 38, MPI_INTEGER16}};
static const struct kind reals[] = {{6, 37, MPI_REAL4},
                                    {15, 307, MPI_REAL8},
                                    {LDBL_DIG, LDBL_MAX_10_EXP - 1, MPI_LONG_DOUBLE},
                                    {33, 4931, MPI_REAL16}};
static const struct kind complexes[] = {
    {6, 37, MPI_COMPLEX8},
    {15, 307, MPI_COMPLEX16},
    {LDBL_DIG, LDBL_MAX_10_EXP - 1, MPI_C_LONG_DOUBLE_COMPLEX},
    {33, 4931, MPI_COMPLEX32}};

// A predefined datatype without a name, which programs cannot free; asking again gives
// the same.
struct parameterized {
    struct datatype type;
    struct parameterized *next;
};

static void parameterized_destroy(struct object *object)
{
    struct parameterized *made = (struct parameterized *)object;
    contents_free(made->type.contents);
    free(made->type.given_name);
    free(made);
}

// The one of the list that has these contents; callers hold the lock.
static struct datatype *parameterized_find(const struct contents *contents)
{
    struct parameterized *made = datatypes.parameterized;
    for (; made != NULL; made = made->next) {
        const struct contents *other = made->type.contents;
        bool is_same = other->combiner == contents->combiner;
        for (MPI_Count i = 0; is_same && i < contents->number_count; i++)
            is_same = other->numbers[i] == contents->numbers[i];
        if (is_same)
            return &made->type;
    }
    return NULL;
}

// Adds it to the list, or finds that another thread has been faster.
static struct datatype *parameterized_enter(struct parameterized *made)
{
    pthread_mutex_lock(&datatypes.lock);
    struct datatype *found = parameterized_find(made->type.contents);
    if (found == NULL) {
        object_protect(&made->type.object);
        made->next = datatypes.parameterized;
        datatypes.parameterized = made;
    }
    pthread_mutex_unlock(&datatypes.lock);
    if (found != NULL)
        object_close(&made->type.object);
    return found ? found : &made->type;
}

// Takes over the contents.
static int parameterized_make(const struct datatype *like, struct contents *contents,
                              struct datatype **newtype)
{
    struct parameterized *made = malloc(sizeof *made);
    if (made == NULL) {
        contents_free(contents);
        return fail(MPI_ERR_NO_MEM, "no memory for a datatype");
    }
    made->type = *like;
    made->type.contents = contents;
    made->type.given_name = NULL;
    object_init(&made->type.object, parameterized_destroy);
    int err = object_open(&made->type.object, KIND_DATATYPE);
    if (!err)
        *newtype = parameterized_enter(made);
    return err;
}

// The first kind that has the digits and the exponent, of which one may be
// MPI_UNDEFINED.
static const struct kind *kind_for(const struct kind *kinds, size_t count,
                                   int precision, int range)
{
    for (size_t i = 0; i < count; i++)
        if ((precision == MPI_UNDEFINED || precision <= kinds[i].precision) &&
            (range == MPI_UNDEFINED || range <= kinds[i].range))
            return &kinds[i];
    return NULL;
}

static int parameterized_create(const struct kind *kind, struct contents *contents,
                                struct datatype **newtype)
{
    if (contents == NULL)
        return MPI_ERR_NO_MEM;
    if (kind == NULL) {
        contents_free(contents);
        return fail(MPI_ERR_ARG, "no type has so many digits or such an exponent");
    }
    pthread_mutex_lock(&datatypes.lock);
    struct datatype *found = parameterized_find(contents);
    pthread_mutex_unlock(&datatypes.lock);
    if (found == NULL)
        return parameterized_make(predefined_of(kind->type), contents, newtype);
    contents_free(contents);
    *newtype = found;
    return 0;
}

static int create_real(int combiner, const struct kind *kinds, size_t count, int p,
                       int r, struct datatype **newtype)
{
    if (p == MPI_UNDEFINED && r == MPI_UNDEFINED)
        return fail(MPI_ERR_ARG, "p and r: must not both be MPI_UNDEFINED");
    struct contents *contents = contents_new(combiner, false, 2, 0);
    if (contents != NULL) {
        contents_add_number(contents, p);
        contents_add_number(contents, r);
    }
    return parameterized_create(kind_for(kinds, count, p, r), contents, newtype);
}

int oriel_type_create_f90_real(int p, int r, struct datatype **newtype)
{
    return create_real(MPI_COMBINER_F90_REAL, reals, sizeof reals / sizeof *reals, p, r,
                       newtype);
}

int oriel_type_create_f90_complex(int p, int r, struct datatype **newtype)
{
    return create_real(MPI_COMBINER_F90_COMPLEX, complexes,
                       sizeof complexes / sizeof *complexes, p, r, newtype);
}

int oriel_type_create_f90_integer(int r, struct datatype **newtype)
{
    struct contents *contents = contents_new(MPI_COMBINER_F90_INTEGER, false, 1, 0);
    if (contents != NULL)
        contents_add_number(contents, r);
    return parameterized_create(
        kind_for(integers, sizeof integers / sizeof *integers, 0, r), contents,
        newtype);
}

void parameterized_forget(void)
{
    while (datatypes.parameterized != NULL) {
        struct parameterized *made = datatypes.parameterized;
        datatypes.parameterized = made->next;
        object_unprotect(&made->type.object);
        object_close(&made->type.object);
    }
}

// ---- sizes ----------------------------------------------------------------------------
int oriel_type_match_size(int typeclass, int size, struct datatype **datatype)
{
    static const struct {
        int typeclass;
        MPI_Datatype type;
    } sized[] = {
        {MPI_TYPECLASS_INTEGER, MPI_INTEGER1},  {MPI_TYPECLASS_INTEGER, MPI_INTEGER2},
        {MPI_TYPECLASS_INTEGER, MPI_INTEGER4},  {MPI_TYPECLASS_INTEGER, MPI_INTEGER8},
        {MPI_TYPECLASS_INTEGER, MPI_INTEGER16}, {MPI_TYPECLASS_REAL, MPI_REAL2},
        {MPI_TYPECLASS_REAL, MPI_REAL4},        {MPI_TYPECLASS_REAL, MPI_REAL8},
        {MPI_TYPECLASS_REAL, MPI_REAL16},       {MPI_TYPECLASS_COMPLEX, MPI_COMPLEX4},
        {MPI_TYPECLASS_COMPLEX, MPI_COMPLEX8},  {MPI_TYPECLASS_COMPLEX, MPI_COMPLEX16},
        {MPI_TYPECLASS_COMPLEX, MPI_COMPLEX32},
    };
    for (size_t i = 0; i < sizeof sized / sizeof *sized; i++) {
        struct datatype *type = predefined_of(sized[i].type);
        if (sized[i].typeclass == typeclass && type->size == size) {
            *datatype = type;
            return 0;
        }
    }
    return fail(MPI_ERR_ARG, "size = %d: no type of this class has so many bytes",
                size);
}

// ---- pairs ----------------------------------------------------------------------------
int oriel_type_get_value_index(struct datatype *value_type, struct datatype *index_type,
                               struct datatype **pair_type)
{
    static const struct {
        MPI_Datatype value, index, pair;
    } pairs[] = {
        {MPI_FLOAT, MPI_INT, MPI_FLOAT_INT},
        {MPI_DOUBLE, MPI_INT, MPI_DOUBLE_INT},
        {MPI_LONG, MPI_INT, MPI_LONG_INT},
        {MPI_INT, MPI_INT, MPI_2INT},
        {MPI_SHORT, MPI_INT, MPI_SHORT_INT},
        {MPI_LONG_DOUBLE, MPI_INT, MPI_LONG_DOUBLE_INT},
        {MPI_REAL, MPI_REAL, MPI_2REAL},
        {MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_2DOUBLE_PRECISION},
        {MPI_INTEGER, MPI_INTEGER, MPI_2INTEGER},
    };
    *pair_type = NULL; // MPI_DATATYPE_NULL: there is no such pair
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (predefined_of(pairs[i].value) == value_type &&
            predefined_of(pairs[i].index) == index_type)
            *pair_type = predefined_of(pairs[i].pair);
    return 0;
}
