// SPDX-License-Identifier: BSD-3-Clause
// The memories and windows of a random program: opened in all flavours, written to by
// their owners between stages, compared with their models.
#include "random.h"

static const int FLAVORS[] = {MPI_WIN_FLAVOR_CREATE, MPI_WIN_FLAVOR_ALLOCATE,
                              MPI_WIN_FLAVOR_DYNAMIC, MPI_WIN_FLAVOR_SHARED};

// Is it opened on memory that the program has?
static bool is_on_memory(const struct window *window)
{
    return window->flavor == MPI_WIN_FLAVOR_CREATE ||
           window->flavor == MPI_WIN_FLAVOR_DYNAMIC;
}

static void memory_make(struct program *program, struct memory *memory)
{
    int ranks = program->ranks;
    int most = random_chance(&program->random, 10) ? 12000 : 200;
    memory->cell = &program->cell;
    memory->cells = allocate((size_t)ranks * sizeof *memory->cells);
    memory->model = allocate((size_t)ranks * sizeof *memory->model);
    memory->owners = allocate((size_t)ranks * sizeof *memory->owners);
    for (int r = 0; r < ranks; r++) {
        bool is_empty = random_chance(&program->random, 10);
        memory->cells[r] = is_empty ? 0 : random_between(&program->random, 1, most);
        memory->model[r] = allocate((size_t)memory->cells[r] * program->cell.bytes);
        memory->owners[r] = allocate((size_t)memory->cells[r] * sizeof(struct owner));
        cell_fill(&program->cell, memory->model[r], (size_t)memory->cells[r],
                  random_next(&program->random));
    }
}

static size_t bytes_here(const struct program *program, const struct memory *memory)
{
    return (size_t)memory->cells[program->rank] * program->cell.bytes;
}

// Memory for a window to be created on.
static void memory_allocate(struct program *program, struct memory *memory)
{
    size_t bytes = bytes_here(program, memory);
    memory->is_allocated = random_chance(&program->random, 50);
    if (memory->is_allocated)
        MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &memory->real);
    else
        memory->real = allocate(bytes);
}

static MPI_Info hints(struct program *program, struct window *window)
{
    MPI_Info info;
    window->has_locks = !random_chance(&program->random, 15);
    MPI_Info_create(&info);
    if (!window->has_locks)
        MPI_Info_set(info, "no_locks", "true");
    if (window->flavor == MPI_WIN_FLAVOR_SHARED && random_chance(&program->random, 50))
        MPI_Info_set(info, "alloc_shared_noncontig", "true");
    return info;
}

// Displacements are addresses, which all ranks have to know.
static void window_attach(struct program *program, struct window *window)
{
    MPI_Aint bytes = (MPI_Aint)bytes_here(program, window->memory), zero = 0;
    if (bytes > 0) {
        MPI_Win_attach(window->handle, window->memory->real, bytes);
        MPI_Get_address(window->memory->real, &zero);
    }
    MPI_Allgather(&zero, 1, MPI_AINT, window->zeros, 1, MPI_AINT, program->comm);
}

static void window_open(struct program *program, struct window *window)
{
    struct memory *memory = window->memory;
    MPI_Aint bytes = (MPI_Aint)bytes_here(program, memory);
    int unit = window->units[program->rank];
    MPI_Comm comm = program->comm;
    MPI_Info info = hints(program, window);
    if (window->flavor == MPI_WIN_FLAVOR_ALLOCATE)
        MPI_Win_allocate(bytes, unit, info, comm, &memory->real, &window->handle);
    else if (window->flavor == MPI_WIN_FLAVOR_SHARED)
        MPI_Win_allocate_shared(bytes, unit, info, comm, &memory->real,
                                &window->handle);
    else if (window->flavor == MPI_WIN_FLAVOR_CREATE)
        MPI_Win_create(memory->real, bytes, unit, info, comm, &window->handle);
    else
        MPI_Win_create_dynamic(info, comm, &window->handle);
    MPI_Info_free(&info);
}

static void window_make(struct program *program, struct window *window)
{
    static const int factors[] = {1, 2, 4};
    int ranks = program->ranks;
    window->units = allocate((size_t)ranks * sizeof *window->units);
    window->zeros = allocate((size_t)ranks * sizeof *window->zeros);
    for (int r = 0; r < ranks; r++) {
        int unit =
            factors[random_below(&program->random, 3)] * (int)program->cell.bytes;
        bool is_bytes = window->flavor == MPI_WIN_FLAVOR_DYNAMIC ||
                        random_chance(&program->random, 30);
        window->units[r] = is_bytes ? 1 : unit;
    }
    if (is_on_memory(window) && window->memory->real == NULL)
        memory_allocate(program, window->memory);
    window_open(program, window);
    if (window->flavor == MPI_WIN_FLAVOR_DYNAMIC)
        window_attach(program, window);
    memcpy(window->memory->real, window->memory->model[program->rank],
           bytes_here(program, window->memory));
}

void windows_open(struct program *program)
{
    struct random *random = &program->random;
    program->window_count = random_between(random, 1, MOST_WINDOWS);
    for (int w = 0; w < program->window_count; w++) {
        struct window *window = &program->windows[w];
        window->flavor = FLAVORS[random_below(random, program->is_one_node ? 4 : 3)];
        bool is_same = w > 0 && is_on_memory(window) && is_on_memory(window - 1) &&
                       random_chance(random, 50);
        if (is_same) {
            window->memory = window[-1].memory;
        } else {
            window->memory = &program->memories[program->memory_count++];
            memory_make(program, window->memory);
        }
        window_make(program, window);
    }
    MPI_Barrier(program->comm);
}

static void memory_free(struct program *program, struct memory *memory)
{
    if (memory->is_allocated)
        MPI_Free_mem(memory->real);
    else
        free(memory->real);
    for (int r = 0; r < program->ranks; r++) {
        free(memory->model[r]);
        free(memory->owners[r]);
    }
    free(memory->cells);
    free(memory->model);
    free(memory->owners);
    *memory = (struct memory){0};
}

void windows_close(struct program *program)
{
    for (int w = 0; w < program->window_count; w++) {
        struct window *window = &program->windows[w];
        if (window->flavor == MPI_WIN_FLAVOR_DYNAMIC &&
            bytes_here(program, window->memory))
            MPI_Win_detach(window->handle, window->memory->real);
        MPI_Win_free(&window->handle);
        if (!is_on_memory(window))
            window->memory->real = NULL; // the window's
        free(window->units);
        free(window->zeros);
        *window = (struct window){0};
    }
    for (int m = 0; m < program->memory_count; m++)
        memory_free(program, &program->memories[m]);
    program->memory_count = program->window_count = 0;
}

// One cell of each rank: the owner writes it, or on shared windows the rank before it.
static void window_store(struct program *program, struct window *window)
{
    struct memory *memory = window->memory;
    bool is_shared = window->flavor == MPI_WIN_FLAVOR_SHARED && window->has_locks;
    size_t bytes = program->cell.bytes;
    for (int r = 0; r < program->ranks; r++) {
        uint64_t seed = random_next(&program->random);
        if (memory->cells[r] == 0)
            continue;
        size_t at = seed % (uint64_t)memory->cells[r] * bytes;
        int writer = (r + is_shared) % program->ranks;
        cell_fill(&program->cell, memory->model[r] + at, 1, seed);
        if (writer != program->rank)
            continue;
        MPI_Aint size;
        int unit;
        unsigned char *base = memory->real;
        if (is_shared)
            MPI_Win_shared_query(window->handle, r, &size, &unit, &base);
        if (window->has_locks)
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, r, 0, window->handle);
        memcpy(base + at, memory->model[r] + at, bytes);
        if (window->has_locks)
            MPI_Win_unlock(r, window->handle);
    }
}

void windows_store(struct program *program)
{
    for (int w = 0; w < program->window_count; w++)
        window_store(program, &program->windows[w]);
    MPI_Barrier(program->comm);
}

void windows_check(struct program *program)
{
    for (int w = 0; w < program->window_count; w++) {
        const struct window *window = &program->windows[w];
        const struct memory *memory = window->memory;
        if (window->has_locks)
            MPI_Win_lock(MPI_LOCK_SHARED, program->rank, 0, window->handle);
        const unsigned char *model = memory->model[program->rank];
        size_t checked = program->is_mutant ? 0 : bytes_here(program, memory);
        for (size_t i = 0; i < checked; i++) {
            if (memory->real[i] == model[i])
                continue;
            report_actions(program, memory);
            report(program, "window %d, byte %zu: is %#x, must be %#x", w, i,
                   memory->real[i], model[i]);
        }
        if (window->has_locks)
            MPI_Win_unlock(program->rank, window->handle);
    }
    MPI_Barrier(program->comm);
}
