// SPDX-License-Identifier: BSD-3-Clause
// The one constructor of windows: a list of steps, each with its undo. Every step is
// taken by all members although one has failed; failures meet in the exchange of
// descriptors.
#include "window/attachments.h"
#include "window/hints.h"
#include "window/memory.h"
#include "window/open.h"
#include "window/share.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct opening {
    const struct window_plan *plan; // the members exchange things over its communicator
    struct window *window;
    int error; // the first of this member, then the one that all agree on
};

// The procedure that opens windows of a flavor.
static const char *window_constructor(int flavor)
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

// A member without memory for a communicator has the program's in its place.
static bool has_communicator(const struct opening *opening)
{
    return opening->window->comm != opening->plan->comm;
}

static void window_clear(struct object *object)
{
    struct window *window = (struct window *)object;
    peers_free(window);
    distant_locks_free(window);
    notices_free(window);
    object_release(window->info);
    object_release(window->object.errhandler);
    free(window->name);
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
    return hints_choose(window, plan->info, window_constructor(plan->flavor));
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
    int err = net_register(process.net, window->base, (size_t)window->size,
                           window->comm->context, &window->region);
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

// Clocks of ORIEL_CHECK=races, of one member.
static size_t lock_clocks_bytes(void)
{
    size_t clocks = races_are_checked() ? LOCK_CLOCKS * (size_t)process.boot->size : 0;
    return clocks * sizeof(uint64_t);
}

// Each member clears its own lock record, which others use after the exchange. All
// processes give the same hint.
static int make_table(struct opening *opening)
{
    struct window *window = opening->window;
    struct communicator *comm = opening->plan->comm;
    size_t members = (size_t)comm->node_size, own = (size_t)comm->node_rank;
    size_t records_bytes = members * sizeof(struct lock_record);
    size_t members_bytes = members * sizeof(struct local_member);
    void *memory = NULL;
    int err = communicator_share_memory(
        comm, has_communicator(opening) ? window->comm : NULL,
        records_bytes + members_bytes + members * lock_clocks_bytes(), &memory);
    if (err || memory == NULL)
        return err;
    char *table = memory;
    window->lock_records = memory;
    window->local_members = (struct local_member *)(table + records_bytes);
    memset(&window->lock_records[own], 0, sizeof *window->lock_records);
    granularity_begin(&window->lock_records[own], hint_granularity(window->info));
    if (races_are_checked()) {
        char *clocks = table + records_bytes + members_bytes;
        window->lock_clocks = (_Atomic(uint64_t) *)clocks;
        memset(clocks + own * lock_clocks_bytes(), 0, lock_clocks_bytes());
    }
    return 0;
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

enum { CLAIMS_SAME_SIZE = 1, CLAIMS_SAME_UNIT = 2 }; // hints

static uint64_t claims_of(const struct info *info)
{
    uint64_t claims = info_flag(info, "same_size", false) ? CLAIMS_SAME_SIZE : 0;
    claims |= info_flag(info, "same_disp_unit", false) ? CLAIMS_SAME_UNIT : 0;
    return claims;
}

static struct local_member member_describe(const struct window *window)
{
    uint64_t offset;
    bool is_in_segment = memory_is_mapped(window, &offset);
    return (struct local_member){
        .place = is_in_segment ? offset : (uintptr_t)window->base,
        .is_in_segment = is_in_segment,
        .shared = is_in_segment ? (struct shared_part){0} : shared_part_of(window),
    };
}

// What members reduce to the largest of each: in the end that of all.
struct introduction {
    uint64_t failure; // rank and error class: of the lowest rank that has one
    struct member_bounds bounds;
    struct {
        uint64_t flavor, size, unit, claims, next_context;
    } first; // of rank 0; others bring nothing
};

static struct introduction introduction_make(const struct opening *opening,
                                             const uint64_t values[MEMBER_VALUES])
{
    const struct window *window = opening->window;
    struct introduction made = {0};
    int rank = opening->plan->comm->rank;
    if (opening->error != 0)
        made.failure = (uint64_t)(INT_MAX - rank) << 32 | (uint32_t)opening->error;
    member_bounds_begin(&made.bounds, values);
    if (rank > 0)
        return made;
    made.first.flavor = (uint64_t)window->flavor;
    made.first.size = (uint64_t)window->size;
    made.first.unit = (uint64_t)window->unit;
    made.first.claims = claims_of(window->info);
    made.first.next_context = window_context_make(opening->plan->comm);
    return made;
}

// The error that all members return.
static int members_agree(const struct opening *opening, uint64_t failure)
{
    int error = (int)(uint32_t)failure, rank = INT_MAX - (int)(failure >> 32);
    if (error == 0 || error == opening->error)
        return error; // with its own detail
    return fail(error,
                "rank %d of the communicator could not bring its memory to the window",
                rank);
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
static void members_compare(const struct window *window,
                            const struct introduction *introduction)
{
    struct call_site site = {.rank = process.rank,
                             .call = window_constructor(window->flavor)};
    if (process.options.check < CHECK_BASIC)
        return;
    if (introduction->first.flavor != (uint64_t)window->flavor)
        finding_tell(RULE_WINDOW_MISMATCH, &site, 1, "rank 0 of the window calls %s",
                     window_constructor((int)introduction->first.flavor));
    uint64_t own = claims_of(window->info), first = introduction->first.claims;
    claim_compare(&site, "same_size", own & CLAIMS_SAME_SIZE, first & CLAIMS_SAME_SIZE,
                  (uint64_t)window->size, introduction->first.size);
    claim_compare(&site, "same_disp_unit", own & CLAIMS_SAME_UNIT,
                  first & CLAIMS_SAME_UNIT, (uint64_t)window->unit,
                  introduction->first.unit);
}

// All members of a node write their values to its table, and the leaders exchange those
// of the nodes.
static int exchange_values(struct communicator *comm, struct window *window,
                           const uint64_t values[MEMBER_VALUES])
{
    struct member_table *table = &window->members;
    void *provided = NULL, *rows = NULL;
    int err = collective_node_alloc(comm, (size_t)comm->size * table->row_bytes,
                                    &provided, &rows);
    table->rows = comm->node_rank == 0 ? provided : rows;
    if (!err)
        member_table_write(table, comm->rank, values);
    return collective_gather_in_node(comm, table->rows, table->row_bytes, err);
}

// The members reduce what they bring, and so agree on whether all have opened the window.
// Only if their values differ do they exchange them. Where a local peer has its memory is
// in the node's table by then.
static int members_exchange(struct opening *opening)
{
    struct window *window = opening->window;
    struct communicator *comm = opening->plan->comm;
    const struct net_remote *net = &window->region.remote;
    uint64_t values[MEMBER_VALUES] = {[VALUE_SIZE] = (uint64_t)window->size,
                                      [VALUE_UNIT] = (uint64_t)window->unit,
                                      [VALUE_KEY] = net->key,
                                      [VALUE_ADDRESS] = net->address,
                                      [VALUE_HANDLE] = object_handle(window)};
    struct introduction introduction = introduction_make(opening, values);
    if (window->local_members != NULL)
        window->local_members[comm->node_rank] = member_describe(window);
    int err = collective_reduce_all(
        comm, &introduction, &introduction, sizeof introduction / sizeof(uint64_t),
        handle_object(KIND_DATATYPE, (uintptr_t)MPI_UINT64_T),
        handle_object(KIND_OP, (uintptr_t)MPI_MAX));
    if (err)
        return err;
    window_context_take(comm, introduction.first.next_context);
    err = members_agree(opening, introduction.failure);
    if (err)
        return err;
    members_compare(window, &introduction);
    window->members = member_table_plan(&introduction.bounds);
    return window->members.row_bytes > 0 ? exchange_values(comm, window, values) : 0;
}

static void undo_members(struct window *window)
{
    if (window->comm->node_rank == 0)
        shm_free(process.shm, window->members.rows);
}

// Before any access can come: the members meet next.
static int make_watched(struct opening *opening)
{
    struct window *window = opening->window;
    if (!races_are_checked() || window->lock_clocks == NULL)
        return 0;
    window->watched = races_watch(&(struct watched_window_plan){
        .comm = window->comm,
        .name = &window->name,
        .handle = (uint32_t)object_handle(window),
        .is_dynamic = window->flavor == MPI_WIN_FLAVOR_DYNAMIC,
        .clocks = window_lock_clocks(window, window->comm->node_rank),
        .base = window->base,
        .bytes = (uint64_t)window->size,
        .is_programs = window->flavor == MPI_WIN_FLAVOR_CREATE ||
                       window->flavor == MPI_WIN_FLAVOR_DYNAMIC,
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
    {make_table, NULL},
    {make_attachments, attachments_free},
    {make_handle, undo_handle},
    {make_watched, undo_watched},
    {members_exchange, undo_members},
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

static int make_window(struct communicator *parent, struct window **made)
{
    struct window *window = calloc(1, sizeof *window);
    if (window == NULL)
        return fail(MPI_ERR_NO_MEM, "no memory for a window");
    int err = communicator_make_for_window(parent, &window->comm);
    if (err) {
        free(window);
        return err;
    }
    object_init(&window->object, window_destroy);
    *made = window;
    return 0;
}

int window_open(const struct window_plan *plan, struct window **opened)
{
    struct window stand_in = {.comm = plan->comm}; // of a member that has no memory
    struct opening opening = {.plan = plan, .window = &stand_in};
    if (comm_is_inter(plan->comm))
        return fail(MPI_ERR_COMM, "comm: is an intercommunicator");
    int err = opening.error = make_window(plan->comm, &opening.window);
    if (err) {
        object_init(&stand_in.object, window_clear);
        object_retain(plan->comm);
    }
    for (int i = 0; i < STEPS; i++) {
        err = steps[i].make(&opening);
        if (opening.error == 0)
            opening.error = err;
    }
    if (err) {
        undo_steps(opening.window);
        return err;
    }
    assert(window_is_valid(opening.window));
    *opened = opening.window;
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
