// SPDX-License-Identifier: BSD-3-Clause
// What libmpi_abi gives to the layer of another language, besides the C procedures. The
// layer creates objects through these, so that a tool sees the calls once, and then says
// how to call back into its language. Installed, so that the layer can be built for
// another compiler; needs nothing but mpi.h.
#pragma once

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define ORIEL_EXPORT __attribute__((visibility("default")))

enum object_kind {
    KIND_COMM = 1,
    KIND_GROUP,
    KIND_WIN,
    KIND_INFO,
    KIND_ERRHANDLER,
    KIND_DATATYPE,
    KIND_OP,
    KIND_REQUEST,
    KIND_MESSAGE,
    KIND_SESSION,
    KIND_KEYVAL,
    KIND_COUNT
};

// ---- callbacks ----------------------------------------------------------------------
typedef void generic_function(void); // a callback, whatever its arguments

// An invoker calls a function in its language; handles arrive as their codes.
typedef void errhandler_invoker(generic_function *function, uintptr_t handle, int code);
ORIEL_EXPORT void oriel_errhandler_invoker(uintptr_t errhandler,
                                           errhandler_invoker *invoke);

// Both buffers have `length` elements of the datatype; results go to the second.
typedef void op_invoker(generic_function *function, const void *in, void *inout,
                        MPI_Count length, uintptr_t datatype);
ORIEL_EXPORT void oriel_op_invoker(uintptr_t op, op_invoker *invoke);

// Attribute values are integers for the other language (MPI-4.1 19.3.7), and so is the
// extra state, which a function may change for those that are called later. They return
// what the function returned.
typedef int copy_invoker(generic_function *function, uintptr_t handle, int keyval,
                         MPI_Aint *extra_state, MPI_Aint value, MPI_Aint *copied,
                         int *flag);
typedef int delete_invoker(generic_function *function, uintptr_t handle, int keyval,
                           MPI_Aint value, MPI_Aint *extra_state);
ORIEL_EXPORT void oriel_keyval_invokers(int keyval, copy_invoker *copy,
                                        delete_invoker *drop);

// They return what the functions of a generalized request returned. `variable` is where
// the program has the extra state, which follows what functions change.
struct grequest_invokers {
    int (*query)(generic_function *function, MPI_Aint *extra_state, MPI_Status *status);
    int (*free)(generic_function *function, MPI_Aint *extra_state);
    int (*cancel)(generic_function *function, MPI_Aint *extra_state, int complete);
};
ORIEL_EXPORT void oriel_request_invokers(uintptr_t request,
                                         const struct grequest_invokers *invoke,
                                         MPI_Aint *variable);

// ---- attributes ---------------------------------------------------------------------
// An attribute set from Fortran is an integer; C sees a pointer to it (MPI-4.1 19.3.7).
// Called before this thread calls MPI_*_set_attr with the integer cast to a pointer, so
// that no other thread sees that as a pointer.
ORIEL_EXPORT void oriel_attribute_is_integer(enum object_kind kind, uintptr_t handle,
                                             int keyval, MPI_Aint value);
// The integer that Fortran sees for the pointer that MPI_*_get_attr has returned.
ORIEL_EXPORT MPI_Aint oriel_attribute_integer(enum object_kind kind, uintptr_t handle,
                                              int keyval, void *value);

// ---- errors -------------------------------------------------------------------------
// What a generated entry point says about itself.
struct call {
    const char *name; // "MPI_Win_create"
    // KIND_COMM, KIND_WIN, KIND_SESSION; KIND_ERRHANDLER: one that the call is given
    // for what it makes; or 0: MPI_COMM_SELF's.
    enum object_kind raised_on;
};

// A failure that the other layer finds by itself: sets the thread's text and returns
// the class, then, with a class from here or from what is below, runs the error
// handler that the C procedure would run; `handle` is of the kind call->raised_on, if
// not 0.
ORIEL_EXPORT int oriel_fail(int error_class, const char *text);
ORIEL_EXPORT int oriel_raise(const struct call *call, uintptr_t handle,
                             int error_class);

// In place of a buffer that must be whole: the C procedure fails as it would for a bad
// address, a collective one on all members. Nothing is at these addresses.
#define UNFIT_SECTION ((void *)4094) // elements do not follow each other
#define UNFIT_SIZE ((void *)4095)    // there are fewer bytes than the call says

// ---- datatypes ----------------------------------------------------------------------
// Before the library starts: INTEGER and LOGICAL have 8 bytes, where a compiler's options
// say so; then MPI_INTEGER and MPI_LOGICAL have, too. MPI_2INTEGER has 16, but no
// operations.
ORIEL_EXPORT void oriel_integers_are_wide(void);
// Such a layer calls only the constructors whose names end in _c, and then this: if ints
// can hold the counts, the datatype passes for one of the small constructor
// (MPI-4.1 5.1.13).
ORIEL_EXPORT void oriel_datatype_is_small(uintptr_t datatype);

// ---- array sections -----------------------------------------------------------------
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
// What a procedure in C is told of a buffer.
struct typed_buffer {
    void *address;
    MPI_Count count;
    MPI_Datatype type;
    struct open_section *section; // that has this type; to be closed after the call
};
// Says in a buffer's last three members where the first `count` elements of `type` are
// when the section's own elements are thought packed one after another (MPI-4.1 19.1.12).
// The address is to be the section's base. On failure nothing changes.
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

// What a call uses of a buffer: blocks that lie one behind the other, unless there are
// displacements.
struct demand {
    int blocks;
    MPI_Count count;   // elements of each block
    MPI_Datatype type; // of an element
    // Where these are given they count instead; displacements are in extents of `type`,
    // in bytes where the types differ.
    struct numbers counts, displacements;
    const MPI_Datatype *types;
};
// MPI_ERR_BUFFER unless all that a call uses of the buffer called `name` is in its first
// `bytes` bytes.
ORIEL_EXPORT int oriel_demand_check(const struct demand *demand, const char *name,
                                    MPI_Count bytes);
// Whether this process is the root, and its own rank; false and 0 without a communicator.
ORIEL_EXPORT bool oriel_is_root(uintptr_t comm, int root);
ORIEL_EXPORT int oriel_own_rank(uintptr_t comm);

// ---- copies that requests keep ------------------------------------------------------
// What a collective operation uses of an array section, while it goes on.
struct section_copy;
struct kept_buffer {
    void *address;
    struct section_copy *copy; // what begins there; NULL: the program's own memory does
};
// Copies what `demand` names of the section called `name`, which begins at the buffer's
// address. Nothing changes on failure, and where the procedure refuses what is demanded.
ORIEL_EXPORT int oriel_copy_make(struct kept_buffer *buffer,
                                 const struct section *section,
                                 const struct demand *demand, const char *name);
// After the call the copy belongs to the request. If the operation changes it, it goes
// back into the section when the operation completes.
ORIEL_EXPORT void oriel_copy_keep(struct section_copy *copy, bool is_changed,
                                  MPI_Request request);
// The same at once, where there is no request.
ORIEL_EXPORT void oriel_copy_close(struct section_copy *copy, bool is_changed);
