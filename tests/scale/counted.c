// SPDX-License-Identifier: BSD-3-Clause
// The same calls in a real job, which mpiexec has started: messages and accesses as the
// library counts them for tools, memory as the library's own allocations take it.
#include "world.h"

#include "collective/collective.h"
#include "object/object.h"
#include "oriel_core.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What processes do to meet is not counted.
static struct {
    struct usage marked;  // the counts at the last mark
    struct usage barrier; // the messages of one barrier
    uint64_t barriers;    // since the last mark
} counted;
static _Atomic(int64_t) allocated;
static _Atomic(uint64_t) values_read; // from the launcher

static void check(int err)
{
    int class;
    if (err == 0)
        return;
    fprintf(stderr, "counted: rank %d: %s\n", process.rank, error_detail(&class));
    exit(1);
}

// ---- the linker has the library call these (--wrap) ------------------------------------
int __real_boot_get(struct boot *boot, int rank, const char *key, char *value,
                    size_t value_size);
int __wrap_boot_get(struct boot *boot, int rank, const char *key, char *value,
                    size_t value_size);
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void __real_free(void *memory);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void __wrap_free(void *memory);

static void note_memory(void *memory, int sign)
{
    if (memory != NULL)
        atomic_fetch_add(&allocated, sign * (int64_t)malloc_usable_size(memory));
}

void *__wrap_malloc(size_t bytes)
{
    void *memory = __real_malloc(bytes);
    note_memory(memory, 1);
    return memory;
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    void *memory = __real_calloc(count, bytes);
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

int __wrap_boot_get(struct boot *boot, int rank, const char *key, char *value,
                    size_t value_size)
{
    atomic_fetch_add(&values_read, 1);
    return __real_boot_get(boot, rank, key, value, value_size);
}

// ---- counts ----------------------------------------------------------------------------
static struct usage counts_now(void)
{
    uint64_t network = counter_value(COUNTER_NETWORK_MESSAGES);
    uint64_t reads = counter_value(COUNTER_NETWORK_READS);
    return (struct usage){
        .messages = network + counter_value(COUNTER_NODE_MESSAGES),
        .bytes = counter_value(COUNTER_NETWORK_MESSAGE_BYTES) +
                 counter_value(COUNTER_NODE_MESSAGE_BYTES),
        .network_messages = network,
        .accesses = reads + counter_value(COUNTER_NETWORK_WRITES),
        .values = atomic_load(&values_read),
        .clock = clock_nanoseconds(),
        .memory = atomic_load(&allocated),
        .node_memory = (int64_t)counter_value(COUNTER_HEAP_BYTES),
    };
}

struct usage world_usage(void)
{
    struct usage usage = counts_now();
    const struct usage *marked = &counted.marked, *barrier = &counted.barrier;
    usage.messages -= marked->messages + counted.barriers * barrier->messages;
    usage.bytes -= marked->bytes + counted.barriers * barrier->bytes;
    usage.network_messages -=
        marked->network_messages + counted.barriers * barrier->network_messages;
    usage.accesses -= marked->accesses;
    usage.values -= marked->values;
    usage.node_memory -= marked->node_memory;
    return usage;
}

void world_meet(void)
{
    check(oriel_barrier(process.world));
    counted.barriers++;
}

// Nobody sends anything between two barriers.
void world_mark(void)
{
    world_meet();
    counted.marked = counts_now();
    counted.barriers = 0;
    world_meet();
}

static void barrier_count(void)
{
    struct usage before = counts_now();
    world_meet();
    counted.barrier = counts_now();
    counted.barrier.messages -= before.messages;
    counted.barrier.bytes -= before.bytes;
    counted.barrier.network_messages -= before.network_messages;
}

// So that these counts are those since the mark.
static void mark_after(struct usage counts)
{
    struct usage now = counts_now();
    counted.marked = (struct usage){
        .messages = now.messages - counts.messages,
        .bytes = now.bytes - counts.bytes,
        .network_messages = now.network_messages - counts.network_messages,
        .accesses = now.accesses - counts.accesses,
        .values = now.values - counts.values,
        .node_memory = now.node_memory - counts.node_memory,
    };
    counted.barriers = 0;
}

void world_combine(uint64_t most[], size_t most_count, uint64_t sums[],
                   size_t sum_count)
{
    struct datatype *type = handle_object(KIND_DATATYPE, (uintptr_t)MPI_UINT64_T);
    struct op *largest = handle_object(KIND_OP, (uintptr_t)MPI_MAX);
    struct op *sum = handle_object(KIND_OP, (uintptr_t)MPI_SUM);
    check(collective_reduce_all(process.world, most, most, (MPI_Count)most_count, type,
                                largest));
    check(collective_reduce_all(process.world, sums, sums, (MPI_Count)sum_count, type,
                                sum));
}

void world_run(int nodes, int node_size, const struct machine *machine,
               void (*body)(void))
{
    (void)machine;
    check(oriel_init(NULL, NULL));
    if (process.boot->node_count != nodes || process.boot->size != nodes * node_size) {
        fprintf(stderr, "counted: %d processes on %d nodes, not %d on each of %d\n",
                process.boot->size, process.boot->node_count, node_size, nodes);
        exit(2);
    }
    struct usage started = counts_now();
    world_meet();
    barrier_count();
    mark_after(started);
    body();
    check(oriel_finalize());
}
