// SPDX-License-Identifier: BSD-3-Clause
// Performs the actions of a stage by MPI's procedures and checks what has come back.
#include "random.h"

#include <pthread.h>

// ---- operations -----------------------------------------------------------------------
static const void *address(const struct buffer *buffer)
{
    return buffer->real ? buffer_address(buffer) : NULL;
}

static void put(struct action *a, MPI_Win window)
{
    const struct buffer *f = &a->from;
    if (a->has_request && a->is_large)
        MPI_Rput_c(address(f), f->count, f->shape.type, a->target, a->displacement,
                   a->at_count, a->at.type, window, &a->request);
    else if (a->has_request)
        MPI_Rput(address(f), f->count, f->shape.type, a->target, a->displacement,
                 a->at_count, a->at.type, window, &a->request);
    else if (a->is_large)
        MPI_Put_c(address(f), f->count, f->shape.type, a->target, a->displacement,
                  a->at_count, a->at.type, window);
    else
        MPI_Put(address(f), f->count, f->shape.type, a->target, a->displacement,
                a->at_count, a->at.type, window);
}

static void get(struct action *a, MPI_Win window)
{
    const struct buffer *r = &a->result;
    if (a->has_request && a->is_large)
        MPI_Rget_c(buffer_address(r), r->count, r->shape.type, a->target,
                   a->displacement, a->at_count, a->at.type, window, &a->request);
    else if (a->has_request)
        MPI_Rget(buffer_address(r), r->count, r->shape.type, a->target, a->displacement,
                 a->at_count, a->at.type, window, &a->request);
    else if (a->is_large)
        MPI_Get_c(buffer_address(r), r->count, r->shape.type, a->target,
                  a->displacement, a->at_count, a->at.type, window);
    else
        MPI_Get(buffer_address(r), r->count, r->shape.type, a->target, a->displacement,
                a->at_count, a->at.type, window);
}

static void accumulate(struct action *a, MPI_Win window)
{
    const struct buffer *f = &a->from;
    if (a->has_request && a->is_large)
        MPI_Raccumulate_c(address(f), f->count, f->shape.type, a->target,
                          a->displacement, a->at_count, a->at.type, a->operation,
                          window, &a->request);
    else if (a->has_request)
        MPI_Raccumulate(address(f), f->count, f->shape.type, a->target, a->displacement,
                        a->at_count, a->at.type, a->operation, window, &a->request);
    else if (a->is_large)
        MPI_Accumulate_c(address(f), f->count, f->shape.type, a->target,
                         a->displacement, a->at_count, a->at.type, a->operation,
                         window);
    else
        MPI_Accumulate(address(f), f->count, f->shape.type, a->target, a->displacement,
                       a->at_count, a->at.type, a->operation, window);
}

static void get_accumulate(struct action *a, MPI_Win window)
{
    const struct buffer *f = &a->from, *r = &a->result;
    if (a->has_request && a->is_large)
        MPI_Rget_accumulate_c(address(f), f->count, f->shape.type, buffer_address(r),
                              r->count, r->shape.type, a->target, a->displacement,
                              a->at_count, a->at.type, a->operation, window,
                              &a->request);
    else if (a->has_request)
        MPI_Rget_accumulate(address(f), f->count, f->shape.type, buffer_address(r),
                            r->count, r->shape.type, a->target, a->displacement,
                            a->at_count, a->at.type, a->operation, window, &a->request);
    else if (a->is_large)
        MPI_Get_accumulate_c(address(f), f->count, f->shape.type, buffer_address(r),
                             r->count, r->shape.type, a->target, a->displacement,
                             a->at_count, a->at.type, a->operation, window);
    else
        MPI_Get_accumulate(address(f), f->count, f->shape.type, buffer_address(r),
                           r->count, r->shape.type, a->target, a->displacement,
                           a->at_count, a->at.type, a->operation, window);
}

static void fetch_and_op(struct action *a, MPI_Win window)
{
    MPI_Fetch_and_op(address(&a->from), buffer_address(&a->result), a->at.type,
                     a->target, a->displacement, a->operation, window);
}

static void compare_and_swap(struct action *a, MPI_Win window)
{
    MPI_Compare_and_swap(address(&a->from), address(&a->compare),
                         buffer_address(&a->result), a->at.type, a->target,
                         a->displacement, window);
}

static void flush(struct action *a, MPI_Win window)
{
    if (a->verb == FLUSH)
        a->target < 0 ? MPI_Win_flush_all(window) : MPI_Win_flush(a->target, window);
    else
        a->target < 0 ? MPI_Win_flush_local_all(window)
                      : MPI_Win_flush_local(a->target, window);
}

static void fence(struct action *a, MPI_Win window)
{
    (void)a;
    MPI_Win_fence(0, window);
}

// ---- completion -----------------------------------------------------------------------
static void check_buffer(const struct program *program, const struct action *action,
                         const char *name, const struct buffer *buffer)
{
    char text[400];
    for (size_t i = 0; !program->is_mutant && i < buffer->bytes; i++) {
        if (buffer->real[i] == buffer->expected[i])
            continue;
        report_actions(program, program->windows[action->window].memory);
        describe(program, action, text, sizeof text);
        report(program, "%s: byte %td of the %s buffer is %#x, must be %#x", text,
               (ptrdiff_t)i - buffer->zero, name, buffer->real[i], buffer->expected[i]);
    }
}

// The operation's buffers belong to the program again: results are there, and the rest
// may be written to.
static void complete(const struct program *program, struct action *action)
{
    if (action->is_local_done)
        return;
    action->is_local_done = true;
    if (action->has_result)
        check_buffer(program, action, "result", &action->result);
    if (action->has_from) {
        check_buffer(program, action, "origin", &action->from);
        memset(action->from.real, 0x5a, action->from.bytes);
    }
}

static void await(struct program *program, struct action *action)
{
    int done = 0;
    if (action->request == MPI_REQUEST_NULL)
        return;
    for (int tests = action->at_count % 3; tests > 0 && !done; tests--)
        MPI_Test(&action->request, &done, MPI_STATUS_IGNORE);
    if (!done)
        MPI_Wait(&action->request, MPI_STATUS_IGNORE);
    if (action->request != MPI_REQUEST_NULL)
        report(program, "a request that is complete is not null");
    complete(program, action);
}

static void complete_flushed(struct program *program, const struct action *flushed)
{
    bool is_fence = flushed->verb == FENCE_AGAIN;
    for (struct action *a = program->actions; a < flushed; a++)
        if (a->verb < FLUSH && a->window == flushed->window &&
            a->origin == program->rank && a->thread == flushed->thread &&
            (a->target == flushed->target || flushed->target < 0 || is_fence))
            complete(program, a);
}

static void perform(struct program *program, struct action *action)
{
    typedef void performer(struct action *, MPI_Win);
    static performer *const performers[] = {
        put,   get,   accumulate, get_accumulate, fetch_and_op, compare_and_swap,
        flush, flush, fence};
    performers[action->verb](action, program->windows[action->window].handle);
    if (action->verb >= FLUSH)
        complete_flushed(program, action);
    else if (action->has_request && action->waits)
        await(program, action);
}

// Has what an actor began with a request, on one window or (-1) on all, completed.
static void await_rest(struct program *program, int window, int thread)
{
    for (int a = 0; a < program->action_count; a++) {
        struct action *action = &program->actions[a];
        if (action->has_request && !action->waits && action->origin == program->rank &&
            action->thread == thread && (window < 0 || action->window == window))
            await(program, action);
    }
}

// ---- epochs ---------------------------------------------------------------------------
static bool is_target(const struct program *program, const struct synchronisation *sync,
                      int origin, int target)
{
    return sync->targets[origin * program->ranks + target];
}

// The ranks that this one accesses, or those that access it.
static MPI_Group partners(const struct program *program,
                          const struct synchronisation *sync, bool accessed)
{
    MPI_Group all, group;
    int *ranks = allocate((size_t)program->ranks * sizeof *ranks), count = 0;
    for (int r = 0; r < program->ranks; r++)
        if (accessed ? is_target(program, sync, program->rank, r)
                     : is_target(program, sync, r, program->rank))
            ranks[count++] = r;
    MPI_Comm_group(program->comm, &all);
    MPI_Group_incl(all, count, ranks, &group);
    MPI_Group_free(&all);
    free(ranks);
    return group;
}

static void open_active(const struct program *program, int w)
{
    const struct synchronisation *sync = &program->synchronisations[w];
    MPI_Win window = program->windows[w].handle;
    if (sync->epoch == FENCE)
        MPI_Win_fence(sync->assertion_begin, window);
    if (sync->epoch == POST_START) {
        MPI_Group origins = partners(program, sync, false);
        MPI_Group targets = partners(program, sync, true);
        MPI_Win_post(origins, 0, window);
        MPI_Win_start(targets, 0, window);
        MPI_Group_free(&origins);
        MPI_Group_free(&targets);
    }
}

static void close_active(const struct program *program, int w)
{
    const struct synchronisation *sync = &program->synchronisations[w];
    MPI_Win window = program->windows[w].handle;
    if (sync->epoch == FENCE)
        MPI_Win_fence(sync->assertion_end, window);
    if (sync->epoch == POST_START) {
        MPI_Win_complete(window);
        int done = 0;
        while (sync->tests && !done)
            MPI_Win_test(window, &done);
        if (!done)
            MPI_Win_wait(window);
    }
}

static void lock(const struct program *program, int w, int target)
{
    const struct synchronisation *sync = &program->synchronisations[w];
    bool exclusive = sync->exclusive[program->rank * program->ranks + target];
    MPI_Win_lock(exclusive ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, target,
                 sync->assertion_begin, program->windows[w].handle);
}

static void open_passive(const struct program *program, int w)
{
    const struct synchronisation *sync = &program->synchronisations[w];
    if (sync->epoch == LOCK_ALL)
        MPI_Win_lock_all(sync->assertion_begin, program->windows[w].handle);
    for (int r = 0; sync->epoch == LOCK_EACH && r < program->ranks; r++)
        if (is_target(program, sync, program->rank, r))
            lock(program, w, r);
}

static void close_passive(const struct program *program, int w)
{
    const struct synchronisation *sync = &program->synchronisations[w];
    if (sync->epoch == LOCK_ALL)
        MPI_Win_unlock_all(program->windows[w].handle);
    for (int r = 0; sync->epoch == LOCK_EACH && r < program->ranks; r++)
        if (is_target(program, sync, program->rank, r))
            MPI_Win_unlock(r, program->windows[w].handle);
}

// Locks one target after the other, each for its own actions.
static void perform_one_by_one(struct program *program, int w)
{
    const struct synchronisation *sync = &program->synchronisations[w];
    for (int r = 0; r < program->ranks; r++) {
        if (!is_target(program, sync, program->rank, r))
            continue;
        lock(program, w, r);
        for (int a = 0; a < program->action_count; a++) {
            struct action *action = &program->actions[a];
            if (action->origin == program->rank && action->window == w &&
                action->target == r)
                perform(program, action);
        }
        await_rest(program, w, 0);
        MPI_Win_unlock(r, program->windows[w].handle);
    }
}

// ---- stages ---------------------------------------------------------------------------
struct actor {
    struct program *program;
    int thread;
    pthread_t id;
};

static void *act(void *argument)
{
    const struct actor *actor = argument;
    struct program *program = actor->program;
    for (int a = 0; a < program->action_count; a++) {
        struct action *action = &program->actions[a];
        bool is_own = action->origin == program->rank || action->verb == FENCE_AGAIN;
        if (is_own && action->thread == actor->thread &&
            program->synchronisations[action->window].epoch != LOCK_ONE_BY_ONE)
            perform(program, action);
    }
    await_rest(program, -1, actor->thread);
    return NULL;
}

static void perform_actions(struct program *program)
{
    enum { MOST_THREADS = 16 };
    struct actor actors[MOST_THREADS];
    for (int t = 1; t < program->threads; t++) {
        actors[t] = (struct actor){.program = program, .thread = t};
        if (pthread_create(&actors[t].id, NULL, act, &actors[t]) != 0)
            report(program, "no thread %d", t);
    }
    act(&(struct actor){.program = program});
    for (int t = 1; t < program->threads; t++)
        pthread_join(actors[t].id, NULL);
}

// Locks are taken last and given back first: who holds one waits for nobody else.
void perform_stage(struct program *program)
{
    int windows = program->window_count;
    for (int w = 0; w < windows; w++)
        open_active(program, w);
    for (int w = 0; w < windows; w++)
        if (program->synchronisations[w].epoch == LOCK_ONE_BY_ONE)
            perform_one_by_one(program, w);
    for (int w = 0; w < windows; w++)
        open_passive(program, w);
    perform_actions(program);
    for (int w = 0; w < windows; w++)
        close_passive(program, w);
    for (int w = 0; w < windows; w++)
        close_active(program, w);
    for (int a = 0; a < program->action_count; a++)
        if (program->actions[a].origin == program->rank &&
            program->actions[a].verb < FLUSH)
            complete(program, &program->actions[a]);
    MPI_Barrier(program->comm);
}
