// SPDX-License-Identifier: BSD-3-Clause
// accumulates_compute_what_the_table_says: every operation on every predefined datatype
// gives what a serial reference does, by MPI_Accumulate, MPI_Get_accumulate and
// MPI_Fetch_and_op; where it is not defined, MPI_ERR_OP or MPI_ERR_TYPE.
#include "window_test.h"

#include <stddef.h>
#include <wchar.h>

enum group {
    INTEGER = 1,
    FORTRAN_INTEGER = 2,
    FLOATING = 4,
    COMPLEX = 8,
    LOGICAL = 16,
    BYTE = 32,
    MULTI_LANGUAGE = 64,
    PAIR = 128,
    CHARACTER = 256, // which the standard does not list
    OTHER = 512,
};
enum form { SIGNED, UNSIGNED, REAL, CHARACTERS };

struct type {
    MPI_Datatype type;
    const char *name;
    enum group group;
    enum form form;
    size_t bytes;            // of a value, or of each part of a complex one
    size_t index_at;         // of a pair
    bool has_floating_index; // MPI_2REAL
    size_t index_bytes;
};

// An element of any type.
struct value {
    long double real, imaginary;
    long long integer;
    long double index;
};

#define PLAIN(type, group, form, c)                                                    \
    {                                                                                  \
        type, #type, group, form, sizeof(c), 0, false, 0                               \
    }
#define PAIRED(type, form, value, index, is_floating)                                  \
    {                                                                                  \
        type, #type, PAIR, form, sizeof(value),                                        \
            sizeof(value) > sizeof(index) ? sizeof(value) : sizeof(index),             \
            is_floating, sizeof(index)                                                 \
    }

static const struct type types[] = {
    PLAIN(MPI_SIGNED_CHAR, INTEGER, SIGNED, signed char),
    PLAIN(MPI_UNSIGNED_CHAR, INTEGER, UNSIGNED, unsigned char),
    PLAIN(MPI_SHORT, INTEGER, SIGNED, short),
    PLAIN(MPI_UNSIGNED_SHORT, INTEGER, UNSIGNED, unsigned short),
    PLAIN(MPI_INT, INTEGER, SIGNED, int),
    PLAIN(MPI_UNSIGNED, INTEGER, UNSIGNED, unsigned),
    PLAIN(MPI_LONG, INTEGER, SIGNED, long),
    PLAIN(MPI_UNSIGNED_LONG, INTEGER, UNSIGNED, unsigned long),
    PLAIN(MPI_LONG_LONG, INTEGER, SIGNED, long long),
    PLAIN(MPI_UNSIGNED_LONG_LONG, INTEGER, UNSIGNED, unsigned long long),
    PLAIN(MPI_INT8_T, INTEGER, SIGNED, int8_t),
    PLAIN(MPI_UINT8_T, INTEGER, UNSIGNED, uint8_t),
    PLAIN(MPI_INT16_T, INTEGER, SIGNED, int16_t),
    PLAIN(MPI_UINT16_T, INTEGER, UNSIGNED, uint16_t),
    PLAIN(MPI_INT32_T, INTEGER, SIGNED, int32_t),
    PLAIN(MPI_UINT32_T, INTEGER, UNSIGNED, uint32_t),
    PLAIN(MPI_INT64_T, INTEGER, SIGNED, int64_t),
    PLAIN(MPI_UINT64_T, INTEGER, UNSIGNED, uint64_t),
    PLAIN(MPI_AINT, MULTI_LANGUAGE, SIGNED, MPI_Aint),
    PLAIN(MPI_COUNT, MULTI_LANGUAGE, SIGNED, MPI_Count),
    PLAIN(MPI_OFFSET, MULTI_LANGUAGE, SIGNED, MPI_Offset),
    PLAIN(MPI_INTEGER, FORTRAN_INTEGER, SIGNED, int),
    PLAIN(MPI_INTEGER1, FORTRAN_INTEGER, SIGNED, int8_t),
    PLAIN(MPI_INTEGER2, FORTRAN_INTEGER, SIGNED, int16_t),
    PLAIN(MPI_INTEGER4, FORTRAN_INTEGER, SIGNED, int32_t),
    PLAIN(MPI_INTEGER8, FORTRAN_INTEGER, SIGNED, int64_t),
    PLAIN(MPI_FLOAT, FLOATING, REAL, float),
    PLAIN(MPI_DOUBLE, FLOATING, REAL, double),
    PLAIN(MPI_LONG_DOUBLE, FLOATING, REAL, long double),
    PLAIN(MPI_REAL, FLOATING, REAL, float),
    PLAIN(MPI_REAL4, FLOATING, REAL, float),
    PLAIN(MPI_REAL8, FLOATING, REAL, double),
    PLAIN(MPI_DOUBLE_PRECISION, FLOATING, REAL, double),
    PLAIN(MPI_C_COMPLEX, COMPLEX, REAL, float),
    PLAIN(MPI_C_DOUBLE_COMPLEX, COMPLEX, REAL, double),
    PLAIN(MPI_C_LONG_DOUBLE_COMPLEX, COMPLEX, REAL, long double),
    PLAIN(MPI_COMPLEX, COMPLEX, REAL, float),
    PLAIN(MPI_COMPLEX8, COMPLEX, REAL, float),
    PLAIN(MPI_COMPLEX16, COMPLEX, REAL, double),
    PLAIN(MPI_DOUBLE_COMPLEX, COMPLEX, REAL, double),
    PLAIN(MPI_C_BOOL, LOGICAL, UNSIGNED, _Bool),
    PLAIN(MPI_LOGICAL, LOGICAL, SIGNED, int),
    PLAIN(MPI_LOGICAL1, LOGICAL, SIGNED, int8_t),
    PLAIN(MPI_LOGICAL8, LOGICAL, SIGNED, int64_t),
    PLAIN(MPI_BYTE, BYTE, UNSIGNED, unsigned char),
    PLAIN(MPI_CHAR, CHARACTER, SIGNED, char),
    PLAIN(MPI_WCHAR, OTHER, CHARACTERS, wchar_t),
    PLAIN(MPI_CHARACTER, CHARACTER, SIGNED, char),
    PAIRED(MPI_FLOAT_INT, REAL, float, int, false),
    PAIRED(MPI_DOUBLE_INT, REAL, double, int, false),
    PAIRED(MPI_LONG_INT, SIGNED, long, int, false),
    PAIRED(MPI_2INT, SIGNED, int, int, false),
    PAIRED(MPI_SHORT_INT, SIGNED, short, int, false),
    PAIRED(MPI_LONG_DOUBLE_INT, REAL, long double, int, false),
    PAIRED(MPI_2REAL, REAL, float, float, true),
    PAIRED(MPI_2DOUBLE_PRECISION, REAL, double, double, true),
    PAIRED(MPI_2INTEGER, SIGNED, int, int, false),
};
enum { TYPES = sizeof types / sizeof *types };

static const struct op {
    MPI_Op op;
    const char *name;
    int groups;
} ops[] = {
    {MPI_SUM, "SUM",
     INTEGER | FORTRAN_INTEGER | FLOATING | COMPLEX | MULTI_LANGUAGE | CHARACTER},
    {MPI_PROD, "PROD",
     INTEGER | FORTRAN_INTEGER | FLOATING | COMPLEX | MULTI_LANGUAGE | CHARACTER},
    {MPI_MIN, "MIN", INTEGER | FORTRAN_INTEGER | FLOATING | MULTI_LANGUAGE | CHARACTER},
    {MPI_MAX, "MAX", INTEGER | FORTRAN_INTEGER | FLOATING | MULTI_LANGUAGE | CHARACTER},
    {MPI_BAND, "BAND", INTEGER | FORTRAN_INTEGER | BYTE | MULTI_LANGUAGE | CHARACTER},
    {MPI_BOR, "BOR", INTEGER | FORTRAN_INTEGER | BYTE | MULTI_LANGUAGE | CHARACTER},
    {MPI_BXOR, "BXOR", INTEGER | FORTRAN_INTEGER | BYTE | MULTI_LANGUAGE | CHARACTER},
    {MPI_LAND, "LAND", INTEGER | LOGICAL | MULTI_LANGUAGE | CHARACTER},
    {MPI_LOR, "LOR", INTEGER | LOGICAL | MULTI_LANGUAGE | CHARACTER},
    {MPI_LXOR, "LXOR", INTEGER | LOGICAL | MULTI_LANGUAGE | CHARACTER},
    {MPI_MINLOC, "MINLOC", PAIR},
    {MPI_MAXLOC, "MAXLOC", PAIR},
    {MPI_REPLACE, "REPLACE", -1},
    {MPI_NO_OP, "NO_OP", -1},
};
enum { OPS = sizeof ops / sizeof *ops, ELEMENTS = 5, EXTENT_MAX = 32, WAYS = 3 };
enum { ROOM = OPS * WAYS * ELEMENTS * EXTENT_MAX };

// ---- elements as values ---------------------------------------------------------
static long double read_real(const char *at, size_t bytes)
{
    float single;
    double twice;
    long double longest;
    if (bytes == sizeof single)
        return memcpy(&single, at, bytes), single;
    if (bytes == sizeof twice)
        return memcpy(&twice, at, bytes), twice;
    return memcpy(&longest, at, bytes), longest;
}

static void write_real(char *at, size_t bytes, long double value)
{
    float single = (float)value;
    double twice = (double)value;
    memcpy(at,
           bytes == sizeof single  ? (const void *)&single
           : bytes == sizeof twice ? (const void *)&twice
                                   : (const void *)&value,
           bytes == 16 ? 10 : bytes);
}

static long long read_integer(const char *at, size_t bytes, bool is_signed)
{
    unsigned long long value = 0;
    memcpy(&value, at, bytes);
    int unused = 64 - 8 * (int)bytes;
    return is_signed ? (long long)(value << unused) >> unused : (long long)value;
}

static struct value load(const struct type *type, const char *at)
{
    struct value value = {0};
    if (type->form == REAL)
        value.real = read_real(at, type->bytes);
    else
        value.integer = read_integer(at, type->bytes, type->form == SIGNED);
    if (type->group == COMPLEX)
        value.imaginary = read_real(at + type->bytes, type->bytes);
    if (type->group == PAIR)
        value.index = type->has_floating_index
                          ? read_real(at + type->index_at, type->index_bytes)
                          : read_integer(at + type->index_at, type->index_bytes, true);
    return value;
}

static void store(const struct type *type, char *at, struct value value)
{
    long long index = (long long)value.index;
    if (type->form == REAL)
        write_real(at, type->bytes, value.real);
    else
        memcpy(at, &value.integer, type->bytes);
    if (type->group == COMPLEX)
        write_real(at + type->bytes, type->bytes, value.imaginary);
    if (type->group == PAIR && type->has_floating_index)
        write_real(at + type->index_at, type->index_bytes, value.index);
    else if (type->group == PAIR)
        memcpy(at + type->index_at, &index, type->index_bytes);
}

static bool is_equal(struct value one, struct value other)
{
    return one.real == other.real && one.imaginary == other.imaginary &&
           one.integer == other.integer && one.index == other.index;
}

// What rank `owner` has as element `i` of salt `salt`: small, with zeros and ties.
static struct value sample(const struct type *type, int owner, int i, int salt)
{
    int number = (owner * 7 + i * 5 + salt * 3) % 11 - 3;
    if (type->group == LOGICAL)
        number = (number + 3) % 2;
    if (type->form == UNSIGNED && number < 0)
        number = -number;
    struct value value = {0};
    if (type->form == REAL)
        value.real = number;
    else
        value.integer = number;
    if (type->group == COMPLEX)
        value.imaginary = owner - i;
    if (type->group == PAIR) {
        value.real = type->form == REAL ? number % 2 : 0;
        value.integer = type->form == REAL ? 0 : number % 2;
        value.index = (owner + 3 * i + salt) % 5;
    }
    return value;
}

// ---- the reference ----------------------------------------------------------------
static struct value chosen(MPI_Op op, struct value a, struct value b)
{
    bool is_less = a.real < b.real || a.integer < b.integer;
    bool is_tie = a.real == b.real && a.integer == b.integer;
    if (is_tie)
        return a.index < b.index ? a : b;
    return is_less == (op == MPI_MIN || op == MPI_MINLOC) ? a : b;
}

static long long combine_integers(MPI_Op op, long long a, long long b)
{
    if (op == MPI_SUM)
        return a + b;
    if (op == MPI_PROD)
        return a * b;
    if (op == MPI_BAND)
        return a & b;
    if (op == MPI_BOR)
        return a | b;
    if (op == MPI_BXOR)
        return a ^ b;
    if (op == MPI_LAND)
        return a != 0 && b != 0;
    if (op == MPI_LOR)
        return a != 0 || b != 0;
    return (a != 0) != (b != 0);
}

static struct value combine(MPI_Op op, struct value a, struct value b)
{
    if (op == MPI_REPLACE)
        return a;
    if (op == MPI_NO_OP)
        return b;
    if (op == MPI_MIN || op == MPI_MAX || op == MPI_MINLOC || op == MPI_MAXLOC)
        return chosen(op, a, b);
    struct value result = {.integer = combine_integers(op, a.integer, b.integer)};
    if (op == MPI_SUM) {
        result.real = a.real + b.real;
        result.imaginary = a.imaginary + b.imaginary;
    } else if (op == MPI_PROD) {
        result.real = a.real * b.real - a.imaginary * b.imaginary;
        result.imaginary = a.real * b.imaginary + a.imaginary * b.real;
    }
    return result;
}

// As an element of the type would keep it.
static struct value rounded(const struct type *type, struct value value)
{
    char element[EXTENT_MAX] = {0};
    store(type, element, value);
    return load(type, element);
}

// ---- the test -----------------------------------------------------------------------
static char origin[ROOM], result[ROOM];
static MPI_Aint extent;

static char *element(void *memory, int op, int way, int i)
{
    return (char *)memory + ((op * WAYS + way) * ELEMENTS + i) * extent;
}

static MPI_Aint place(int op, int way)
{
    return element(origin, op, way, 0) - origin;
}

static void fill_all(const struct type *type, char *memory)
{
    memset(memory, 0, ROOM);
    memset(origin, 0, ROOM);
    memset(result, 0x5a, ROOM);
    for (int i = 0; i < OPS * WAYS * ELEMENTS; i++) {
        store(type, memory + i * extent, sample(type, rank, i, 1));
        store(type, origin + i * extent, sample(type, rank, i, 2));
    }
}

static bool is_allowed(const struct type *type, const struct op *op)
{
    return (op->groups & (int)type->group) != 0;
}

static void refuse(const struct type *type, const struct op *op, MPI_Win win)
{
    CHECK_CLASS(
        MPI_Accumulate(origin, 1, type->type, right(), 0, 1, type->type, op->op, win),
        MPI_ERR_OP);
    CHECK_CLASS(MPI_Get_accumulate(origin, 1, type->type, result, 1, type->type,
                                   right(), 0, 1, type->type, op->op, win),
                MPI_ERR_OP);
    CHECK_CLASS(MPI_Fetch_and_op(origin, result, type->type, right(), 0, op->op, win),
                MPI_ERR_OP);
}

// Way 0 accumulates five elements, way 1 fetches them too, way 2 fetches the first.
static void start_all(const struct type *type, int n, MPI_Win win)
{
    MPI_Op op = ops[n].op;
    MPI_Datatype t = type->type;
    bool is_no_op = op == MPI_NO_OP;
    const void *none = NULL;
    if (is_no_op)
        CHECK_CLASS(MPI_Accumulate(origin, 1, t, right(), 0, 1, t, op, win),
                    MPI_ERR_OP);
    else
        CHECK(MPI_Accumulate(element(origin, n, 0, 0), ELEMENTS, t, right(),
                             place(n, 0), ELEMENTS, t, op, win) == MPI_SUCCESS);
    CHECK(MPI_Get_accumulate(is_no_op ? none : element(origin, n, 1, 0),
                             is_no_op ? -1 : ELEMENTS, is_no_op ? MPI_DATATYPE_NULL : t,
                             element(result, n, 1, 0), ELEMENTS, t, right(),
                             place(n, 1), ELEMENTS, t, op, win) == MPI_SUCCESS);
    CHECK(MPI_Fetch_and_op(is_no_op ? none : element(origin, n, 2, 0),
                           element(result, n, 2, 0), t, right(), place(n, 2), op,
                           win) == MPI_SUCCESS);
}

static void check_equal(const struct type *type, int n, int way, int i,
                        struct value found, struct value expected)
{
    if (is_equal(found, expected))
        return;
    fprintf(stderr, "%s of %s, way %d, element %d: %Lg+%Lgi %lld (%Lg)", ops[n].name,
            type->name, way, i, found.real, found.imaginary, found.integer,
            found.index);
    fprintf(stderr, " instead of %Lg+%Lgi %lld (%Lg)\n", expected.real,
            expected.imaginary, expected.integer, expected.index);
    CHECK(!"as the reference");
}

static void check_element(const struct type *type, int n, int way, int i, char *memory)
{
    int number = (n * WAYS + way) * ELEMENTS + i;
    struct value before = rounded(type, sample(type, rank, number, 1));
    struct value mine = rounded(type, sample(type, left(), number, 2));
    bool is_touched = (way < 2 || i == 0) && !(way == 0 && ops[n].op == MPI_NO_OP);
    struct value expected =
        is_touched ? rounded(type, combine(ops[n].op, mine, before)) : before;
    struct value found = load(type, element(memory, n, way, i));
    check_equal(type, n, way, i, found, expected);
    if (way == 0 || (way == 2 && i > 0))
        return;
    struct value fetched = load(type, element(result, n, way, i));
    check_equal(type, n, way, i, fetched,
                rounded(type, sample(type, right(), number, 1)));
}

static void all_operations(const struct type *type, const struct opened *opened)
{
    MPI_Aint lower;
    MPI_Type_get_extent(type->type, &lower, &extent);
    fill_all(type, opened->base);
    MPI_Win_fence(0, opened->win);
    for (int n = 0; n < OPS; n++) {
        if (is_allowed(type, &ops[n]))
            start_all(type, n, opened->win);
        else
            refuse(type, &ops[n], opened->win);
    }
    MPI_Win_fence(0, opened->win);
    for (int n = 0; n < OPS; n++)
        for (int way = 0; way < WAYS && is_allowed(type, &ops[n]); way++)
            for (int i = 0; i < ELEMENTS; i++)
                check_element(type, n, way, i, opened->base);
    MPI_Win_fence(0, opened->win);
}

// Element 0 holds what is expected, element 1 does not.
static void compare_and_swap(const struct type *type, const struct opened *opened)
{
    bool is_allowed = type->group & (INTEGER | FORTRAN_INTEGER | LOGICAL | BYTE |
                                     MULTI_LANGUAGE | CHARACTER);
    char *memory = opened->base, compare[EXTENT_MAX], fresh[EXTENT_MAX];
    struct value one = {.integer = 1}, two = {0};
    memset(memory, 0, 2 * EXTENT_MAX);
    store(type, memory, one);
    store(type, memory + EXTENT_MAX, two);
    store(type, compare, one);
    store(type, fresh, two);
    MPI_Win_fence(0, opened->win);
    for (int i = 0; i < 2; i++)
        CHECK_CLASS(MPI_Compare_and_swap(fresh, compare, result + i * EXTENT_MAX,
                                         type->type, right(), i * EXTENT_MAX,
                                         opened->win),
                    is_allowed ? MPI_SUCCESS : MPI_ERR_TYPE);
    MPI_Win_fence(0, opened->win);
    if (is_allowed) {
        CHECK(is_equal(load(type, memory), two));
        CHECK(is_equal(load(type, memory + EXTENT_MAX), two));
        CHECK(is_equal(load(type, result), one));
        CHECK(is_equal(load(type, result + EXTENT_MAX), two));
    }
    MPI_Win_fence(0, opened->win);
}

static void all_types(const struct source *source)
{
    struct opened opened = source->open(ROOM, 1);
    for (int n = 0; n < TYPES; n++) {
        all_operations(&types[n], &opened);
        compare_and_swap(&types[n], &opened);
    }
    source->close(&opened);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for_each_source(all_types);
    return finish();
}
