// SPDX-License-Identifier: BSD-3-Clause
// Memory in which buffered sends wait for their receivers (MPI-4.1 3.6). Each copy has
// its header before it, so that only the program's memory is needed; the message lock
// guards all state. Short messages leave at once but must find room all the same, so
// that a program with too little memory fails wherever it runs.
#include "pt2pt/probe.h"
#include "pt2pt/transfer.h"

#include <oriel_core.h>
#include <stdlib.h>

enum { ALIGNMENT = 16 };

static const uint64_t PATIENCE = 100000000; // ns until a full buffer is an error

// A message that has been copied.
struct copy {
    struct copy *next; // in the order of addresses, if the memory is the program's
    struct send_buffer *buffer;
    size_t size; // of header and data
    uint64_t number;
    _Alignas(ALIGNMENT) char data[];
};

struct send_buffer {
    int users;    // what it is attached to, and calls that wait for its messages
    void *memory; // as the program gave it, or MPI_BUFFER_AUTOMATIC
    MPI_Count size;
    struct copy *copies;
    uint64_t next_number;
    struct flush *flushes;
};

// A request that completes when all copies before `limit` have left.
struct flush {
    struct request request;
    struct flush *next;
    uint64_t limit;
};

static bool is_automatic(const struct send_buffer *buffer)
{
    return buffer->memory == MPI_BUFFER_AUTOMATIC;
}

// ---- room

static size_t copy_size(size_t bytes)
{
    return round_up(sizeof(struct copy) + bytes, ALIGNMENT);
}

// The address of a copy that begins after `before`, or first.
static uintptr_t place_after(const struct send_buffer *buffer,
                             const struct copy *before)
{
    return before ? (uintptr_t)before + before->size
                  : round_up((uintptr_t)buffer->memory, ALIGNMENT);
}

// The link at which a copy of that size fits in; NULL if there is none.
static struct copy **find_room(struct send_buffer *buffer, size_t size,
                               uintptr_t *place)
{
    uintptr_t end = (uintptr_t)buffer->memory + (size_t)buffer->size;
    struct copy *before = NULL;
    for (struct copy **link = &buffer->copies;; link = &before->next) {
        uintptr_t limit = *link ? (uintptr_t)*link : end;
        *place = place_after(buffer, before);
        if (*place <= limit && size <= limit - *place)
            return link;
        if (*link == NULL)
            return NULL;
        before = *link;
    }
}

// NULL if there is no room.
static struct copy *copy_take(struct send_buffer *buffer, size_t bytes)
{
    size_t size = copy_size(bytes);
    struct copy **link = &buffer->copies, *copy = NULL;
    uintptr_t place;
    if (is_automatic(buffer))
        copy = malloc(size);
    else if ((link = find_room(buffer, size, &place)) != NULL)
        copy = (struct copy *)place;
    if (copy == NULL)
        return NULL;
    *copy = (struct copy){
        .next = *link, .buffer = buffer, .size = size, .number = buffer->next_number++};
    *link = copy;
    return copy;
}

static bool has_sent(const struct send_buffer *buffer, uint64_t limit)
{
    for (const struct copy *copy = buffer->copies; copy != NULL; copy = copy->next)
        if (copy->number < limit)
            return false;
    return true;
}

static void end_flushes(struct send_buffer *buffer)
{
    struct flush **link = &buffer->flushes;
    while (*link != NULL) {
        struct flush *flush = *link;
        if (has_sent(buffer, flush->limit)) {
            *link = flush->next;
            request_complete(&flush->request, 0);
        } else {
            link = &flush->next;
        }
    }
}

static void copy_give_back(struct copy *copy)
{
    struct send_buffer *buffer = copy->buffer;
    struct copy **link = &buffer->copies;
    while (*link != copy)
        link = &(*link)->next;
    *link = copy->next;
    if (is_automatic(buffer))
        free(copy);
    end_flushes(buffer);
}

// ---- sending

static void copy_ended(struct transfer *transfer)
{
    copy_give_back(transfer->part_of);
    object_release(transfer);
}

void send_buffer_free(struct send_buffer *buffer)
{
    free(buffer);
}

static struct send_buffer *buffer_of(const struct communicator *comm)
{
    const struct session *session = comm->group->session;
    if (comm->buffer != NULL)
        return comm->buffer;
    return session ? session->buffer : process.matching->buffer;
}

// A copy that has no room yet: why, and whether that may change.
struct want {
    const struct communicator *comm;
    size_t bytes;
    bool is_attached, may_come;
};

// Takes back the room of what has been received in the meantime (MPI-4.1 3.6.1), and
// then some for a copy. Another thread may attach and detach buffers between two calls.
static struct copy *copy_take_after_progress(struct want *want)
{
    struct copy *copy = NULL;
    message_lock();
    struct send_buffer *buffer = buffer_of(want->comm);
    want->is_attached = buffer != NULL;
    if (buffer != NULL && buffer->copies != NULL)
        message_poll();
    if (buffer != NULL)
        copy = copy_take(buffer, want->bytes);
    want->may_come = buffer != NULL && buffer->copies != NULL;
    message_unlock();
    return copy;
}

static int no_room(const struct want *want)
{
    return fail(MPI_ERR_BUFFER, "%s for a buffered message of %zu bytes",
                want->is_attached ? "the attached buffer has no room"
                                  : "no buffer is attached",
                want->bytes);
}

// The program may know that a message has been received before this process does, since
// that news is no faster than other messages. So a full buffer gets some time.
static int find_copy(const struct communicator *comm, size_t bytes, struct copy **copy)
{
    struct want want = {.comm = comm, .bytes = bytes};
    uint64_t end = clock_nanoseconds() + PATIENCE;
    unsigned spins = 0;
    int err = 0;
    while (!err && (*copy = copy_take_after_progress(&want)) == NULL)
        err = want.may_come && clock_nanoseconds() <= end
                  ? message_backoff(&spins, NULL, NULL)
                  : no_room(&want);
    message_backoff_end(spins);
    return err;
}

// Sends the copy, which ends by itself.
static int send_copy(const struct transfer_parameters *parameters, struct copy *copy,
                     size_t bytes)
{
    struct transfer_parameters whole = *parameters;
    whole.buffer = copy->data;
    whole.count = (MPI_Count)bytes;
    whole.type = type_byte();
    struct transfer *transfer = NULL;
    int err = transfer_make(&whole, &transfer);
    if (err)
        return err;
    transfer->ended = copy_ended;
    transfer->part_of = copy;
    message_lock();
    err = transfer_begin(transfer);
    message_unlock();
    if (err)
        object_release(transfer);
    return err;
}

int buffered_send(const struct transfer_parameters *parameters)
{
    size_t bytes = 0;
    struct copy *copy = NULL;
    if (parameters->rank == MPI_PROC_NULL)
        return 0;
    int err = parameters_bytes(parameters, &bytes);
    if (!err)
        err = find_copy(parameters->comm, bytes, &copy);
    if (err)
        return err;
    datatype_pack(parameters->type, parameters->count, parameters->buffer, copy->data);
    err = send_copy(parameters, copy, bytes);
    if (err) {
        message_lock();
        copy_give_back(copy);
        message_unlock();
    }
    return err;
}

// ---- attaching and detaching

static int buffer_attach(struct send_buffer **slot, void *memory, MPI_Count size)
{
    struct send_buffer *buffer = malloc(sizeof *buffer);
    MPI_Count attached = 0;
    if (buffer == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory to attach a buffer");
    *buffer = (struct send_buffer){.users = 1, .memory = memory, .size = size};
    message_lock();
    bool is_free = *slot == NULL;
    if (is_free)
        *slot = buffer;
    else
        attached = (*slot)->size;
    message_unlock();
    if (is_free)
        return 0;
    free(buffer);
    return fail(MPI_ERR_BUFFER, "a buffer of %jd bytes is attached already",
                (intmax_t)attached);
}

struct flushed {
    const struct send_buffer *buffer;
    uint64_t limit;
};

static bool is_flushed(void *argument)
{
    const struct flushed *flushed = argument;
    return has_sent(flushed->buffer, flushed->limit);
}

// Waits until the messages that are in the buffer now have left it. The caller is one of
// its users.
static int buffer_wait(const struct send_buffer *buffer)
{
    message_lock();
    struct flushed flushed = {buffer, buffer->next_number};
    bool is_done = is_flushed(&flushed);
    message_unlock();
    return is_done ? 0 : message_wait(is_flushed, &flushed, NULL);
}

static void buffer_leave(struct send_buffer *buffer)
{
    message_lock();
    bool is_last = --buffer->users == 0;
    message_unlock();
    if (is_last)
        free(buffer);
}

// The same for what is attached, if anything is; another thread may detach it meanwhile.
static int wait_until_sent(struct send_buffer *const *slot)
{
    message_lock();
    struct send_buffer *buffer = *slot;
    if (buffer != NULL)
        buffer->users++;
    message_unlock();
    if (buffer == NULL)
        return 0;
    int err = buffer_wait(buffer);
    buffer_leave(buffer);
    return err;
}

static struct send_buffer *slot_exchange(struct send_buffer **slot,
                                         struct send_buffer *buffer)
{
    message_lock();
    struct send_buffer *before = *slot;
    *slot = buffer;
    message_unlock();
    return before;
}

// Takes the buffer away from other threads; puts it back if its messages do not leave.
static int buffer_detach(struct send_buffer **slot, void *memory, MPI_Count *size)
{
    struct send_buffer *buffer = slot_exchange(slot, NULL);
    if (buffer == NULL)
        return fail(MPI_ERR_BUFFER, "no buffer is attached");
    int err = buffer_wait(buffer);
    if (err) {
        slot_exchange(slot, buffer);
        return err;
    }
    *(void **)memory = buffer->memory;
    *size = is_automatic(buffer) ? 0 : buffer->size;
    buffer_leave(buffer);
    return 0;
}

static const struct request_kind flush_kind;

static void flush_destroy(struct object *object)
{
    request_clear((struct request *)object);
    free(object);
}

static void flush_begin(struct flush *flush, struct send_buffer *buffer)
{
    flush->limit = buffer->next_number;
    flush->next = buffer->flushes;
    buffer->flushes = flush;
    end_flushes(buffer);
}

static int flush_start(struct send_buffer *const *slot, struct communicator *comm,
                       struct request **request)
{
    struct flush *flush = malloc(sizeof *flush);
    if (flush == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for a request");
    request_init(&flush->request, &flush_kind, comm, flush_destroy);
    int err = object_open(&flush->request.object, KIND_REQUEST);
    if (err)
        return err;
    message_lock();
    if (*slot != NULL)
        flush_begin(flush, *slot);
    else
        request_complete(&flush->request, 0);
    message_unlock();
    *request = &flush->request;
    return 0;
}

// ---- of the process

int oriel_buffer_attach(void *buffer, MPI_Count size)
{
    return buffer_attach(&process.matching->buffer, buffer, size);
}

int oriel_buffer_detach(void *buffer_addr, MPI_Count *size)
{
    return buffer_detach(&process.matching->buffer, buffer_addr, size);
}

int oriel_buffer_flush(void)
{
    return wait_until_sent(&process.matching->buffer);
}

int oriel_buffer_iflush(struct request **request)
{
    return flush_start(&process.matching->buffer, NULL, request);
}

// ---- of a communicator

int oriel_comm_attach_buffer(struct communicator *comm, void *buffer, MPI_Count size)
{
    return buffer_attach(&comm->buffer, buffer, size);
}

int oriel_comm_detach_buffer(struct communicator *comm, void *buffer_addr,
                             MPI_Count *size)
{
    return buffer_detach(&comm->buffer, buffer_addr, size);
}

int oriel_comm_flush_buffer(struct communicator *comm)
{
    return wait_until_sent(&comm->buffer);
}

int oriel_comm_iflush_buffer(struct communicator *comm, struct request **request)
{
    return flush_start(&comm->buffer, comm, request);
}

// ---- of a session

int oriel_session_attach_buffer(struct session *session, void *buffer, MPI_Count size)
{
    return buffer_attach(&session->buffer, buffer, size);
}

int oriel_session_detach_buffer(struct session *session, void *buffer_addr,
                                MPI_Count *size)
{
    return buffer_detach(&session->buffer, buffer_addr, size);
}

int oriel_session_flush_buffer(struct session *session)
{
    return wait_until_sent(&session->buffer);
}

int oriel_session_iflush_buffer(struct session *session, struct request **request)
{
    return flush_start(&session->buffer, NULL, request);
}
