// SPDX-License-Identifier: BSD-3-Clause
// datatype: what a typed buffer is. Datatypes, their layouts and how they are made,
// packing, Fortran's array sections, and the operations on elements; no communication.
//
// Glossary
//   layout     where the bytes of one element of a datatype lie
//   block      contiguous bytes of a typed buffer
//   run        blocks of equal length at equal distances
//   basic      a C type with its operations, which predefined datatypes share
//   section    a Fortran array section that is not contiguous
//   demand     what a call uses of a buffer
#pragma once

#include "datatype/language.h"
#include "object/object.h"

void datatypes_start(void); // opens the predefined datatypes and operations
void datatypes_stop(void);

// ---- datatypes (MPI-4.1 5) --------------------------------------------------------
static inline MPI_Count number_at(struct numbers numbers, MPI_Count index)
{
    return numbers.is_wide ? ((const MPI_Count *)numbers.at)[index]
                           : ((const int *)numbers.at)[index];
}

// inout[i] = in[i] op inout[i] for i < count.
typedef void kernel(const void *restrict in, void *restrict inout, MPI_Count count);

// How external32 holds numbers (MPI-4.1 15.5.2): their bytes in the opposite order, but
// for those of another size or form.
enum number_form { FORM_SAME, FORM_SIGNED, FORM_UNSIGNED, FORM_LONG_DOUBLE };

struct number {
    uint8_t count;    // 2 for a complex number; 0: there is none
    uint8_t bytes;    // of each
    uint8_t external; // bytes of each in external32
    uint8_t form;
};

enum { OP_BITS = 5 }; // of op_index()

// An element as operations see it; the predefined datatypes of one C type that take the
// same operations share one. Generated from spec.
struct basic {
    uint32_t number;            // its index in `basics`, so that messages can name it
    size_t bytes;               // from one element to the next
    struct number number_of[2]; // its number, or the value of a pair, and the index
    kernel *kernels
        [1 << OP_BITS]; // by operation, see op_index(); NULL where it is not defined
};
// Where its row begins in a table by basic type and operation, whose first row is
// empty.
static inline unsigned basic_row(const struct basic *basic)
{
    return (1 + basic->number) << OP_BITS;
}
extern const struct basic basics[];
extern const int basic_count;

// Blocks of equal length at equal distances.
struct run {
    MPI_Aint offset; // of the first block
    MPI_Count count;
    MPI_Aint stride;
    size_t block; // bytes
};

struct layout;
struct contents;
struct datatype {
    struct object object;
    MPI_Count size;       // bytes of data
    MPI_Count lb, extent; // what the next element is away by
    MPI_Count true_lb, true_extent;
    MPI_Aint alignment;
    bool is_committed;
    bool has_markers;    // lb and extent were given (5.1.7), not found
    bool is_contiguous;  // size == extent == true_extent, lb == 0: any count is one
                         // block; also when size == 0
    uint32_t plain_size; // = size where any count of a committed type is one block of
                         // memory; 0 where not, or where the size needs more bits
    struct run run;      // what one element of a committed type is, if that is one run;
                         // block == 0 where not
    // = basic_row(basic) of a predefined type of up to 8 bytes, which instructions
    // update whole; else 0
    uint16_t kernel_row;
    uint8_t kernel_inside;      // bits that are clear in addresses of aligned elements
    const struct basic *basic;  // the only basic type in it, or NULL
    struct layout *layout;      // NULL when contiguous
    struct contents *contents;  // how a program made it; NULL for a predefined one
    const char *name;           // of a predefined one, "MPI_INT"; else NULL
    _Atomic(char *) given_name; // see object_set_name
};

// Whether size, bounds, layout and what a commit has added agree. Between its making
// and its end; a predefined one once the layer has started.
bool datatype_is_valid(const struct datatype *type);

// Elements have data, and there is no memory for them, as at NULL unless the datatype
// has absolute addresses.
static inline bool has_no_memory(const void *buffer, const struct datatype *type)
{
    return type->size > 0 && is_nowhere((uintptr_t)buffer + (uintptr_t)type->true_lb);
}

// A cursor over the blocks of `count` elements of a datatype, in type-map order.
// Adjacent blocks are merged where the layout shows it. All but `type` and `count` is
// its own.
struct blocks {
    const struct datatype *type;
    MPI_Count count; // elements
    MPI_Count run;   // number of the next run, over all elements
    MPI_Count left;  // blocks left in the current run
    MPI_Aint offset; // of the current block from the buffer address
    MPI_Aint stride; // to the next block of the run
    size_t bytes;    // of each block of the run
    size_t done;     // of the current block
};
static inline struct blocks blocks_of(const struct datatype *type, MPI_Count count)
{
    return (struct blocks){.type = type, .count = count};
}
// Goes on to the next run, of `left` blocks; false when there are no more.
bool blocks_next_run(struct blocks *blocks);
// The next at most `limit` contiguous bytes: their offset from the buffer address and
// their number; 0 when there are no more.
static inline size_t blocks_next(struct blocks *blocks, size_t limit, MPI_Aint *offset)
{
    if (blocks->left == 0 && !blocks_next_run(blocks))
        return 0;
    size_t bytes = blocks->bytes - blocks->done;
    *offset = blocks->offset + (MPI_Aint)blocks->done;
    if (unlikely(bytes > limit)) {
        blocks->done += limit;
        return limit;
    }
    blocks->left--;
    blocks->offset += blocks->stride;
    blocks->done = 0;
    return bytes;
}
// Offset of the first byte touched and one past the last, for `count` elements; the
// largest numbers there are when it cannot be said in 64 bits.
void datatype_span(const struct datatype *type, MPI_Count count, MPI_Aint *first,
                   MPI_Aint *last);
// The next `bytes` bytes of two typed buffers, which both have them.
void blocks_copy(struct blocks sources, const char *from, struct blocks targets,
                 char *to, size_t bytes);
// Copies between a typed buffer and a packed one.
void datatype_pack(const struct datatype *type, MPI_Count count, const void *buffer,
                   void *packed);
void datatype_unpack(const struct datatype *type, MPI_Count count, void *buffer,
                     const void *packed);
// MPI_ERR_TRUNCATE unless so many bytes are left in a packed buffer.
int packed_check(MPI_Count size, MPI_Count position, MPI_Count bytes);

// ---- copies of array sections -------------------------------------------------------
// A list of those that belong to one request, NULL if there are none; oriel_copy_make
// makes them. They are copied anew before the operation starts again. When it has
// completed, those that it changes go back into their sections.
void section_copies_add(struct section_copy **copies, struct section_copy *copy,
                        bool is_changed);
void section_copies_renew(struct section_copy *copies);
void section_copies_return(struct section_copy *copies);
void section_copies_free(struct section_copy *copies);
// The datatype of all that a call uses of a buffer, which is known to be there; NULL if
// the procedure refuses the arguments.
int demand_type(const struct demand *demand, struct datatype **type);

// ---- operations (MPI-4.1 6.9) -----------------------------------------------------
struct op {
    struct object object;
    bool is_commutative, is_large; // large: its function takes an MPI_Count
    int code;                      // its ABI code, 32 to 63; 0 for the program's
    const char *name;
    generic_function *function; // of the program, NULL for the predefined ones
    op_invoker *invoke;         // calls it
};
static inline int op_index(const struct op *op)
{
    return op->code & 31;
}
// MPI_ERR_OP unless MPI-4.1 6.9.2 defines the operation for reductions of this type,
// which then is predefined. The program's are for every type.
int op_check(const struct op *op, const struct datatype *type);
// inout[i] = in[i] op inout[i] for `count` elements of a type that op_check allows. The
// program's function is called in the thread of the caller.
void op_reduce(const struct op *op, const struct datatype *type, const void *in,
               void *inout, MPI_Count count);
// inout[i] = in[i] op inout[i] for `count` elements of a basic type that has the
// operation; MPI_REPLACE and MPI_NO_OP (12.3.4) are for every type.
void op_apply(const struct op *op, const struct basic *basic, const void *in,
              void *inout, MPI_Count count);
