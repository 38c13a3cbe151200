// SPDX-License-Identifier: BSD-3-Clause
// types_have_names_attributes_and_bounds: what programs attach to datatypes and ask about
// them, beside what random.c compares; and what is refused.
#include "../mpi/window_test.h"

// ---- bounds -----------------------------------------------------------------------------
static void check_extent(MPI_Datatype type, MPI_Aint lb, MPI_Aint extent)
{
    MPI_Aint is_lb, is_extent;
    MPI_Type_get_extent(type, &is_lb, &is_extent);
    CHECK(is_lb == lb && is_extent == extent);
}

// MPI-4.1 5.1.6: the extent of data is rounded up; given bounds hide all others.
static void given_bounds_hide_others(void)
{
    int lengths[] = {1, 1};
    MPI_Aint places[] = {0, 8};
    MPI_Datatype plain[] = {MPI_DOUBLE, MPI_CHAR}, pair, wide, both[2], mixed;
    MPI_Type_create_struct(2, lengths, places, plain, &pair);
    check_extent(pair, 0, 16);
    MPI_Type_create_resized(MPI_INT, -3, 50, &wide);
    check_extent(wide, -3, 50);
    both[0] = wide;
    both[1] = MPI_DOUBLE; // reaches from 1000 to 1008, but the markers count
    places[1] = 1000;
    MPI_Type_create_struct(2, lengths, places, both, &mixed);
    check_extent(mixed, -3, 50);
    MPI_Aint lb, extent;
    MPI_Type_get_true_extent(mixed, &lb, &extent);
    CHECK(lb == 0 && extent == 1008);
    MPI_Type_free(&pair);
    MPI_Type_free(&wide);
    MPI_Type_free(&mixed);
}

// An absolute address in a type, as MPI_BOTTOM wants it.
static void addresses_may_be_absolute(void)
{
    int numbers[] = {1, 2, 3, 4}, length = 1, position = 0, packed[2];
    MPI_Aint places[2];
    MPI_Datatype type;
    MPI_Get_address(&numbers[3], &places[0]);
    MPI_Get_address(&numbers[1], &places[1]);
    MPI_Type_create_hindexed_block(2, length, places, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Pack(MPI_BOTTOM, 1, type, packed, sizeof packed, &position, MPI_COMM_SELF);
    CHECK(packed[0] == 4 && packed[1] == 2);
    MPI_Type_free(&type);
}

static void large_sizes_are_undefined_in_small_calls(void)
{
    MPI_Datatype type;
    MPI_Count size_c, lb, extent;
    int bytes;
    MPI_Type_contiguous_c((MPI_Count)1 << 33, MPI_INT, &type);
    MPI_Type_size_c(type, &size_c);
    CHECK(size_c == (MPI_Count)1 << 35);
    MPI_Type_size_x(type, &size_c);
    CHECK(size_c == (MPI_Count)1 << 35);
    MPI_Type_size(type, &bytes);
    CHECK(bytes == MPI_UNDEFINED);
    MPI_Pack_size(1, type, MPI_COMM_SELF, &bytes);
    CHECK(bytes == MPI_UNDEFINED);
    MPI_Type_get_extent_x(type, &lb, &extent);
    CHECK(lb == 0 && extent == (MPI_Count)1 << 35);
    MPI_Type_get_true_extent_c(type, &lb, &extent);
    CHECK(lb == 0 && extent == (MPI_Count)1 << 35);
    MPI_Pack_size_c(1, type, MPI_COMM_SELF, &size_c);
    CHECK(size_c == (MPI_Count)1 << 35);
    MPI_Pack_external_size_c("external32", 1, type, &size_c);
    CHECK(size_c == (MPI_Count)1 << 35);
    MPI_Type_free(&type);
}

// The first fourth of a matrix of 4 by 4, between a header and a trailer.
static void large_calls_pack(void)
{
    static const MPI_Count sizes[] = {4, 4}, parts[] = {2, 2}, starts[] = {0, 0};
    int in[16], out[16] = {0}, packed[6] = {0};
    MPI_Count position = sizeof(int);
    MPI_Datatype type;
    for (int i = 0; i < 16; i++)
        in[i] = 100 + i;
    MPI_Type_create_subarray_c(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Pack_c(in, 1, type, packed, sizeof packed, &position, MPI_COMM_SELF);
    static const int expected[] = {0, 100, 101, 104, 105, 0};
    CHECK(memcmp(packed, expected, sizeof packed) == 0 && position == 5 * sizeof(int));
    position = sizeof(int);
    MPI_Unpack_c(packed, sizeof packed, &position, out, 1, type, MPI_COMM_SELF);
    CHECK(out[0] == 100 && out[1] == 101 && out[4] == 104 && out[5] == 105);
    CHECK(out[2] == 0 && out[6] == 0 && position == 5 * sizeof(int));
    MPI_Type_free(&type);
}

// ---- names and attributes -----------------------------------------------------------------
static bool has_name(MPI_Datatype type, const char *name)
{
    char found[MPI_MAX_OBJECT_NAME];
    int length;
    MPI_Type_get_name(type, found, &length);
    return strcmp(found, name) == 0 && length == (int)strlen(name);
}

static void names_are_kept(void)
{
    MPI_Datatype type;
    MPI_Type_contiguous(2, MPI_INT, &type);
    CHECK(has_name(type, "") && has_name(MPI_DOUBLE, "MPI_DOUBLE"));
    CHECK(has_name(MPI_DATATYPE_NULL, "MPI_DATATYPE_NULL"));
    MPI_Type_set_name(type, "two");
    MPI_Type_set_name(MPI_DOUBLE, "real");
    CHECK(has_name(type, "two") && has_name(MPI_DOUBLE, "real"));
    MPI_Type_free(&type);
}

static int copies, drops;

static int copy(MPI_Datatype type, int key, void *extra, void *in, void *out, int *flag)
{
    (void)type, (void)key;
    copies++;
    *(void **)out = (char *)in + *(int *)extra;
    *flag = 1;
    return MPI_SUCCESS;
}

static int drop(MPI_Datatype type, int key, void *value, void *extra)
{
    (void)type, (void)key, (void)extra;
    drops++;
    return value == NULL ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static void attributes_follow_duplicates(void)
{
    static int step = 2;
    static char values[8];
    MPI_Datatype type, twin;
    int key, found;
    char *value;
    MPI_Type_create_keyval(copy, drop, &key, &step);
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_get_attr(type, key, &value, &found);
    CHECK(!found);
    MPI_Type_set_attr(type, key, values);
    MPI_Type_dup(type, &twin);
    MPI_Type_get_attr(twin, key, &value, &found);
    CHECK(found && value == values + 2 && copies == 1);
    MPI_Type_delete_attr(twin, key);
    MPI_Type_get_attr(twin, key, &value, &found);
    CHECK(!found && drops == 1);
    MPI_Type_free(&twin);
    CHECK(drops == 1);
    MPI_Type_set_attr(type, key, NULL); // drops the old one
    CHECK(drops == 2);
    CHECK_CLASS(MPI_Type_free(&type), MPI_ERR_OTHER);
    CHECK(type != MPI_DATATYPE_NULL && drops == 3);
    MPI_Type_free_keyval(&key);
    CHECK(key == MPI_KEYVAL_INVALID);
}

// ---- predefined types that are searched -----------------------------------------------------
static void fortran_types_are_found(void)
{
    MPI_Datatype type, again, other;
    int integers, addresses, types, combiner, contents[2], bytes;
    MPI_Type_create_f90_real(15, MPI_UNDEFINED, &type);
    MPI_Type_create_f90_real(15, MPI_UNDEFINED, &again);
    MPI_Type_create_f90_real(6, 30, &other);
    CHECK(type == again && type != other);
    MPI_Type_size(type, &bytes);
    CHECK(bytes == 8);
    MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    CHECK(integers == 2 && addresses == 0 && types == 0 &&
          combiner == MPI_COMBINER_F90_REAL);
    MPI_Type_get_contents(type, 2, 0, 0, contents, NULL, NULL);
    CHECK(contents[0] == 15 && contents[1] == MPI_UNDEFINED);
    MPI_Type_create_f90_complex(6, 30, &type);
    MPI_Type_size(type, &bytes);
    CHECK(bytes == 8);
    MPI_Type_create_f90_integer(12, &type);
    MPI_Type_size(type, &bytes);
    CHECK(bytes == 8);
    double one = 1, two = 2;
    MPI_Reduce_local(&one, &two, 1, again, MPI_SUM);
    CHECK(two == 3);
    CHECK_CLASS(MPI_Type_create_f90_real(60, 10, &type), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Type_create_f90_real(MPI_UNDEFINED, MPI_UNDEFINED, &type),
                MPI_ERR_ARG);
    CHECK_CLASS(MPI_Type_create_f90_integer(60, &type), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Type_free(&again), MPI_ERR_TYPE);
}

static void types_are_found_by_size_and_parts(void)
{
    MPI_Datatype type;
    MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &type);
    CHECK(type == MPI_REAL8);
    MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 2, &type);
    CHECK(type == MPI_INTEGER2);
    MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 16, &type);
    CHECK(type == MPI_COMPLEX16);
    CHECK_CLASS(MPI_Type_match_size(MPI_TYPECLASS_REAL, 7, &type), MPI_ERR_ARG);
    MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &type);
    CHECK(type == MPI_DOUBLE_INT);
    MPI_Type_get_value_index(MPI_INT, MPI_INT, &type);
    CHECK(type == MPI_2INT);
    MPI_Type_get_value_index(MPI_CHAR, MPI_DOUBLE, &type);
    CHECK(type == MPI_DATATYPE_NULL);
}

// ---- external32 -------------------------------------------------------------------------------
struct several {
    int64_t wide;
    long narrow;
    long double extended;
    short little;
};

static void external32_is_big_endian(void)
{
    struct several in = {0x0102030405060708, -2, -1.5L, 0x1122}, out = {0};
    static const unsigned char expected[] = {
        1,    2,    3,    4,    5,    6,   7, 8,             // 8 bytes
        0xff, 0xff, 0xff, 0xfe,                              // a long has 4
        0xbf, 0xff, 0x80, 0,    0,    0,   0, 0, 0, 0, 0, 0, // binary128
        0,    0,    0,    0,    0x11, 0x22};
    int lengths[] = {1, 1, 1, 1};
    MPI_Aint places[] = {0, offsetof(struct several, narrow),
                         offsetof(struct several, extended),
                         offsetof(struct several, little)};
    MPI_Datatype parts[] = {MPI_INT64_T, MPI_LONG, MPI_LONG_DOUBLE, MPI_SHORT}, type;
    MPI_Aint position = 0, bytes;
    MPI_Count large_position = 0;
    unsigned char packed[sizeof expected];
    MPI_Type_create_struct(4, lengths, places, parts, &type);
    MPI_Type_commit(&type);
    MPI_Pack_external_size("external32", 1, type, &bytes);
    CHECK(bytes == sizeof expected);
    MPI_Pack_external("external32", &in, 1, type, packed, sizeof packed, &position);
    CHECK(position == sizeof expected && memcmp(packed, expected, sizeof packed) == 0);
    position = 0;
    MPI_Unpack_external("external32", packed, sizeof packed, &position, &out, 1, type);
    CHECK(out.wide == in.wide && out.narrow == -2 && out.extended == -1.5L &&
          out.little == in.little);
    memset(&out, 0, sizeof out);
    memset(packed, 0, sizeof packed);
    MPI_Pack_external_c("external32", &in, 1, type, packed, sizeof packed,
                        &large_position);
    CHECK(memcmp(packed, expected, sizeof packed) == 0);
    large_position = 0;
    MPI_Unpack_external_c("external32", packed, sizeof packed, &large_position, &out, 1,
                          type);
    CHECK(large_position == sizeof expected && out.wide == in.wide &&
          out.little == in.little);
    in.narrow = 1L << 40;
    position = 0;
    CHECK_CLASS(
        MPI_Pack_external("external32", &in, 1, type, packed, sizeof packed, &position),
        MPI_ERR_CONVERSION);
    CHECK_CLASS(
        MPI_Pack_external("native", &in, 1, type, packed, sizeof packed, &position),
        MPI_ERR_UNSUPPORTED_DATAREP);
    MPI_Type_free(&type);
}

// ---- what is refused ----------------------------------------------------------------------------
static void wrong_arguments_are_refused(void)
{
    MPI_Datatype type = MPI_INT, wrong[] = {MPI_INT, MPI_DATATYPE_NULL};
    int lengths[] = {1, -1}, ones[] = {1, 1}, sizes[] = {4, 4}, parts[] = {2, 3},
        starts[] = {0, 2}, position = 2, packed[2] = {0};
    MPI_Aint places[] = {0, 8};
    CHECK_CLASS(MPI_Type_indexed(-1, ones, ones, MPI_INT, &type), MPI_ERR_COUNT);
    CHECK_CLASS(MPI_Type_indexed(2, lengths, ones, MPI_INT, &type), MPI_ERR_ARG);
    CHECK_CLASS(MPI_Type_create_struct(2, ones, places, wrong, &type), MPI_ERR_TYPE);
    CHECK_CLASS(
        MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &type),
        MPI_ERR_ARG);
    CHECK_CLASS(MPI_Type_create_subarray(2, sizes, ones, ones, 7, MPI_INT, &type),
                MPI_ERR_ARG);
    int blocks[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK}, few[] = {1, 1},
        grid[] = {2, 2};
    CHECK_CLASS(MPI_Type_create_darray(4, 0, 2, sizes, blocks, few, grid, MPI_ORDER_C,
                                       MPI_INT, &type),
                MPI_ERR_ARG);
    CHECK_CLASS(MPI_Type_create_darray(3, 0, 2, sizes, blocks, sizes, grid, MPI_ORDER_C,
                                       MPI_INT, &type),
                MPI_ERR_ARG);
    CHECK(type == MPI_INT);
    CHECK_CLASS(
        MPI_Pack(ones, 2, MPI_INT, packed, sizeof packed, &position, MPI_COMM_WORLD),
        MPI_ERR_TRUNCATE);
    CHECK(position == 2 && packed[1] == 0);
}

static void large_contents_need_large_calls(void)
{
    MPI_Datatype type, old;
    int integers, addresses, types, combiner;
    MPI_Type_contiguous_c(3, MPI_INT, &type);
    CHECK_CLASS(MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner),
                MPI_ERR_TYPE);
    CHECK_CLASS(MPI_Type_get_contents(type, 1, 0, 1, &integers, &(MPI_Aint){0}, &old),
                MPI_ERR_TYPE);
    MPI_Type_free(&type);
    MPI_Type_contiguous(3, MPI_INT, &type);
    CHECK_CLASS(MPI_Type_get_contents(type, 0, 0, 1, &integers, &(MPI_Aint){0}, &old),
                MPI_ERR_ARG);
    CHECK_CLASS(
        MPI_Type_get_contents(MPI_INT, 1, 0, 1, &integers, &(MPI_Aint){0}, &old),
        MPI_ERR_TYPE);
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    given_bounds_hide_others();
    addresses_may_be_absolute();
    large_sizes_are_undefined_in_small_calls();
    large_calls_pack();
    names_are_kept();
    attributes_follow_duplicates();
    fortran_types_are_found();
    types_are_found_by_size_and_parts();
    external32_is_big_endian();
    wrong_arguments_are_refused();
    large_contents_need_large_calls();
    return finish();
}
