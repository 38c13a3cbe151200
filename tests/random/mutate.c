// SPDX-License-Identifier: BSD-3-Clause
// Makes a random program wrong: moves an operation onto memory that another rank accesses,
// exchanges its kind, or leaves out a flush, a fence or the locks. What is changed must
// conflict with something else of the stage.
#include "random.h"

static const struct synchronisation *sync_of(const struct program *program,
                                             const struct action *action)
{
    return &program->synchronisations[action->window];
}

static bool is_accumulate(const struct action *action)
{
    return action->verb >= ACCUMULATE && action->verb <= COMPARE_AND_SWAP;
}

// The place of a cell of its data in the memory of the target.
static MPI_Aint place_of_cell(const struct program *program,
                              const struct action *action, int index)
{
    const struct window *window = &program->windows[action->window];
    MPI_Aint displacement = action->displacement - window->zeros[action->target];
    return displacement * window->units[action->target] + shape_at(&action->at, index);
}

static bool overlap(const struct program *program, const struct action *one,
                    const struct action *other)
{
    for (int i = 0; i < one->at_count * one->at.cells; i++)
        for (int j = 0; j < other->at_count * other->at.cells; j++)
            if (place_of_cell(program, one, i) == place_of_cell(program, other, j))
                return true;
    return false;
}

static bool may_conflict(const struct action *one, const struct action *other)
{
    if (one->verb == COMPARE_AND_SWAP || other->verb == COMPARE_AND_SWAP)
        return !is_accumulate(one) || !is_accumulate(other);
    if (is_accumulate(one) && is_accumulate(other))
        return one->origin != other->origin && one->operation != other->operation &&
               one->operation != MPI_NO_OP && other->operation != MPI_NO_OP;
    bool reads_one = one->verb == GET || one->operation == MPI_NO_OP;
    bool reads_other = other->verb == GET || other->operation == MPI_NO_OP;
    return !(reads_one && reads_other);
}

bool stage_is_without_exclusive(const struct program *program)
{
    for (int w = 0; w < program->window_count; w++) {
        const struct synchronisation *sync = &program->synchronisations[w];
        for (int i = 0; sync->exclusive != NULL && i < program->ranks * program->ranks;
             i++)
            if (sync->exclusive[i] && sync->epoch >= LOCK_EACH)
                return false;
    }
    return true;
}

static bool touch_both(const struct program *program, const struct action *one,
                       const struct action *other)
{
    return one->verb < FLUSH && other->verb < FLUSH && one->target == other->target &&
           one->window == other->window && may_conflict(one, other) &&
           overlap(program, one, other);
}

// What has been flushed comes before a fence of any window.
static bool is_fenced(const struct program *program, const struct action *first,
                      const struct action *last)
{
    bool may_flush = sync_of(program, first)->epoch >= LOCK_EACH;
    for (const struct action *a = first; a < last; a++)
        if (a->verb == FENCE_AGAIN && (a->window == first->window || may_flush))
            return true;
    return false;
}

static bool conflict(const struct program *program, const struct action *one,
                     const struct action *other)
{
    return touch_both(program, one, other) && !is_fenced(program, one, other) &&
           !is_fenced(program, other, one);
}

static bool fits(const struct program *program, const struct action *action)
{
    const struct memory *memory = program->windows[action->window].memory;
    MPI_Aint end =
        (MPI_Aint)memory->cells[action->target] * (MPI_Aint)program->cell.bytes;
    for (int i = 0; i < action->at_count * action->at.cells; i++) {
        MPI_Aint at = place_of_cell(program, action, i);
        if (at < 0 || at + (MPI_Aint)program->cell.bytes > end)
            return false;
    }
    return true;
}

// To where another rank accesses.
static bool move(struct program *program, struct action *moved, const struct action *to)
{
    struct action old = *moved;
    if (moved->window != to->window || moved->origin == to->origin ||
        !sync_of(program, moved)->targets[moved->origin * program->ranks + to->target])
        return false;
    moved->target = to->target;
    moved->displacement = to->displacement;
    if (fits(program, moved) && conflict(program, moved, to))
        return true;
    *moved = old;
    return false;
}

// A get becomes a put, an accumulate has another operation.
static bool exchange(struct program *program, struct action *exchanged,
                     const struct action *other)
{
    struct action old = *exchanged;
    if (exchanged->origin == other->origin)
        return false;
    if (exchanged->verb == GET) {
        exchanged->verb = PUT;
        exchanged->operation = MPI_REPLACE;
        exchanged->from = exchanged->result;
        exchanged->result = (struct buffer){0};
        exchanged->has_from = true;
        exchanged->has_result = false;
    } else if (exchanged->verb == ACCUMULATE && exchanged->operation != MPI_REPLACE) {
        exchanged->operation = MPI_REPLACE;
    }
    if (exchanged->verb != old.verb || exchanged->operation != old.operation)
        if (conflict(program, exchanged, other))
            return true;
    *exchanged = old;
    return false;
}

static bool is_between(const struct program *program, const struct action *first,
                       const struct action *flush, const struct action *last)
{
    int between = 0;
    for (const struct action *a = first; a < last; a++)
        between += a->verb == FLUSH && a->window == first->window &&
                   a->origin == first->origin &&
                   (a->target == -1 || a->target == first->target);
    return between == 1 && first < flush && flush < last &&
           flush->window == first->window && flush->origin == first->origin &&
           (flush->target == -1 || flush->target == first->target) &&
           first->origin == last->origin && !first->has_request &&
           conflict(program, first, last);
}

static bool unflush(struct program *program, struct action *flush)
{
    const struct action *end = program->actions + program->action_count;
    if (flush->verb != FLUSH)
        return false;
    for (const struct action *first = program->actions; first < flush; first++)
        for (const struct action *last = flush + 1; last < end; last++)
            if (is_between(program, first, flush, last)) {
                flush->verb = FLUSH_LOCAL;
                return true;
            }
    return false;
}

// Is the fence the only one between two actions that conflict?
static bool is_needed(const struct program *program, const struct action *fence)
{
    const struct action *end = program->actions + program->action_count;
    const struct action *first = fence, *last = fence + 1;
    while (first > program->actions &&
           (first[-1].verb != FENCE_AGAIN || first[-1].window != fence->window))
        first--;
    while (last < end && (last->verb != FENCE_AGAIN || last->window != fence->window))
        last++;
    for (const struct action *one = first; one < fence; one++)
        for (const struct action *other = fence + 1; other < last; other++)
            if (one->window == fence->window && touch_both(program, one, other))
                return true;
    return false;
}

static bool unfence(struct program *program, struct action *fence)
{
    const struct action *end = program->actions + program->action_count;
    if (fence->verb != FENCE_AGAIN || !is_needed(program, fence))
        return false;
    memmove(fence, fence + 1, (size_t)(end - fence - 1) * sizeof *fence);
    program->action_count--;
    return true;
}

static bool is_exclusive(const struct program *program, const struct action *action,
                         int target)
{
    const struct synchronisation *sync = sync_of(program, action);
    bool has_locks = sync->epoch == LOCK_EACH || sync->epoch == LOCK_ONE_BY_ONE;
    return has_locks && sync->exclusive[action->origin * program->ranks + target];
}

// Whatever has a cell of an action is done under an exclusive lock by another rank.
static bool locks_order(const struct program *program, const struct action *action)
{
    const struct memory *memory = program->windows[action->window].memory;
    for (int a = 0; a < program->action_count; a++) {
        const struct action *other = &program->actions[a];
        bool is_ordered = other->window == action->window &&
                          other->origin != action->origin &&
                          is_exclusive(program, other, action->target);
        if (other != action && other->verb < FLUSH && !is_ordered &&
            program->windows[other->window].memory == memory &&
            other->target == action->target && overlap(program, other, action))
            return false;
    }
    return true;
}

// Both ranks have exclusive locks, unless the mistake is that they do not.
static bool move_locked(struct program *program, enum mutation mutation,
                        struct action *moved, const struct action *to)
{
    int pairs = program->ranks * program->ranks;
    struct action old = *moved;
    if (!is_exclusive(program, to, to->target) ||
        !is_exclusive(program, moved, to->target) || !move(program, moved, to))
        return false;
    if (mutation == LOCKED && !locks_order(program, moved)) {
        *moved = old;
        return false;
    }
    for (int w = 0; mutation == UNLOCKED && w < program->window_count; w++)
        memset(program->synchronisations[w].exclusive, 0, (size_t)pairs * sizeof(bool));
    return true;
}

static bool mutate_pair(struct program *program, enum mutation mutation,
                        struct action *action, const struct action *other)
{
    switch (mutation) {
    case MOVED:
        return move(program, action, other);
    case EXCHANGED:
        return exchange(program, action, other);
    default:
        return move_locked(program, mutation, action, other);
    }
}

static bool mutate_one(struct program *program, enum mutation mutation,
                       struct action *action)
{
    if (mutation == UNFLUSHED)
        return unflush(program, action);
    if (mutation == UNFENCED)
        return unfence(program, action);
    for (int a = 0; a < program->action_count; a++) {
        const struct action *other = &program->actions[a];
        if (other == action || other->verb >= FLUSH || action->verb >= FLUSH)
            continue;
        if (mutate_pair(program, mutation, action, other))
            return true;
    }
    return false;
}

bool mutate_stage(struct program *program, enum mutation mutation)
{
    bool has_locks = mutation == UNLOCKED || mutation == LOCKED;
    if (!has_locks && !stage_is_without_exclusive(program))
        return false;
    for (int a = program->action_count - 1; a >= 0; a--)
        if (mutate_one(program, mutation, &program->actions[a]))
            return true;
    return false;
}
