// SPDX-License-Identifier: BSD-3-Clause
// allocations_never_overlap: random sizes and alignments, filled and checked, in two
// processes at once; freed memory merges again; memory grows in its place and is zero
// where no one has used it; a heap is cut at its free end; errors name sizes; pages of
// large freed blocks go back to the machine; large pieces begin with a huge page where
// there are any; core dumps hold what this process has allocated only; heaps fit in the
// limit of file sizes; a heap without memory for its records stays as it is; what is
// wrong with a heap is noticed.
#include "shm/heap.h"
#include "shm/heap_pages.h"
#include "shm_node.h"

#include <sys/resource.h>
#include <sys/stat.h>

enum { SLOTS = 400, STEPS = 30000 };

static const size_t HEAP = (size_t)256 << 20;

// Calls of calloc until one fails; negative: none does. The linker sends them here.
static int callocs_left = -1;
void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes)
{
    if (callocs_left == 0)
        return NULL;
    callocs_left -= callocs_left > 0;
    return __real_calloc(count, bytes);
}

static struct slot {
    unsigned char *memory;
    size_t bytes, alignment;
    unsigned char mark;
} slots[SLOTS];

static size_t random_size(unsigned *seed)
{
    size_t bytes = (size_t)1 << rand_r(seed) % 20;
    return bytes + (size_t)rand_r(seed) % bytes - 1; // 0 too
}

static void check_slot(struct shm *shm, const struct slot *slot)
{
    CHECK(shm_allocated(shm, slot->memory) == (slot->bytes ? slot->bytes : 1));
    CHECK((uintptr_t)slot->memory % slot->alignment == 0);
    CHECK(shm_contains(shm, slot->memory, slot->bytes));
    for (size_t i = 0; i < slot->bytes; i += slot->bytes < 256 ? 1 : 251)
        CHECK(slot->memory[i] == slot->mark);
    CHECK(!slot->bytes || slot->memory[slot->bytes - 1] == slot->mark);
}

static void use_slot(struct shm *shm, struct slot *slot, unsigned *seed)
{
    slot->bytes = random_size(seed);
    size_t asked = (size_t)1 << rand_r(seed) % 17;
    slot->alignment = asked < 64 ? 64 : asked;
    if (slot->bytes >= page_bytes() && slot->alignment < page_bytes())
        slot->alignment = page_bytes();
    slot->mark = (unsigned char)rand_r(seed);
    void *memory;
    if (shm_alloc(shm, slot->bytes, asked, &memory) != 0)
        return;
    slot->memory = memory;
    memset(slot->memory, slot->mark, slot->bytes);
}

static void whole_heap_is_free(struct shm *shm)
{
    void *all;
    CHECK(shm_alloc(shm, HEAP, 64, &all) == 0);
    shm_free(shm, all);
}

static void random_steps(struct shm *shm)
{
    unsigned seed = 1u + (unsigned)shm->node_rank;
    whole_heap_is_free(shm);
    for (int step = 0; step < STEPS; step++) {
        struct slot *slot = &slots[rand_r(&seed) % SLOTS];
        CHECK(heap_is_valid(shm->heap));
        if (!slot->memory) {
            use_slot(shm, slot, &seed);
            continue;
        }
        check_slot(shm, slot);
        shm_free(shm, slot->memory);
        CHECK(shm_allocated(shm, slot->memory) == 0);
        slot->memory = NULL;
    }
    for (int i = 0; i < SLOTS; i++)
        if (slots[i].memory) {
            check_slot(shm, &slots[i]);
            shm_free(shm, slots[i].memory);
        }
    whole_heap_is_free(shm);
    meet(shm, 2);
    CHECK(atomic_load(&shm->control->heaps.used) == 0);
}

#define NOTICED(member, wrong) CHECK_NOTICED(heap_is_valid(shm->heap), member, wrong)

static void what_is_wrong_with_a_heap_is_noticed(struct shm *shm)
{
    struct shm_heap *heap = shm->heap;
    void *memory[3];
    for (int i = 0; i < 3; i++)
        CHECK(shm_alloc(shm, 100, 64, &memory[i]) == 0);
    shm_free(shm, memory[1]);
    struct block *used = heap->first, *hole = used->after;
    CHECK(used->asked == 100 && !hole->asked && hole->after->asked);
    NOTICED(hole->start, hole->start - GRAIN); // overlaps its neighbour
    NOTICED(hole->bytes, hole->bytes + GRAIN);
    NOTICED(hole->bytes, 0);
    NOTICED(hole->used, hole->bytes + 1);
    NOTICED(hole->asked, 1); // in use, but in a bin
    NOTICED(used->asked, used->bytes + 1);
    NOTICED(used->asked, 0); // free, but in no bin
    NOTICED(hole->before, NULL);
    NOTICED(hole->after, hole->after->after);
    NOTICED(hole->previous, used->previous);
    NOTICED(heap->first, hole);
    NOTICED(heap->levels, 0);
    NOTICED(heap->filled[0], 0);
    NOTICED(heap->filled[1], 1);
    NOTICED(*hole->previous, NULL);
    NOTICED(heap->in_use, 3);
    NOTICED(heap->own.used, 199);
    NOTICED(heap->dumped, heap->bytes + 1);
    shm_free(shm, memory[0]);
    shm_free(shm, memory[2]);
}

static void same_size_comes_from_same_place(struct shm *shm)
{
    void *first, *wall, *again;
    for (size_t bytes = 1; bytes < 8 << 20; bytes = bytes * 3 + 1) {
        CHECK(shm_alloc(shm, bytes, 64, &first) == 0);
        CHECK(shm_alloc(shm, 1, 64, &wall) == 0);
        shm_free(shm, first);
        CHECK(shm_alloc(shm, bytes, 64, &again) == 0);
        CHECK(first == again);
        shm_free(shm, again);
        shm_free(shm, wall);
    }
}

static void memory_grows_and_shrinks_in_its_place(struct shm *shm)
{
    struct shm_heap *heap = shm->heap;
    char *memory, *wall;
    CHECK(shm_alloc(shm, 10000, 64, (void **)&memory) == 0);
    memset(memory, 3, 10000);
    CHECK(heap_resize(heap, memory, 1 << 20) && shm_allocated(shm, memory) == 1 << 20);
    CHECK(shm->control->heaps.used == 1 << 20 && memory[9999] == 3);
    CHECK(shm_alloc(shm, 4096, 64, (void **)&wall) == 0 && wall == memory + (1 << 20));
    CHECK(!heap_resize(heap, memory, (1 << 20) + 1));
    CHECK(!heap_resize(heap, memory, SIZE_MAX) && !heap_resize(heap, memory, HEAP + 1));
    CHECK(heap_resize(heap, memory, 5000) && shm_allocated(shm, memory) == 5000);
    CHECK(heap_resize(heap, memory, (1 << 20) - 1)); // up to the wall again
    shm->control->heaps.limit = 1 << 20;
    CHECK(!heap_resize(heap, memory, 1 << 20));
    shm->control->heaps.limit = machine_bytes();
    shm_free(shm, wall);
    shm_free(shm, memory);
    CHECK(shm->control->heaps.used == 0);
    whole_heap_is_free(shm);
}

static bool is_zero(const char *memory, size_t bytes)
{
    return memory[0] == 0 && memcmp(memory, memory + 1, bytes - 1) == 0;
}

static void rest_is_zero(struct shm *shm, size_t bytes)
{
    const struct quota *exceeded;
    const struct block *block = heap_allocate(shm->heap, bytes, 64, &exceeded);
    char *memory = shm->heap->base + block->start;
    CHECK(block->used >= bytes || is_zero(memory + block->used, bytes - block->used));
    shm_free(shm, memory);
}

// What a block says of its used part is true, wherever others began and ended in it: the
// wall makes them begin within a page.
static void unused_memory_is_zero(struct shm *shm)
{
    enum { PIECES = 200 };
    unsigned seed = 5;
    void *pieces[PIECES], *wall;
    CHECK(shm_alloc(shm, 64, 64, &wall) == 0);
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < PIECES; i++) {
            size_t bytes = i % 2 ? 1 + random_size(&seed) : 100;
            CHECK(shm_alloc(shm, bytes, 64, &pieces[i]) == 0);
            memset(pieces[i], 7, bytes);
        }
        for (int i = 0; i < PIECES; i++)
            shm_free(shm, pieces[(i * 37) % PIECES]);
        rest_is_zero(shm, 1000);
        rest_is_zero(shm, random_size(&seed) * 16 + 1);
    }
    shm_free(shm, wall);
}

// Only the free end of a heap can be cut off. It stays so for the tests that follow.
static void heap_is_cut_at_its_free_end(struct shm *shm)
{
    struct shm_heap *heap = shm->heap;
    void *memory;
    CHECK(shm_alloc(shm, 1 << 20, 64, &memory) == 0);
    CHECK(!heap_cut(heap, 1 << 20) && heap->bytes == HEAP);
    CHECK(heap_cut(heap, 2 << 20) && heap->bytes == 2 << 20);
    CHECK(!heap_resize(heap, memory, (2 << 20) + 1));
    CHECK(heap_resize(heap, memory, 2 << 20));
    shm_free(shm, memory);
}

static void wrong_pointers_do_nothing(struct shm *shm)
{
    char *memory, *outside = (char *)&shm;
    CHECK(shm_alloc(shm, 1000, 64, (void **)&memory) == 0);
    shm_free(shm, memory + 64);
    shm_free(shm, outside);
    shm_free(shm, NULL);
    CHECK(shm_allocated(shm, memory + 64) == 0 && shm_allocated(shm, outside) == 0);
    CHECK(shm_allocated(shm, memory) == 1000);
    shm_free(shm, memory);
    shm_free(shm, memory);
    whole_heap_is_free(shm);
}

static void too_much_is_refused(struct shm *shm)
{
    void *memory;
    int error_class;
    CHECK(shm_alloc(shm, HEAP + 1, 64, &memory) == MPI_ERR_NO_MEM);
    CHECK(strstr(error_detail(&error_class), "268435457 bytes"));
    CHECK(shm_alloc(shm, SIZE_MAX, 64, &memory) == MPI_ERR_NO_MEM);
    CHECK(shm_alloc(shm, 64, HEAP * 2, &memory) == MPI_ERR_NO_MEM);
    void *most;
    CHECK(shm_alloc(shm, HEAP - 4096, 64, &most) == 0);
    CHECK(shm_alloc(shm, 8192, 64, &memory) == MPI_ERR_NO_MEM);
    CHECK(shm_alloc(shm, 4096, 64, &memory) == 0);
    shm_free(shm, memory);
    shm_free(shm, most);
    shm->control->heaps.limit = 1 << 20; // a machine with little memory
    CHECK(shm_alloc(shm, (1 << 20) + 1, 64, &memory) == MPI_ERR_NO_MEM);
    CHECK(strstr(error_detail(&error_class), "1048576 bytes"));
    CHECK(shm_alloc(shm, 1 << 20, 64, &memory) == 0);
    shm_free(shm, memory);
    shm->control->heaps.limit = machine_bytes();
}

static size_t pages_in_use(const struct shm *shm)
{
    struct stat status;
    CHECK(fstat(shm->file, &status) == 0);
    return (size_t)status.st_blocks * 512;
}

static void pages_go_back(struct shm *shm)
{
    enum { PIECES = 64, PIECE = 1 << 20 };
    void *pieces[PIECES];
    size_t before = pages_in_use(shm);
    for (int i = 0; i < PIECES; i++) {
        CHECK(shm_alloc(shm, PIECE, 64, &pieces[i]) == 0);
        memset(pieces[i], 1, PIECE);
    }
    CHECK(pages_in_use(shm) >= before + PIECES * PIECE);
    for (int i = 0; i < PIECES; i++)
        shm_free(shm, pieces[i]);
    CHECK(pages_in_use(shm) < before + ((size_t)8 << 20));
}

static void alone(struct shm *shm)
{
    pages_go_back(shm);
    what_is_wrong_with_a_heap_is_noticed(shm);
    same_size_comes_from_same_place(shm);
    wrong_pointers_do_nothing(shm);
    too_much_is_refused(shm);
    memory_grows_and_shrinks_in_its_place(shm);
    unused_memory_is_zero(shm);
    heap_is_cut_at_its_free_end(shm);
}

// Whether a core dump has the page at that address, by the flags in /proc/self/smaps.
static bool is_dumped(const void *address)
{
    static const char flags[] = "VmFlags:";
    char line[1024];
    bool is_here = false, has_flags = false;
    FILE *maps = fopen("/proc/self/smaps", "re");
    CHECK(maps);
    while (!has_flags && fgets(line, sizeof line, maps)) {
        unsigned long start, end;
        if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
            is_here = (uintptr_t)address >= start && (uintptr_t)address < end;
        has_flags = is_here && strncmp(line, flags, strlen(flags)) == 0;
    }
    fclose(maps);
    CHECK(has_flags);
    return strstr(line, " dd") == NULL;
}

static void dumps_hold_own_allocations_only(struct shm *shm)
{
    enum { BYTES = 8 << 20 };
    const char *heaps = shm->base + shm->control_bytes;
    const char *own = heaps + (size_t)shm->node_rank * HEAP;
    const char *other = heaps + (size_t)(1 - shm->node_rank) * HEAP;
    void *memory;
    CHECK(!is_dumped(own) && !is_dumped(own + HEAP - 1));
    CHECK(shm_alloc(shm, BYTES, 64, &memory) == 0);
    meet(shm, 2); // the other has allocated, too
    CHECK(is_dumped(memory) && is_dumped((char *)memory + BYTES - 1));
    CHECK(!is_dumped(own + HEAP - 1));
    CHECK(!is_dumped(other) && !is_dumped(other + HEAP - 1));
    CHECK(is_dumped(shm->control) && !is_dumped(heaps - 1));
}

static void write_setting(const char *folder, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void setting_of_the_kernel_is_understood(void)
{
    char folder[] = "/tmp/oriel_heap_XXXXXX", path[64];
    CHECK(mkdtemp(folder) != NULL);
    CHECK(huge_page_bytes(folder) == 0); // no such kernel
    write_setting(folder, "hpage_pmd_size", "2097152\n");
    write_setting(folder, "shmem_enabled", "always within_size advise [never] deny\n");
    CHECK(huge_page_bytes(folder) == 0);
    write_setting(folder, "shmem_enabled", "always within_size [advise] never deny\n");
    CHECK(huge_page_bytes(folder) == (size_t)2 << 20);
    write_setting(folder, "shmem_enabled", "[always] within_size advise never deny\n");
    CHECK(huge_page_bytes(folder) == (size_t)2 << 20);
    snprintf(path, sizeof path, "%s/hpage_pmd_size", folder);
    CHECK(unlink(path) == 0 && huge_page_bytes(folder) == 0);
    snprintf(path, sizeof path, "%s/shmem_enabled", folder);
    CHECK(unlink(path) == 0 && rmdir(folder) == 0);
}

// Without a place for a huge page a piece begins elsewhere.
static void large_pieces_begin_with_a_huge_page(struct shm *shm)
{
    static const size_t HUGE_PAGE = (size_t)2 << 20;
    void *small, *large, *rest;
    shm->heap->huge_page = HUGE_PAGE;
    CHECK(shm_alloc(shm, 64, 64, &small) == 0);
    CHECK(shm_alloc(shm, HUGE_PAGE - 1, 64, &rest) == 0);
    CHECK(shm_alloc(shm, HUGE_PAGE + 1, 64, &large) == 0);
    CHECK((uintptr_t)large % HUGE_PAGE == 0);
    memset(large, 1, HUGE_PAGE + 1);
    shm_free(shm, large);
    shm_free(shm, rest);
    CHECK(shm_alloc(shm, HEAP - page_bytes(), 64, &rest) == 0); // all there is
    shm_free(shm, rest);
    shm_free(shm, small);
    whole_heap_is_free(shm);
}

// What is left in front of an aligned piece and behind it has a record each.
static void heap_without_memory_for_its_records_stays(struct shm *shm)
{
    void *first, *aligned;
    CHECK(shm_alloc(shm, 64, 64, &first) == 0);
    for (callocs_left = 0; callocs_left < 2;) {
        int left = callocs_left;
        CHECK(shm_alloc(shm, 100, 1 << 20, &aligned) == MPI_ERR_NO_MEM);
        CHECK(!heap_resize(shm->heap, first, left == 0 ? 128 : HEAP + 1));
        callocs_left = left + 1;
    }
    CHECK(shm_alloc(shm, 100, 1 << 20, &aligned) == 0);
    callocs_left = -1;
    CHECK(heap_resize(shm->heap, first, 128));
    shm_free(shm, first);
    shm_free(shm, aligned);
    whole_heap_is_free(shm);
}

static void random_steps_with_huge_pages(struct shm *shm)
{
    shm->heap->huge_page = (size_t)64 << 10; // so that there are many
    random_steps(shm);
}

// A process of another control group than the leader's.
static void control_group_limits_heap(struct shm *shm)
{
    enum { LIMIT = 1 << 20 };
    void *memory;
    int error_class;
    shm->heap->own.limit = LIMIT;
    CHECK(shm_alloc(shm, LIMIT + 1, 64, &memory) == MPI_ERR_NO_MEM);
    CHECK(strstr(error_detail(&error_class), "memory of the control group"));
    CHECK(shm_alloc(shm, LIMIT, 64, &memory) == 0);
    shm_free(shm, memory);
    CHECK(atomic_load(&shm->control->heaps.used) == 0);
}

static void heap_fits_in_file_limit(struct shm *shm)
{
    static const size_t MIB = 1 << 20;
    void *memory;
    int error_class;
    CHECK(shm->heap_bytes < 32 * MIB && shm->heap_bytes > 30 * MIB);
    CHECK(shm_alloc(shm, 30 * MIB, 64, &memory) == 0);
    CHECK(shm_alloc(shm, 32 * MIB, 64, &memory) == MPI_ERR_NO_MEM);
    CHECK(strstr(error_detail(&error_class), "ulimit -f"));
}

static void limit_files(rlim_t soft, rlim_t hard)
{
    CHECK(setrlimit(RLIMIT_FSIZE, &(struct rlimit){soft, hard}) == 0);
}

static void limit_without_room_is_named(void)
{
    char descriptor[SHM_DESCRIPTOR_MAX];
    struct shm *shm;
    int error_class;
    struct boot boot = {.node_rank = 0, .node_size = 1};
    limit_files(4096, 4096);
    CHECK(shm_create(&boot, HEAP, 0, &shm, descriptor) == MPI_ERR_NO_MEM);
    CHECK(strstr(error_detail(&error_class), "4096 is the most"));
    CHECK(strstr(error_detail(&error_class), "ulimit -f"));
}

// A soft limit is no hindrance and stays; a hard one cannot be taken back.
static int run_with_limited_files(void)
{
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    limit_files(4096, limit.rlim_max);
    int code = run_node(1, HEAP, whole_heap_is_free);
    limit_files(4096, (rlim_t)64 << 20);
    code = code || run_node(2, HEAP, heap_fits_in_file_limit);
    CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur == 4096);
    limit_without_room_is_named();
    return code;
}

int main(void)
{
    setting_of_the_kernel_is_understood();
    return run_node(1, HEAP, alone) || run_node(2, HEAP, random_steps) ||
           run_node(2, HEAP, random_steps_with_huge_pages) ||
           run_node(1, HEAP, large_pieces_begin_with_a_huge_page) ||
           run_node(2, HEAP, dumps_hold_own_allocations_only) ||
           run_node(1, HEAP, heap_without_memory_for_its_records_stays) ||
           run_node(1, HEAP, control_group_limits_heap) || run_with_limited_files();
}
