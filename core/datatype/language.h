// SPDX-License-Identifier: BSD-3-Clause
// Interface of libmpi_abi to the layer of another language, for its buffers: datatypes
// and operations, and array sections as typed buffers or as copies. Installed beside
// object/language.h.
#pragma once

#include "object/language.h"

// ---- operations ---------------------------------------------------------------------
// Both buffers have `length` elements of the datatype; results go to the second.
typedef void op_invoker(generic_function *function, const void *in, void *inout,
                        MPI_Count length, uintptr_t datatype);
ORIEL_EXPORT void oriel_op_invoker(uintptr_t op, op_invoker *invoke);

// ---- datatypes ----------------------------------------------------------------------
// Before the library starts: INTEGER and LOGICAL have 8 bytes, where a compiler's
// options say so; then MPI_INTEGER and MPI_LOGICAL have, too. MPI_2INTEGER has 16, but
// no operations.
ORIEL_EXPORT void oriel_integers_are_wide(void);
// Such a layer calls only the constructors whose names end in _c, and then this: if
// ints can hold the counts, the datatype passes for one of the small constructor
// (MPI-4.1 5.1.13).
ORIEL_EXPORT void oriel_datatype_is_small(uintptr_t datatype);

// ---- array sections -----------------------------------------------------------------
// In place of a buffer that must be whole: the C procedure fails as it would for a bad
// address, a collective one on all members. Nothing is at these addresses.
#define UNFIT_SECTION ((void *)4094) // elements do not follow each other
#define UNFIT_SIZE ((void *)4095)    // there are fewer bytes than the call says

// A Fortran array section that is not contiguous.
struct section {
    MPI_Count element_bytes;
    int rank; // number of dimensions, 1..15, first varies fastest
    struct {
        MPI_Count extent; // elements; the last may be -1 (assumed size)
        MPI_Aint stride;  // bytes between neighbours, may be negative
    } dimension[15];
};

// The datatype of a section, while calls use it.
struct open_section {
    _Atomic(int) users;
    MPI_Datatype whole;
};
// A buffer as arguments of a procedure in C.
struct typed_buffer {
    void *address;
    MPI_Count count;
    MPI_Datatype type;
    struct open_section *section; // that has this type; to be closed after the call
};
// Says in a buffer's last three members where the first `count` elements of `type` are
// when the section's own elements are thought packed one after another (MPI-4.1
// 19.1.12). The address is to be the section's base. On failure nothing changes.
ORIEL_EXPORT int oriel_section_open(struct typed_buffer *buffer,
                                    const struct section *section, MPI_Count count,
                                    MPI_Datatype type);
// The same for the usual section, of one dimension.
ORIEL_EXPORT int oriel_vector_open(struct typed_buffer *buffer, MPI_Count element_bytes,
                                   MPI_Count count, MPI_Datatype type, MPI_Count extent,
                                   MPI_Aint stride);
// For oriel_section_close: there are no users any more.
ORIEL_EXPORT void oriel_section_drop(struct open_section *opened);
static inline void oriel_section_close(struct open_section *opened)
{
    if (atomic_fetch_sub_explicit(&opened->users, 1, memory_order_acq_rel) == 1)
        oriel_section_drop(opened);
}

// ---- buffers that are copied --------------------------------------------------------
// An array of ints, or of integers of 64 bits, as the program has it.
struct numbers {
    const void *at;
    bool is_wide;
};

// The part of a buffer that a call uses: blocks that lie one behind the other, unless
// there are displacements.
struct demand {
    int blocks;
    MPI_Count count;   // elements of each block
    MPI_Datatype type; // of an element
    // Where these are given they count instead; displacements are in extents of `type`,
    // in bytes where the types differ.
    struct numbers counts, displacements;
    const MPI_Datatype *types;
    // For races_use_demand: all blocks, or without that of a rank, or that one alone.
    enum { DEMAND_ALL, DEMAND_OTHERS, DEMAND_OWN } part;
    int own; // the rank
};
// MPI_ERR_BUFFER unless all that a call uses of the buffer called `name` is in its
// first `bytes` bytes.
ORIEL_EXPORT int oriel_demand_check(const struct demand *demand, const char *name,
                                    MPI_Count bytes);

// ---- copies that requests keep ------------------------------------------------------
// A copy of the part of an array section that a collective operation uses, while it
// goes on.
struct section_copy;
struct kept_buffer {
    void *address;
    struct section_copy *copy; // what begins there; NULL: the program's own memory does
};
// Copies what `demand` names of the section called `name`, which begins at the buffer's
// address. Nothing changes on failure, and where the procedure refuses what is
// demanded.
ORIEL_EXPORT int oriel_copy_make(struct kept_buffer *buffer,
                                 const struct section *section,
                                 const struct demand *demand, const char *name);
// After the call the copy belongs to the request. If the operation changes it, it goes
// back into the section when the operation completes.
ORIEL_EXPORT void oriel_copy_keep(struct section_copy *copy, bool is_changed,
                                  MPI_Request request);
// The same at once, where there is no request.
ORIEL_EXPORT void oriel_copy_close(struct section_copy *copy, bool is_changed);
