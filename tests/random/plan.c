// SPDX-License-Identifier: BSD-3-Clause
// Makes the stages of a random program. An action is taken only if what it does follows
// from the program alone: its cells belong to one actor, or all only read them, or all
// combine them by the same commutative operation. So the model can follow each action
// at once, in the order of the list.
#include "random.h"

// ---- epochs ---------------------------------------------------------------------------
static void choose_targets(struct program *program, struct synchronisation *sync,
                           int percent, int exclusive_percent)
{
    int pairs = program->ranks * program->ranks;
    sync->targets = allocate((size_t)pairs * sizeof(bool));
    sync->exclusive = allocate((size_t)pairs * sizeof(bool));
    for (int i = 0; i < pairs; i++) {
        sync->targets[i] = random_chance(&program->random, percent);
        sync->exclusive[i] = random_chance(&program->random, exclusive_percent);
    }
}

static enum epoch choose_epoch(struct program *program, const struct window *window)
{
    enum epoch epoch;
    do
        epoch = (enum epoch)random_between(&program->random, NO_EPOCH, LOCK_ALL);
    while ((epoch >= LOCK_EACH && !window->has_locks) ||
           (epoch == LOCK_ONE_BY_ONE && program->threads > 1));
    return epoch;
}

// A process that holds an exclusive lock must not wait for another one: a lock_all may
// take its locks as late as it likes. So a stage has exclusive locks on one window only.
static void plan_epochs(struct program *program)
{
    struct random *random = &program->random;
    bool may_exclude = true;
    for (int w = 0; w < program->window_count; w++) {
        struct synchronisation *sync = &program->synchronisations[w];
        *sync = (struct synchronisation){0};
        sync->epoch = choose_epoch(program, &program->windows[w]);
        bool locks = sync->epoch == LOCK_EACH || sync->epoch == LOCK_ONE_BY_ONE;
        int exclusive = locks && may_exclude ? random_below(random, 3) * 50 : 0;
        bool is_partial = locks || sync->epoch == POST_START;
        choose_targets(program, sync, is_partial ? 60 : 100, exclusive);
        if (sync->epoch == FENCE && random_chance(random, 50))
            sync->assertion_begin = MPI_MODE_NOPRECEDE;
        if (sync->epoch == FENCE && random_chance(random, 50))
            sync->assertion_end = MPI_MODE_NOSUCCEED;
        if (sync->epoch >= LOCK_EACH && exclusive == 0 && random_chance(random, 30))
            sync->assertion_begin = MPI_MODE_NOCHECK;
        sync->tests = random_chance(random, 50);
        may_exclude = may_exclude && sync->epoch < LOCK_EACH;
    }
}

// ---- claims ---------------------------------------------------------------------------
static int actor_of(const struct program *program, const struct action *action)
{
    return action->origin * program->threads + action->thread;
}

static bool is_commutative(MPI_Op operation)
{
    return operation != MPI_REPLACE && operation != MPI_NO_OP;
}

static enum claim claim_of(const struct action *action, struct random *random)
{
    if (action->verb == GET)
        return READ;
    if (action->verb == PUT)
        return WRITE;
    bool may_share = action->verb == ACCUMULATE && is_commutative(action->operation);
    return may_share && random_chance(random, 60) ? COMBINE : ORDERED;
}

static bool may_claim(const struct owner *owner, int window, int actor,
                      enum claim claim, MPI_Op operation)
{
    if (owner->is_reserved && (owner->actor != actor || owner->window != window))
        return false;
    if (owner->claim == FREE || owner->claim == SETTLED)
        return true;
    if (owner->claim != claim)
        return false;
    if (claim == READ)
        return true;
    if (owner->window != window)
        return false;
    return claim == COMBINE ? owner->operation == operation
                            : claim == ORDERED && owner->actor == actor;
}

static struct owner *owner_at(struct program *program, const struct action *action,
                              MPI_Aint base, int index)
{
    struct memory *memory = program->windows[action->window].memory;
    MPI_Aint at = base + shape_at(&action->at, index);
    return &memory->owners[action->target][at / (MPI_Aint)program->cell.bytes];
}

static bool claim_cells(struct program *program, const struct action *action,
                        MPI_Aint base, int cells)
{
    enum claim claim = claim_of(action, &program->random);
    int actor = actor_of(program, action);
    for (int i = 0; i < cells; i++)
        if (!may_claim(owner_at(program, action, base, i), action->window, actor, claim,
                       action->operation))
            return false;
    for (int i = 0; i < cells; i++) {
        struct owner *owner = owner_at(program, action, base, i);
        bool is_shared = owner->claim == claim &&
                         (owner->actor != actor || owner->window != action->window);
        *owner = (struct owner){.claim = (uint8_t)claim,
                                .is_reserved = owner->is_reserved,
                                .window = (int8_t)action->window,
                                .actor = (int16_t)(is_shared ? -1 : actor),
                                .operation = action->operation};
    }
    return true;
}

// After a flush its actor may do anything with what it alone has touched, through the
// same window: locks one by one do not keep the order between windows.
static void settle(struct program *program, const struct action *flush)
{
    const struct memory *memory = program->windows[flush->window].memory;
    for (int r = 0; r < program->ranks; r++) {
        if (flush->target != r && flush->target != -1)
            continue;
        for (int i = 0; i < memory->cells[r]; i++) {
            struct owner *owner = &memory->owners[r][i];
            if (owner->claim != FREE && owner->window == flush->window &&
                owner->actor == actor_of(program, flush))
                *owner = (struct owner){.claim = SETTLED,
                                        .is_reserved = true,
                                        .window = owner->window,
                                        .actor = owner->actor};
        }
    }
}

// After a fence of its window anybody may do anything with a cell. Those that are read
// through several windows are left to be read.
static void settle_all(struct program *program, int window)
{
    const struct memory *memory = program->windows[window].memory;
    for (int r = 0; r < program->ranks; r++)
        for (int i = 0; i < memory->cells[r]; i++) {
            struct owner *owner = &memory->owners[r][i];
            if (owner->window == window && (owner->claim != READ || owner->actor >= 0))
                *owner = (struct owner){.claim = FREE};
        }
}

// ---- operations -----------------------------------------------------------------------
// Where the target's type may lie, as a displacement; false if nowhere.
static bool place(struct program *program, struct action *action, int cells,
                  MPI_Aint *base)
{
    const struct window *window = &program->windows[action->window];
    MPI_Aint bytes = (MPI_Aint)program->cell.bytes, first, last;
    MPI_Aint room = window->memory->cells[action->target] * bytes;
    MPI_Aint unit = window->units[action->target];
    MPI_Aint step = unit > bytes ? unit : bytes;
    shape_span(&action->at, program->cell.bytes, cells, &first, &last);
    MPI_Aint low = first < 0 ? (-first + step - 1) / step : 0;
    MPI_Aint high = room < last ? -1 : (room - last) / step;
    if (low > high)
        return false;
    *base =
        (low + (MPI_Aint)(random_next(&program->random) % (uint64_t)(high - low + 1))) *
        step;
    action->displacement = window->zeros[action->target] + *base / unit;
    return true;
}

static void choose_shape(struct program *program, struct action *action)
{
    struct random *random = &program->random;
    const struct memory *memory = program->windows[action->window].memory;
    int room = memory->cells[action->target];
    bool is_single = action->verb == FETCH_AND_OP || action->verb == COMPARE_AND_SWAP;
    if (is_single || random_chance(random, 40)) {
        action->at = shape_of_cell(&program->cell);
        int most = random_chance(random, 20) ? room : room < 16 ? room : 16;
        action->at_count = is_single ? 1 : random_between(random, 0, most);
    } else {
        action->at = shape_any(&program->cell, random, room < 16 ? room + 1 : 16);
        action->at_count = random_between(random, 0, 3);
    }
}

// A buffer at the origin of `cells` cells in all.
static struct buffer origin_buffer(struct program *program, const struct action *action,
                                   int cells)
{
    struct random *random = &program->random;
    struct shape shape = shape_of_cell(&program->cell);
    bool is_single = action->verb == FETCH_AND_OP || action->verb == COMPARE_AND_SWAP;
    if (!is_single && cells > 0 && random_chance(random, 50)) {
        shape_free(&shape);
        shape = shape_any(&program->cell, random, cells < 16 ? cells : 16);
    }
    if (cells % shape.cells != 0) {
        shape_free(&shape);
        shape = shape_of_cell(&program->cell);
    }
    return buffer_make(&program->cell, shape, cells / shape.cells, random_next(random),
                       action->origin == program->rank);
}

static void make_buffers(struct program *program, struct action *action, int cells)
{
    enum verb verb = action->verb;
    action->has_from = verb != GET;
    action->has_result = verb != PUT && verb != ACCUMULATE;
    action->has_compare = verb == COMPARE_AND_SWAP;
    if (action->has_from)
        action->from = origin_buffer(program, action, cells);
    if (action->has_result)
        action->result = origin_buffer(program, action, cells);
    if (action->has_compare)
        action->compare = origin_buffer(program, action, cells);
}

// A swap happens every other time.
static void choose_comparison(struct program *program, struct action *action,
                              const unsigned char *model)
{
    size_t bytes = program->cell.bytes;
    if (random_chance(&program->random, 50)) {
        memcpy(buffer_cell(&action->compare, 0), model, bytes);
        if (action->compare.real)
            memcpy(buffer_address(&action->compare), model, bytes);
    }
}

static void follow(struct program *program, struct action *action, MPI_Aint base,
                   int cells)
{
    const struct cell *cell = &program->cell;
    struct memory *memory = program->windows[action->window].memory;
    for (int i = 0; i < cells; i++) {
        unsigned char *model =
            memory->model[action->target] + base + shape_at(&action->at, i);
        if (action->verb == COMPARE_AND_SWAP)
            choose_comparison(program, action, model);
        bool swaps = !action->has_compare ||
                     memcmp(buffer_cell(&action->compare, 0), model, cell->bytes) == 0;
        if (action->has_result)
            memcpy(buffer_cell(&action->result, i), model, cell->bytes);
        if (action->has_from && swaps)
            cell_combine(cell, action->operation, buffer_cell(&action->from, i), model);
    }
}

static bool plan_operation(struct program *program, struct action *action)
{
    struct random *random = &program->random;
    MPI_Aint base;
    // What fetches may order processes, so that a mistake would be none.
    enum verb last = program->mutation == RIGHT ? COMPARE_AND_SWAP : ACCUMULATE;
    action->verb = (enum verb)random_between(random, PUT, (int)last);
    if (action->verb == COMPARE_AND_SWAP && program->cell.sort == FLOATING)
        action->verb = PUT; // no such operation
    do
        action->operation = cell_operation(&program->cell, random);
    while (action->verb == ACCUMULATE && action->operation == MPI_NO_OP);
    if (action->verb == PUT || action->verb == COMPARE_AND_SWAP)
        action->operation = MPI_REPLACE;
    action->has_request =
        program->synchronisations[action->window].epoch >= LOCK_EACH &&
        action->verb < FETCH_AND_OP && random_chance(random, 30);
    action->waits = random_chance(random, 50);
    choose_shape(program, action);
    int cells = action->at_count * action->at.cells;
    if (!place(program, action, cells, &base) ||
        !claim_cells(program, action, base, cells)) {
        shape_free(&action->at);
        return false;
    }
    make_buffers(program, action, cells);
    follow(program, action, base, cells);
    return true;
}

static bool plan_flush(struct program *program, struct action *action)
{
    enum epoch epoch = program->synchronisations[action->window].epoch;
    if (epoch < LOCK_EACH)
        return false;
    action->verb = random_chance(&program->random, 70) ? FLUSH : FLUSH_LOCAL;
    if (epoch != LOCK_ONE_BY_ONE && random_chance(&program->random, 30))
        action->target = -1;
    if (action->verb == FLUSH)
        settle(program, action);
    return true;
}

// Whoever holds an exclusive lock must not wait for another process, and what is done under
// locks one by one does not have its place in the list.
static bool plan_fence(struct program *program, struct action *action)
{
    if (program->threads > 1 || !stage_is_without_exclusive(program))
        return false;
    for (int w = 0; w < program->window_count; w++)
        if (program->synchronisations[w].epoch == LOCK_ONE_BY_ONE)
            return false;
    action->verb = FENCE_AGAIN;
    settle_all(program, action->window);
    return true;
}

static bool plan_completion(struct program *program, struct action *action)
{
    return program->synchronisations[action->window].epoch == FENCE
               ? plan_fence(program, action)
               : plan_flush(program, action);
}

// ---- stages ---------------------------------------------------------------------------
static bool plan_action(struct program *program, struct action *action)
{
    struct random *random = &program->random;
    *action = (struct action){
        .window = random_below(random, program->window_count),
        .origin = random_below(random, program->ranks),
        .target = random_below(random, program->ranks),
        .thread = random_below(random, program->threads),
        .is_large = random_chance(random, 30),
        .request = MPI_REQUEST_NULL,
    };
    const struct synchronisation *sync = &program->synchronisations[action->window];
    if (sync->epoch == NO_EPOCH ||
        !sync->targets[action->origin * program->ranks + action->target])
        return false;
    return random_chance(random, 12) ? plan_completion(program, action)
                                     : plan_operation(program, action);
}

void plan_stage(struct program *program)
{
    plan_epochs(program);
    for (int m = 0; m < program->memory_count; m++) {
        struct memory *memory = &program->memories[m];
        for (int r = 0; r < program->ranks; r++)
            memset(memory->owners[r], 0,
                   (size_t)memory->cells[r] * sizeof(struct owner));
    }
    int tries = random_between(&program->random, 0, 3 * MOST_ACTIONS);
    program->action_count = 0;
    for (int i = 0; i < tries && program->action_count < MOST_ACTIONS; i++)
        if (plan_action(program, &program->actions[program->action_count]))
            program->action_count++;
}

void plan_free(struct program *program)
{
    for (int a = 0; a < program->action_count; a++) {
        struct action *action = &program->actions[a];
        shape_free(&action->at);
        buffer_free(&action->from);
        buffer_free(&action->result);
        buffer_free(&action->compare);
    }
    for (int w = 0; w < program->window_count; w++) {
        free(program->synchronisations[w].targets);
        free(program->synchronisations[w].exclusive);
    }
    program->action_count = 0;
}
