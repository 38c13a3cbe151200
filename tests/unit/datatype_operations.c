// SPDX-License-Identifier: BSD-3-Clause
// operations_are_defined_as_the_standard_says: every predefined operation on every
// predefined datatype, its table of MPI-4.1 6.9.2 and its results.
// Needs the core.

#include "check.h"
#include "datatype/datatype.h"

#include <complex.h>
#include <string.h>

static struct datatype *type_of(MPI_Datatype handle)
{
    struct datatype *type = handle_object(KIND_DATATYPE, (uintptr_t)handle);
    CHECK(type != NULL);
    return type;
}

static struct op *op_of(MPI_Op handle)
{
    struct op *op = handle_object(KIND_OP, (uintptr_t)handle);
    CHECK(op != NULL);
    return op;
}

// Rows: which of the twelve operations each datatype has.
enum { ARITHMETIC = 1, ORDER = 2, BITS = 4, LOGIC = 8, PAIR = 16 };
static const struct {
    MPI_Op op;
    int group;
} ops[] = {{MPI_SUM, ARITHMETIC}, {MPI_PROD, ARITHMETIC}, {MPI_MIN, ORDER},
           {MPI_MAX, ORDER},      {MPI_BAND, BITS},       {MPI_BOR, BITS},
           {MPI_BXOR, BITS},      {MPI_LAND, LOGIC},      {MPI_LOR, LOGIC},
           {MPI_LXOR, LOGIC},     {MPI_MINLOC, PAIR},     {MPI_MAXLOC, PAIR}};
enum {
    C_INTEGER = ARITHMETIC | ORDER | BITS | LOGIC,
    INTEGER = ARITHMETIC | ORDER | BITS, // Fortran's
    LENIENT = C_INTEGER, // MPI's own and characters, beyond what the standard lists
    REAL = ARITHMETIC | ORDER
};
static const struct {
    MPI_Datatype type;
    int groups;
} types[] = {
    {MPI_AINT, LENIENT},
    {MPI_COUNT, LENIENT},
    {MPI_OFFSET, LENIENT},
    {MPI_PACKED, 0},
    {MPI_SHORT, C_INTEGER},
    {MPI_INT, C_INTEGER},
    {MPI_LONG, C_INTEGER},
    {MPI_LONG_LONG, C_INTEGER},
    {MPI_UNSIGNED_SHORT, C_INTEGER},
    {MPI_UNSIGNED, C_INTEGER},
    {MPI_UNSIGNED_LONG, C_INTEGER},
    {MPI_UNSIGNED_LONG_LONG, C_INTEGER},
    {MPI_INT8_T, C_INTEGER},
    {MPI_UINT8_T, C_INTEGER},
    {MPI_INT16_T, C_INTEGER},
    {MPI_UINT16_T, C_INTEGER},
    {MPI_INT32_T, C_INTEGER},
    {MPI_UINT32_T, C_INTEGER},
    {MPI_INT64_T, C_INTEGER},
    {MPI_UINT64_T, C_INTEGER},
    {MPI_SIGNED_CHAR, C_INTEGER},
    {MPI_UNSIGNED_CHAR, C_INTEGER},
    {MPI_FLOAT, REAL},
    {MPI_DOUBLE, REAL},
    {MPI_LONG_DOUBLE, REAL},
    {MPI_C_COMPLEX, ARITHMETIC},
    {MPI_C_DOUBLE_COMPLEX, ARITHMETIC},
    {MPI_C_LONG_DOUBLE_COMPLEX, ARITHMETIC},
    {MPI_C_BOOL, LOGIC},
    {MPI_WCHAR, 0},
    {MPI_CHAR, LENIENT},
    {MPI_BYTE, BITS},
    {MPI_LOGICAL, LOGIC},
    {MPI_INTEGER, INTEGER},
    {MPI_REAL, REAL},
    {MPI_DOUBLE_PRECISION, REAL},
    {MPI_COMPLEX, ARITHMETIC},
    {MPI_DOUBLE_COMPLEX, ARITHMETIC},
    {MPI_CHARACTER, LENIENT},
    {MPI_CXX_BOOL, LOGIC},
    {MPI_CXX_DOUBLE_COMPLEX, ARITHMETIC},
    {MPI_LOGICAL1, LOGIC},
    {MPI_LOGICAL8, LOGIC},
    {MPI_INTEGER2, INTEGER},
    {MPI_INTEGER8, INTEGER},
    {MPI_REAL4, REAL},
    {MPI_REAL8, REAL},
    {MPI_COMPLEX16, ARITHMETIC},
    {MPI_2INT, PAIR},
    {MPI_FLOAT_INT, PAIR},
    {MPI_DOUBLE_INT, PAIR},
    {MPI_LONG_INT, PAIR},
    {MPI_SHORT_INT, PAIR},
    {MPI_LONG_DOUBLE_INT, PAIR},
    {MPI_2REAL, PAIR},
    {MPI_2DOUBLE_PRECISION, PAIR},
    {MPI_2INTEGER, PAIR},
};

static void the_table_is_that_of_the_standard(void)
{
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        struct datatype *type = type_of(types[t].type);
        for (size_t o = 0; o < sizeof ops / sizeof *ops; o++) {
            bool is_defined = types[t].groups & ops[o].group;
            CHECK(op_check(op_of(ops[o].op), type) == (is_defined ? 0 : MPI_ERR_OP));
        }
        CHECK(op_check(op_of(MPI_REPLACE), type) == MPI_ERR_OP); // for windows only
        CHECK(op_check(op_of(MPI_NO_OP), type) == MPI_ERR_OP);
        CHECK(type->basic->bytes == (size_t)type->extent);
    }
}

static void an_undefined_pair_is_named(void)
{
    int class;
    CHECK(op_check(op_of(MPI_SUM), type_of(MPI_WCHAR)) == MPI_ERR_OP);
    CHECK(strcmp(error_detail(&class),
                 "op = MPI_SUM: is not defined for MPI_WCHAR in a reduction") == 0);
    struct datatype derived = {.basic = type_of(MPI_INT)->basic};
    CHECK(op_check(op_of(MPI_SUM), &derived) == MPI_ERR_OP);
}

// For every arithmetic C type: a few elements, so that vector loops and rests run.
enum { COUNT = 37 };
#define CHECK_RESULTS(type, handle, op, low, high, expression)                         \
    do {                                                                               \
        type in[COUNT], inout[COUNT], expected[COUNT];                                 \
        for (int i = 0; i < COUNT; i++) {                                              \
            type a = in[i] = (type)random_between(low, high);                          \
            type b = inout[i] = (type)random_between(low, high);                       \
            expected[i] = (type)(expression);                                          \
        }                                                                              \
        op_apply(op_of(op), type_of(handle)->basic, in, inout, COUNT);                 \
        for (int i = 0; i < COUNT; i++)                                                \
            CHECK(inout[i] == expected[i]);                                            \
    } while (0)
#define CHECK_REAL(type, handle, low, high)                                            \
    do {                                                                               \
        CHECK_RESULTS(type, handle, MPI_SUM, low, high, a + b);                        \
        CHECK_RESULTS(type, handle, MPI_PROD, low, high, a *b);                        \
        CHECK_RESULTS(type, handle, MPI_MIN, low, high, a < b ? a : b);                \
        CHECK_RESULTS(type, handle, MPI_MAX, low, high, a < b ? b : a);                \
    } while (0)
#define CHECK_BITS(type, handle, low, high)                                            \
    do {                                                                               \
        CHECK_RESULTS(type, handle, MPI_BAND, low, high, a &b);                        \
        CHECK_RESULTS(type, handle, MPI_BOR, low, high, a | b);                        \
        CHECK_RESULTS(type, handle, MPI_BXOR, low, high, a ^ b);                       \
    } while (0)
#define CHECK_LOGIC(type, handle)                                                      \
    do {                                                                               \
        CHECK_RESULTS(type, handle, MPI_LAND, 0, 2, a &&b);                            \
        CHECK_RESULTS(type, handle, MPI_LOR, 0, 2, a || b);                            \
        CHECK_RESULTS(type, handle, MPI_LXOR, 0, 2, !a != !b);                         \
    } while (0)
#define CHECK_INTEGER(type, handle, low, high)                                         \
    do {                                                                               \
        CHECK_REAL(type, handle, low, high);                                           \
        CHECK_BITS(type, handle, low, high);                                           \
        CHECK_LOGIC(type, handle);                                                     \
    } while (0)

static void integers_are_combined(void)
{
    CHECK_INTEGER(short, MPI_SHORT, -180, 180);
    CHECK_INTEGER(int, MPI_INT, -40000, 40000);
    CHECK_INTEGER(long, MPI_LONG, -4000000, 4000000);
    CHECK_INTEGER(long long, MPI_LONG_LONG, -4000000, 4000000);
    CHECK_INTEGER(unsigned short, MPI_UNSIGNED_SHORT, 0, 250);
    CHECK_INTEGER(unsigned, MPI_UNSIGNED, 0, 60000);
    CHECK_INTEGER(unsigned long, MPI_UNSIGNED_LONG, 0, 4000000);
    CHECK_INTEGER(unsigned long long, MPI_UNSIGNED_LONG_LONG, 0, 4000000);
    CHECK_INTEGER(signed char, MPI_SIGNED_CHAR, -11, 11);
    CHECK_INTEGER(unsigned char, MPI_UNSIGNED_CHAR, 0, 15);
    CHECK_INTEGER(int8_t, MPI_INT8_T, -11, 11);
    CHECK_INTEGER(uint64_t, MPI_UINT64_T, 0, 4000000);
    CHECK_REAL(int, MPI_INTEGER, -40000, 40000);
    CHECK_REAL(MPI_Aint, MPI_AINT, -4000000, 4000000);
    CHECK_BITS(unsigned char, MPI_BYTE, 0, 255);
    CHECK_LOGIC(_Bool, MPI_C_BOOL);
    CHECK_LOGIC(int, MPI_LOGICAL);
    CHECK_LOGIC(int64_t, MPI_LOGICAL8);
}

static void reals_and_complex_numbers_are_combined(void)
{
    CHECK_REAL(float, MPI_FLOAT, -999, 999);
    CHECK_REAL(double, MPI_DOUBLE, -99999, 99999);
    CHECK_REAL(long double, MPI_LONG_DOUBLE, -99999, 99999);
    CHECK_REAL(double, MPI_DOUBLE_PRECISION, -99999, 99999);
    double _Complex in = 2 + 3 * I, inout = 5 - I;
    op_apply(op_of(MPI_PROD), type_of(MPI_C_DOUBLE_COMPLEX)->basic, &in, &inout, 1);
    CHECK(inout == 13 + 13 * I);
    op_apply(op_of(MPI_SUM), type_of(MPI_DOUBLE_COMPLEX)->basic, &in, &inout, 1);
    CHECK(inout == 15 + 16 * I);
}

// Processors with fused multiply-adds give what those without give: the real part of
// (x + xi)(x + xi) is 0 if both of its products are rounded.
static void products_are_rounded_alike_everywhere(void)
{
    enum { NUMBERS = 17 }; // more than some vectors
    double _Complex in[NUMBERS], inout[NUMBERS];
    for (int i = 0; i < NUMBERS; i++) {
        double x = 1 + (i + 1) * 0x1p-40;
        in[i] = inout[i] = x + x * I;
    }
    op_apply(op_of(MPI_PROD), type_of(MPI_C_DOUBLE_COMPLEX)->basic, in, inout, NUMBERS);
    for (int i = 0; i < NUMBERS; i++)
        CHECK(creal(inout[i]) == 0);
}

static void integers_wrap_around(void)
{
    int in = INT32_MAX, inout = 2;
    op_apply(op_of(MPI_SUM), type_of(MPI_INT)->basic, &in, &inout, 1);
    CHECK(inout == INT32_MIN + 1);
    unsigned short low = 65535, high = 65535;
    op_apply(op_of(MPI_PROD), type_of(MPI_UNSIGNED_SHORT)->basic, &low, &high, 1);
    CHECK(high == 1);
}

static void locations_break_ties_downwards(void)
{
    struct pair {
        short value;
        int index;
    } in[] = {{3, 5}, {3, 5}, {1, 9}, {7, 2}},
      start[] = {{3, 4}, {3, 6}, {2, 0}, {6, 1}};
    struct pair least[] = {{3, 4}, {3, 5}, {1, 9}, {6, 1}};
    struct pair most[] = {{3, 4}, {3, 5}, {2, 0}, {7, 2}}, inout[4];
    struct datatype *type = type_of(MPI_SHORT_INT);
    CHECK(type->size == 6 && type->extent == 8);
    memcpy(inout, start, sizeof inout);
    op_apply(op_of(MPI_MINLOC), type->basic, in, inout, 4);
    for (int i = 0; i < 4; i++)
        CHECK(inout[i].value == least[i].value && inout[i].index == least[i].index);
    memcpy(inout, start, sizeof inout);
    op_apply(op_of(MPI_MAXLOC), type->basic, in, inout, 4);
    for (int i = 0; i < 4; i++)
        CHECK(inout[i].value == most[i].value && inout[i].index == most[i].index);
}

static void replace_moves_and_no_op_does_not(void)
{
    char in[] = "new", inout[] = "old";
    op_apply(op_of(MPI_NO_OP), type_of(MPI_CHAR)->basic, in, inout, 3);
    CHECK(strcmp(inout, "old") == 0);
    op_apply(op_of(MPI_REPLACE), type_of(MPI_CHAR)->basic, in, inout, 3);
    CHECK(strcmp(inout, "new") == 0);
}

int main(void)
{
    struct boot boot = {.size = 1};
    process.boot = &boot;
    CHECK(objects_start() == 0);
    datatypes_start();
    the_table_is_that_of_the_standard();
    an_undefined_pair_is_named();
    integers_are_combined();
    reals_and_complex_numbers_are_combined();
    products_are_rounded_alike_everywhere();
    integers_wrap_around();
    locations_break_ties_downwards();
    replace_moves_and_no_op_does_not();
    datatypes_stop();
    objects_stop();
    return 0;
}
