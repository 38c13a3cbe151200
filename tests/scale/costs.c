// SPDX-License-Identifier: BSD-3-Clause
// What calls cost in a job of many processes. Prints a line for each call: its name, and
//   messages to other nodes of all processes together
//   the most that one process has used:
//     messages to other processes
//     messages to other nodes
//     remote accesses
//     bytes of its messages
//     nanoseconds
//     bytes of memory that it holds afterwards and did not before
//     processes of other nodes that it has sent anything since the start
//     values that it has read from the launcher
//   bytes of a node's segment that are allocated afterwards and were not before
//
// usage: costs NODES PROCESSES_OF_A_NODE [network-keys]
//
// With the last word the network chooses the keys of memory, and takes addresses.
#include "world.h"

#include "object/object.h"
#include "oriel_core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What a process of the program has.
struct program {
    struct window *window;
    struct group *neighbors; // the ranks before and after it
    struct communicator *made;
    double in, out, *memory;
    int next;
};

// Of all processes, in one call.
static struct {
    struct usage most;
    struct {
        uint64_t network_messages;
        uint64_t segment_bytes;
    } together;
} used;

static void check(int err)
{
    int class;
    if (err == 0)
        return;
    fprintf(stderr, "costs: rank %d: %s\n", process.rank, error_detail(&class));
    exit(1);
}

static struct datatype *doubles(void)
{
    return handle_object(KIND_DATATYPE, (uintptr_t)MPI_DOUBLE);
}

static void put_next(struct program *program)
{
    check(oriel_put(&program->in, 1, doubles(), program->next, 0, 1, doubles(),
                    program->window));
}

// ---- the calls -------------------------------------------------------------------------
static void start(struct program *program) // before the body
{
    (void)program;
}

static void barrier(struct program *program)
{
    (void)program;
    check(oriel_barrier(process.world));
}

static void bcast(struct program *program)
{
    check(oriel_bcast(&program->in, 1, doubles(), 0, process.world));
}

static void allreduce(struct program *program)
{
    struct op *sum = handle_object(KIND_OP, (uintptr_t)MPI_SUM);
    check(
        oriel_allreduce(&program->in, &program->out, 1, doubles(), sum, process.world));
}

static void comm_dup(struct program *program)
{
    check(oriel_comm_dup(process.world, &program->made));
}

static void comm_split(struct program *program)
{
    check(oriel_comm_split(process.world, process.rank % 2, 0, &program->made));
}

static void comm_split_by_node(struct program *program)
{
    check(oriel_comm_split(process.world, process.boot->node, 0, &program->made));
}

static void win_allocate(struct program *program)
{
    check(oriel_win_allocate(sizeof(double), sizeof(double), NULL, process.world,
                             &program->memory, &program->window));
}

static void fence(struct program *program)
{
    check(oriel_win_fence(0, program->window));
}

static void fence_put(struct program *program)
{
    put_next(program);
    fence(program);
}

static void end_fences(struct program *program)
{
    check(oriel_win_fence(MPI_MODE_NOSUCCEED, program->window));
}

static void post_start_put_complete_wait(struct program *program)
{
    check(oriel_win_post(program->neighbors, 0, program->window));
    check(oriel_win_start(program->neighbors, 0, program->window));
    put_next(program);
    check(oriel_win_complete(program->window));
    check(oriel_win_wait(program->window));
}

// Some of the neighbors' addresses are not known.
static void first_post_start_put_complete_wait(struct program *program)
{
    post_start_put_complete_wait(program);
}

static void lock_all_unlock_all(struct program *program)
{
    check(oriel_win_lock_all(0, program->window));
    check(oriel_win_unlock_all(program->window));
}

static void lock_all_put_unlock_all(struct program *program)
{
    check(oriel_win_lock_all(0, program->window));
    put_next(program);
    check(oriel_win_unlock_all(program->window));
}

static void win_free(struct program *program)
{
    check(oriel_win_free(program->window));
}

// ---- measuring -------------------------------------------------------------------------
static void take_most(uint64_t *most_of, uint64_t value)
{
    if (*most_of < value)
        *most_of = value;
}

static void print_line(const char *name)
{
    const struct usage *most = &used.most;
    printf("%s %ju %ju %ju %ju %ju %ju %jd %ju %ju %jd\n", name,
           (uintmax_t)used.together.network_messages, (uintmax_t)most->messages,
           (uintmax_t)most->network_messages, (uintmax_t)most->accesses,
           (uintmax_t)most->bytes, (uintmax_t)most->clock, (intmax_t)most->memory,
           (uintmax_t)most->peers, (uintmax_t)most->values,
           (intmax_t)used.together.segment_bytes / process.boot->node_count);
}

// The usage before the call, when it has returned, and when all others have, too: answers
// to them count, but no time and no memory of the process.
static void note_usage(struct usage before, struct usage returned, struct usage usage)
{
    struct usage *most = &used.most;
    take_most(&most->messages, usage.messages);
    take_most(&most->network_messages, usage.network_messages);
    take_most(&most->accesses, usage.accesses);
    take_most(&most->bytes, usage.bytes);
    take_most(&most->clock, returned.clock - before.clock);
    take_most(&most->peers, usage.peers);
    take_most(&most->values, usage.values);
    if (most->memory < returned.memory - before.memory)
        most->memory = returned.memory - before.memory;
    used.together.network_messages += usage.network_messages;
    if (returned.node_memory > 0)
        used.together.segment_bytes += (uint64_t)returned.node_memory;
}

static void measure(const char *name, void (*call)(struct program *), bool at_start,
                    struct program *program)
{
    if (!at_start)
        world_mark();
    struct usage before = at_start ? (struct usage){0} : world_usage();
    call(program);
    struct usage returned = world_usage();
    world_meet();
    note_usage(before, returned, world_usage());
    world_mark();
    world_combine((uint64_t *)&used.most, sizeof used.most / sizeof(uint64_t),
                  (uint64_t *)&used.together, sizeof used.together / sizeof(uint64_t));
    if (process.rank == 0)
        print_line(name);
    world_mark();
    memset(&used, 0, sizeof used);
    world_mark();
}

static void find_neighbors(struct program *program)
{
    int size = process.boot->size, rank = process.rank;
    int ranks[2] = {(rank + size - 1) % size, (rank + 1) % size};
    program->next = ranks[1];
    check(group_make(ranks, ranks[0] == ranks[1] ? 1 : 2, NULL, &program->neighbors));
}

#define MEASURE(call, at_start) measure(#call, call, at_start, &program)

static void body(void)
{
    struct program program = {.in = 1};
    MEASURE(start, true);
    find_neighbors(&program);
    MEASURE(barrier, false);
    MEASURE(bcast, false);
    MEASURE(allreduce, false);
    MEASURE(comm_dup, false);
    check(oriel_comm_free(program.made));
    MEASURE(comm_split, false);
    check(oriel_comm_free(program.made));
    MEASURE(comm_split_by_node, false);
    check(oriel_comm_free(program.made));
    MEASURE(win_allocate, false);
    MEASURE(fence, false);
    MEASURE(fence_put, false);
    MEASURE(end_fences, false);
    MEASURE(first_post_start_put_complete_wait, false);
    MEASURE(post_start_put_complete_wait, false);
    MEASURE(lock_all_unlock_all, false);
    MEASURE(lock_all_put_unlock_all, false);
    MEASURE(win_free, false);
}

int main(int argc, char **argv)
{
    struct machine machine = {
        .node = {200, 50, 0.1}, .network = {5000, 1500, 0.4}, .line = 100};
    int nodes = argc > 2 ? atoi(argv[1]) : 0, node_size = argc > 2 ? atoi(argv[2]) : 0;
    if (nodes < 1 || node_size < 1) {
        fprintf(stderr, "usage: %s NODES PROCESSES_OF_A_NODE [network-keys]\n",
                argv[0]);
        return 2;
    }
    machine.network_keys = argc > 3 && strcmp(argv[3], "network-keys") == 0;
    world_run(nodes, node_size, &machine, body);
    return 0;
}
