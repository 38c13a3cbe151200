// SPDX-License-Identifier: BSD-3-Clause
// Bulk accumulates at their target: a pipeline of chunks, of all requests in the order
// of their arrival. While a chunk is combined, operands of the next ones are read, and
// what earlier ones have fetched is written. Chunks are combined in order, so that
// accumulates of an origin on one location keep theirs.
#include "rma/bulk.h"

#include <stdlib.h>
#include <string.h>

enum {
    CHUNK_BYTES = 128 << 10, // stays in a core's own cache between copy and update
    LOCAL_BYTES = 32 << 10,  // likewise, of a request that is carried out at once
    CHUNKS = 4
};

// A request with chunks that are not done.
struct bulk_work {
    struct bulk_work *next; // among those of which some chunks have not begun
    int source;             // rank in the job
    int error;              // class, once the request has failed
    uint64_t begun, done;   // bytes
    struct bulk_places places;
    struct rma_request request; // with one span
};

enum chunk_state { CHUNK_FREE, CHUNK_READING, CHUNK_READ, CHUNK_WRITING };

struct chunk {
    struct net_counter counter; // of the access under way
    enum chunk_state state;
    struct bulk_work *work;
    uint64_t offset; // in the span of the request
    size_t bytes;
    char *operands, *fetched;
};

// The pipeline: `begin` and `combine` go round its chunks.
struct bulk_pipeline {
    struct bulk_work *first, **end;
    struct chunk chunks[CHUNKS];
    unsigned begin, combine;
    bool is_advancing, must_advance;
    char *memory; // operands and fetched data of all chunks
    struct net_region region;
};

// ---- one chunk -------------------------------------------------------------------
static void bulk_reply_send(int source, const struct rma_request *request,
                            uint64_t number, int error)
{
    const struct window *window = handle_object(KIND_WIN, request->window);
    struct bulk_reply reply = {
        .head = {.window = request->reply_to,
                 .rank = window != NULL ? window->comm->rank : 0,
                 .error = error},
        .number = number,
    };
    message_send(source, MESSAGE_RMA_BULK_REPLY, &reply, sizeof reply, NULL, 0);
}

static void work_reply(const struct bulk_work *work)
{
    bulk_reply_send(work->source, &work->request, work->places.number, work->error);
}

static void chunk_finish(struct chunk *chunk)
{
    struct bulk_work *work = chunk->work;
    chunk->state = CHUNK_FREE;
    chunk->work = NULL;
    work->done += chunk->bytes;
    if (work->done < work->request.spans[0].bytes)
        return;
    work_reply(work);
    free(work);
}

static void chunk_access(struct chunk *chunk, bool is_write)
{
    const struct bulk_work *work = chunk->work;
    struct net_remote target = is_write ? work->places.results : work->places.operands;
    target.address += chunk->offset;
    struct net_access access = {.rank = work->source,
                                .is_write = is_write,
                                .local = is_write ? chunk->fetched : chunk->operands,
                                .bytes = chunk->bytes,
                                .target = target,
                                .counter = &chunk->counter};
    net_counter_issue(&chunk->counter); // until all of it has begun
    net_counter_complete(&chunk->counter, net_access_queued(process.net, &access));
}

// Memory may have been detached, and the window freed, since the request has come.
static int chunk_update(const struct chunk *chunk)
{
    const struct bulk_work *work = chunk->work;
    struct window *window = handle_object(KIND_WIN, work->request.window);
    struct rma_request part;
    memcpy(&part, &work->request, request_bytes(1));
    part.spans[0].offset += chunk->offset;
    part.spans[0].bytes = chunk->bytes;
    if (window == NULL ||
        !window_has_member(window, work->request.origin, work->source))
        return MPI_ERR_WIN;
    if (!spans_are_inside(window, &part))
        return MPI_ERR_RMA_RANGE;
    elements_combine(window, &part, chunk->operands, chunk->fetched);
    return 0;
}

static void chunk_combine(struct chunk *chunk)
{
    struct bulk_work *work = chunk->work;
    if (!work->error)
        work->error = chunk_update(chunk);
    if (work->error || !work->request.kind.fetches) {
        chunk_finish(chunk);
        return;
    }
    chunk->state = CHUNK_WRITING;
    chunk_access(chunk, true);
}

static void chunk_begin(struct chunk *chunk, struct bulk_work *work)
{
    const struct atomic_type *type = &atomic_types[work->request.kind.basic];
    uint64_t left = work->request.spans[0].bytes - work->begun;
    size_t most = CHUNK_BYTES - CHUNK_BYTES % type->size;
    chunk->work = work;
    chunk->offset = work->begun;
    chunk->bytes = left < most ? (size_t)left : most;
    work->begun += chunk->bytes;
    bool must_read = work->request.kind.operands > 0 && !work->error;
    chunk->state = must_read ? CHUNK_READING : CHUNK_READ;
    if (must_read)
        chunk_access(chunk, false);
}

// ---- the pipeline ------------------------------------------------------------------
static bool begin_next(struct bulk_pipeline *pipeline)
{
    struct chunk *chunk = &pipeline->chunks[pipeline->begin % CHUNKS];
    struct bulk_work *work = pipeline->first;
    if (chunk->state != CHUNK_FREE || work == NULL)
        return false;
    pipeline->begin++;
    chunk_begin(chunk, work);
    if (work->begun == work->request.spans[0].bytes) {
        pipeline->first = work->next;
        if (pipeline->first == NULL)
            pipeline->end = &pipeline->first;
    }
    return true;
}

static bool combine_next(struct bulk_pipeline *pipeline)
{
    struct chunk *chunk = &pipeline->chunks[pipeline->combine % CHUNKS];
    if (chunk->state != CHUNK_READ)
        return false;
    pipeline->combine++;
    chunk_combine(chunk);
    return true;
}

// Reads go on before the processor has other work. A step may complete another chunk's
// access, which then is not gone on with from within.
static void pipeline_advance(struct bulk_pipeline *pipeline)
{
    pipeline->must_advance = true;
    if (pipeline->is_advancing)
        return;
    pipeline->is_advancing = true;
    while (pipeline->must_advance) {
        pipeline->must_advance = false;
        while (begin_next(pipeline) || combine_next(pipeline))
            continue;
    }
    pipeline->is_advancing = false;
}

static void chunk_advance(struct net_counter *counter)
{
    struct chunk *chunk = (struct chunk *)counter;
    if (net_counter_pending(counter) > 0)
        return;
    int err = net_counter_take_error(counter);
    if (err && !chunk->work->error)
        chunk->work->error = err;
    if (chunk->state == CHUNK_READING)
        chunk->state = CHUNK_READ;
    else
        chunk_finish(chunk);
    pipeline_advance(process.bulks);
}

// Made when the first request comes, and kept for the next ones.
static struct bulk_pipeline *pipeline_make(void)
{
    struct bulk_pipeline *pipeline = calloc(1, sizeof *pipeline);
    size_t bytes = (size_t)2 * CHUNKS * CHUNK_BYTES;
    char *memory = pipeline != NULL ? aligned_alloc(page_bytes(), bytes) : NULL;
    if (memory == NULL) {
        free(pipeline);
        return NULL;
    }
    net_register(process.net, memory, bytes, 0,
                 &pipeline->region); // once, where it helps
    pipeline->memory = memory;
    pipeline->end = &pipeline->first;
    for (int i = 0; i < CHUNKS; i++) {
        pipeline->chunks[i].counter.completed_one = chunk_advance;
        pipeline->chunks[i].operands = memory + (size_t)2 * i * CHUNK_BYTES;
        pipeline->chunks[i].fetched = pipeline->chunks[i].operands + CHUNK_BYTES;
    }
    return pipeline;
}

void bulks_stop(void)
{
    struct bulk_pipeline *pipeline = process.bulks;
    process.bulks = NULL;
    if (pipeline == NULL)
        return;
    while (pipeline->first != NULL) {
        struct bulk_work *work = pipeline->first;
        pipeline->first = work->next;
        free(work);
    }
    net_deregister(process.net, &pipeline->region);
    free(pipeline->memory);
    free(pipeline);
}

// ---- requests ----------------------------------------------------------------------
static bool bulk_is_well_formed(const struct rma_request *request, size_t bytes)
{
    return bytes == request_bytes(1) + sizeof(struct bulk_places) &&
           request->count == 1 && request->spans[0].bytes > 0 &&
           request->kind.op != PLAIN_COPY && request->kind.operands <= 1 &&
           request->kind.fetches <= 1 && elements_are_well_formed(request) &&
           !is_padded(&atomic_types[request->kind.basic]);
}

static int bulk_check(const struct window *window, const struct rma_request *request,
                      size_t bytes)
{
    if (!bulk_is_well_formed(request, bytes))
        return MPI_ERR_INTERN;
    return spans_are_inside(window, request) ? 0 : MPI_ERR_RMA_RANGE;
}

static struct bulk_work *work_make(int source, const struct rma_request *request)
{
    struct bulk_work *work = calloc(1, sizeof *work);
    if (work == NULL)
        return NULL;
    work->source = source;
    memcpy(&work->request, request, request_bytes(1));
    memcpy(&work->places, (const char *)request + request_bytes(1),
           sizeof work->places);
    return work;
}

// ---- requests of local peers -------------------------------------------------------
// They are carried out when they come, so that they keep their order with batches.
static int local_carry_out(int source, const struct window *window,
                           const struct rma_request *request,
                           const struct bulk_places *places)
{
    _Alignas(CACHE_LINE) char operands[LOCAL_BYTES];
    size_t size = atomic_types[request->kind.basic].size;
    size_t most = LOCAL_BYTES - LOCAL_BYTES % size, bytes;
    struct rma_request part;
    memcpy(&part, request, request_bytes(1));
    int err = 0;
    for (uint64_t done = 0; !err && done < request->spans[0].bytes; done += bytes) {
        uint64_t left = request->spans[0].bytes - done;
        bytes = left < most ? (size_t)left : most;
        err = shm_copy_from(process.shm, boot_local_rank(process.boot, source),
                            operands, places->operands.address + done, bytes);
        if (unlikely(err == MPI_ERR_OTHER)) // the origin's memory is not there
            err = MPI_ERR_BUFFER;
        part.spans[0].offset = request->spans[0].offset + done;
        part.spans[0].bytes = bytes;
        if (!err)
            elements_combine(window, &part, operands, NULL);
    }
    return err;
}

static void local_serve(int source, const struct window *window,
                        const struct rma_request *request, size_t bytes)
{
    struct bulk_places places;
    memcpy(&places, (const char *)request + request_bytes(1), sizeof places);
    int err = bulk_check(window, request, bytes);
    if (!err && (request->kind.fetches || !request->kind.operands))
        err = MPI_ERR_INTERN;
    if (!err)
        err = local_carry_out(source, window, request, &places);
    bulk_reply_send(source, request, places.number, err);
}

// A request that is refused is answered at once, in no order.
void bulk_serve(int source, const void *message, size_t bytes)
{
    const struct rma_request *request = message;
    bool has_places = bytes >= request_bytes(1) + sizeof(struct bulk_places);
    struct window *window =
        has_places ? handle_object(KIND_WIN, request->window) : NULL;
    if (window == NULL || !window_has_member(window, request->origin, source)) {
        message_refuse(source, "a bulk accumulate");
        return;
    }
    if (boot_is_local(process.boot, source)) {
        local_serve(source, window, request, bytes);
        return;
    }
    if (process.bulks == NULL)
        process.bulks = pipeline_make();
    struct bulk_work *work = process.bulks != NULL ? work_make(source, request) : NULL;
    if (work == NULL) {
        message_defer();
        return;
    }
    work->error = bulk_check(window, request, bytes);
    if (work->error) {
        work_reply(work);
        free(work);
        return;
    }
    *process.bulks->end = work;
    process.bulks->end = &work->next;
    pipeline_advance(process.bulks);
}
