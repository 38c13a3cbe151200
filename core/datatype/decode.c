// SPDX-License-Identifier: BSD-3-Clause
// Envelope and contents of a datatype: how it was made (MPI-4.1 5.1.13).
#include "datatype/contents.h"

#include <oriel_core.h>

// The numbers of each combiner: an int, a count or an address; as a capital letter, an
// array of them. Counts are ints and addresses are themselves in what a small procedure
// has made; in that of a large one both are counts.
static const struct {
    const char *numbers;
    int length_at; // which number is the length of the arrays
} combiners[] = {
    [MPI_COMBINER_NAMED - MPI_COMBINER_NAMED] = {"", 0},
    [MPI_COMBINER_DUP - MPI_COMBINER_NAMED] = {"", 0},
    [MPI_COMBINER_CONTIGUOUS - MPI_COMBINER_NAMED] = {"c", 0},
    [MPI_COMBINER_VECTOR - MPI_COMBINER_NAMED] = {"ccc", 0},
    [MPI_COMBINER_HVECTOR - MPI_COMBINER_NAMED] = {"cca", 0},
    [MPI_COMBINER_INDEXED - MPI_COMBINER_NAMED] = {"cCC", 0},
    [MPI_COMBINER_HINDEXED - MPI_COMBINER_NAMED] = {"cCA", 0},
    [MPI_COMBINER_INDEXED_BLOCK - MPI_COMBINER_NAMED] = {"ccC", 0},
    [MPI_COMBINER_HINDEXED_BLOCK - MPI_COMBINER_NAMED] = {"ccA", 0},
    [MPI_COMBINER_STRUCT - MPI_COMBINER_NAMED] = {"cCA", 0},
    [MPI_COMBINER_SUBARRAY - MPI_COMBINER_NAMED] = {"iCCCi", 0},
    [MPI_COMBINER_DARRAY - MPI_COMBINER_NAMED] = {"iiiCIIIi", 2},
    [MPI_COMBINER_F90_REAL - MPI_COMBINER_NAMED] = {"ii", 0},
    [MPI_COMBINER_F90_COMPLEX - MPI_COMBINER_NAMED] = {"ii", 0},
    [MPI_COMBINER_F90_INTEGER - MPI_COMBINER_NAMED] = {"i", 0},
    [MPI_COMBINER_RESIZED - MPI_COMBINER_NAMED] = {"aa", 0},
    [MPI_COMBINER_VALUE_INDEX - MPI_COMBINER_NAMED] = {"", 0},
};

// The three arrays of MPI_Type_get_contents, or how long they are.
struct listing {
    MPI_Count integer_count, address_count, large_count, type_count;
    int *integers; // NULL while only the lengths are wanted
    MPI_Aint *addresses;
    MPI_Count *large;
    bool overflows; // ints cannot hold all of the integers
};

static void list_number(struct listing *listing, char sort, bool is_large,
                        MPI_Count number)
{
    bool is_int = sort == 'i' || sort == 'I';
    bool is_address = sort == 'a' || sort == 'A';
    if (is_large && !is_int) {
        if (listing->large != NULL)
            listing->large[listing->large_count] = number;
        listing->large_count++;
    } else if (is_address) {
        if (listing->addresses != NULL)
            listing->addresses[listing->address_count] = (MPI_Aint)number;
        listing->address_count++;
    } else {
        if (listing->integers != NULL)
            listing->integers[listing->integer_count] = (int)number;
        listing->integer_count++;
        listing->overflows |= number != (int)number;
    }
}

static void contents_list(const struct contents *contents, struct listing *listing)
{
    const char *sorts = combiners[contents->combiner - MPI_COMBINER_NAMED].numbers;
    int length_at = combiners[contents->combiner - MPI_COMBINER_NAMED].length_at;
    const MPI_Count *number = contents->numbers;
    for (; *sorts != '\0'; sorts++) {
        bool is_array = *sorts >= 'A' && *sorts <= 'Z';
        MPI_Count length = is_array ? contents->numbers[length_at] : 1;
        for (MPI_Count i = 0; i < length; i++)
            list_number(listing, *sorts, contents->is_large, *number++);
    }
    listing->type_count = contents->type_count;
}

void oriel_datatype_is_small(uintptr_t handle)
{
    struct datatype *datatype = handle_object(KIND_DATATYPE, handle);
    if (datatype == NULL || datatype->contents == NULL)
        return;
    struct listing small = {0};
    datatype->contents->is_large = false;
    contents_list(datatype->contents, &small);
    datatype->contents->is_large = small.overflows;
}

// A datatype made with large counts is refused to the small procedures.
static int check_size(const struct contents *contents, const char *advice)
{
    if (!contents->is_large)
        return 0;
    return fail(MPI_ERR_TYPE, "datatype: was made with large counts, so call %s",
                advice);
}

int oriel_type_get_envelope(struct datatype *datatype, MPI_Count *num_integers,
                            MPI_Count *num_addresses, MPI_Count *num_large_counts,
                            MPI_Count *num_datatypes, int *combiner)
{
    const struct contents *contents = datatype->contents;
    struct listing listing = {0};
    int err = 0;
    if (contents != NULL && num_large_counts == NULL)
        err = check_size(contents, "MPI_Type_get_envelope_c");
    if (err)
        return err;
    if (contents != NULL)
        contents_list(contents, &listing);
    *num_integers = listing.integer_count;
    *num_addresses = listing.address_count;
    if (num_large_counts != NULL)
        *num_large_counts = listing.large_count;
    *num_datatypes = listing.type_count;
    *combiner = contents ? contents->combiner : MPI_COMBINER_NAMED;
    return 0;
}

static int check_room(const char *argument, MPI_Count room, MPI_Count needed)
{
    if (room >= needed)
        return 0;
    return fail(MPI_ERR_ARG, "%s = %jd: must be at least %jd for this datatype",
                argument, (intmax_t)room, (intmax_t)needed);
}

// The program gets a handle more of each; it is the same handle for a type that it has.
static int open_types(const struct contents *contents, MPI_Datatype types[])
{
    for (MPI_Count i = 0; i < contents->type_count; i++) {
        struct datatype *type = contents->types[i];
        object_retain(type);
        int err = object_open(&type->object, KIND_DATATYPE);
        if (err) {
            while (i-- > 0)
                object_close(&contents->types[i]->object);
            return err;
        }
        types[i] = (MPI_Datatype)object_handle(type);
    }
    return 0;
}

int oriel_type_get_contents(struct datatype *datatype, MPI_Count max_integers,
                            MPI_Count max_addresses, MPI_Count max_large_counts,
                            MPI_Count max_datatypes, int array_of_integers[],
                            MPI_Aint array_of_addresses[],
                            MPI_Count array_of_large_counts[],
                            MPI_Datatype array_of_datatypes[])
{
    const struct contents *contents = datatype->contents;
    struct listing lengths = {0};
    if (contents == NULL)
        return fail(MPI_ERR_TYPE, "datatype = %s: is predefined and has no contents",
                    datatype->name);
    contents_list(contents, &lengths);
    int err = 0;
    if (array_of_large_counts == NULL)
        err = check_size(contents, "MPI_Type_get_contents_c");
    if (!err)
        err = check_room("max_integers", max_integers, lengths.integer_count);
    if (!err)
        err = check_room("max_addresses", max_addresses, lengths.address_count);
    if (!err)
        err = check_room("max_large_counts", max_large_counts, lengths.large_count);
    if (!err)
        err = check_room("max_datatypes", max_datatypes, lengths.type_count);
    if (err)
        return err;
    contents_list(contents, &(struct listing){.integers = array_of_integers,
                                              .addresses = array_of_addresses,
                                              .large = array_of_large_counts});
    return open_types(contents, array_of_datatypes);
}
