// SPDX-License-Identifier: BSD-3-Clause
// array_sections_are_exact: random sections of rank 1 to 15, counts and datatypes,
// against the section's elements taken one by one in array-element order; so are copies.
// Needs the core.

#include "check.h"
#include "datatype/datatype.h"

#include <oriel_core.h>
#include <string.h>

enum { ROUNDS = 3000, BYTES_MAX = 1 << 16 };

static char memory[BYTES_MAX]; // where sections that are copied lie

static struct datatype *predefined(MPI_Datatype handle)
{
    struct datatype *type = handle_object(KIND_DATATYPE, (uintptr_t)handle);
    CHECK(type != NULL);
    return type;
}

// Offsets of the section's bytes from its base address, in array-element order.
struct bytes {
    int count;
    int offset[BYTES_MAX];
};

static void list_bytes(const struct section *section, struct bytes *bytes)
{
    MPI_Count index[15] = {0};
    int elements = 1;
    for (int i = 0; i < section->rank; i++)
        elements *= (int)section->dimension[i].extent;
    bytes->count = 0;
    for (; elements > 0; elements--) {
        MPI_Aint offset = 0;
        for (int i = 0; i < section->rank; i++)
            offset += index[i] * section->dimension[i].stride;
        for (int i = 0; i < section->element_bytes; i++)
            bytes->offset[bytes->count++] = (int)offset + i;
        for (int i = 0; i < section->rank; i++) {
            if (++index[i] < section->dimension[i].extent)
                break;
            index[i] = 0;
        }
    }
}

// A section of an array with gaps: `step` of each dimension and sign are random.
static struct section random_section(void)
{
    static const int sizes[] = {1, 4, 8, 16, 24};
    struct section section = {.element_bytes = sizes[random_between(0, 4)],
                              .rank = random_between(1, 15)};
    int most = section.rank < 4 ? 6 : section.rank < 8 ? 3 : 2;
    MPI_Aint distance = section.element_bytes, elements = 1;
    for (int i = 0; i < section.rank; i++) {
        MPI_Count extent = random_between(0, 60) ? random_between(1, most) : 0;
        if (elements * extent > 2000)
            extent = 1;
        elements *= extent;
        int step = random_between(0, 1) ? 1 : random_between(1, 3);
        MPI_Aint stride = distance * step;
        section.dimension[i].extent = extent;
        section.dimension[i].stride = random_between(0, 4) ? stride : -stride;
        distance = stride * (extent > 0 ? extent : 1) +
                   section.element_bytes * random_between(0, 1);
        if (distance > 1 << 20)
            distance = section.element_bytes;
    }
    return section;
}

static struct datatype *random_type(void)
{
    struct datatype *made, *old;
    switch (random_between(0, 4)) {
    case 0:
        return predefined(MPI_BYTE);
    case 1:
        return predefined(MPI_DOUBLE);
    case 2:
        CHECK(oriel_type_contiguous(3, predefined(MPI_INT), &made, false) == 0);
        break;
    case 3:
        CHECK(oriel_type_vector(3, 2, 3, predefined(MPI_INT), &made, false) == 0);
        break;
    default:
        CHECK(oriel_type_vector(2, 1, 2, predefined(MPI_SHORT), &old, false) == 0);
        CHECK(oriel_type_vector(2, 1, 2, old, &made, false) == 0);
        CHECK(oriel_type_free(old) == 0);
    }
    CHECK(oriel_type_commit(made) == 0);
    return made;
}

// The bytes of `whole` are those that (type, count) picks from the packed section.
static void check_bytes(const struct datatype *whole, const struct datatype *type,
                        MPI_Count count, const struct bytes *bytes)
{
    struct blocks expected = blocks_of(type, count), found = blocks_of(whole, 1);
    MPI_Aint packed, offset, first = INTPTR_MAX, last = INTPTR_MIN;
    CHECK(whole->size == count * type->size && whole->is_committed);
    while (blocks_next(&expected, 1, &packed) > 0) {
        CHECK(blocks_next(&found, 1, &offset) == 1);
        CHECK(offset == bytes->offset[packed]);
        first = offset < first ? offset : first;
        last = offset + 1 > last ? offset + 1 : last;
    }
    CHECK(blocks_next(&found, 1, &offset) == 0);
    if (whole->size > 0)
        CHECK(whole->true_lb == first && whole->true_lb + whole->true_extent == last);
}

// A section of one dimension is opened by its own function or by that for all.
static int open_section(struct typed_buffer *buffer, const struct section *section,
                        MPI_Count count, MPI_Datatype type)
{
    *buffer = (struct typed_buffer){0};
    int err = section->rank == 1 && random_between(0, 1)
                  ? oriel_vector_open(buffer, section->element_bytes, count, type,
                                      section->dimension[0].extent,
                                      section->dimension[0].stride)
                  : oriel_section_open(buffer, section, count, type);
    CHECK(buffer->count == (err ? 0 : 1) && (buffer->section == NULL) == (err != 0));
    return err;
}

static struct datatype *datatype_of(const struct typed_buffer *buffer)
{
    return handle_object(KIND_DATATYPE, (uintptr_t)buffer->type);
}

static void random_sections_are_exact(void)
{
    static struct bytes bytes;
    struct section section = random_section();
    struct datatype *type = random_type();
    list_bytes(&section, &bytes);
    MPI_Aint first, last;
    MPI_Count most = 0;
    for (datatype_span(type, 1, &first, &last); last <= bytes.count; most++)
        datatype_span(type, most + 2, &first, &last);
    MPI_Count count = random_between(0, 2) ? random_between(0, (int)most) : most;
    struct typed_buffer buffer, again;
    if (random_between(0, 3) == 0 && bytes.count > 0)
        section.dimension[section.rank - 1].extent = -1;
    MPI_Datatype old = (MPI_Datatype)object_handle(type);
    CHECK(open_section(&buffer, &section, count, old) == 0);
    check_bytes(datatype_of(&buffer), type, count, &bytes);
    if (random_between(0, 1)) {
        CHECK(open_section(&again, &section, count, old) == 0);
        check_bytes(datatype_of(&again), type, count, &bytes);
        oriel_section_close(again.section);
    }
    oriel_section_close(buffer.section);
    if (section.dimension[section.rank - 1].extent >= 0)
        CHECK(open_section(&again, &section, most + 1, old) == MPI_ERR_BUFFER);
    CHECK(oriel_type_free(type) == 0);
}

enum { BLOCKS = 4, ELEMENTS_MAX = 5, USED_MAX = BLOCKS * ELEMENTS_MAX * 24 };

// The bytes of the packed section that blocks pick; -1: not all of them are there.
static int list_used(const struct demand *demand, const struct datatype *type,
                     const struct bytes *bytes, int used[USED_MAX])
{
    int count = 0;
    for (int i = 0; i < demand->blocks; i++) {
        MPI_Aint start = number_at(demand->displacements, i) * type->extent, offset;
        struct blocks blocks = blocks_of(type, number_at(demand->counts, i));
        while (blocks_next(&blocks, 1, &offset) > 0) {
            if (start + offset >= bytes->count)
                return -1;
            used[count++] = (int)(start + offset);
        }
    }
    return count;
}

// A copy has the bytes that the blocks pick, and only these go back.
static void check_copy(struct kept_buffer *buffer, char *base, const int *used,
                       int count, const struct bytes *bytes)
{
    static char expected[BYTES_MAX];
    char *copy = buffer->address;
    bool is_changed = random_between(0, 1);
    memcpy(expected, memory, sizeof memory);
    for (int i = 0; i < count; i++)
        CHECK(copy[used[i]] == base[bytes->offset[used[i]]]);
    for (int i = 0; i < count; i++) {
        copy[used[i]] = (char)(used[i] + 1);
        if (is_changed)
            expected[base - memory + bytes->offset[used[i]]] = copy[used[i]];
    }
    oriel_copy_close(buffer->copy, is_changed);
    CHECK(memcmp(memory, expected, sizeof memory) == 0);
}

static void random_copies_are_exact(void)
{
    static struct bytes bytes;
    int counts[BLOCKS], displacements[BLOCKS], used[USED_MAX], low = 0, high = 0;
    struct section section = random_section();
    list_bytes(&section, &bytes);
    for (int i = 0; i < bytes.count; i++) {
        low = bytes.offset[i] < low ? bytes.offset[i] : low;
        high = bytes.offset[i] > high ? bytes.offset[i] : high;
    }
    if (high - low >= BYTES_MAX)
        return;
    struct datatype *type = random_type();
    for (int i = 0; i < BLOCKS; i++) {
        counts[i] = random_between(0, ELEMENTS_MAX);
        displacements[i] = random_between(0, 10);
    }
    for (int i = 0; i < BYTES_MAX; i++)
        memory[i] = (char)random_between(0, 255);
    struct demand demand = {.blocks = random_between(1, BLOCKS),
                            .type = (MPI_Datatype)object_handle(type),
                            .counts = {counts, false},
                            .displacements = {displacements, false}};
    char *base = memory - low;
    struct kept_buffer buffer = {base, NULL};
    int count = list_used(&demand, type, &bytes, used);
    int err = oriel_copy_make(&buffer, &section, &demand, "buffer");
    CHECK(err == (count < 0 ? MPI_ERR_BUFFER : 0));
    if (!err)
        check_copy(&buffer, base, used, count, &bytes);
    else
        CHECK(buffer.address == base && buffer.copy == NULL);
    CHECK(oriel_type_free(type) == 0);
}

static void whole_slices_are_not_listed_one_by_one(void)
{
    struct section section = {
        .element_bytes = 8,
        .rank = 2,
        .dimension = {{1 << 20, 16}, {1 << 20, (MPI_Aint)1 << 25}}};
    struct typed_buffer buffer;
    MPI_Count all = (MPI_Count)1 << 40;
    CHECK(open_section(&buffer, &section, all - 3, MPI_DOUBLE) == 0);
    const struct datatype *whole = datatype_of(&buffer);
    CHECK(whole->size == 8 * (all - 3));
    MPI_Aint last_row = ((MPI_Aint)1 << 45) - ((MPI_Aint)1 << 25);
    CHECK(whole->true_extent == last_row + ((1 << 20) - 4) * 16 + 8);
    oriel_section_close(buffer.section);
}

// Extents, strides and counts beyond 2^31: only the datatype's numbers are looked at.
static void numbers_beyond_int_are_exact(void)
{
    const MPI_Aint far = (MPI_Aint)1 << 40, wide = ((MPI_Aint)1 << 32) + 24;
    const MPI_Count many = ((MPI_Count)1 << 31) + 5;
    const struct {
        struct section section;
        MPI_Count count;
        MPI_Aint lb, extent;
    } cases[] = {
        {{8, 1, {{many, 16}}}, many, 0, (many - 1) * 16 + 8},
        {{8, 1, {{many, 16}}}, many - 3, 0, (many - 4) * 16 + 8},
        {{8, 1, {{3, wide}}}, 3, 0, 2 * wide + 8},
        {{8, 1, {{3, -wide}}}, 3, -2 * wide, 2 * wide + 8},
        {{wide, 1, {{2, 2 * wide}}}, wide / 4, 0, 3 * wide},
        {{8, 2, {{many, 8}, {3, far}}}, 2 * many + 1, 0, 2 * far + 8},
        {{8, 2, {{many, 8}, {3, -far}}}, 2 * many, -far, far + 8 * many},
        {{8, 3, {{2, 16}, {many, 64}, {2, far}}}, 2 * many + 3, 0, far + 64 + 8},
        {{8, 2, {{2, wide}, {-1, -far}}}, 5, -2 * far, 2 * far + wide + 8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct typed_buffer buffer;
        CHECK(open_section(&buffer, &cases[i].section, cases[i].count, MPI_DOUBLE) ==
              0);
        const struct datatype *whole = datatype_of(&buffer);
        CHECK(whole->size == 8 * cases[i].count);
        CHECK(whole->true_lb == cases[i].lb);
        CHECK(whole->true_extent == cases[i].extent);
        oriel_section_close(buffer.section);
    }
}

// Sections that are in use stay what they are, however many others come; of those that
// are closed some are kept, and none when the layer has stopped.
static void open_sections_do_not_disturb_each_other(void)
{
    enum { OPEN = 200, LENGTH = 5 };
    static struct bytes bytes[OPEN];
    static struct typed_buffer opened[OPEN];
    struct datatype *type = predefined(MPI_DOUBLE);
    for (int i = 0; i < OPEN; i++) {
        struct section section = {
            .element_bytes = 8, .rank = 1, .dimension = {{LENGTH, 16 + 8 * i}}};
        list_bytes(&section, &bytes[i]);
        CHECK(open_section(&opened[i], &section, LENGTH, MPI_DOUBLE) == 0);
    }
    for (int i = 0; i < OPEN; i++) {
        CHECK(datatype_of(&opened[i]) != NULL);
        check_bytes(datatype_of(&opened[i]), type, LENGTH, &bytes[i]);
        oriel_section_close(opened[i].section);
    }
    int kept = 0;
    for (int i = 0; i < OPEN; i++)
        kept += datatype_of(&opened[i]) != NULL;
    CHECK(kept > 0 && kept < OPEN / 2);
    datatypes_stop();
    objects_stop();
    for (int i = 0; i < OPEN; i++)
        CHECK(datatype_of(&opened[i]) == NULL);
}

static void *use_sections(void *argument)
{
    static const struct section section = {
        .element_bytes = 8, .rank = 2, .dimension = {{4, 16}, {3, 128}}};
    for (int i = 0; i < 20000; i++) {
        struct section own = section;
        own.dimension[1].stride += 8 * (i % 160);
        struct typed_buffer buffer;
        CHECK(oriel_section_open(&buffer, &own, 12, MPI_DOUBLE) == 0);
        const struct datatype *whole = datatype_of(&buffer);
        CHECK(whole && whole->size == 96);
        CHECK(whole->true_extent == 3 * 16 + 2 * own.dimension[1].stride + 8);
        oriel_section_close(buffer.section);
    }
    return argument;
}

static void threads_share_sections(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        CHECK(pthread_create(&threads[i], NULL, use_sections, NULL) == 0);
    for (int i = 0; i < 3; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
}

static void bad_arguments_are_errors(void)
{
    struct section section = {.element_bytes = 8, .rank = 1, .dimension = {{4, 16}}};
    struct typed_buffer buffer;
    struct kept_buffer kept = {memory, NULL};
    struct demand negative = {.blocks = 2, .count = -1, .type = MPI_DOUBLE};
    CHECK(oriel_copy_make(&kept, &section, &negative, "buffer") == 0);
    CHECK(kept.address == memory && kept.copy == NULL); // the procedure refuses it
    CHECK(open_section(&buffer, &section, -1, MPI_DOUBLE) == MPI_ERR_COUNT);
    CHECK(open_section(&buffer, &section, 1, MPI_DATATYPE_NULL) == MPI_ERR_TYPE);
    CHECK(open_section(&buffer, &section, INT64_MAX, MPI_DOUBLE) == MPI_ERR_BUFFER);
    struct datatype *backwards;
    CHECK(oriel_type_vector(2, 1, -1, predefined(MPI_DOUBLE), &backwards, false) == 0);
    MPI_Datatype old = (MPI_Datatype)object_handle(backwards);
    CHECK(open_section(&buffer, &section, 1, old) == MPI_ERR_BUFFER);
    CHECK(oriel_type_free(backwards) == 0);
}

// The section that is kept is not found with a type that has changed since.
static void types_may_be_committed_and_freed_between_uses(void)
{
    struct section section = {.element_bytes = 8, .rank = 1, .dimension = {{4, 16}}};
    struct typed_buffer buffer;
    struct datatype *pair;
    CHECK(oriel_type_contiguous(2, predefined(MPI_INT), &pair, false) == 0);
    MPI_Datatype type = (MPI_Datatype)object_handle(pair);
    for (int is_committed = 0; is_committed <= 1; is_committed++) {
        CHECK(open_section(&buffer, &section, 4, type) == 0);
        CHECK(datatype_of(&buffer)->is_committed == is_committed);
        oriel_section_close(buffer.section);
        CHECK(oriel_type_commit(pair) == 0);
    }
    CHECK(datatype_of(&buffer) != NULL);
    CHECK(oriel_type_free(pair) == 0);
    CHECK(open_section(&buffer, &section, 4, type) == MPI_ERR_TYPE);
}

int main(void)
{
    struct boot boot = {.size = 1};
    process.boot = &boot;
    CHECK(objects_start() == 0);
    datatypes_start();
    for (int round = 0; round < ROUNDS; round++)
        random_sections_are_exact();
    for (int round = 0; round < ROUNDS / 10; round++)
        random_copies_are_exact();
    whole_slices_are_not_listed_one_by_one();
    numbers_beyond_int_are_exact();
    bad_arguments_are_errors();
    types_may_be_committed_and_freed_between_uses();
    threads_share_sections();
    open_sections_do_not_disturb_each_other();
    return 0;
}
