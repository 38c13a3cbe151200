// SPDX-License-Identifier: BSD-3-Clause
// The one constructor of windows: a list of steps, each with its undo. Every step is
// taken by all members although one has failed; failures meet in the exchange of
// descriptors.
#include "window/attachments.h"
#include "window/hints.h"
#include "window/memory.h"
#include "window/open.h"
#include "window/share.h"

#include <stdlib.h>
#include <string.h>

struct opening {
    const struct window_plan *plan;
    struct window *window;
    int error; // the first of this member, then the one that all agree on
};

static void window_clear(struct object *object)
{
    struct window *window = (struct window *)object;
    peers_free(window);
    distant_locks_free(window);
    notices_free(window);
    object_release(window->info);
    object_release(window->object.errhandler);
}

static void window_destroy(struct object *object)
{
    window_clear(object);
    free(object);
}

// Those that hints_choose does not know.
static uint32_t traits_of(const struct window *window)
{
    uint32_t threads = process.thread_level == MPI_THREAD_MULTIPLE ? TRAIT_THREADS : 0;
    uint32_t nodes = window->comm->leader_count > 1 ? TRAIT_NODES : 0;
    uint32_t shown = window->flavor == MPI_WIN_FLAVOR_SHARED ? TRAIT_SHOWN : 0;
    uint32_t watched = races_are_checked() ? TRAIT_WATCHED : 0;
    return threads | nodes | shown | watched;
}

static int make_state(struct opening *opening)
{
    const struct window_plan *plan = opening->plan;
    struct window *window = opening->window;
    errhandler_give(window, &errors_are_fatal);
    window->flavor = plan->flavor;
    window->model = MPI_WIN_UNIFIED;
    window->size_of_group = window->comm->size;
    window->unit = plan->unit;
    window->peers.owner = process.windows->peer_owner;
    window->unit_attribute =
        plan->unit == (int)plan->unit ? (int)plan->unit : MPI_UNDEFINED;
    window->self = (struct peer *)&nobody;
    window->traits = traits_of(window);
    epoch_init(&window->epoch);
    return hints_choose(window, plan->info);
}

static int make_memory(struct opening *opening)
{
    return opening->plan->bring(opening->plan, opening->window);
}

static void undo_memory(struct window *window)
{
    if (window->allocation != NULL)
        shm_free(process.shm, window->allocation);
}

// Is all of the own memory in the segment, at *offset?
static bool memory_is_mapped(const struct window *window, uint64_t *offset)
{
    const struct shared_pages *shared = &window->shared;
    size_t bytes = (size_t)window->size;
    bool is_shared = bytes > 0 && shared->bytes == bytes;
    *offset = is_shared ? shared->offset : shm_offset(process.shm, window->base);
    return is_shared || shm_contains(process.shm, window->base, bytes);
}

static int make_mapped(struct opening *opening)
{
    struct window *window = opening->window;
    int err = opening->error == 0 ? window_share_own(window) : 0;
    window->is_mapped = window->size == 0 || memory_is_mapped(window, &(uint64_t){0});
    if (!window->is_mapped)
        shm_open_memory(process.shm);
    return err;
}

static void undo_mapped(struct window *window)
{
    window_unshare(&window->shared);
}

// Starts the progress thread of a process that its peers may need while it computes.
static int make_service(struct opening *opening)
{
    return window_serve(opening->window);
}

static int make_region(struct opening *opening)
{
    struct window *window = opening->window;
    if (!window_has(window, TRAIT_NODES) || window->size == 0)
        return 0;
    message_lock();
    int err =
        net_register(process.net, window->base, (size_t)window->size, &window->region);
    message_unlock();
    window->has_region = !err;
    return err;
}

static void undo_region(struct window *window)
{
    if (!window->has_region)
        return;
    message_lock();
    net_deregister(process.net, &window->region);
    message_unlock();
}

// Of ORIEL_CHECK=races, behind the table of members.
static size_t lock_clocks_bytes(const struct window *window)
{
    size_t members = (size_t)window->comm->node_size;
    size_t clocks = races_are_checked() ? LOCK_CLOCKS * members : 0;
    return clocks * (size_t)process.boot->size * sizeof *window->lock_clocks;
}

// All processes give the same hint.
static void records_begin(const struct window *window, size_t bytes)
{
    struct lock_record *records = memset(window->table, 0, bytes);
    uint64_t granularity = hint_granularity(window->info);
    for (int i = 0; i < window->comm->node_size; i++)
        granularity_begin(&records[i], granularity);
}

// The node's leader provides the lock records, clear, and room for the table of members
// behind them.
static int make_table(struct opening *opening)
{
    struct window *window = opening->window;
    const struct communicator *comm = window->comm;
    size_t records_bytes = (size_t)comm->node_size * sizeof(struct lock_record);
    size_t members_bytes = (size_t)comm->size * sizeof(struct member);
    struct {
        uint64_t offset;
        int error;
    } table = {0, 0};
    if (comm->node_rank == 0) {
        size_t bytes = records_bytes + members_bytes + lock_clocks_bytes(window);
        table.error = shm_alloc(process.shm, bytes, CACHE_LINE, &window->table);
        if (!table.error) {
            records_begin(window, records_bytes);
            memset((char *)window->table + records_bytes + members_bytes, 0,
                   lock_clocks_bytes(window));
            table.offset = shm_offset(process.shm, window->table);
        }
    }
    int err = collective_node_broadcast(window->comm, &table, sizeof table);
    if (err)
        return err;
    if (table.error)
        return comm->node_rank == 0
                   ? table.error
                   : fail(table.error, "the leader of this node could not "
                                       "provide the table of the window");
    window->lock_records = shm_at(process.shm, table.offset);
    window->members = shm_at(process.shm, table.offset + records_bytes);
    if (races_are_checked())
        window->lock_clocks =
            shm_at(process.shm, table.offset + records_bytes + members_bytes);
    return 0;
}

static void undo_table(struct window *window)
{
    if (window->table != NULL)
        shm_free(process.shm, window->table);
}

static int make_attachments(struct opening *opening)
{
    struct window *window = opening->window;
    if (window->flavor == MPI_WIN_FLAVOR_DYNAMIC && window->lock_records != NULL)
        attachments_make(window);
    return 0;
}

// From now on messages may name the window, so its lock records exist already.
static int make_handle(struct opening *opening)
{
    struct window *window = opening->window;
    if (window->lock_records == NULL)
        return 0; // the opening has failed
    object_retain(window);
    int err = object_open(&window->object, KIND_WIN);
    if (err)
        return err;
    message_lock();
    window->next_open = process.windows->open;
    process.windows->open = window;
    message_unlock();
    return 0;
}

static void undo_handle(struct window *window)
{
    struct window **at = &process.windows->open;
    message_lock(); // no handler is using the window
    while (*at != NULL && *at != window)
        at = &(*at)->next_open;
    if (*at != NULL) {
        *at = window->next_open;
        object_close(&window->object);
    }
    message_unlock();
}

static struct shared_part shared_part_of(const struct window *window)
{
    const struct shared_pages *shared = &window->shared;
    if (shared->bytes == 0)
        return (struct shared_part){0};
    return (struct shared_part){
        .begin = (uint64_t)(shared->address - (char *)window->base),
        .bytes = shared->bytes,
        .offset = shared->offset,
    };
}

static uint8_t claims_of(const struct info *info)
{
    int claims = info_flag(info, "same_size", false) ? CLAIMS_SAME_SIZE : 0;
    claims |= info_flag(info, "same_disp_unit", false) ? CLAIMS_SAME_UNIT : 0;
    return (uint8_t)claims;
}

static struct member member_describe(const struct opening *opening)
{
    const struct window *window = opening->window;
    uint64_t offset;
    bool is_in_segment = memory_is_mapped(window, &offset);
    return (struct member){
        .place = is_in_segment ? offset : (uintptr_t)window->base,
        .size = (uint64_t)window->size,
        .unit = (uint64_t)window->unit,
        .net = window->region.remote,
        .handle = (uint32_t)object_handle(window),
        .node_rank = window->comm->node_rank,
        .error = opening->error,
        .flavor = (uint16_t)window->flavor,
        .is_in_segment = is_in_segment,
        .claims = claims_of(window->info),
        .shared = is_in_segment ? (struct shared_part){0} : shared_part_of(window),
    };
}

// The error that all members return: that of the lowest rank that has one.
static int members_agree(const struct opening *opening, const struct member *members)
{
    const struct communicator *comm = opening->window->comm;
    for (int rank = 0; rank < comm->size; rank++) {
        int error = members[rank].error;
        if (error != 0 && error == opening->error)
            return error; // with its own detail
        if (error != 0)
            return fail(error,
                        "rank %d of the communicator could not bring its memory to "
                        "the window",
                        rank);
    }
    return 0;
}

const char *window_constructor(int flavor)
{
    switch (flavor) {
    case MPI_WIN_FLAVOR_CREATE:
        return "MPI_Win_create";
    case MPI_WIN_FLAVOR_ALLOCATE:
        return "MPI_Win_allocate";
    case MPI_WIN_FLAVOR_DYNAMIC:
        return "MPI_Win_create_dynamic";
    default:
        return "MPI_Win_allocate_shared";
    }
}

// What one of them claims to be the same for all must be claimed by all, and be it.
static void claim_compare(const struct call_site *site, const char *hint,
                          bool own_claim, bool first_claim, uint64_t own,
                          uint64_t first)
{
    if (own_claim && first_claim && own != first)
        finding_tell(
            RULE_WINDOW_MISMATCH, site, 1,
            "info key %s is true, but here it is %ju, and %ju on rank 0 of the "
            "window",
            hint, (uintmax_t)own, (uintmax_t)first);
    else if (own_claim != first_claim)
        finding_tell(RULE_WINDOW_MISMATCH, site, 1,
                     "info key %s is %s here and %s on rank 0 of the window", hint,
                     own_claim ? "true" : "false", first_claim ? "true" : "false");
}

// Members compare themselves with the first, so that each mismatch is told once.
static void members_compare(const struct window *window, const struct member *members)
{
    const struct member *first = &members[0], *own = &members[window->comm->rank];
    struct call_site site = {.rank = process.rank,
                             .call = window_constructor(own->flavor)};
    if (process.options.check < CHECK_BASIC)
        return;
    if (own->flavor != first->flavor)
        finding_tell(RULE_WINDOW_MISMATCH, &site, 1, "rank 0 of the window calls %s",
                     window_constructor(first->flavor));
    claim_compare(&site, "same_size", own->claims & CLAIMS_SAME_SIZE,
                  first->claims & CLAIMS_SAME_SIZE, own->size, first->size);
    claim_compare(&site, "same_disp_unit", own->claims & CLAIMS_SAME_UNIT,
                  first->claims & CLAIMS_SAME_UNIT, own->unit, first->unit);
}

// A member without memory of its own gathers the descriptors into the node's table,
// which is not read then, since all members fail.
static int members_exchange(struct opening *opening)
{
    struct window *window = opening->window;
    struct communicator *comm = window->comm;
    size_t bytes = (size_t)comm->size * sizeof(struct member);
    struct member *own = malloc(bytes), *members = own;
    if (own == NULL && opening->error == 0)
        opening->error =
            fail(MPI_ERR_NO_MEM, "no memory to describe %d members", comm->size);
    if (own == NULL)
        members = (struct member *)window->members;
    if (members == NULL)
        return opening->error;
    struct member mine = member_describe(opening);
    int err = collective_gather_all(comm, &mine, sizeof mine, members);
    if (!err)
        err = members_agree(opening, members);
    if (!err)
        members_compare(window, members);
    if (!err && comm->node_rank == 0)
        memcpy((struct member *)window->members, members, bytes);
    free(own);
    return err ? err : collective_node_barrier(comm);
}

// Before any access can come: the members meet next.
static int make_watched(struct opening *opening)
{
    struct window *window = opening->window;
    if (!races_are_checked() || window->lock_clocks == NULL)
        return 0;
    window->watched = races_watch(&(struct watched_window_plan){
        .comm = window->comm,
        .name = window->name,
        .handle = (uint32_t)object_handle(window),
        .is_dynamic = window->flavor == MPI_WIN_FLAVOR_DYNAMIC,
        .clocks = window_lock_clocks(window, window->comm->node_rank),
        .base = window->base,
        .bytes = (uint64_t)window->size,
    });
    return message_serve();
}

static void undo_watched(struct window *window)
{
    races_unwatch(window->watched);
}

static const struct step {
    int (*make)(struct opening *opening);
    void (*undo)(struct window *window);
} steps[] = {
    {make_state, NULL},
    {make_memory, undo_memory},
    {make_mapped, undo_mapped},
    {make_service, NULL},
    {make_region, undo_region},
    {make_table, undo_table},
    {make_attachments, attachments_free},
    {make_handle, undo_handle},
    {make_watched, undo_watched},
    {members_exchange, NULL},
};
enum { STEPS = sizeof steps / sizeof *steps };

static void undo_steps(struct window *window)
{
    for (int i = STEPS - 1; i >= 0; i--)
        if (steps[i].undo != NULL)
            steps[i].undo(window);
    communicator_drop(window->comm);
    object_release(window);
}

int window_open(const struct window_plan *plan, struct window **opened)
{
    struct window stand_in = {0}; // takes the steps of a member that has no memory
    struct window *window = calloc(1, sizeof *window);
    struct opening opening = {.plan = plan, .window = window ? window : &stand_in};
    int err =
        communicator_make(plan->comm, plan->comm->group, 0, &opening.window->comm);
    if (err) {
        free(window);
        return err;
    }
    object_set_name(opening.window->comm->name, "a window");
    object_init(&opening.window->object, window ? window_destroy : window_clear);
    if (window == NULL)
        opening.error = fail(MPI_ERR_NO_MEM, "no memory for a window");
    for (int i = 0; i < STEPS; i++) {
        err = steps[i].make(&opening);
        if (opening.error == 0)
            opening.error = err;
    }
    if (err) {
        undo_steps(opening.window);
        return err;
    }
    assert(window_is_valid(window));
    *opened = window;
    return 0;
}

void window_close(struct window *window)
{
    undo_handle(window);
    // A late release of a lock may have been on its way until the handle became stale.
    if (window_has(window, TRAIT_NODES))
        collective_node_barrier(window->comm);
    undo_steps(window);
    kept_memory_free();
}
