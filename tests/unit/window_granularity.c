// SPDX-License-Identifier: BSD-3-Clause
// updates_of_all_sizes_are_atomic_while_the_granularity_changes, by processes and their
// threads. A process that has died while it updated, or changed the granularity, holds up
// nobody; and who takes its stripe awaits those whom it was to await.

#include "rma/atomic.h"
#include "shm_node.h"

#include <pthread.h>
#include <sched.h>

enum { NODE = 3, THREADS = 2, ELEMENTS = 3 * BLOCK_BYTES / 8 + 5, MANY = 2048 };
enum { TURNS = 400, ENOUGH_MANY = 40, ENOUGH_FEW = 9000 };

// In the segment.
struct exposed {
    struct lock_record record;
    int64_t counts[ELEMENTS];
    _Atomic(int64_t) added, changes;
    _Atomic(int) stage, has_left;
};

static struct exposed *exposed;

static void place_exposed(struct shm *shm)
{
    void *memory;
    process.shm = shm;
    if (shm->node_rank == 0) {
        CHECK(shm_alloc(shm, sizeof *exposed, CACHE_LINE, &memory) == 0);
        memset(memory, 0, sizeof *exposed);
        atomic_store(&board->word, shm_offset(shm, memory));
    }
    meet(shm, 2);
    exposed = shm_at(shm, atomic_load(&board->word));
}

static enum granularity granularity_now(void)
{
    return atomic_load(&exposed->record.granularity);
}

// ---- mixes ----------------------------------------------------------------------
static struct update sum(void)
{
    const struct datatype *type = handle_object(KIND_DATATYPE, (uintptr_t)MPI_INT64_T);
    return (struct update){.basic = type->basic,
                           .op = handle_object(KIND_OP, (uintptr_t)MPI_SUM),
                           .base = (char *)exposed->counts,
                           .lock_record = &exposed->record};
}

static void add_at(unsigned first, unsigned count)
{
    static int64_t ones[MANY];
    static _Thread_local int64_t before[MANY];
    struct update update = sum();
    if (ones[0] == 0)
        for (int i = 0; i < MANY; i++)
            ones[i] = 1;
    update_elements(&update, ones, first * sizeof *ones, count % 3 ? NULL : before,
                    (MPI_Count)count);
}

// As the fast forms do it.
static void add_one(unsigned at)
{
    struct presence *own = update_enter(&exposed->record);
    if (own != NULL) {
        __atomic_fetch_add(&exposed->counts[at], 1, __ATOMIC_SEQ_CST);
        presence_leave(own);
    } else {
        add_at(at, 1);
    }
}

static unsigned draw(unsigned *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

// Updates of many elements, until they have made blocks of them, then of few.
static void *add_mixed(void *argument)
{
    unsigned seed = (unsigned)(uintptr_t)argument;
    int64_t added = 0, changes = 0;
    enum granularity last = granularity_now();
    CHECK(update_enter(&exposed->record) == NULL); // has no presence yet
    for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < ENOUGH_MANY; i++) {
            unsigned count = 1 + draw(&seed) % MANY;
            add_at(draw(&seed) % (ELEMENTS - count), count);
            added += count;
        }
        changes += granularity_now() != last;
        last = granularity_now();
        for (int i = 0; i < ENOUGH_FEW; i++)
            add_one(draw(&seed) % ELEMENTS);
        added += ENOUGH_FEW;
        changes += granularity_now() != last;
        last = granularity_now();
    }
    atomic_fetch_add(&exposed->added, added);
    atomic_fetch_add(&exposed->changes, changes);
    return NULL;
}

static void mix_updates(struct shm *shm)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, add_mixed,
                             (void *)(uintptr_t)(shm->node_rank * THREADS + i)) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    meet(shm, 3);
    int64_t total = 0;
    for (int i = 0; i < ELEMENTS; i++)
        total += exposed->counts[i];
    CHECK(total == atomic_load(&exposed->added));
    CHECK(!shm_can_await_leaves(shm) || atomic_load(&exposed->changes) > 0);
}

// ---- deaths ---------------------------------------------------------------------
static void await_stage(int stage)
{
    while (atomic_load(&exposed->stage) < stage)
        sched_yield();
}

// By element again, as after updates of few.
static void make_fine(void)
{
    while (granularity_now() == BY_BLOCK)
        add_at(0, 1);
}

// The last process dies within the record; the first makes blocks nevertheless.
static void die_within(const struct shm *shm)
{
    if (shm->node_rank == NODE - 1) {
        add_at(0, 1); // makes a presence
        make_fine();
        CHECK(update_enter(&exposed->record) != NULL);
        atomic_store(&exposed->stage, 1);
        _exit(0);
    }
    await_stage(1);
    if (shm->node_rank == 0)
        while (granularity_now() == BY_ELEMENT)
            add_at(0, MANY);
}

// The same when it has changed the granularity, all stripes in its hands, and the second
// process is still within the record.
static void die_changing(const struct shm *shm)
{
    add_at(0, 1);
    if (shm->node_rank == 0)
        make_fine();
    meet(shm, 3);
    if (shm->node_rank == NODE - 1) {
        await_stage(1);
        for (int i = 0; i < LOCK_STRIPES; i++)
            atomic_store(&exposed->record.stripes[i], NODE);
        atomic_store(&exposed->record.granularity, BY_BLOCK);
        atomic_store(&exposed->stage, 2);
        _exit(0);
    }
    if (shm->node_rank == 1) {
        struct presence *own = update_enter(&exposed->record);
        CHECK(own != NULL);
        atomic_store(&exposed->stage, 1);
        await_stage(2);
        usleep(50000);
        atomic_store(&exposed->has_left, 1);
        presence_leave(own);
    }
    if (shm->node_rank == 0) {
        await_stage(2);
        struct stripe stripe = stripe_lock(&exposed->record, 8);
        CHECK(stripe.granularity == BY_BLOCK && atomic_load(&exposed->has_left));
        stripe_unlock(stripe.word);
    }
    add_at(0, MANY);
}

// ---- all ------------------------------------------------------------------------
static void mix(struct shm *shm)
{
    place_exposed(shm);
    mix_updates(shm);
}

static void die(struct shm *shm)
{
    place_exposed(shm);
    if (shm_can_await_leaves(shm))
        die_within(shm);
}

static void die_in_change(struct shm *shm)
{
    place_exposed(shm);
    if (shm_can_await_leaves(shm))
        die_changing(shm);
}

int main(void)
{
    CHECK(objects_start() == 0);
    datatypes_start();
    int code = run_node(NODE, 1 << 22, mix);
    if (code == 0)
        code = run_node(NODE, 1 << 22, die);
    return code ? code : run_node(NODE, 1 << 22, die_in_change);
}
