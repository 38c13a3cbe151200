// SPDX-License-Identifier: BSD-3-Clause
// Fortran array sections as MPI buffers (MPI-4.1 19.1.12). The elements of a section,
// thought packed one after another, are a buffer. A range of it consists of whole
// slices and, in each dimension, at most two that are cut.
#include "datatype/construct.h"
#include "datatype/contents.h"
#include "datatype/layout.h"
#include "datatype/section.h"

#include <assert.h>
#include <stdlib.h>

// A section without dimensions that can be merged; the first varies fastest.
struct slices {
    MPI_Count block; // bytes
    MPI_Count bytes; // of the whole section
    int rank;
    struct {
        MPI_Count extent;
        MPI_Aint stride;
        MPI_Count bytes; // of one slice across this dimension
    } dimension[15];
};

// The parts of a section that a datatype uses, in type-map order.
struct cuts {
    const struct slices *slices;
    struct part *parts;
    MPI_Count count, room;
    int level; // of the last part, and its number of slices: the next may be alike
    MPI_Count length;
    MPI_Aint first, last; // the bytes that all parts reach
};

static void slices_add(struct slices *slices, MPI_Count extent, MPI_Aint stride)
{
    int last = slices->rank - 1;
    if (extent == 1)
        return;
    if (last < 0 && stride == slices->block) {
        slices->block *= extent;
    } else if (last >= 0 && stride == slices->dimension[last].extent *
                                          slices->dimension[last].stride) {
        slices->dimension[last].extent *= extent;
    } else {
        slices->dimension[slices->rank].extent = extent;
        slices->dimension[slices->rank].stride = stride;
        slices->dimension[slices->rank].bytes = slices->bytes;
        slices->rank++;
    }
}

// An assumed-size section has as many slices as the `needed` bytes take.
static struct slices slices_of(const struct section *section, MPI_Count needed)
{
    struct slices slices; // mostly unused: only what is used is set
    slices.block = slices.bytes = section->element_bytes;
    slices.rank = 0;
    for (int i = 0; i < section->rank; i++) {
        MPI_Count extent = section->dimension[i].extent;
        if (extent < 0)
            extent = slices.bytes > 0 ? (needed + slices.bytes - 1) / slices.bytes : 0;
        slices_add(&slices, extent, section->dimension[i].stride);
        slices.bytes *= extent;
    }
    return slices;
}

// `count` whole slices across dimension number `level`, counted from 1; at level 0,
// `count` bytes.
static struct layout *slices_layout(const struct slices *slices, int level,
                                    MPI_Count count)
{
    struct layout *layout =
        layout_of_block(0, (size_t)(level == 0 ? count : slices->block));
    for (int i = 0; i < level; i++)
        layout = layout_repeat(layout, 0,
                               i == level - 1 ? count : slices->dimension[i].extent,
                               slices->dimension[i].stride);
    return layout;
}

// Widens first..last to the bytes that the same reaches.
static void slices_reach(const struct slices *slices, int level, MPI_Count count,
                         MPI_Aint displacement, MPI_Aint *first, MPI_Aint *last)
{
    MPI_Aint low = displacement;
    MPI_Aint high = displacement + (MPI_Aint)(level == 0 ? count : slices->block);
    for (int i = 0; i < level; i++) {
        MPI_Count extent = i == level - 1 ? count : slices->dimension[i].extent;
        MPI_Aint reach = (extent - 1) * slices->dimension[i].stride;
        if (reach < 0)
            low += reach;
        else
            high += reach;
    }
    if (low < *first)
        *first = low;
    if (high > *last)
        *last = high;
}

static int cuts_add(struct cuts *cuts, int level, MPI_Aint displacement,
                    MPI_Count count)
{
    if (cuts->count == cuts->room) {
        MPI_Count room = cuts->room ? 2 * cuts->room : 16;
        void *parts = realloc(cuts->parts, (size_t)room * sizeof *cuts->parts);
        if (parts == NULL)
            return fail(MPI_ERR_NO_MEM, "no memory for an array section");
        cuts->parts = parts;
        cuts->room = room;
    }
    struct layout *layout;
    if (cuts->count > 0 && cuts->level == level && cuts->length == count) {
        layout = cuts->parts[cuts->count - 1].layout;
        layout_retain(layout);
    } else {
        layout = slices_layout(cuts->slices, level, count);
        if (layout == NULL)
            return MPI_ERR_NO_MEM;
    }
    cuts->level = level;
    cuts->length = count;
    cuts->parts[cuts->count++] = (struct part){displacement, layout, 0};
    slices_reach(cuts->slices, level, count, displacement, &cuts->first, &cuts->last);
    return 0;
}

// Adds the bytes from..to of the packed sub-array that the first `level` dimensions
// span, which begins at `base`.
static int cuts_make(struct cuts *cuts, int level, MPI_Aint base, MPI_Count from,
                     MPI_Count to)
{
    if (level == 0)
        return cuts_add(cuts, 0, base + (MPI_Aint)from, to - from);
    MPI_Aint stride = cuts->slices->dimension[level - 1].stride;
    MPI_Count bytes = cuts->slices->dimension[level - 1].bytes;
    MPI_Count first = from / bytes, head = from % bytes;
    MPI_Count end = to / bytes, tail = to % bytes;
    if (first == end)
        return cuts_make(cuts, level - 1, base + first * stride, head, tail);
    int err = 0;
    if (head > 0) {
        err = cuts_make(cuts, level - 1, base + first * stride, head, bytes);
        first++;
    }
    if (!err && first < end)
        err = cuts_add(cuts, level, base + first * stride, end - first);
    if (!err && tail > 0)
        err = cuts_make(cuts, level - 1, base + end * stride, 0, tail);
    return err;
}

// The parts of the section where the blocks of (type, count) lie.
static struct layout *section_cut(const struct slices *slices,
                                  const struct datatype *type, MPI_Count count,
                                  MPI_Aint *first, MPI_Aint *last)
{
    struct cuts cuts = {.slices = slices, .first = INTPTR_MAX, .last = INTPTR_MIN};
    struct blocks blocks = blocks_of(type, count);
    MPI_Aint offset;
    size_t bytes;
    int err = 0;
    while (!err && (bytes = blocks_next(&blocks, SIZE_MAX, &offset)) > 0)
        err = cuts_make(&cuts, slices->rank, 0, offset, offset + (MPI_Count)bytes);
    *first = cuts.first;
    *last = cuts.last;
    if (!err)
        return layout_of_parts(cuts.parts, cuts.count);
    for (MPI_Count i = 0; i < cuts.count; i++)
        layout_release(cuts.parts[i].layout);
    free(cuts.parts);
    return NULL;
}

// Sets layout and bounds of the datatype that stands for the used part of a section.
static int section_lay_out(struct datatype *whole, const struct slices *slices,
                           const struct datatype *type, MPI_Count count)
{
    MPI_Aint first = INTPTR_MAX, last = INTPTR_MIN;
    if (type->is_contiguous && whole->size == slices->bytes && slices->rank > 0) {
        MPI_Count extent = slices->dimension[slices->rank - 1].extent;
        whole->layout = slices_layout(slices, slices->rank, extent);
        slices_reach(slices, slices->rank, extent, 0, &first, &last);
    } else {
        whole->layout = section_cut(slices, type, count, &first, &last);
    }
    whole->lb = whole->true_lb = first;
    whole->extent = whole->true_extent = last - first;
    return whole->layout ? 0 : MPI_ERR_NO_MEM;
}

// MPI_ERR_BUFFER unless the bytes first..last of what is packed are in the section.
static int section_check(const struct slices *slices, MPI_Aint first, MPI_Aint last)
{
    if (first >= 0 && last <= slices->bytes)
        return 0;
    return fail(MPI_ERR_BUFFER,
                "array section of %jd bytes: must have the bytes %jd to %jd that count "
                "and datatype name",
                (intmax_t)slices->bytes, (intmax_t)first, (intmax_t)last - 1);
}

// Says in which order the numbers of different types follow each other.
static int section_sign(struct datatype *made, struct datatype *type, MPI_Count count)
{
    made->contents = contents_new(MPI_COMBINER_CONTIGUOUS, false, 1, 1);
    if (made->contents == NULL)
        return MPI_ERR_NO_MEM;
    contents_add_number(made->contents, count);
    contents_add_type(made->contents, type);
    return 0;
}

MPI_Count section_bytes(const struct section *section)
{
    return slices_of(section, 0).bytes;
}

int section_make(const struct section *section, MPI_Count count, struct datatype *type,
                 struct datatype **whole)
{
    MPI_Aint first, last;
    datatype_span(type, count, &first, &last);
    struct slices slices = slices_of(section, last);
    int err = section_check(&slices, first, last);
    if (err)
        return err;
    struct datatype *made = datatype_new();
    if (made == NULL)
        return MPI_ERR_NO_MEM;
    made->size = count * type->size;
    made->basic = type->basic;
    made->alignment = type->alignment;
    made->is_contiguous = made->size == 0;
    if (made->size > 0)
        err = section_lay_out(made, &slices, type, count);
    if (!err && made->size > 0 && type->basic == NULL)
        err = section_sign(made, type, count);
    if (err) {
        object_release(made);
        return err;
    }
    if (type->is_committed)
        datatype_commit(made);
    assert(datatype_is_valid(made));
    *whole = made;
    return 0;
}
