// SPDX-License-Identifier: BSD-3-Clause
// Requests (MPI-4.1 3.7): what a program holds of an operation that goes on. Messages,
// operations on windows, collective and generalized ones begin with a struct request.
//
// Glossary
//   active    started and not yet completed by a call of the program; persistent ones
//             are inactive before and after
//   complete  the operation has ended, well or with an error; nobody may have noticed
//   abandoned freed by the program while under way: ends by itself
#pragma once

#include "object/object.h"

#include <assert.h>

struct request;

// Functions that requests of one kind share; NULL where nothing is to be done.
struct request_kind {
    // MPI_Start of a persistent one. The message lock is free.
    int (*start)(struct request *request);
    // MPI_Cancel of an active one, complete or not. The message lock is free.
    int (*cancel)(struct request *request);
    // The error of a complete one, after fail(); else request->error is all there is to
    // say. May change the status, which has been set and may be MPI_STATUS_IGNORE.
    int (*result)(struct request *request, MPI_Status *status);
    // Says what the request, which is not complete, awaits; NULL: that cannot be told. The
    // message lock is held.
    void (*explain)(const struct request *request, struct explanation *explanation);
    // Ends a request that the program completes itself, before it is freed.
    int (*dispose)(struct request *request);
    // It must not be cancelled (MPI-4.1 6.12), nor be freed before a call of the program
    // has told that it is complete.
    bool must_end;
};

struct request {
    struct object object;
    const struct request_kind *kind;
    struct object *owner; // errors are raised on it; NULL: on MPI_COMM_SELF
    _Atomic(bool) is_complete;
    bool is_persistent, is_active, is_abandoned;
    bool is_cancelled;
    bool is_told;    // one that must end: MPI_Request_get_status has told that it has
    int error;       // class, 0 when none
    int source, tag; // for the status
    uint64_t bytes;
};

// A complete request of nothing, for operations that were done at once: opening and
// closing it costs nothing.
extern struct request request_done;
// The same for messages of a bundle: it is complete while there is none.
extern struct request request_leaving;
int requests_start(void); // by objects_start
void requests_stop(void);

// Whether the flags of a request fit together: inactive ones are persistent, those that
// have an error or have been told of are complete.
bool request_is_valid(const struct request *request);

// How a request begins, to be copied: compilers clear a struct of this size slowly.
extern const struct request request_begun;

// Sets up a request that is active unless it is persistent. It keeps a reference of its
// owner, a communicator or window; `destroy` gives it back with request_clear.
static inline void request_init(struct request *request,
                                const struct request_kind *kind, void *owner,
                                void (*destroy)(struct object *))
{
    *request = request_begun;
    request->kind = kind;
    request->owner = owner;
    object_init(&request->object, destroy);
    if (owner != NULL)
        object_retain(owner);
    assert(request_is_valid(request));
}
void request_clear(struct request *request);
// Another kind that begins, ends and is cancelled in the same way; before the program has
// the request's handle.
void request_set_kind(struct request *request, const struct request_kind *kind);

// One that MPI_Start begins, each time anew; before the program has its handle.
void request_make_persistent(struct request *request);
// Begins a persistent one that is inactive. Its error is raised on the owner.
int request_start_persistent(struct request *request);

// The operation has ended; `error` is a class or 0. Afterwards the request may be gone.
// Called with the message lock held, once for each start.
void request_complete(struct request *request, int error);

static inline bool request_is_complete(const struct request *request)
{
    return atomic_load_explicit(&request->is_complete, memory_order_acquire);
}

// Whether calls that complete requests have something to wait for.
static inline bool request_is_active(const struct request *request)
{
    return request != NULL && request->is_active;
}

static inline struct request *request_of_handle(MPI_Request handle)
{
    return handle_object(KIND_REQUEST, (uintptr_t)handle);
}

// ---- statuses (MPI-4.1 3.2.5) -------------------------------------------------------
// Status functions leave MPI_ERROR alone unless they say so; MPI_STATUS_IGNORE is
// allowed. Internal words: 0 and 1 are the number of bytes, 2 is whether it was
// cancelled.
void status_set(MPI_Status *status, int source, int tag, uint64_t bytes,
                bool is_cancelled);
void status_set_empty(MPI_Status *status); // with MPI_ERROR = MPI_SUCCESS
uint64_t status_bytes(const MPI_Status *status);
bool status_is_cancelled(const MPI_Status *status);

// Tells of a complete request: its error and its status.
int request_result(struct request *request, MPI_Status *status);

// A call of the program completes the request and gets its error and status. A
// persistent one becomes inactive; others are freed and *handle becomes
// MPI_REQUEST_NULL. An error is raised on the owner.
int request_finish(struct request *request, MPI_Request *handle, MPI_Status *status);

// The same as request_result, without completing it; an inactive request has an empty
// status. Its error is for the call that completes it.
void request_look(struct request *request, MPI_Status *status);

// The program frees a request: false if it has ended, and only needs to be closed. Else
// it ends by itself, or by a call of the program where that completes it. The message
// lock is held.
bool request_abandon(struct request *request);

// Frees a request that is inactive or complete.
int request_close(struct request *request);
