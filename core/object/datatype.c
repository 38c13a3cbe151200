// SPDX-License-Identifier: BSD-3-Clause
// Datatypes made by programs (MPI-4.1 5.1).
#include "object/private.h"

#include "object/layout.h"
#include <oriel_core.h>
#include <stdlib.h>

static void datatype_destroy(struct object *object)
{
    struct datatype *type = (struct datatype *)object;
    layout_release(type->layout);
    free(type);
}

struct datatype *datatype_new(void)
{
    struct datatype *made = malloc(sizeof *made);
    if (made == NULL) {
        fail(MPI_ERR_NO_MEM, "no memory for a datatype");
        return NULL;
    }
    *made = (struct datatype){0};
    object_init(&made->object, datatype_destroy);
    return made;
}

// Where elements begin and end, in bytes.
struct bounds {
    MPI_Count lb, ub;
};

// The bounds of `count` things with these bounds at distances of `stride`; false when
// they do not fit into 64 bits.
static bool bounds_repeat(struct bounds *bounds, MPI_Count count, MPI_Count stride)
{
    MPI_Count reach;
    if (__builtin_mul_overflow(count - 1, stride, &reach))
        return false;
    return reach < 0 ? !__builtin_add_overflow(bounds->lb, reach, &bounds->lb)
                     : !__builtin_add_overflow(bounds->ub, reach, &bounds->ub);
}

// Sets size, bounds and alignment of `count` blocks of `length` old elements.
static int measure(struct datatype *made, MPI_Count count, MPI_Count length,
                   MPI_Count stride, const struct datatype *old)
{
    struct bounds bounds = {old->lb, old->lb + old->extent};
    struct bounds data = {old->true_lb, old->true_lb + old->true_extent};
    MPI_Count elements;
    bool fits = !__builtin_mul_overflow(count, length, &elements) &&
                !__builtin_mul_overflow(elements, old->size, &made->size) &&
                bounds_repeat(&bounds, length, old->extent) &&
                bounds_repeat(&bounds, count, stride) &&
                bounds_repeat(&data, length, old->extent) &&
                bounds_repeat(&data, count, stride) &&
                !__builtin_sub_overflow(bounds.ub, bounds.lb, &made->extent) &&
                !__builtin_sub_overflow(data.ub, data.lb, &made->true_extent);
    if (!fits)
        return fail(MPI_ERR_VALUE_TOO_LARGE,
                    "%jd blocks of %jd elements at distances of %jd "
                    "bytes: must be a datatype of less than 2^63 bytes",
                    (intmax_t)count, (intmax_t)length, (intmax_t)stride);
    made->lb = bounds.lb;
    made->true_lb = data.lb;
    made->alignment = old->alignment;
    return 0;
}

// Sets the layout of the same, or leaves it out where nothing but the size matters.
static int lay_out(struct datatype *made, MPI_Count count, MPI_Count length,
                   MPI_Count stride, const struct datatype *old)
{
    struct layout *layout = layout_copy(old);
    if (layout != NULL)
        layout = layout_repeat(layout, length, old->extent);
    if (layout != NULL)
        layout = layout_repeat(layout, count, stride);
    if (layout == NULL)
        return MPI_ERR_NO_MEM;
    made->is_contiguous = layout_is_block(layout) && made->lb == 0 &&
                          made->size == made->extent && made->size == made->true_extent;
    if (made->is_contiguous)
        layout_release(layout);
    else
        made->layout = layout;
    return 0;
}

// Every constructor so far is `count` blocks of `length` elements, `stride` bytes
// apart.
static int datatype_make(MPI_Count count, MPI_Count length, MPI_Count stride,
                         const struct datatype *old, struct datatype **type)
{
    struct datatype *made = datatype_new();
    if (made == NULL)
        return MPI_ERR_NO_MEM;
    int err = 0;
    if (count > 0 && length > 0)
        err = measure(made, count, length, stride, old);
    if (!err && made->size > 0) {
        made->basic = old->basic;
        err = lay_out(made, count, length, stride, old);
    } else {
        made->is_contiguous = true;
    }
    if (err) {
        object_release(made);
        return err;
    }
    *type = made;
    return object_open(&made->object, KIND_DATATYPE);
}

int oriel_type_contiguous(MPI_Count count, struct datatype *oldtype,
                          struct datatype **newtype)
{
    return datatype_make(1, count, 0, oldtype, newtype);
}

int oriel_type_vector(MPI_Count count, MPI_Count blocklength, MPI_Count stride,
                      struct datatype *oldtype, struct datatype **newtype)
{
    MPI_Count bytes;
    if (__builtin_mul_overflow(stride, oldtype->extent, &bytes))
        return fail(MPI_ERR_VALUE_TOO_LARGE,
                    "stride = %jd: must be less than 2^63 bytes", (intmax_t)stride);
    return datatype_make(count, blocklength, bytes, oldtype, newtype);
}

int oriel_type_create_hvector(MPI_Count count, MPI_Count blocklength, MPI_Count stride,
                              struct datatype *oldtype, struct datatype **newtype)
{
    return datatype_make(count, blocklength, stride, oldtype, newtype);
}

int oriel_type_commit(struct datatype *datatype)
{
    datatype->is_committed = true;
    return 0;
}

int oriel_type_free(struct datatype *datatype)
{
    object_close(&datatype->object);
    return 0;
}

int oriel_type_size(struct datatype *datatype, MPI_Count *size)
{
    *size = datatype->size;
    return 0;
}

int oriel_type_get_extent(struct datatype *datatype, MPI_Count *lb, MPI_Count *extent)
{
    *lb = datatype->lb;
    *extent = datatype->extent;
    return 0;
}

void datatype_span(const struct datatype *type, MPI_Count count, MPI_Aint *first,
                   MPI_Aint *last)
{
    *first = *last = 0;
    if (count == 0 || type->size == 0)
        return;
    struct bounds data = {type->true_lb, type->true_lb + type->true_extent};
    if (!bounds_repeat(&data, count, type->extent))
        data = (struct bounds){INTPTR_MIN, INTPTR_MAX};
    *first = (MPI_Aint)data.lb;
    *last = (MPI_Aint)data.ub;
}
