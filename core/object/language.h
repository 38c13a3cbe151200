// SPDX-License-Identifier: BSD-3-Clause
// Interface of libmpi_abi to the layer of another language, besides the C procedures.
// The layer creates objects through these, so that a tool sees the calls once, and then
// says how to call back into its language. Installed, so that the layer can be built
// for another compiler; needs nothing but mpi.h.
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
    int (*cancel)(generic_function *function, MPI_Aint *extra_state,
                  int schedule_complete);
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
// An entry point, as the generator describes it.
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

// ---- communicators ------------------------------------------------------------------
// Whether this process is the root, and its own rank; false and 0 without a
// communicator.
ORIEL_EXPORT bool oriel_is_root(uintptr_t comm, int root);
ORIEL_EXPORT int oriel_own_rank(uintptr_t comm);
