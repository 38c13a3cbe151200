// SPDX-License-Identifier: BSD-3-Clause
// Basic elements and the bytes that they take, for statuses (MPI-4.1 5.1.11, 13.3). The
// two elements of a pair count as two.
#include "datatype/contents.h"

#include <oriel_core.h>

// How many basic elements, or the bytes that these take.
struct amount {
    MPI_Count elements, bytes;
};

// Of the value of a pair, or of what is no pair.
static struct amount first_of(const struct basic *basic)
{
    const struct number *number = &basic->number_of[0];
    return (struct amount){1, number->count * number->bytes};
}

static struct amount all_of(const struct basic *basic)
{
    struct amount amount = first_of(basic);
    const struct number *index = &basic->number_of[1];
    amount.elements += index->count > 0;
    amount.bytes += index->count * index->bytes;
    return amount;
}

static struct amount amount_of(const struct datatype *type)
{
    struct amount amount = {0, type->size};
    if (type->size == 0)
        return amount;
    if (type->basic != NULL) {
        struct amount one = all_of(type->basic);
        amount.elements = type->size / one.bytes * one.elements;
        return amount;
    }
    MPI_Count components = component_count(type->contents);
    for (MPI_Count i = 0; i < components; i++) {
        struct component component;
        component_get(type->contents, i, &component);
        amount.elements +=
            component.count * component.length * amount_of(component.type).elements;
    }
    return amount;
}

// Moves as many whole units of `one` from `left` to `taken` as there are, at most
// `limit`; `by_bytes` says which field of `left` is known. Returns how many.
static MPI_Count amount_move(struct amount one, MPI_Count limit, bool by_bytes,
                             MPI_Count *left, struct amount *taken)
{
    MPI_Count unit = by_bytes ? one.bytes : one.elements;
    MPI_Count count = *left / unit < limit ? *left / unit : limit;
    *left -= count * unit;
    taken->elements += count * one.elements;
    taken->bytes += count * one.bytes;
    return count;
}

// Fills the first of `count` elements of the type with what is left. False when that
// ends within a basic element.
static bool amount_fill(const struct datatype *type, MPI_Count count, bool by_bytes,
                        MPI_Count *left, struct amount *taken)
{
    if (type->size == 0 || *left == 0)
        return true;
    if (amount_move(amount_of(type), count, by_bytes, left, taken) == count ||
        *left == 0)
        return true;
    if (type->basic != NULL) {
        amount_move(all_of(type->basic), *left, by_bytes, left, taken);
        amount_move(first_of(type->basic), 1, by_bytes, left, taken);
        return *left == 0;
    }
    bool is_whole = true;
    for (MPI_Count i = 0; is_whole && *left > 0; i++) {
        struct component component;
        component_get(type->contents, i, &component);
        is_whole = amount_fill(component.type, component.count * component.length,
                               by_bytes, left, taken);
    }
    return is_whole;
}

int oriel_get_elements(const MPI_Status *status, struct datatype *datatype,
                       MPI_Count *count)
{
    MPI_Count left = (MPI_Count)status_bytes(status);
    struct amount taken = {0};
    bool is_whole = amount_fill(datatype, INT64_MAX, true, &left, &taken) && left == 0;
    *count = is_whole ? taken.elements : MPI_UNDEFINED;
    return 0;
}

int oriel_get_elements_x(const MPI_Status *status, struct datatype *datatype,
                         MPI_Count *count)
{
    return oriel_get_elements(status, datatype, count);
}

int oriel_status_set_elements(MPI_Status *status, struct datatype *datatype,
                              MPI_Count count)
{
    MPI_Count left = count, bytes;
    struct amount one = amount_of(datatype), taken = {0};
    if (one.elements > 0 &&
        __builtin_mul_overflow(count / one.elements + 1, one.bytes, &bytes))
        return fail(MPI_ERR_COUNT, "count = %jd: elements of %jd bytes are too many",
                    (intmax_t)count, (intmax_t)one.bytes);
    amount_fill(datatype, INT64_MAX, false, &left, &taken);
    status_set(status, status->MPI_SOURCE, status->MPI_TAG, (uint64_t)taken.bytes,
               status_is_cancelled(status));
    return 0;
}

int oriel_status_set_elements_x(MPI_Status *status, struct datatype *datatype,
                                MPI_Count count)
{
    return oriel_status_set_elements(status, datatype, count);
}
