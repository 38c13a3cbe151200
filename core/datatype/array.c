// SPDX-License-Identifier: BSD-3-Clause
// Datatypes of parts of arrays: MPI_Type_create_subarray and MPI_Type_create_darray
// (MPI-4.1 5.1.3, 5.1.4). Both become repetitions, dimension by dimension from that
// which varies fastest.
#include "datatype/construct.h"
#include "datatype/contents.h"

#include <oriel_core.h>

// A datatype that grows with each dimension.
struct growing {
    struct datatype *type; // with a reference
    MPI_Count stride;      // from one index of the next dimension to the next, in bytes
    MPI_Count offset;      // of the first element
};

static struct growing grow_from(struct datatype *oldtype)
{
    object_retain(oldtype);
    return (struct growing){.type = oldtype, .stride = oldtype->extent};
}

// Makes of *type a datatype with these contents, to which it is added.
static int type_wrap(struct datatype **type, struct contents *contents)
{
    struct datatype *made;
    if (contents != NULL)
        contents_add_type(contents, *type);
    int err = datatype_make(contents, &made);
    if (!err) {
        object_release(*type);
        *type = made;
    }
    return err;
}

static int type_repeat(struct datatype **type, MPI_Count count, MPI_Count stride)
{
    struct contents *contents = contents_new(MPI_COMBINER_HVECTOR, false, 3, 1);
    if (contents != NULL) {
        contents_add_number(contents, count);
        contents_add_number(contents, 1);
        contents_add_number(contents, stride);
    }
    return type_wrap(type, contents);
}

static int type_shift(struct datatype **type, MPI_Count displacement)
{
    struct contents *contents = contents_new(MPI_COMBINER_HINDEXED_BLOCK, false, 3, 1);
    if (contents != NULL) {
        contents_add_number(contents, 1);
        contents_add_number(contents, 1);
        contents_add_number(contents, displacement);
    }
    return type_wrap(type, contents);
}

// Makes of *type both, `last` at a displacement. Takes over the reference to `last`.
static int type_append(struct datatype **type, struct datatype *last,
                       MPI_Count displacement)
{
    struct contents *contents = contents_new(MPI_COMBINER_STRUCT, false, 5, 2);
    MPI_Count numbers[] = {2, 1, 1, 0, displacement};
    struct datatype *made;
    for (int i = 0; contents != NULL && i < 5; i++)
        contents_add_number(contents, numbers[i]);
    if (contents != NULL) {
        contents_add_type(contents, *type);
        contents_add_type(contents, last);
    }
    object_release(last);
    int err = datatype_make(contents, &made);
    if (!err) {
        object_release(*type);
        *type = made;
    }
    return err;
}

// Goes on to the next dimension after one of `size` indices, of which the first used is
// `first`.
static int grow_past(struct growing *growing, MPI_Count size, MPI_Count first)
{
    MPI_Count begin;
    if (!__builtin_mul_overflow(first, growing->stride, &begin) &&
        !__builtin_add_overflow(growing->offset, begin, &growing->offset) &&
        !__builtin_mul_overflow(growing->stride, size, &growing->stride))
        return 0;
    return fail(MPI_ERR_VALUE_TOO_LARGE, "the array must have less than 2^63 bytes");
}

// The datatype with the bounds of the whole array. Takes over what has grown, also after
// an error, and the contents.
static int grow_end(struct growing *growing, int err, struct contents *contents,
                    struct datatype *oldtype, struct datatype **newtype)
{
    struct datatype *made;
    if (!err)
        err = type_shift(&growing->type, growing->offset);
    if (err || contents == NULL) {
        object_release(growing->type);
        contents_free(contents);
        return err ? err : MPI_ERR_NO_MEM;
    }
    contents_add_type(contents, oldtype);
    contents->inner = growing->type;
    err = datatype_make_resized(contents, 0, growing->stride, &made);
    return err ? err : datatype_open(made, newtype);
}

// The dimension that varies as number `i`, from the fastest.
static int dimension_of(int i, int ndims, int order)
{
    return order == MPI_ORDER_FORTRAN ? i : ndims - 1 - i;
}

// ---- sub-arrays -------------------------------------------------------------------
static int check_subarray(int dimension, MPI_Count size, MPI_Count subsize,
                          MPI_Count start)
{
    if (subsize <= size && start <= size - subsize)
        return 0;
    return fail(MPI_ERR_ARG,
                "dimension %d: %jd indices from %jd on must be within the size %jd",
                dimension, (intmax_t)subsize, (intmax_t)start, (intmax_t)size);
}

static struct contents *subarray_contents(int ndims, struct numbers sizes,
                                          struct numbers subsizes,
                                          struct numbers starts, int order,
                                          bool is_large)
{
    struct contents *contents =
        contents_new(MPI_COMBINER_SUBARRAY, is_large, 2 + 3 * (MPI_Count)ndims, 1);
    if (contents == NULL)
        return NULL;
    contents_add_number(contents, ndims);
    contents_add_numbers(contents, sizes, ndims);
    contents_add_numbers(contents, subsizes, ndims);
    contents_add_numbers(contents, starts, ndims);
    contents_add_number(contents, order);
    return contents;
}

int oriel_type_create_subarray(int ndims, struct numbers array_of_sizes,
                               struct numbers array_of_subsizes,
                               struct numbers array_of_starts, int order,
                               struct datatype *oldtype, struct datatype **newtype,
                               bool is_large)
{
    struct growing growing = grow_from(oldtype);
    int err = 0;
    for (int i = 0; !err && i < ndims; i++) {
        int dimension = dimension_of(i, ndims, order);
        MPI_Count size = number_at(array_of_sizes, dimension);
        MPI_Count subsize = number_at(array_of_subsizes, dimension);
        MPI_Count start = number_at(array_of_starts, dimension);
        err = check_subarray(dimension, size, subsize, start);
        if (!err)
            err = type_repeat(&growing.type, subsize, growing.stride);
        if (!err)
            err = grow_past(&growing, size, start);
    }
    struct contents *contents = subarray_contents(
        ndims, array_of_sizes, array_of_subsizes, array_of_starts, order, is_large);
    return grow_end(&growing, err, contents, oldtype, newtype);
}

// ---- distributed arrays -------------------------------------------------------------
// How a dimension is dealt out: blocks of `block` indices, in turn to `owners`, of
// which this one is number `owner`.
struct deal {
    MPI_Count size, block;
    int owners, owner;
};

static int deal_block(struct deal *deal, int dimension, int distribution, int argument)
{
    MPI_Count even = (deal->size + deal->owners - 1) / deal->owners;
    bool is_default = argument == MPI_DISTRIBUTE_DFLT_DARG;
    if (distribution == MPI_DISTRIBUTE_NONE) {
        deal->block = deal->size;
        if (deal->owners != 1)
            return fail(MPI_ERR_ARG,
                        "array_of_psizes[%d] = %d: must be 1 in a dimension that is "
                        "not distributed",
                        dimension, deal->owners);
        return 0;
    }
    deal->block = argument;
    if (is_default)
        deal->block = distribution == MPI_DISTRIBUTE_BLOCK ? even : 1;
    if (deal->block < 1)
        return fail(MPI_ERR_ARG, "array_of_dargs[%d] = %d: must be > 0", dimension,
                    argument);
    if (distribution == MPI_DISTRIBUTE_BLOCK && deal->block < even)
        return fail(MPI_ERR_ARG,
                    "array_of_dargs[%d] = %d: must be at least %jd, or blocks are left "
                    "over",
                    dimension, argument, (intmax_t)even);
    return 0;
}

// Makes of what has grown the indices of one owner.
static int grow_dealt(struct growing *growing, const struct deal *deal)
{
    MPI_Count cycle = deal->owners * deal->block, stride = growing->stride;
    MPI_Count first = deal->owner * deal->block, whole = 0, rest = 0;
    if (deal->size - first >= deal->block)
        whole = (deal->size - first - deal->block) / cycle + 1;
    if (first + whole * cycle < deal->size)
        rest = deal->size - (first + whole * cycle);
    int err = grow_past(growing, deal->size, first < deal->size ? first : 0);
    struct datatype *last = growing->type; // for what is left behind whole blocks
    object_retain(last);
    if (!err && whole > 0) {
        err = type_repeat(&growing->type, deal->block, stride);
        if (!err)
            err = type_repeat(&growing->type, whole, whole > 1 ? cycle * stride : 0);
    }
    if (!err && (whole == 0 || rest > 0))
        err = type_repeat(whole == 0 ? &growing->type : &last, rest, stride);
    if (!err && whole > 0 && rest > 0) {
        object_retain(last);
        err = type_append(&growing->type, last, whole * cycle * stride);
    }
    object_release(last);
    return err;
}

static struct contents *darray_contents(int size, int rank, int ndims,
                                        struct numbers gsizes, const int distribs[],
                                        const int dargs[], const int psizes[],
                                        int order, bool is_large)
{
    const int *const lists[] = {distribs, dargs, psizes};
    struct contents *contents =
        contents_new(MPI_COMBINER_DARRAY, is_large, 4 + 4 * (MPI_Count)ndims, 1);
    if (contents == NULL)
        return NULL;
    contents_add_number(contents, size);
    contents_add_number(contents, rank);
    contents_add_number(contents, ndims);
    contents_add_numbers(contents, gsizes, ndims);
    for (int i = 0; i < 3; i++)
        contents_add_numbers(contents, (struct numbers){lists[i], false}, ndims);
    contents_add_number(contents, order);
    return contents;
}

// The grid of processes numbers them with the last dimension fastest in either order.
static int coordinate_of(int rank, int dimension, int ndims, const int psizes[])
{
    for (int i = ndims - 1; i > dimension; i--)
        rank /= psizes[i];
    return rank % psizes[dimension];
}

static int check_grid(int size, int rank, int ndims, const int psizes[])
{
    int64_t processes = 1;
    for (int i = 0; i < ndims && processes <= size; i++)
        processes *= psizes[i];
    if (processes != size)
        return fail(MPI_ERR_ARG,
                    "array_of_psizes: its product must be %d, the size of the group",
                    size);
    if (rank >= size)
        return fail(MPI_ERR_RANK, "rank = %d: must be less than size = %d", rank, size);
    return 0;
}

int oriel_type_create_darray(int size, int rank, int ndims,
                             struct numbers array_of_gsizes,
                             const int array_of_distribs[], const int array_of_dargs[],
                             const int array_of_psizes[], int order,
                             struct datatype *oldtype, struct datatype **newtype,
                             bool is_large)
{
    int err = check_grid(size, rank, ndims, array_of_psizes);
    if (err)
        return err;
    struct growing growing = grow_from(oldtype);
    for (int i = 0; !err && i < ndims; i++) {
        int dimension = dimension_of(i, ndims, order);
        struct deal deal = {
            .size = number_at(array_of_gsizes, dimension),
            .owners = array_of_psizes[dimension],
            .owner = coordinate_of(rank, dimension, ndims, array_of_psizes),
        };
        err = deal_block(&deal, dimension, array_of_distribs[dimension],
                         array_of_dargs[dimension]);
        if (!err)
            err = grow_dealt(&growing, &deal);
    }
    struct contents *contents =
        darray_contents(size, rank, ndims, array_of_gsizes, array_of_distribs,
                        array_of_dargs, array_of_psizes, order, is_large);
    return grow_end(&growing, err, contents, oldtype, newtype);
}
