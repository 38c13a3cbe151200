// SPDX-License-Identifier: BSD-3-Clause
// object: what handles stand for. Communicators, groups, requests, infos, error
// handlers, attributes; no communication.
//
// Glossary
//   handle     the pointer-sized value of the MPI-5.0 ABI that a program holds. A
//              predefined one is its ABI code (below 1024); a dynamic one carries the
//              index of its slot in bits 0-18, its kind in bits 19-22 and a generation
//              (never 0) in bits 23-30, so that conversion to a Fortran INTEGER is a
//              cast and a stale or foreign handle is detected
//   slot       a place in the table of a kind: a handle and its object
//   keyval     an attribute key; also a handle, of kind KIND_KEYVAL
#pragma once

#include "message/message.h"
#include "object/language.h"
#include <pthread.h>

// Starts every object.
struct object {
    uint32_t handle;                  // 0 when no program holds it
    uint32_t handles;                 // how often programs hold it; each is a reference
    bool is_predefined;               // its handle is not freed by programs
    uint8_t kind;                     // enum object_kind, when it has a handle
    _Atomic(uint32_t) references;     // handles and objects that use this one
    void (*destroy)(struct object *); // frees what the object owns and the object
    struct errhandler *errhandler;    // of communicators, windows and sessions
    struct attribute *attributes;     // of communicators, windows and datatypes
    const void *opened_at;            // the call, with ORIEL_CHECK=leaks
};

enum {
    HANDLE_SLOTS = 1 << 19,
    HANDLE_KIND = 1 << 19,       // the unit of the kind in a handle
    HANDLE_GENERATION = 1 << 23, // and that of the generation
};

// The handles of one kind.
struct handles {
    uintptr_t handles[HANDLE_SLOTS]; // two arrays: an index needs no multiplication
    struct object *objects[HANDLE_SLOTS];
    uint32_t fresh;          // slots from here on have never been used; 0: none has
    uint32_t oldest, newest; // ends of the queue of slots that are free again
    uint32_t free;           // length of that queue
};

// State of this layer for the process. Lies in .bss and is valid from the start of the
// program, because info objects may be made before MPI_Init; pages of slots that no
// handle has used cost nothing.
extern struct objects {
    struct handles of[KIND_COUNT];
    pthread_mutex_t attributes_lock, errhandlers_lock, infos_lock, names_lock;
    pthread_cond_t attribute_copied; // a copy function has returned
    pthread_mutex_t lock;            // guards what follows, and writing to the handles
    struct added_error *added;       // error classes and codes of the program
    int added_count;
    int last_code;                   // MPI_LASTUSEDCODE
    struct returned_error *returned; // that the program has not looked at
    int returned_count;
} objects;

// The object of a handle, or NULL if it is null, stale or of another kind.
static inline void *handle_object(enum object_kind kind, uintptr_t handle)
{
    const struct handles *table = &objects.of[kind];
    uint32_t index = handle & (HANDLE_SLOTS - 1);
    if (unlikely(table->handles[index] != handle))
        return NULL;
    if (table->objects[index] == NULL)
        __builtin_unreachable(); // callers need no second test
    return table->objects[index];
}

// The handle of an object, for conversion to MPI_Comm and the like.
static inline uintptr_t object_handle(const void *object)
{
    return ((const struct object *)object)->handle;
}

// Sets up a new object with one reference, the caller's, and no handle.
static inline void object_init(struct object *object, void (*destroy)(struct object *))
{
    *object = (struct object){.references = 1, .destroy = destroy};
}
// Hands the caller's reference to the program: gives the object a handle, or the one it
// has once more. On failure (MPI_ERR_NO_MEM, 2^19 of the kind are in use) the reference
// is dropped.
int object_open(struct object *object, enum object_kind kind);
// A handle with the given ABI code, for an object that is never destroyed.
void object_open_predefined(struct object *object, enum object_kind kind,
                            uintptr_t code);
// Makes such a handle stale, when the library stops.
void object_close_predefined(struct object *object);
// Programs do not free an object that has a handle of its own.
void object_protect(struct object *object);
void object_unprotect(struct object *object);
// Takes one handle back from the program, with its reference. The handle becomes stale
// when the program holds it no more. Nothing happens to a predefined object.
void object_close(struct object *object);
static inline void object_retain(void *object)
{
    _Atomic(uint32_t) *references = &((struct object *)object)->references;
    if (likely(thread_is_alone()))
        atomic_store_explicit(
            references, atomic_load_explicit(references, memory_order_relaxed) + 1,
            memory_order_relaxed);
    else
        atomic_fetch_add_explicit(references, 1, memory_order_relaxed);
}
void object_release(void *object); // NULL is allowed

int objects_start(void); // predefined groups, infos, requests
void objects_stop(void);

// The next object from slot *at on of which the program holds a handle that it has to free,
// or NULL. Nobody else opens or closes handles meanwhile.
void *object_next_open(enum object_kind kind, uint32_t *at);

// Makes the handle stale of an object that is about to go, where the program may use
// the handle after it has freed it.
void object_retire(struct object *object);
// Takes one handle back if the program holds more than that; false: it does not.
bool object_close_one_of_many(struct object *object);

// Names of objects (MPI-4.1 7.8, 12.2.8): longer ones are cut. Threads get whole names. The
// memory of one is there from when it is first given (MPI_ERR_NO_MEM); NULL: it never was.
int object_set_name(_Atomic(char *) *own, const char *name);
void object_get_name(const char *own, char *name, int *length);
// For messages to people: "" without a name.
static inline const char *object_name_or_none(const char *own)
{
    return own != NULL ? own : "";
}

// ---- groups (MPI-4.1 7.3) ---------------------------------------------------------
// Members whose ranks in the job are equally far apart need no table of them.
struct group {
    struct object object;
    int size;
    int rank;          // of this process in the group, MPI_UNDEFINED if not a member
    int first, stride; // ranks in the job: first, first + stride, ...; stride is not 0
    const int *ranks;  // [size] the same, one by one, if they are irregular; else NULL
    struct session *session; // that it is derived from; NULL: MPI_Init
};
extern struct group group_empty;
// The rank in the job of a member.
static inline int group_job_rank(const struct group *group, int rank)
{
    return likely(group->ranks == NULL) ? group->first + rank * group->stride
                                        : group->ranks[rank];
}
// Takes a copy of `ranks`, which are in the job. The group has one reference and no
// handle yet.
int group_make(const int *ranks, int size, struct session *session,
               struct group **group);
// The same with `size` ranks that are `stride` apart; that is not 0.
int group_make_regular(int first, int stride, int size, struct session *session,
                       struct group **group);
// The first `count` members.
int group_make_head(const struct group *members, int count, struct group **group);
// Writes the rank in the job of each member to ranks[size].
void group_list(const struct group *group, int *ranks);
// The rank in the group of a process of the job, or MPI_UNDEFINED. Takes as long as the
// group is large if its ranks are irregular.
int group_rank_of(const struct group *group, int job_rank);
// To look for many processes: each takes the same short time.
struct group_search {
    const struct group *group;
    int *found; // [size of the job] rank in the group, if that is irregular; else NULL
};
int group_search_begin(const struct group *group, struct group_search *search);
static inline int group_search_rank(const struct group_search *search, int job_rank)
{
    return search->found != NULL ? search->found[job_rank]
                                 : group_rank_of(search->group, job_rank);
}
void group_search_end(struct group_search *search);
// MPI_IDENT, MPI_SIMILAR or MPI_UNEQUAL.
int group_compare(const struct group *one, const struct group *other, int *result);

// ---- error classes (MPI-4.1 9.4, 9.5) ------------------------------------------------
// Generated from spec; the index is the class.
extern const struct error_text {
    const char *name, *text; // "MPI_ERR_RANK", "invalid rank"
} error_texts[];
extern const int error_text_count;
static inline bool is_error_class(int code)
{
    return code >= 0 && code < error_text_count && error_texts[code].text != NULL;
}

// ---- error handlers (MPI-4.1 9.3) -------------------------------------------------
struct errhandler;
struct errhandler {
    struct object object;
    enum object_kind applies_to; // KIND_COMM, KIND_WIN, KIND_SESSION; 0 for predefined
    generic_function *function;  // NULL for the predefined ones
    errhandler_invoker *invoke;  // calls `function` in its own language
};
extern struct errhandler errors_are_fatal, errors_abort, errors_return;
// MPI_ERR_ERRHANDLER if it was created for objects of another kind.
int errhandler_check(const struct errhandler *errhandler, enum object_kind kind);
// The error handler of an object, with a reference for the caller: another thread may
// set another one.
struct errhandler *errhandler_of(const struct object *object);
// Gives an object that has none, and is not yet shared, the error handler of another.
void errhandler_inherit(void *object, const void *from);
// The same with this one.
void errhandler_give(void *object, struct errhandler *errhandler);

// ---- attributes (MPI-4.1 7.7) -------------------------------------------------------
struct attribute {
    struct keyval *key;
    MPI_Aint value;   // an integer of Fortran or a pointer of C
    bool is_integer;  // set from Fortran: C sees the address of `value`
    int copiers;      // copy functions that read the value
    uint64_t deleter; // the thread that runs the delete function, 0: none
    struct attribute *next;
};
struct keyval {
    struct object object;
    int number;    // its handle
    bool is_freed; // by the program
    enum object_kind applies_to;
    generic_function *copy, *drop; // may be MPI_*_NULL_*_FN (0) or MPI_*_DUP_FN (1)
    MPI_Aint extra_state; // a pointer of C, or what Fortran's functions have made of it
    // Call the functions in another language, which sees values as integers; NULL: C.
    copy_invoker *invoke_copy;
    delete_invoker *invoke_drop;
};
int keyval_make(enum object_kind applies_to, generic_function *copy,
                generic_function *drop, void *extra_state, int *keyval);
int keyval_free(enum object_kind applies_to, int *keyval);
// The attributes of an object: implementations of MPI_*_set_attr and its relatives. A
// keyval that is predefined, for another kind, or freed and without attributes gives
// MPI_ERR_KEYVAL. The program's functions run with no lock held.
int attribute_set(enum object_kind kind, void *object, int keyval, void *value);
int attribute_get(enum object_kind kind, void *object, int keyval, void *value,
                  int *flag);
int attribute_delete(enum object_kind kind, void *object, int keyval);
// Run the callbacks of all attributes: for a duplicate, and before the object goes.
int attributes_copy(void *from, void *to);
int attributes_drop(void *object);

// ---- sessions (MPI-4.1 11.3) -------------------------------------------------------
struct session {
    struct object object;
    struct send_buffer *buffer; // pt2pt's: attached to this session, or NULL
};

// ---- info (MPI-4.1 10) ------------------------------------------------------------
struct info {
    struct object object;
    int count, room;
    struct info_pair {
        char *key, *value;
    } * pairs; // in the order in which keys were first set
};
int info_make(struct info **info); // no handle yet
int info_put(struct info *info, const char *key, const char *value);
// Adds the kinds of memory that communicators, sessions and windows all support, whatever
// was asked for (MPI-4.1 11.4.3).
int memory_kinds_show(struct info *info);
// Copies the value; false: the key is not set. `info` may be NULL.
bool info_value(const struct info *info, const char *key, char value[MPI_MAX_INFO_VAL]);
// Copies the key that was set as number `index`; false: there are fewer.
bool info_key(const struct info *info, int index, char key[MPI_MAX_INFO_KEY + 1]);
// "true" and "false" (any case) or `otherwise`.
bool info_flag(const struct info *info, const char *key, bool otherwise);

// ---- communicators (MPI-4.1 7.4) ----------------------------------------------------
// Made by collective/, which can communicate.
struct communicator {
    struct object object;
    struct group *group;
    int rank, size;             // in `group`
    struct group *peers;        // whom its ranks name: `group`, or the remote group
    struct communicator *local; // of an intercommunicator: over `group`; else NULL
    uint64_t context; // distinguishes its messages from all others' of the job
    // Its processes by node, each in ascending order of rank in the communicator.
    int node_rank, node_size;           // this process among the members on its node
    const int *node_members;            // [node_size] ranks in the communicator
    int leader_index;                   // of this node among the leaders
    int leader_count;                   // number of nodes
    struct comm_collective *collective; // collective's: how its calls are coordinated
    struct topology *topology;          // collective's: a virtual topology, or NULL
    struct send_buffer *buffer; // pt2pt's: attached to this communicator, or NULL
    _Atomic(char *) name;       // see object_set_name
    bool is_windows;            // private to a window
};
static inline int comm_job_rank(const struct communicator *comm, int rank)
{
    return group_job_rank(comm->peers, rank);
}
// Is that rank on this node?
static inline bool comm_rank_is_local(const struct communicator *comm, int rank)
{
    return boot_is_local(process.boot, comm_job_rank(comm, rank));
}
// What messages to people call it: its name, or how many processes it has.
enum { COMMUNICATOR_TEXT_BYTES = MPI_MAX_OBJECT_NAME + 32 };
const char *communicator_text(const struct communicator *comm,
                              char text[COMMUNICATOR_TEXT_BYTES]);
static inline bool comm_is_inter(const struct communicator *comm)
{
    return comm->local != NULL;
}
// This process is the root.
static inline bool communicator_is_root(const struct communicator *comm, int root)
{
    return root == (comm_is_inter(comm) ? MPI_ROOT : comm->rank);
}

// ---- entry points -----------------------------------------------------------------
// Raise the error handler for a failed call and return the code the program sees (the
// error class itself). `object` is where the handler is found, NULL if its handle was
// bad. A fatal handler prints one line with procedure, argument, value, rank and
// reason. `object` may be a handler itself, where call->raised_on says so: it gets the
// null handle of the kind that it was created for.
int raise_error(const struct call *call, void *object, int error_class);
// An error found now belongs to this object, although the call does not name it: the
// communicator of a request. Holds for the thread's next raise_error of a call that
// names none.
void raise_on(void *object);
// The rule is a format for what follows: "must be a rank of the group (0..%d)".
int raise_argument(const struct call *call, void *object, int error_class,
                   const char *argument, intmax_t value, const char *rule, ...)
    PRINTF_LIKE(6, 7);
int raise_handle(const struct call *call, void *object, int error_class,
                 const char *argument, uintptr_t handle);
int raise_null(const struct call *call, void *object, const char *argument);
// A buffer is NULL, or a constant that only other buffers can be, such as MPI_IN_PLACE.
int raise_address(const struct call *call, void *object, const char *argument,
                  const char *constant);
// With ORIEL_CHECK=errors: a finding for each error that a call has returned and of which
// the program has not asked for the class or the text; forgets them all.
void returned_errors_tell(void);

// ---- requests and statuses (MPI-4.1 3.7) --------------------------------------------
#include "object/request.h"
