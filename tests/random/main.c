// SPDX-License-Identifier: BSD-3-Clause
// usage: mpiexec -n RANKS rma_random [programs [first seed [threads [mistake]]]]
// With the mistake `fault` one byte is changed behind MPI's back, which must be noticed.
// The names of mutations make a mistake in an operation or leave out what orders two, for
// ORIEL_CHECK=races; the exit code is 77 if the program has none to which that could happen.
#include "random.h"

#include <stdarg.h>

void *allocate(size_t bytes)
{
    void *memory = calloc(1, bytes + (bytes == 0));
    if (memory == NULL) {
        fprintf(stderr, "no memory: %zu bytes\n", bytes);
        abort();
    }
    return memory;
}

_Noreturn void report(const struct program *program, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "rank %d of %d, seed %llu, %d threads, stage %d: ", program->rank,
            program->ranks, (unsigned long long)program->seed, program->threads,
            program->stage);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

void describe(const struct program *program, const struct action *a, char *text,
              size_t room)
{
    static const char *const verbs[] = {"put",          "get",
                                        "accumulate",   "get_accumulate",
                                        "fetch_and_op", "compare_and_swap",
                                        "flush",        "flush_local",
                                        "fence"};
    static const char *const epochs[] = {"no",   "fence",           "start",
                                         "lock", "lock one by one", "lock_all"};
    const struct window *window = &program->windows[a->window];
    snprintf(
        text, room,
        "%s by %d.%d at %d, window %d (flavor %d, %s epoch): %d elements of %d cells "
        "of %zu bytes at displacement %td of unit %d, op %#tx, origin %d elements of "
        "%d cells",
        verbs[a->verb], a->origin, a->thread, a->target, a->window, window->flavor,
        epochs[program->synchronisations[a->window].epoch], a->at_count, a->at.cells,
        program->cell.bytes, a->displacement,
        a->target < 0 ? 0 : window->units[a->target], (ptrdiff_t)a->operation,
        a->from.count, a->from.shape.cells);
}

void report_actions(const struct program *program, const struct memory *memory)
{
    for (int a = 0; a < program->action_count; a++) {
        char text[400];
        const struct action *action = &program->actions[a];
        if (program->windows[action->window].memory != memory)
            continue;
        describe(program, action, text, sizeof text);
        fprintf(stderr, "  %s\n", text);
    }
}

// The ranks of the world in their order or in reverse.
static void choose_comm(struct program *program)
{
    int world_rank;
    bool is_reversed = random_chance(&program->random, 30);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_split(MPI_COMM_WORLD, 0, is_reversed ? -world_rank : world_rank,
                   &program->comm);
    MPI_Comm_rank(program->comm, &program->rank);
    MPI_Comm_size(program->comm, &program->ranks);
}

static void run(struct program *program)
{
    program->random = (struct random){program->seed};
    choose_comm(program);
    program->cell = cell_any(&program->random);
    windows_open(program);
    int stages = random_between(&program->random, 1, 6);
    for (program->stage = 0; program->stage < stages; program->stage++) {
        windows_store(program);
        plan_stage(program);
        if (program->mutation != RIGHT && !program->is_mutant)
            program->is_mutant = mutate_stage(program, program->mutation);
        perform_stage(program);
        if (program->has_fault)
            program->windows[0].memory->model[0][0] ^= 1;
        windows_check(program);
        plan_free(program);
        if (program->is_mutant)
            break;
    }
    windows_close(program);
    MPI_Comm_free(&program->comm);
}

static enum mutation mutation_of(const char *mistake)
{
    static const char *const names[] = {
        [MOVED] = "moved",       [EXCHANGED] = "exchanged", [UNFLUSHED] = "unflushed",
        [UNFENCED] = "unfenced", [UNLOCKED] = "unlocked",   [LOCKED] = "locked"};
    for (int i = MOVED; i <= LOCKED; i++)
        if (strcmp(mistake, names[i]) == 0)
            return (enum mutation)i;
    return RIGHT;
}

static bool one_node(void)
{
    MPI_Comm node;
    int here, all;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &here);
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    MPI_Comm_free(&node);
    return here == all;
}

int main(int argc, char **argv)
{
    static struct program program;
    int programs = argc > 1 ? atoi(argv[1]) : 100, provided;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    program.threads = argc > 3 ? atoi(argv[3]) : 1;
    MPI_Init_thread(&argc, &argv,
                    program.threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                    &provided);
    program.mutation = argc > 4 ? mutation_of(argv[4]) : RIGHT;
    program.has_fault = argc > 4 && program.mutation == RIGHT;
    program.is_one_node = one_node();
    for (program.number = 0; program.number < programs; program.number++) {
        program.seed = first + (uint64_t)program.number;
        run(&program);
    }
    MPI_Finalize();
    return program.mutation != RIGHT && !program.is_mutant ? 77 : 0;
}
