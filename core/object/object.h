// SPDX-License-Identifier: BSD-3-Clause
// object: what handles stand for. Communicators, groups, datatypes, operations, info,
// error handlers, attributes; no communication.
//
// Glossary
//   handle     the pointer-sized value of the MPI-5.0 ABI that a program holds. A
//              predefined one is its ABI code (below 1024); a dynamic one carries the
//              index of its slot in bits 0-21 and a generation (never 0) in bits 22-30,
//              so that conversion to a Fortran INTEGER is a cast and a stale handle is
//              detected
//   slot       entry of the handle table: tag and object
//   tag        kind and handle in one word, so that one comparison checks both
//   keyval     an attribute key; also a handle, of kind KIND_KEYVAL
//   layout     where the bytes of one element of a datatype lie
#pragma once

#include "message/message.h"

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

// Starts every object.
struct object {
    uint64_t tag;                     // 0 once the handle has been freed
    _Atomic(uint32_t) references;     // the handle and every object that uses this one
    bool is_predefined;               // its handle is not freed by programs
    void (*destroy)(struct object *); // frees what the object owns and the object
};

struct slot {
    uint64_t tag;
    struct object *object;
};

enum { HANDLE_INDEX_BITS = 22, HANDLE_SLOTS = 1 << HANDLE_INDEX_BITS };

// In .bss: pages that no handle uses cost nothing.
extern struct slot handle_table[HANDLE_SLOTS];

static inline uint64_t handle_tag(enum object_kind kind, uintptr_t handle)
{
    return ((uint64_t)(0x80 | kind) << 56) ^ handle; // no user address has such a top byte
}

// The object of a handle, or NULL if it is null, stale or of another kind.
static inline void *handle_object(enum object_kind kind, uintptr_t handle)
{
    const struct slot *slot = &handle_table[handle & (HANDLE_SLOTS - 1)];
    return likely(slot->tag == handle_tag(kind, handle)) ? slot->object : NULL;
}

// The handle of an object, for conversion to MPI_Comm and the like.
static inline uintptr_t object_handle(const void *object)
{
    return ((const struct object *)object)->tag & 0x7fffffff;
}

// Gives the object a handle (its first reference). MPI_ERR_NO_MEM when 2^22 are in use.
int object_open(struct object *object, enum object_kind kind);
// The same with the given ABI code; at start-up only.
void object_open_predefined(struct object *object, enum object_kind kind,
                            uintptr_t code);
// Makes the handle stale and drops its reference.
void object_close(struct object *object);
static inline void object_retain(void *object)
{
    atomic_fetch_add_explicit(&((struct object *)object)->references, 1,
                              memory_order_relaxed);
}
void object_release(void *object); // NULL is allowed

int objects_start(void); // predefined datatypes, operations, error handlers, infos
void objects_stop(void);

// ---- groups (MPI-4.1 7.3) ---------------------------------------------------------
struct group {
    struct object object;
    int size;
    int rank;         // of this process in the group, MPI_UNDEFINED if not a member
    const int *ranks; // [size] rank in the job of each member
};
// Takes a copy of `ranks`. The group has one reference and no handle yet.
int group_make(const int *ranks, int size, struct group **group);

// ---- error handlers (MPI-4.1 9.3) -------------------------------------------------
struct errhandler;
// Language of a callback; Fortran's are called through an invoker that its layer gives.
typedef void generic_function(void);

struct errhandler {
    struct object object;
    enum object_kind applies_to; // KIND_COMM, KIND_WIN, KIND_SESSION; 0 for predefined
    generic_function *function;  // NULL for the predefined ones
    // Calls `function` with (handle, error code) in its own language; the default calls C.
    void (*invoke)(generic_function *function, uintptr_t handle, int code);
};
extern struct errhandler errors_are_fatal, errors_abort, errors_return;

// ---- attributes (MPI-4.1 7.7) -------------------------------------------------------
struct attribute {
    int keyval;
    void *value;           // as a C program sees it
    MPI_Aint integer;      // set from Fortran: the value; then `value` points here
    struct keyval *key;
    struct attribute *next;
};
struct keyval {
    struct object object;
    enum object_kind applies_to;
    generic_function *copy, *drop; // NULL: MPI_*_NULL_COPY_FN, MPI_*_NULL_DELETE_FN
    void *extra_state;
    // Call the functions in their own language; the defaults call C.
    int (*invoke_copy)(struct keyval *key, uintptr_t handle, struct attribute *from,
                       struct attribute *to, int *flag);
    int (*invoke_drop)(struct keyval *key, uintptr_t handle, struct attribute *attribute);
};
// The list of an object's user attributes; implementations of MPI_*_set_attr and so on.
int attribute_set(enum object_kind kind, void *object, struct attribute **list,
                  int keyval, void *value);
int attribute_get(enum object_kind kind, struct attribute *list, int keyval, void *value,
                  int *flag);
int attribute_delete(enum object_kind kind, void *object, struct attribute **list,
                     int keyval);
int attributes_copy(enum object_kind kind, void *from, struct attribute *list,
                    struct attribute **to);
int attributes_drop(enum object_kind kind, void *object, struct attribute **list);

// ---- info (MPI-4.1 10) ------------------------------------------------------------
struct info {
    struct object object;
    int count, room;
    struct info_pair {
        char *key, *value;
    } *pairs; // in the order in which keys were first set
};
int info_make(struct info **info);                       // no handle yet
int info_put(struct info *info, const char *key, const char *value);
const char *info_find(const struct info *info, const char *key); // NULL: not set; info may be NULL
// "true" and "false" (any case) or `otherwise`.
bool info_flag(const struct info *info, const char *key, bool otherwise);

// ---- datatypes (MPI-4.1 5) --------------------------------------------------------
// Basic types that operations work on, generated from spec: BASIC_INT32, BASIC_DOUBLE...
// A derived type of one basic type knows it; a mixed one has none.
struct layout;
struct datatype {
    struct object object;
    MPI_Count size;             // bytes of data
    MPI_Count lb, extent;       // what the next element is away by
    MPI_Count true_lb, true_extent;
    MPI_Aint alignment;
    bool is_committed;
    bool is_contiguous;         // size == extent == true_extent, lb == 0: any count is one block
    int basic;                  // index of the only basic type in it, or -1
    const struct layout *layout; // NULL when contiguous
    int combiner;               // MPI_COMBINER_*
    char name[MPI_MAX_OBJECT_NAME];
    struct attribute *attributes;
};

// A cursor over the blocks of `count` elements of a datatype, in type-map order.
// Adjacent blocks are merged where the layout shows it. Needs no memory of its own.
struct blocks {
    const struct datatype *type;
    MPI_Count count;    // elements
    MPI_Count element;  // current element
    MPI_Count block;    // current block inside the element
    MPI_Count done;     // bytes of the current block already taken
};
static inline struct blocks blocks_of(const struct datatype *type, MPI_Count count)
{
    return (struct blocks){.type = type, .count = count};
}
// The next at most `limit` contiguous bytes: their offset from the buffer address and
// their number; 0 when there are no more.
size_t blocks_next(struct blocks *blocks, size_t limit, MPI_Aint *offset);
// Offset of the first byte touched and one past the last, for `count` elements.
void datatype_span(const struct datatype *type, MPI_Count count, MPI_Aint *first,
                   MPI_Aint *last);
// Copies between a typed buffer and a packed one.
void datatype_pack(const struct datatype *type, MPI_Count count, const void *buffer,
                   void *packed);
void datatype_unpack(const struct datatype *type, MPI_Count count, void *buffer,
                     const void *packed);

// ---- operations (MPI-4.1 6.9) -----------------------------------------------------
struct op {
    struct object object;
    bool is_commutative;
    int code; // ABI code of a predefined operation, 0 for a user's
    generic_function *function;
};
// inout[i] = in[i] op inout[i]; MPI_ERR_OP when the operation is not defined for the type.
int op_check(const struct op *op, const struct datatype *type);
int op_apply(const struct op *op, const void *in, void *inout, MPI_Count count,
             const struct datatype *type);

// ---- communicators (MPI-4.1 7.4) ----------------------------------------------------
// Made by collective/, which can communicate.
struct communicator {
    struct object object;
    struct group *group;
    int rank, size;
    uint64_t context;         // distinguishes its messages from all others' of the job
    // Its processes by node, each in ascending order of rank in the communicator.
    int node_rank, node_size; // this process among the members on its node
    const int *node_members;  // [node_size] ranks in the communicator
    int leader_index;         // of this node among the leaders
    int leader_count;         // number of nodes
    const int *leaders;       // [leader_count] lowest rank of each node
    const int *node_index_of; // [size] index among `leaders` of each rank's node
    struct area *area;        // collective's memory shared by node_members, in the segment
    uint32_t sequence;        // of collective calls on this communicator
    struct errhandler *errhandler;
    struct attribute *attributes;
    struct info *info;
    char name[MPI_MAX_OBJECT_NAME];
};
static inline int comm_job_rank(const struct communicator *comm, int rank)
{
    return comm->group->ranks[rank];
}

// ---- entry points -----------------------------------------------------------------
// What a generated entry point says about itself.
struct call {
    const char *name;            // "MPI_Win_create"
    enum object_kind raised_on;  // KIND_COMM, KIND_WIN, KIND_SESSION, or 0: MPI_COMM_SELF's
};

// Raise the error handler for a failed call and return the code the program sees (the
// error class itself). `object` is where the handler is found, NULL if its handle was bad.
// A fatal handler prints one line with procedure, argument, value, rank and reason.
int raise_error(const struct call *call, void *object, int error_class);
int raise_argument(const struct call *call, void *object, int error_class,
                   const char *argument, intmax_t value, const char *rule);
int raise_handle(const struct call *call, void *object, int error_class,
                 const char *argument, uintptr_t handle);
int raise_null(const struct call *call, void *object, const char *argument);

// ---- for the layer of another language ------------------------------------------------
// Exported from the library. The Fortran layer creates an object through the C procedure,
// so that a tool sees the call once, and then says how to call back into Fortran.
#define ORIEL_EXPORT __attribute__((visibility("default")))

ORIEL_EXPORT void oriel_errhandler_invoker(uintptr_t errhandler,
                                           void (*invoke)(generic_function *function,
                                                          uintptr_t handle, int code));
ORIEL_EXPORT void oriel_keyval_invokers(
    int keyval,
    int (*copy)(struct keyval *key, uintptr_t handle, struct attribute *from,
                struct attribute *to, int *flag),
    int (*drop)(struct keyval *key, uintptr_t handle, struct attribute *attribute));

// An attribute set from Fortran is an integer; C sees a pointer to it (MPI-4.1 19.3.7).
// Called after MPI_*_set_attr with the integer cast to a pointer.
ORIEL_EXPORT void oriel_attribute_is_integer(enum object_kind kind, uintptr_t handle,
                                             int keyval);
// The integer that Fortran sees for the pointer that MPI_*_get_attr has returned.
ORIEL_EXPORT MPI_Aint oriel_attribute_integer(enum object_kind kind, uintptr_t handle,
                                              int keyval, void *value);

// A Fortran array section that is not contiguous, as an MPI buffer. The datatype stands
// for the first `count` elements of `type` when the section's elements are thought packed
// one after another (MPI-4.1 19.1.12); use it with count 1 at the section's base address.
struct section {
    MPI_Count element_bytes;
    int rank; // number of dimensions, 1..15, first varies fastest
    struct {
        MPI_Count extent; // elements; the last may be -1 (assumed size)
        MPI_Aint stride;  // bytes between neighbours, may be negative
    } dimension[15];
};
ORIEL_EXPORT int oriel_section_open(const struct section *section, MPI_Count count,
                                    MPI_Datatype type, MPI_Datatype *whole);
ORIEL_EXPORT void oriel_section_close(MPI_Datatype whole);
