// SPDX-License-Identifier: BSD-3-Clause
// Datatypes from their components: sizes, bounds and layouts (MPI-4.1 5.1).
#include "datatype/construct.h"
#include "datatype/contents.h"
#include "datatype/datatypes.h"
#include "datatype/layout.h"

#include <assert.h>
#include <oriel_core.h>
#include <stdlib.h>

static void datatype_destroy(struct object *object)
{
    struct datatype *type = (struct datatype *)object;
    layout_release(type->layout);
    contents_free(type->contents);
    free(type->given_name);
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

// ---- sizes and bounds ---------------------------------------------------------
// Where something begins and ends, in bytes.
struct bounds {
    MPI_Count lb, ub;
};

static const struct bounds no_bounds = {INT64_MAX, INT64_MIN};

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

// The same for all elements of a component.
static bool bounds_spread(struct bounds *bounds, const struct component *component)
{
    return bounds_repeat(bounds, component->length, component->type->extent) &&
           bounds_repeat(bounds, component->count, component->stride) &&
           !__builtin_add_overflow(bounds->lb, component->displacement, &bounds->lb) &&
           !__builtin_add_overflow(bounds->ub, component->displacement, &bounds->ub);
}

static void bounds_join(struct bounds *bounds, const struct bounds *other)
{
    if (other->lb < bounds->lb)
        bounds->lb = other->lb;
    if (other->ub > bounds->ub)
        bounds->ub = other->ub;
}

// Bounds and sizes of a datatype, summed over its components.
struct measure {
    struct bounds data;    // of the bytes of data
    struct bounds markers; // of the bounds that programs have given
};

// Sets bounds from first to last; false when they do not fit into 64 bits.
static bool set_bounds(const struct bounds *bounds, MPI_Count *lb, MPI_Count *extent)
{
    *lb = bounds->lb;
    return !__builtin_sub_overflow(bounds->ub, bounds->lb, extent);
}

// Adds a component that is not empty.
static bool measure_add(struct measure *measure, struct datatype *made,
                        const struct component *component)
{
    const struct datatype *type = component->type;
    struct bounds data = {type->true_lb, type->true_lb + type->true_extent};
    struct bounds markers = {type->lb, type->lb + type->extent};
    MPI_Count elements, size;
    if (type->has_markers) {
        if (!bounds_spread(&markers, component))
            return false;
        bounds_join(&measure->markers, &markers);
        made->has_markers = true;
    }
    if (type->size == 0)
        return true;
    if (__builtin_mul_overflow(component->count, component->length, &elements) ||
        __builtin_mul_overflow(elements, type->size, &size) ||
        !bounds_spread(&data, component))
        return false;
    bounds_join(&measure->data, &data);
    made->basic = made->size == 0 || made->basic == type->basic ? type->basic : NULL;
    if (made->alignment < type->alignment)
        made->alignment = type->alignment;
    return !__builtin_add_overflow(made->size, size, &made->size);
}

// MPI-4.1 5.1.6: an extent that nobody has given is that of the data, rounded up to the
// alignment of its elements.
static bool set_all_bounds(struct datatype *made, const struct measure *measure)
{
    MPI_Count rounded;
    if (made->size > 0 &&
        !set_bounds(&measure->data, &made->true_lb, &made->true_extent))
        return false;
    if (made->has_markers)
        return set_bounds(&measure->markers, &made->lb, &made->extent);
    if (made->size == 0)
        return true;
    made->lb = made->true_lb;
    if (__builtin_add_overflow(made->true_extent, made->alignment - 1, &rounded))
        return false;
    made->extent = rounded & ~(made->alignment - 1);
    return true;
}

static bool is_empty(const struct component *component)
{
    return component->count == 0 || component->length == 0;
}

static int measure_all(struct datatype *made)
{
    struct measure measure = {no_bounds, no_bounds};
    struct component component;
    MPI_Count count = component_count(made->contents);
    bool fits = true;
    for (MPI_Count i = 0; fits && i < count; i++)
        fits = component_get(made->contents, i, &component) &&
               (is_empty(&component) || measure_add(&measure, made, &component));
    if (fits && set_all_bounds(made, &measure))
        return 0;
    return fail(MPI_ERR_VALUE_TOO_LARGE, "a datatype must have sizes, displacements "
                                         "and bounds of less than 2^63 bytes");
}

// ---- layouts --------------------------------------------------------------------
static bool has_data(const struct component *component)
{
    return !is_empty(component) && component->type->size > 0;
}

// Is the component one block?
static bool is_block(const struct component *component, struct block *block)
{
    const struct datatype *type = component->type;
    if (component->count != 1 ||
        (type->layout != NULL &&
         (component->length != 1 || !layout_is_block(type->layout))))
        return false;
    *block = (struct block){(MPI_Aint)component->displacement,
                            (size_t)(component->length * type->size)};
    if (type->layout != NULL)
        block->displacement += type->layout->displacement;
    return true;
}

static struct layout *component_layout(const struct component *component)
{
    struct layout *layout = layout_of_type(component->type);
    layout =
        layout_repeat(layout, 0, component->length, (MPI_Aint)component->type->extent);
    return layout_repeat(layout, 0, component->count, (MPI_Aint)component->stride);
}

static struct layout *lay_out_blocks(const struct contents *contents, MPI_Count count)
{
    struct block *blocks = malloc((size_t)count * sizeof *blocks), next;
    struct component component;
    MPI_Count made = 0;
    if (blocks == NULL) {
        fail(MPI_ERR_NO_MEM, "no memory for %jd blocks", (intmax_t)count);
        return NULL;
    }
    for (MPI_Count i = 0; i < count; i++) {
        component_get(contents, i, &component);
        if (!has_data(&component))
            continue;
        is_block(&component, &next);
        struct block *last = made > 0 ? &blocks[made - 1] : NULL;
        if (last && last->displacement + (MPI_Aint)last->bytes == next.displacement)
            last->bytes += next.bytes;
        else
            blocks[made++] = next;
    }
    return layout_of_blocks(blocks, made);
}

static struct layout *lay_out_parts(const struct contents *contents, MPI_Count count)
{
    struct part *parts = malloc((size_t)count * sizeof *parts);
    struct component component, last = {0};
    struct layout *layout = NULL;
    MPI_Count made = 0;
    if (parts == NULL) {
        fail(MPI_ERR_NO_MEM, "no memory for %jd parts", (intmax_t)count);
        return NULL;
    }
    for (MPI_Count i = 0; i < count; i++) {
        component_get(contents, i, &component);
        if (!has_data(&component))
            continue;
        bool is_alike = last.type == component.type && last.length == component.length;
        if (is_alike)
            layout_retain(layout);
        else
            layout = component_layout(&component);
        if (layout == NULL) {
            parts_free(parts, made);
            return NULL;
        }
        parts[made].displacement = (MPI_Aint)component.displacement;
        parts[made++].layout = layout;
        last = component;
    }
    return layout_of_parts(parts, made);
}

static struct layout *lay_out_all(const struct contents *contents)
{
    MPI_Count count = component_count(contents);
    for (MPI_Count i = 0; i < count; i++) {
        struct component component;
        component_get(contents, i, &component);
        if (has_data(&component) && !is_block(&component, &(struct block){0}))
            return lay_out_parts(contents, count);
    }
    return lay_out_blocks(contents, count);
}

// Leaves the layout out where nothing but the size matters.
static int lay_out(struct datatype *made)
{
    made->is_contiguous = made->size == 0;
    if (made->size == 0)
        return 0;
    struct layout *layout = lay_out_all(made->contents);
    if (layout == NULL)
        return MPI_ERR_NO_MEM;
    made->is_contiguous = layout_is_block(layout) && layout->displacement == 0 &&
                          made->lb == 0 && made->size == made->extent;
    if (made->is_contiguous)
        layout_release(layout);
    else
        made->layout = layout;
    return 0;
}

// ---- making ---------------------------------------------------------------------
// An empty datatype with these contents, which it takes over, also on failure.
static int datatype_begin(struct contents *contents, struct datatype **begun)
{
    struct datatype *made = contents ? datatype_new() : NULL;
    if (made == NULL) {
        contents_free(contents);
        return MPI_ERR_NO_MEM;
    }
    made->contents = contents;
    made->alignment = 1;
    *begun = made;
    return 0;
}

static int datatype_end(struct datatype *made, int err, struct datatype **type)
{
    if (!err)
        err = lay_out(made);
    if (err) {
        object_release(made);
        return err;
    }
    assert(datatype_is_valid(made));
    *type = made;
    return 0;
}

int datatype_make(struct contents *contents, struct datatype **type)
{
    struct datatype *made;
    int err = datatype_begin(contents, &made);
    return err ? err : datatype_end(made, measure_all(made), type);
}

int datatype_make_resized(struct contents *contents, MPI_Count lb, MPI_Count extent,
                          struct datatype **type)
{
    struct datatype *made;
    MPI_Count ub;
    int err = datatype_begin(contents, &made);
    if (err)
        return err;
    err = measure_all(made);
    made->has_markers = true;
    made->lb = lb;
    made->extent = extent;
    if (!err && __builtin_add_overflow(lb, extent, &ub))
        err = fail(MPI_ERR_VALUE_TOO_LARGE, "lb + extent = %jd + %jd: must be < 2^63",
                   (intmax_t)lb, (intmax_t)extent);
    return datatype_end(made, err, type);
}

void datatype_commit(struct datatype *type)
{
    type->is_committed = true;
    if (type->is_contiguous && type->size <= UINT32_MAX)
        type->plain_size = (uint32_t)type->size;
    if (type->is_contiguous)
        type->run = (struct run){.count = 1, .block = (size_t)type->size};
    else if (type->layout->runs == 1)
        type->run = layout_run(type->layout, 0);
    assert(datatype_is_valid(type));
}

int datatype_open(struct datatype *made, struct datatype **type)
{
    int err = object_open(&made->object, KIND_DATATYPE);
    if (!err)
        *type = made;
    return err;
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

// A predefined datatype, before there are handles.
struct datatype *predefined_type(MPI_Datatype type)
{
    int i = 0;
    while (predefined_datatype_codes[i] != (uintptr_t)type)
        i++;
    return &predefined_datatypes[i];
}

void oriel_integers_are_wide(void)
{
    static const struct {
        MPI_Datatype type, like;
    } wide[] = {{MPI_INTEGER, MPI_INTEGER8},
                {MPI_LOGICAL, MPI_LOGICAL8},
                {MPI_2INTEGER, MPI_INTEGER16}};
    for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++) {
        struct datatype *type = predefined_type(wide[i].type);
        const char *name = type->name;
        *type = *predefined_type(wide[i].like);
        type->name = name;
    }
}
