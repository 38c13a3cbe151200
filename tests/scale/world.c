// SPDX-License-Identifier: BSD-3-Clause
// Virtual processes take turns.
#include "virtual.h"

#include "message/addresses.h"

#include "collective/collective.h"
#include "datatype/datatype.h"
#include "object/object.h"
#include "pt2pt/pt2pt.h"
#include "rma/rma.h"
#include "window/window.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

struct process process;

enum { STACK_BYTES = 256 * 1024, LARGE_BYTES = 64 * 1024 };
static const uint64_t NEVER = UINT64_MAX;

struct world world;

_Noreturn void die(const char *why)
{
    fprintf(stderr, "scale: %s\n", why);
    exit(1);
}

static _Noreturn void die_of_error(void)
{
    int error_class;
    die(error_detail(&error_class));
}

void *must(void *memory)
{
    if (memory == NULL)
        die("no memory for the virtual processes");
    return memory;
}

// ---- memory that a virtual process holds ----------------------------------------------
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void __wrap_free(void *memory);

static void note_memory(const void *memory, int sign)
{
    if (world.current != NULL && memory != NULL)
        world.current->allocated += sign * (int64_t)malloc_usable_size((void *)memory);
}

void *__wrap_malloc(size_t bytes)
{
    void *memory = __real_malloc(bytes);
    note_memory(memory, 1);
    return memory;
}

void drop_pages(void *memory, size_t bytes)
{
    uintptr_t first = ((uintptr_t)memory + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    uintptr_t end = ((uintptr_t)memory + bytes) / PAGE_BYTES * PAGE_BYTES;
    if (first < end && madvise((void *)first, end - first, MADV_DONTNEED) != 0)
        die("pages cannot be dropped");
}

// Zeros of which each page is there when it is first used.
static void *large_calloc(size_t bytes)
{
    char *memory = __real_malloc(bytes);
    if (memory == NULL)
        return NULL;
    memset(memory, 0, PAGE_BYTES);
    memset(memory + bytes - PAGE_BYTES, 0, PAGE_BYTES);
    drop_pages(memory, bytes);
    return memory;
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    bool is_large =
        bytes > 0 && count >= LARGE_BYTES / bytes && count < SIZE_MAX / bytes;
    void *memory = is_large ? large_calloc(count * bytes) : __real_calloc(count, bytes);
    note_memory(memory, 1);
    return memory;
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    note_memory(memory, -1);
    void *grown = __real_realloc(memory, bytes);
    note_memory(grown != NULL ? grown : memory, 1);
    return grown;
}

void __wrap_free(void *memory)
{
    note_memory(memory, -1);
    __real_free(memory);
}

// ---- the queue of those that are ready ------------------------------------------------
static bool comes_before(const struct virtual *one, const struct virtual *other)
{
    return one->ready != other->ready ? one->ready < other->ready : one < other;
}

static void queue_place(struct virtual *virtual, int index)
{
    world.queue[index] = virtual;
    virtual->heap_index = index;
}

static void queue_rise(struct virtual *virtual, int index)
{
    while (index > 0 && comes_before(virtual, world.queue[(index - 1) / 2])) {
        queue_place(world.queue[(index - 1) / 2], index);
        index = (index - 1) / 2;
    }
    queue_place(virtual, index);
}

static void queue_sink(struct virtual *virtual, int index)
{
    for (;;) {
        int child = 2 * index + 1;
        if (child + 1 < world.queue_length &&
            comes_before(world.queue[child + 1], world.queue[child]))
            child++;
        if (child >= world.queue_length || !comes_before(world.queue[child], virtual))
            break;
        queue_place(world.queue[child], index);
        index = child;
    }
    queue_place(virtual, index);
}

void ready_at(struct virtual *virtual, uint64_t time)
{
    if (time < virtual->usage.clock)
        time = virtual->usage.clock;
    if (virtual->is_over || virtual == world.current || time >= virtual->ready)
        return;
    virtual->ready = time;
    if (virtual->heap_index < 0)
        queue_rise(virtual, world.queue_length++);
    else
        queue_rise(virtual, virtual->heap_index);
}

static struct virtual *queue_take(void)
{
    if (world.queue_length == 0)
        return NULL;
    struct virtual *first = world.queue[0];
    struct virtual *last = world.queue[--world.queue_length];
    if (last != first)
        queue_sink(last, 0);
    first->heap_index = -1;
    return first;
}

// ---- taking turns ----------------------------------------------------------------------
// Those of the node that poll a word look at it again, since this process has run.
static void wake_watchers(const struct virtual *ran)
{
    struct watchers *watchers = &world.watchers[ran->boot.node];
    while (watchers->count > 0) {
        struct virtual *watcher = &world.all[watchers->ranks[--watchers->count]];
        watcher->watches = false;
        ready_at(watcher, ran->usage.clock + world.machine->line);
    }
}

void watch_node(struct virtual *virtual)
{
    struct watchers *watchers = &world.watchers[virtual->boot.node];
    if (!virtual->watches)
        watchers->ranks[watchers->count++] = virtual->boot.rank;
    virtual->watches = true;
}

void give_way(void)
{
    struct virtual *own = world.current;
    if (_setjmp(own->place) == 0)
        _longjmp(world.scheduler, 1);
}

// What core/message/start.c reads, but for the segment.
static int start_messages(void)
{
    const struct boot *boot = process.boot;
    char text[NODE_DESCRIPTOR_MAX], host[NET_HOST_MAX];
    if (boot->node_rank > 0)
        boot_get(process.boot, boot->first, "oriel-node-0", text, sizeof text);
    if (process.net == NULL)
        return 0;
    int err = addresses_open();
    addresses_start();
    if (boot->node_rank == boot->node_size - 1)
        node_lifeline_take((boot->node + 1) % boot->node_count, host);
    return err;
}

static int start_layers(void)
{
    int err = boot_find_nodes(process.boot);
    if (!err)
        err = start_messages();
    if (!err)
        err = pt2pt_start();
    if (!err)
        err = collectives_start();
    return err ? err : windows_start(&rma_peers);
}

static void run_process(void)
{
    if (start_layers() != 0)
        die_of_error();
    world.body();
    world_meet(); // as in MPI_Finalize: who is done still answers others
}

static void run_body(void)
{
    struct virtual *own = world.current;
    run_process();
    own->is_over = true;
    _longjmp(world.scheduler, 1);
}

static void begin_stack(struct virtual *virtual)
{
    static ucontext_t context, back;
    virtual->has_begun = true;
    getcontext(&context);
    context.uc_stack.ss_sp = world.stacks + (virtual - world.all) * STACK_BYTES;
    context.uc_stack.ss_size = STACK_BYTES;
    context.uc_link = NULL;
    makecontext(&context, run_body, 0);
    swapcontext(&back, &context);
}

enum { FIRST_SLOT = 1024 }; // behind the codes of the ABI

static void windows_load(const struct window_handles *own)
{
    struct handles *table = &objects.of[KIND_WIN];
    memcpy(table->handles + FIRST_SLOT, own->handles, sizeof own->handles);
    memcpy(table->objects + FIRST_SLOT, own->objects, sizeof own->objects);
    table->fresh = own->fresh;
    table->oldest = own->oldest;
    table->newest = own->newest;
    table->free = own->free;
}

static void windows_keep(struct window_handles *own)
{
    const struct handles *table = &objects.of[KIND_WIN];
    if (table->fresh > FIRST_SLOT + WINDOW_SLOTS)
        die("too many windows");
    memcpy(own->handles, table->handles + FIRST_SLOT, sizeof own->handles);
    memcpy(own->objects, table->objects + FIRST_SLOT, sizeof own->objects);
    own->fresh = table->fresh;
    own->oldest = table->oldest;
    own->newest = table->newest;
    own->free = table->free;
}

// Runs one virtual process until it gives way.
static void run_turn(struct virtual *virtual)
{
    if (virtual->usage.clock < virtual->ready)
        virtual->usage.clock = virtual->ready;
    virtual->ready = NEVER;
    virtual->looked_in_vain = false;
    world.current = virtual;
    memcpy(&process, virtual->own_process, sizeof virtual->own_process);
    windows_load(&virtual->windows);
    if (_setjmp(world.scheduler) == 0) {
        if (!virtual->has_begun)
            begin_stack(virtual);
        else
            _longjmp(virtual->place, 1);
    }
    memcpy(virtual->own_process, &process, sizeof virtual->own_process);
    windows_keep(&virtual->windows);
    world.current = NULL;
    if (virtual->is_over) {
        world.over++;
    } else if (virtual->first != NULL) {
        ready_at(virtual, virtual->first->arrival);
    }
    if (!virtual->looked_in_vain)
        wake_watchers(virtual);
}

// Runs the virtual processes until all are over.
static void take_turns(void)
{
    struct virtual *next;
    while ((next = queue_take()) != NULL)
        run_turn(next);
    if (world.over == world.count)
        return;
    for (int rank = 0; rank < world.count; rank++)
        if (!world.all[rank].is_over) {
            fprintf(stderr, "scale: rank %d of %d waits for ever\n", rank, world.count);
            exit(1);
        }
}

// ---- the job ---------------------------------------------------------------------------
static void virtual_make(struct virtual *virtual, int rank)
{
    int node = rank / world.node_size;
    bool has_nodes = world.count > world.node_size;
    virtual->ready = NEVER;
    virtual->heap_index = -1;
    virtual->boot.rank = rank;
    virtual->boot.size = world.count;
    virtual->boot.node = node;
    virtual->shm = (struct shm){.base = world.segments[node],
                                .bytes = NODE_BYTES,
                                .common = world.segments[node],
                                .node_rank = rank % world.node_size,
                                .node_size = world.node_size};
    struct process own = {.rank = rank,
                          .boot = &virtual->boot,
                          .shm = &virtual->shm,
                          .net = has_nodes ? (struct net *)virtual : NULL,
                          .thread_level = MPI_THREAD_SINGLE};
    memcpy(virtual->own_process, &own, sizeof virtual->own_process);
}

static void *address_space(size_t bytes)
{
    void *space = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED)
        die("no address space for the virtual processes");
    return space;
}

void world_run(int nodes, int node_size, const struct machine *machine,
               void (*body)(void))
{
    world.count = nodes * node_size;
    world.node_size = node_size;
    world.machine = machine;
    world.body = body;
    size_t count = (size_t)world.count;
    struct boot job = {.size = world.count, .node_count = nodes};
    world.all = must(__real_calloc(count, sizeof *world.all));
    world.queue = must(__real_calloc(count, sizeof *world.queue));
    world.segments = must(__real_calloc((size_t)nodes, sizeof *world.segments));
    world.used = must(__real_calloc((size_t)nodes, sizeof *world.used));
    if (objects_start() != 0) // the tables of handles are those of all
        die_of_error();
    datatypes_start();
    world.watchers = must(__real_calloc((size_t)nodes, sizeof *world.watchers));
    int *watching = must(__real_calloc(count, sizeof *watching));
    for (int node = 0; node < nodes; node++) {
        world.segments[node] = address_space(NODE_BYTES);
        world.used[node] = addresses_bytes(&job);
        world.watchers[node].ranks = watching + (size_t)node * (size_t)node_size;
    }
    world.stacks = address_space(count * STACK_BYTES);
    for (int rank = 0; rank < world.count; rank++) {
        virtual_make(&world.all[rank], rank);
        ready_at(&world.all[rank], 0);
    }
    take_turns();
}

// ---- what it takes ---------------------------------------------------------------------
struct usage world_usage(void)
{
    struct usage usage = world.current->usage;
    usage.memory = world.current->allocated;
    return usage;
}

// All wait here until the last one has come. The first ones may be back before others
// have left.
void world_meet(void)
{
    static int arrived;
    static uint64_t latest;
    int own_meeting = world.meetings;
    if (latest < world.current->usage.clock)
        latest = world.current->usage.clock;
    if (++arrived == world.count) {
        arrived = 0;
        world.meetings++;
        world.released = latest;
        for (int rank = 0; rank < world.count; rank++)
            ready_at(&world.all[rank], world.released);
    }
    while (world.meetings == own_meeting) {
        message_poll();
        give_way();
    }
}

void world_mark(void)
{
    struct usage *usage = &world.current->usage;
    world_meet();
    usage->clock = world.released;
    usage->messages = usage->bytes = usage->network_messages = usage->accesses =
        usage->values = 0;
    usage->node_memory = 0;
}

void world_combine(uint64_t most[], size_t most_count, uint64_t sums[],
                   size_t sum_count)
{
    (void)most, (void)most_count, (void)sums, (void)sum_count;
}
