// SPDX-License-Identifier: BSD-3-Clause
// A program without MPI that has its large allocations in the shared heap. They behave as
// those of the C library: aligned, apart, zero if cleared, of several threads at once;
// grown without loss, given back to the machine, and left alone by forked processes.
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(claim)                                                                   \
    ((claim) ? (void)0                                                                 \
             : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #claim), _Exit(1)))

enum { LARGE = 128 << 10, SLOTS = 60, STEPS = 3000, THREADS = 4 };

static void *volatile hidden; // so that the compiler keeps all calls

static void *seen(void *memory)
{
    hidden = memory;
    return hidden;
}

// The line of /proc/self/maps that has this memory names the heap's file.
static int is_shared(const void *memory)
{
    char line[512];
    int is_found = 0;
    FILE *maps = fopen("/proc/self/maps", "re");
    CHECK(maps);
    while (fgets(line, sizeof line, maps)) {
        unsigned long start, end;
        CHECK(sscanf(line, "%lx-%lx", &start, &end) == 2);
        if ((uintptr_t)memory >= start && (uintptr_t)memory < end)
            is_found = strstr(line, "oriel-heap") != NULL;
    }
    fclose(maps);
    return is_found;
}

static size_t shared_pages_in_use(void)
{
    size_t kib = 0;
    char line[128];
    FILE *status = fopen("/proc/self/status", "re");
    CHECK(status);
    while (fgets(line, sizeof line, status))
        sscanf(line, "RssShmem: %zu", &kib);
    fclose(status);
    return kib << 10;
}

static int is_all(const unsigned char *memory, size_t bytes, unsigned char value)
{
    return bytes == 0 ||
           (memory[0] == value && memcmp(memory, memory + 1, bytes - 1) == 0);
}

// ---- each function -------------------------------------------------------------
static void large_ones_are_shared_and_small_ones_are_not(void)
{
    void *small = seen(malloc(LARGE - 1)), *large = seen(malloc(LARGE));
    CHECK(!is_shared(small) && is_shared(large));
    CHECK(malloc_usable_size(small) >= LARGE - 1);
    CHECK(malloc_usable_size(large) >= LARGE);
    free(small);
    free(large);
    free(NULL);
}

static void aligned_ones_are_aligned(void)
{
    for (size_t alignment = 8; alignment <= 64 << 20; alignment *= 2) {
        void *memory[4];
        CHECK(posix_memalign(&memory[0], alignment, LARGE + 1) == 0);
        memory[1] = seen(aligned_alloc(alignment, LARGE));
        memory[2] = seen(memalign(alignment, 100));
        memory[3] = seen(memalign(alignment, LARGE));
        for (int i = 0; i < 4; i++) {
            CHECK(memory[i] && (uintptr_t)memory[i] % alignment == 0);
            CHECK(is_shared(memory[i]) == (i != 2));
            free(memory[i]);
        }
    }
    void *page = seen(valloc(LARGE)), *pages = seen(pvalloc(LARGE + 1));
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    CHECK(is_shared(page) && (uintptr_t)page % page_bytes == 0);
    CHECK(is_shared(pages) && malloc_usable_size(pages) >= LARGE + page_bytes);
    free(page);
    free(pages);
    CHECK(posix_memalign(&page, 24, LARGE) == EINVAL);
    CHECK(posix_memalign(&page, 0, LARGE) == EINVAL);
}

static void what_cannot_be_is_refused(void)
{
    volatile size_t huge = SIZE_MAX / 2;
    void *memory;
    errno = 0;
    CHECK(!seen(malloc(huge)) && errno == ENOMEM);
    CHECK(!seen(calloc(huge, 4)) && !seen(reallocarray(NULL, huge, 4)));
    CHECK(posix_memalign(&memory, 64, huge) == ENOMEM);
    memory = seen(malloc(LARGE));
    memset(memory, 7, LARGE);
    CHECK(!seen(realloc(memory, huge)) && is_all(memory, LARGE, 7));
    free(memory);
}

// More than the machine has comes from the C library, if from anywhere.
static void what_the_heap_has_not_is_private(void)
{
    size_t machine = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    void *memory = seen(malloc(machine + 1));
    CHECK(!memory || !is_shared(memory));
    free(memory);
}

static void cleared_memory_is_zero(void)
{
    for (size_t bytes = LARGE; bytes < 64 << 20; bytes = bytes * 2 + 777) {
        unsigned char *memory = seen(malloc(bytes));
        memset(memory, 0xee, bytes);
        free(memory);
        unsigned char *again = seen(calloc(1, bytes));
        CHECK(is_shared(again) && is_all(again, bytes, 0));
        free(again);
    }
}

static void fresh_memory_is_cleared_without_pages(void)
{
    enum { BYTES = 256 << 20 };
    size_t before = shared_pages_in_use();
    unsigned char *memory = seen(calloc(BYTES, 1));
    CHECK(shared_pages_in_use() < before + BYTES / 2);
    free(memory);
}

static void pages_go_back(void)
{
    enum { BYTES = 128 << 20 };
    size_t before = shared_pages_in_use();
    void *memory = seen(malloc(BYTES));
    memset(memory, 1, BYTES);
    CHECK(shared_pages_in_use() >= before + BYTES);
    free(memory);
    CHECK(shared_pages_in_use() < before + BYTES / 4);
}

// What is freed and allocated again in each step keeps its pages.
static void pages_of_less_stay(void)
{
    enum { BYTES = 16 << 20 };
    void *memory = seen(malloc(BYTES));
    memset(memory, 1, BYTES);
    size_t before = shared_pages_in_use();
    free(memory);
    CHECK(shared_pages_in_use() >= before);
}

static void contents_stay_when_size_changes(void)
{
    unsigned char *memory = NULL;
    size_t before = 0;
    for (size_t bytes = 1; bytes < 32 << 20; bytes = bytes * 3 / 2 + 1) {
        memory = seen(realloc(memory, bytes));
        CHECK(is_all(memory, before, 9));
        memset(memory, 9, bytes);
        before = bytes;
    }
    CHECK(is_shared(memory));
    void *wall = seen(malloc(LARGE)); // nothing can grow over it
    memory = seen(realloc(memory, 2 * before));
    CHECK(is_all(memory, before, 9));
    for (size_t bytes = before; bytes > 0; bytes /= 3) {
        memory = seen(realloc(memory, bytes));
        CHECK(is_all(memory, bytes, 9));
    }
    CHECK(seen(realloc(memory, 0)) == NULL);
    free(wall);
}

static void growth_at_the_end_moves_nothing(void)
{
    char *memory = seen(malloc(8 << 20)), *first = memory;
    for (size_t bytes = 16 << 20; bytes <= 512 << 20; bytes *= 2)
        memory = seen(realloc(memory, bytes));
    CHECK(memory == first);
    free(memory);
}

// ---- at once -------------------------------------------------------------------
struct slot {
    unsigned char *memory;
    size_t bytes;
    unsigned char mark;
};

static size_t random_size(unsigned *seed)
{
    size_t bytes = (size_t)1 << (10 + rand_r(seed) % 11);
    return bytes + (size_t)rand_r(seed) % bytes;
}

static void slot_fill(struct slot *slot, unsigned *seed)
{
    int how = rand_r(seed) % 4;
    size_t before = slot->memory ? slot->bytes : 0;
    slot->bytes = random_size(seed);
    if (how == 0) {
        slot->memory = realloc(slot->memory, slot->bytes);
        size_t both = before < slot->bytes ? before : slot->bytes;
        CHECK(is_all(slot->memory, both, slot->mark));
    } else {
        free(slot->memory);
        slot->memory = how == 1 ? calloc(1, slot->bytes)
                       : how == 2
                           ? malloc(slot->bytes)
                           : memalign((size_t)16 << rand_r(seed) % 12, slot->bytes);
        CHECK(how != 1 || is_all(slot->memory, slot->bytes, 0));
    }
    slot->mark = (unsigned char)rand_r(seed);
    memset(slot->memory, slot->mark, slot->bytes);
}

static void *random_steps(void *argument)
{
    unsigned seed = *(unsigned *)argument;
    struct slot slots[SLOTS] = {{0}};
    for (int step = 0; step < STEPS; step++) {
        struct slot *slot = &slots[rand_r(&seed) % SLOTS];
        CHECK(!slot->memory || is_all(slot->memory, slot->bytes, slot->mark));
        slot_fill(slot, &seed);
    }
    for (int i = 0; i < SLOTS; i++) {
        CHECK(!slots[i].memory ||
              is_all(slots[i].memory, slots[i].bytes, slots[i].mark));
        free(slots[i].memory);
    }
    return NULL;
}

static void threads_do_not_mix(void)
{
    pthread_t threads[THREADS];
    unsigned seeds[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        seeds[i] = i + 1;
        CHECK(pthread_create(&threads[i], NULL, random_steps, &seeds[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
}

// ---- forked processes ----------------------------------------------------------
static void run_child(unsigned char *inherited)
{
    CHECK(is_all(inherited, LARGE, 5));
    unsigned char *own = seen(malloc(LARGE));
    CHECK(own && !is_shared(own));
    free(own);
    unsigned char *moved = seen(realloc(inherited, 2 * LARGE));
    CHECK(!is_shared(moved) && is_all(moved, LARGE, 5));
    memset(moved, 6, 2 * LARGE);
    free(moved);
}

static void wait_for(pid_t child)
{
    int status;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

static void child_leaves_the_heap_alone(void)
{
    unsigned char *memory = seen(malloc(LARGE));
    memset(memory, 5, LARGE);
    pid_t child = fork();
    if (child == 0) {
        run_child(memory);
        free(memory); // what realloc has moved, again: it is the parent's
        _exit(0);
    }
    wait_for(child);
    unsigned char *other = seen(malloc(LARGE));
    CHECK(is_shared(other) && other != memory && is_all(memory, LARGE, 5));
    free(other);
    free(memory);
}

static void *allocate_until(void *argument)
{
    volatile int *is_over = argument;
    while (!*is_over)
        free(seen(malloc(LARGE)));
    return NULL;
}

// No child finds the heap locked by a thread that it does not have.
static void fork_beside_threads(void)
{
    enum { FORKS = 200 };
    volatile int is_over = 0;
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, allocate_until, (void *)&is_over) == 0);
    for (int i = 0; i < FORKS; i++) {
        pid_t child = fork();
        if (child == 0) {
            free(seen(malloc(LARGE)));
            _exit(0);
        }
        wait_for(child);
    }
    is_over = 1;
    CHECK(pthread_join(thread, NULL) == 0);
}

static void other_programs_have_heaps_of_their_own(const char *program)
{
    pid_t child = fork();
    if (child == 0)
        execl("/bin/sh", "sh", "-c", "\"$0\" again", program, (char *)NULL);
    wait_for(child);
}

int main(int argc, char **argv)
{
    alarm(100);
    large_ones_are_shared_and_small_ones_are_not();
    if (argc > 1)
        return 0;
    aligned_ones_are_aligned();
    what_cannot_be_is_refused();
    what_the_heap_has_not_is_private();
    cleared_memory_is_zero();
    fresh_memory_is_cleared_without_pages();
    pages_go_back();
    pages_of_less_stay();
    contents_stay_when_size_changes();
    growth_at_the_end_moves_nothing();
    threads_do_not_mix();
    child_leaves_the_heap_alone();
    fork_beside_threads();
    other_programs_have_heaps_of_their_own(argv[0]);
    return 0;
}
