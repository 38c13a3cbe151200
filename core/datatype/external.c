// SPDX-License-Identifier: BSD-3-Clause
// Data in external32, the representation that is the same on all machines (MPI-4.1
// 5.3, 15.5.2): big-endian, some numbers of other sizes than here. Data is packed
// first; then its signature tells where which numbers are.
#include "datatype/contents.h"

#include <float.h>
#include <oriel_core.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_NUMBER = 16 };

// Where a conversion has come to.
struct conversion {
    char *packed, *external;
    bool packing; // from packed to external
};

// ---- numbers ----------------------------------------------------------------------
static void bytes_reverse(void *to, const void *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        ((char *)to)[i] = ((const char *)from)[bytes - 1 - i];
}

// The two sizes of an integer; the smaller one may lose what the value has.
static int convert_integer(const struct conversion *at, const struct number *number)
{
    bool is_signed = number->form == FORM_SIGNED;
    size_t from_bytes = at->packing ? number->bytes : number->external;
    size_t to_bytes = at->packing ? number->external : number->bytes;
    uint64_t value = 0;
    if (at->packing)
        memcpy(&value, at->packed, from_bytes);
    else
        bytes_reverse(&value, at->external, from_bytes);
    unsigned unused = 64 - 8 * (unsigned)from_bytes;
    value <<= unused;
    value = is_signed ? (uint64_t)((int64_t)value >> unused) : value >> unused;
    if (at->packing)
        bytes_reverse(at->external, &value, to_bytes);
    else
        memcpy(at->packed, &value, to_bytes);
    uint64_t kept = value << (64 - 8 * to_bytes);
    kept = is_signed ? (uint64_t)((int64_t)kept >> (64 - 8 * to_bytes))
                     : kept >> (64 - 8 * to_bytes);
    return kept == value ? 0
                         : fail(MPI_ERR_CONVERSION,
                                "%jd does not fit into the %zu bytes of external32",
                                (intmax_t)value, to_bytes);
}

// Rounds 63 digits to nearest by the 49 that follow, ties to even. A NaN stays one.
static void round_digits(uint64_t rest, uint64_t *digits, uint16_t *head)
{
    uint64_t half = (uint64_t)1 << 48;
    if ((*head & 0x7fff) == 0x7fff) {
        *digits |= (uint64_t)(rest != 0) << 62;
    } else if (rest > half || (rest == half && (*digits & 1) != 0)) {
        ++*digits;
        *head = (uint16_t)(*head + (*digits >> 63));
        *digits &= ((uint64_t)1 << 63) - 1;
    }
}

// The processor's 80 bits have the exponent of binary128 and a leading digit that
// binary128 leaves out: 1 but for zero and what is smaller than all normal numbers.
static void convert_80_bits(const struct conversion *at)
{
    uint64_t digits, wide[2] = {0, 0};
    uint16_t head;
    if (at->packing) {
        memcpy(&digits, at->packed, sizeof digits);
        memcpy(&head, at->packed + sizeof digits, sizeof head);
        wide[1] = (uint64_t)head << 48 | (digits << 1) >> 16;
        wide[0] = digits << 49;
        bytes_reverse(at->external, wide, sizeof wide);
        return;
    }
    bytes_reverse(wide, at->external, sizeof wide);
    head = (uint16_t)(wide[1] >> 48);
    digits = (wide[1] << 16 | wide[0] >> 48) >> 1;
    round_digits(wide[0] & (((uint64_t)1 << 49) - 1), &digits, &head);
    if ((head & 0x7fff) != 0)
        digits |= (uint64_t)1 << 63;
    memset(at->packed, 0, sizeof(long double));
    memcpy(at->packed, &digits, sizeof digits);
    memcpy(at->packed + sizeof digits, &head, sizeof head);
}

static int convert_number(struct conversion *at, const struct number *number)
{
    int err = 0;
    if (number->form == FORM_SIGNED || number->form == FORM_UNSIGNED)
        err = convert_integer(at, number);
    else if (number->form == FORM_LONG_DOUBLE && LDBL_MANT_DIG == 64)
        convert_80_bits(at);
    else if (at->packing)
        bytes_reverse(at->external, at->packed, number->bytes);
    else
        bytes_reverse(at->packed, at->external, number->bytes);
    at->packed += number->bytes;
    at->external += number->external;
    return err;
}

// ---- signatures -------------------------------------------------------------------
// `count` elements of a type that consists of one basic type.
static int convert_elements(struct conversion *at, const struct datatype *type,
                            MPI_Count count)
{
    const struct number *numbers = type->basic->number_of;
    MPI_Count bytes =
        numbers[0].count * numbers[0].bytes + numbers[1].count * numbers[1].bytes;
    int err = 0;
    for (MPI_Count left = count * type->size / bytes; !err && left > 0; left--)
        for (int i = 0; i < 2; i++)
            for (int j = 0; !err && j < numbers[i].count; j++)
                err = convert_number(at, &numbers[i]);
    return err;
}

static int convert_type(struct conversion *at, const struct datatype *type,
                        MPI_Count count)
{
    if (type->size == 0)
        return 0;
    if (type->basic != NULL)
        return convert_elements(at, type, count);
    MPI_Count components = component_count(type->contents);
    int err = 0;
    for (; count > 0; count--)
        for (MPI_Count i = 0; !err && i < components; i++) {
            struct component component;
            component_get(type->contents, i, &component);
            err = convert_type(at, component.type, component.count * component.length);
        }
    return err;
}

static MPI_Count external_size(const struct datatype *type)
{
    MPI_Count size = 0;
    if (type->size == 0)
        return 0;
    if (type->basic != NULL) {
        const struct number *numbers = type->basic->number_of;
        MPI_Count bytes = 0;
        for (int i = 0; i < 2; i++) {
            bytes += numbers[i].count * numbers[i].bytes;
            size += numbers[i].count * numbers[i].external;
        }
        return type->size / bytes * size;
    }
    for (MPI_Count i = 0; i < component_count(type->contents); i++) {
        struct component component;
        component_get(type->contents, i, &component);
        size += component.count * component.length * external_size(component.type);
    }
    return size;
}

// ---- the procedures -----------------------------------------------------------------
static int check_representation(const char *datarep)
{
    if (strcmp(datarep, "external32") == 0)
        return 0;
    return fail(MPI_ERR_UNSUPPORTED_DATAREP, "datarep = \"%s\": must be \"external32\"",
                datarep);
}

int oriel_pack_external_size(const char *datarep, MPI_Count incount,
                             struct datatype *datatype, MPI_Count *size)
{
    int err = check_representation(datarep);
    if (!err && __builtin_mul_overflow(incount, external_size(datatype), size))
        err = fail(MPI_ERR_COUNT, "%jd elements of %jd bytes are too many",
                   (intmax_t)incount, (intmax_t)datatype->size);
    return err;
}

// Memory for the packed data, which the caller frees; none is needed where the typed
// buffer is as good.
static int packed_buffer(const struct datatype *type, MPI_Count count, void *typed,
                         char **packed)
{
    *packed = type->is_contiguous ? typed : malloc((size_t)(count * type->size) + 1);
    if (*packed != NULL || type->is_contiguous)
        return 0;
    return fail(MPI_ERR_NO_MEM, "no memory to convert %jd bytes",
                (intmax_t)(count * type->size));
}

int oriel_pack_external(const char *datarep, const void *inbuf, MPI_Count incount,
                        struct datatype *datatype, void *outbuf, MPI_Count outsize,
                        MPI_Count *position)
{
    struct conversion at = {.external = (char *)outbuf + *position, .packing = true};
    MPI_Count bytes;
    int err = oriel_pack_external_size(datarep, incount, datatype, &bytes);
    if (!err)
        err = packed_check(outsize, *position, bytes);
    if (!err)
        err = packed_buffer(datatype, incount, (void *)inbuf, &at.packed);
    if (err)
        return err;
    char *packed = at.packed;
    if (packed != inbuf)
        datatype_pack(datatype, incount, inbuf, packed);
    err = convert_type(&at, datatype, incount);
    if (!err)
        *position += bytes;
    if (packed != inbuf)
        free(packed);
    return err;
}

int oriel_unpack_external(const char *datarep, const void *inbuf, MPI_Count insize,
                          MPI_Count *position, void *outbuf, MPI_Count outcount,
                          struct datatype *datatype)
{
    struct conversion at = {.external = (char *)inbuf + *position};
    MPI_Count bytes;
    int err = oriel_pack_external_size(datarep, outcount, datatype, &bytes);
    if (!err)
        err = packed_check(insize, *position, bytes);
    if (!err)
        err = packed_buffer(datatype, outcount, outbuf, &at.packed);
    if (err)
        return err;
    char *packed = at.packed;
    err = convert_type(&at, datatype, outcount);
    if (!err && packed != outbuf)
        datatype_unpack(datatype, outcount, outbuf, packed);
    if (!err)
        *position += bytes;
    if (packed != outbuf)
        free(packed);
    return err;
}
