// SPDX-License-Identifier: BSD-3-Clause
// The invariants of datatypes and their layouts.
#include "datatype/contents.h"
#include "datatype/layout.h"

// ---- layouts

// Blocks that are not empty; adds their bytes.
static bool block_list_is_valid(const struct layout *layout, MPI_Count *bytes)
{
    for (MPI_Count i = 0; i < layout->block_count; i++) {
        if (layout->blocks[i].bytes == 0)
            return false;
        *bytes += (MPI_Count)layout->blocks[i].bytes;
    }
    return layout->pass_runs == layout->block_count;
}

// Valid parts, whose runs are numbered one part after another; adds their bytes. The
// parts of an array are alike.
static bool part_list_is_valid(const struct layout *layout, MPI_Count *bytes)
{
    const struct layout *last = NULL;
    MPI_Count runs = 0, part_bytes = 0;
    for (MPI_Count i = 0; i < layout->part_count; i++) {
        const struct part *part = &layout->parts[i];
        if (part->layout == NULL || part->first_run != runs ||
            (part->layout != last && !layout_is_valid(part->layout, &part_bytes)))
            return false;
        last = part->layout;
        runs += last->runs;
        *bytes += part_bytes;
    }
    return layout->pass_runs == runs;
}

static bool pass_is_valid(const struct layout *layout, MPI_Count *bytes)
{
    if (layout_has_list(layout) != (layout->block == 0))
        return false;
    *bytes = (MPI_Count)layout->block;
    if (layout->block_count > 0)
        return layout->part_count == 0 && block_list_is_valid(layout, bytes);
    if (layout->part_count > 0)
        return part_list_is_valid(layout, bytes);
    return layout->pass_runs == 1;
}

bool layout_is_valid(const struct layout *layout, MPI_Count *bytes)
{
    if (layout->references == 0 || layout->depth < 0 || layout->block_count < 0 ||
        layout->part_count < 0 || !pass_is_valid(layout, bytes))
        return false;
    MPI_Count runs = layout->pass_runs;
    for (int i = 0; i < layout->depth; i++) {
        MPI_Count count = layout->dimensions[i].count;
        bool is_one_run = i == layout->depth - 1 && !layout_has_list(layout);
        if (count < 2 || __builtin_mul_overflow(*bytes, count, bytes))
            return false;
        runs *= is_one_run ? 1 : count;
    }
    return layout->runs == runs;
}

// ---- datatypes

static bool bounds_are_valid(const struct datatype *type)
{
    if (type->size == 0)
        return type->is_contiguous && type->true_lb == 0 && type->true_extent == 0;
    if (!type->is_contiguous)
        return type->true_extent > 0;
    return type->lb == 0 && type->true_lb == 0 && type->extent == type->size &&
           type->true_extent == type->size;
}

// The layout names all data, and is left out where any count is one block.
static bool data_is_valid(const struct datatype *type)
{
    MPI_Count bytes;
    if (type->is_contiguous)
        return type->layout == NULL;
    return type->layout != NULL && layout_is_valid(type->layout, &bytes) &&
           bytes == type->size;
}

// The members that MPI_Type_commit sets for the usual cases.
static bool commit_is_valid(const struct datatype *type)
{
    bool is_plain = type->is_committed && type->is_contiguous;
    MPI_Count plain = is_plain && type->size <= UINT32_MAX ? type->size : 0;
    bool has_run = type->is_committed && type->size > 0 &&
                   (type->is_contiguous || type->layout->runs == 1);
    return type->plain_size == plain && (type->run.block > 0) == has_run &&
           (!has_run || type->run.count * (MPI_Count)type->run.block == type->size);
}

static bool basic_is_valid(const struct datatype *type)
{
    const struct basic *basic = type->basic;
    if (basic == NULL)
        return type->kernel_row == 0;
    MPI_Count bytes = 0;
    for (int i = 0; i < 2; i++)
        bytes += basic->number_of[i].count * basic->number_of[i].bytes;
    bool has_row = type->kernel_row != 0;
    return basic < basics + basic_count && basic >= basics && type->size % bytes == 0 &&
           (!has_row || (type->kernel_row == basic_row(basic) && type->size <= 8));
}

static bool contents_are_valid(const struct contents *contents)
{
    for (MPI_Count i = 0; contents && i < contents->type_count; i++)
        if (contents->types[i] == NULL)
            return false;
    return contents == NULL || contents->number_count >= 0;
}

bool datatype_is_valid(const struct datatype *type)
{
    return type->size >= 0 && type->alignment > 0 &&
           (type->alignment & (type->alignment - 1)) == 0 && bounds_are_valid(type) &&
           data_is_valid(type) && commit_is_valid(type) && basic_is_valid(type) &&
           contents_are_valid(type->contents) &&
           (type->name == NULL || type->object.is_predefined);
}
