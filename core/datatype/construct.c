// SPDX-License-Identifier: BSD-3-Clause
// The constructors of datatypes (MPI-4.1 5.1.2) and what programs ask about the result.
#include "datatype/construct.h"
#include "datatype/contents.h"
#include "datatype/datatypes.h"

#include <oriel_core.h>
#include <stdlib.h>

// Makes the datatype of the contents, which it takes over, and gives it to the program.
static int construct_type(struct contents *contents, struct datatype **newtype)
{
    struct datatype *made;
    int err = datatype_make(contents, &made);
    return err ? err : datatype_open(made, newtype);
}

// ---- regular ones -----------------------------------------------------------------
static int construct_regular(int combiner, bool is_large, const MPI_Count *numbers,
                             int number_count, struct datatype *oldtype,
                             struct datatype **newtype)
{
    struct contents *contents = contents_new(combiner, is_large, number_count, 1);
    for (int i = 0; contents != NULL && i < number_count; i++)
        contents_add_number(contents, numbers[i]);
    if (contents != NULL)
        contents_add_type(contents, oldtype);
    return construct_type(contents, newtype);
}

int oriel_type_contiguous(MPI_Count count, struct datatype *oldtype,
                          struct datatype **newtype, bool is_large)
{
    return construct_regular(MPI_COMBINER_CONTIGUOUS, is_large, &count, 1, oldtype,
                             newtype);
}

int oriel_type_vector(MPI_Count count, MPI_Count blocklength, MPI_Count stride,
                      struct datatype *oldtype, struct datatype **newtype,
                      bool is_large)
{
    MPI_Count numbers[] = {count, blocklength, stride};
    return construct_regular(MPI_COMBINER_VECTOR, is_large, numbers, 3, oldtype,
                             newtype);
}

int oriel_type_create_hvector(MPI_Count count, MPI_Count blocklength, MPI_Count stride,
                              struct datatype *oldtype, struct datatype **newtype,
                              bool is_large)
{
    MPI_Count numbers[] = {count, blocklength, stride};
    return construct_regular(MPI_COMBINER_HVECTOR, is_large, numbers, 3, oldtype,
                             newtype);
}

// ---- lists of blocks --------------------------------------------------------------
static int construct_list(int combiner, bool is_large, MPI_Count count,
                          struct numbers blocklengths, struct numbers displacements,
                          struct datatype *oldtype, struct datatype **newtype)
{
    struct contents *contents = contents_new(combiner, is_large, 1 + 2 * count, 1);
    if (contents != NULL) {
        contents_add_number(contents, count);
        contents_add_numbers(contents, blocklengths, count);
        contents_add_numbers(contents, displacements, count);
        contents_add_type(contents, oldtype);
    }
    return construct_type(contents, newtype);
}

int oriel_type_indexed(MPI_Count count, struct numbers array_of_blocklengths,
                       struct numbers array_of_displacements, struct datatype *oldtype,
                       struct datatype **newtype, bool is_large)
{
    return construct_list(MPI_COMBINER_INDEXED, is_large, count, array_of_blocklengths,
                          array_of_displacements, oldtype, newtype);
}

int oriel_type_create_hindexed(MPI_Count count, struct numbers array_of_blocklengths,
                               struct numbers array_of_displacements,
                               struct datatype *oldtype, struct datatype **newtype,
                               bool is_large)
{
    return construct_list(MPI_COMBINER_HINDEXED, is_large, count, array_of_blocklengths,
                          array_of_displacements, oldtype, newtype);
}

// ---- lists of equal blocks --------------------------------------------------------
static int construct_block_list(int combiner, bool is_large, MPI_Count count,
                                MPI_Count blocklength, struct numbers displacements,
                                struct datatype *oldtype, struct datatype **newtype)
{
    struct contents *contents = contents_new(combiner, is_large, 2 + count, 1);
    if (contents != NULL) {
        contents_add_number(contents, count);
        contents_add_number(contents, blocklength);
        contents_add_numbers(contents, displacements, count);
        contents_add_type(contents, oldtype);
    }
    return construct_type(contents, newtype);
}

int oriel_type_create_indexed_block(MPI_Count count, MPI_Count blocklength,
                                    struct numbers array_of_displacements,
                                    struct datatype *oldtype, struct datatype **newtype,
                                    bool is_large)
{
    return construct_block_list(MPI_COMBINER_INDEXED_BLOCK, is_large, count,
                                blocklength, array_of_displacements, oldtype, newtype);
}

int oriel_type_create_hindexed_block(MPI_Count count, MPI_Count blocklength,
                                     struct numbers array_of_displacements,
                                     struct datatype *oldtype,
                                     struct datatype **newtype, bool is_large)
{
    return construct_block_list(MPI_COMBINER_HINDEXED_BLOCK, is_large, count,
                                blocklength, array_of_displacements, oldtype, newtype);
}

int oriel_type_create_struct(MPI_Count count, struct numbers array_of_blocklengths,
                             struct numbers array_of_displacements,
                             const MPI_Datatype array_of_types[],
                             struct datatype **newtype, bool is_large)
{
    struct contents *contents =
        contents_new(MPI_COMBINER_STRUCT, is_large, 1 + 2 * count, count);
    if (contents != NULL) {
        contents_add_number(contents, count);
        contents_add_numbers(contents, array_of_blocklengths, count);
        contents_add_numbers(contents, array_of_displacements, count);
        for (MPI_Count i = 0; i < count; i++)
            contents_add_type(
                contents, handle_object(KIND_DATATYPE, (uintptr_t)array_of_types[i]));
    }
    return construct_type(contents, newtype);
}

// ---- one element with other properties ---------------------------------------------
int oriel_type_create_resized(struct datatype *oldtype, MPI_Count lb, MPI_Count extent,
                              struct datatype **newtype, bool is_large)
{
    struct contents *contents = contents_new(MPI_COMBINER_RESIZED, is_large, 2, 1);
    struct datatype *made;
    if (contents != NULL) {
        contents_add_number(contents, lb);
        contents_add_number(contents, extent);
        contents_add_type(contents, oldtype);
    }
    int err = datatype_make_resized(contents, lb, extent, &made);
    return err ? err : datatype_open(made, newtype);
}

// A duplicate has the attributes too, as far as their copy functions say so.
int oriel_type_dup(struct datatype *oldtype, struct datatype **newtype)
{
    struct contents *contents = contents_new(MPI_COMBINER_DUP, false, 0, 1);
    struct datatype *made;
    if (contents != NULL)
        contents_add_type(contents, oldtype);
    int err = datatype_make(contents, &made);
    if (err)
        return err;
    if (oldtype->is_committed)
        datatype_commit(made);
    err = attributes_copy(oldtype, made);
    if (err) {
        attributes_drop(made);
        object_release(made);
        return err;
    }
    return datatype_open(made, newtype);
}

// A second commit changes nothing, so that threads may use what others commit again.
int oriel_type_commit(struct datatype *datatype)
{
    pthread_mutex_lock(&datatypes.lock);
    if (!datatype->is_committed)
        datatype_commit(datatype);
    pthread_mutex_unlock(&datatypes.lock);
    return 0;
}

// Attributes go with the handle, because their delete functions are given it.
int oriel_type_free(struct datatype *datatype)
{
    if (object_close_one_of_many(&datatype->object))
        return 0;
    int err = attributes_drop(datatype);
    if (!err)
        object_close(&datatype->object);
    return err;
}

// ---- questions ----------------------------------------------------------------------
int oriel_type_size(struct datatype *datatype, MPI_Count *size)
{
    *size = datatype->size;
    return 0;
}

int oriel_type_size_x(struct datatype *datatype, MPI_Count *size)
{
    return oriel_type_size(datatype, size);
}

int oriel_type_get_extent(struct datatype *datatype, MPI_Count *lb, MPI_Count *extent)
{
    *lb = datatype->lb;
    *extent = datatype->extent;
    return 0;
}

int oriel_type_get_extent_x(struct datatype *datatype, MPI_Count *lb, MPI_Count *extent)
{
    return oriel_type_get_extent(datatype, lb, extent);
}

int oriel_type_get_true_extent(struct datatype *datatype, MPI_Count *true_lb,
                               MPI_Count *true_extent)
{
    *true_lb = datatype->true_lb;
    *true_extent = datatype->true_extent;
    return 0;
}

int oriel_type_get_true_extent_x(struct datatype *datatype, MPI_Count *true_lb,
                                 MPI_Count *true_extent)
{
    return oriel_type_get_true_extent(datatype, true_lb, true_extent);
}

// ---- attributes ---------------------------------------------------------------------
int oriel_type_set_attr(struct datatype *datatype, int type_keyval, void *attribute_val)
{
    return attribute_set(KIND_DATATYPE, datatype, type_keyval, attribute_val);
}

int oriel_type_get_attr(struct datatype *datatype, int type_keyval, void *attribute_val,
                        int *flag)
{
    return attribute_get(KIND_DATATYPE, datatype, type_keyval, attribute_val, flag);
}

int oriel_type_delete_attr(struct datatype *datatype, int type_keyval)
{
    return attribute_delete(KIND_DATATYPE, datatype, type_keyval);
}

// ---- names ----------------------------------------------------------------------------
int oriel_type_set_name(struct datatype *datatype, const char *type_name)
{
    return object_set_name(&datatype->given_name, type_name);
}

static const char *type_name_of(const struct datatype *type)
{
    const char *given = type->given_name;
    return given != NULL ? given : object_name_or_none(type->name);
}

int oriel_type_get_name(struct datatype *datatype, char *type_name, int *resultlen)
{
    object_get_name(datatype ? type_name_of(datatype) : "MPI_DATATYPE_NULL", type_name,
                    resultlen);
    return 0;
}
