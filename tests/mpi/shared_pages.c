// SPDX-License-Identifier: BSD-3-Clause
// shared_pages: memory of the program becomes pages of the node's segment in place and
// private again, wherever its windows begin and end and whatever the program does with it
// meanwhile; what could lose something is refused and works as before.
#include "shared_pages.h"

#include <pthread.h>
#include <sys/wait.h>

// ---- contents and places --------------------------------------------------------
static void check_in_place(size_t head, size_t tail)
{
    unsigned char *memory = map_pages(PAGES, MAP_PRIVATE);
    size_t bytes = PAGES * page - head - tail, all = PAGES * page;
    fill(memory, all, rank, 1);
    MPI_Win win = open_window(memory + head, bytes, 1, "true");
    CHECK(is_filled(memory, all, rank, 1));
    CHECK(is_shared(win) == (node_size > 1));
    CHECK(is_of_segment(memory + 2 * page) == is_shared(win));
    CHECK(!is_of_segment(memory) || head == 0);
    CHECK(!is_of_segment(memory + all - 1) || tail == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    memory[3 * page] ^= 1;
    MPI_Win_free(&win);
    CHECK(!is_of_segment(memory + 2 * page));
    memory[3 * page] ^= 1;
    CHECK(is_filled(memory, all, rank, 1));
    madvise(memory, all, MADV_DONTNEED);
    CHECK(is_all(memory, all, 0));
    munmap(memory, all);
}

static void pages_change_in_place_and_back(void)
{
    check_in_place(0, 0);
    check_in_place(16, 0);
    check_in_place(0, 16);
    check_in_place(16, 16);
    check_in_place(page + 8, 4000);
}

// ---- what is refused ----------------------------------------------------------------
// The window works as it did, whatever the answer.
static void check_works(MPI_Win win, unsigned char *memory)
{
    unsigned char value = (unsigned char)(rank + 1);
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_BYTE, right(), (MPI_Aint)page, 1, MPI_BYTE, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    CHECK(memory[page] == left() + 1);
}

static void check_refused(unsigned char *memory, size_t bytes, const char *value,
                          const char *reason)
{
    MPI_Win win = open_window(memory, bytes, 1, value);
    CHECK(is_refused(win, reason));
    CHECK(!is_of_segment(memory + page));
    check_works(win, memory);
    MPI_Win_free(&win);
}

static void other_memory_is_refused(void)
{
    size_t all = PAGES * page;
    unsigned char *memory = map_pages(PAGES, MAP_SHARED);
    check_refused(memory, all, "true", "shared with other processes");
    munmap(memory, all);
    memory = map_pages(PAGES, MAP_PRIVATE);
    madvise(memory + 2 * page, page, MADV_DONTFORK);
    check_refused(memory, all, "true", "MADV_DONTFORK");
    madvise(memory + 2 * page, page, MADV_DOFORK);
    if (mlock(memory + page, page) == 0) {
        check_refused(memory, all, "true", "locked");
        munlock(memory + page, page);
    }
    check_refused(memory, all, "false", "");
    check_refused(memory + 8, 2 * page - 16, "true", "no whole page");
    munmap(memory, all);
    unsigned char stack[3 * page];
    stack[page] = 0;
    check_refused(stack, sizeof stack, "insist", "stack");
}

static void *sleep_until_told(void *barrier)
{
    pthread_barrier_wait(barrier);
    return NULL;
}

static void threads_are_refused_unless_it_insists(void)
{
    unsigned char *memory = map_pages(PAGES, MAP_PRIVATE);
    pthread_barrier_t barrier;
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, sleep_until_told, &barrier);
    check_refused(memory, PAGES * page, "true", "1 other thread");
    MPI_Win win = open_window(memory, PAGES * page, 1, "insist");
    CHECK(is_shared(win) == (node_size > 1));
    check_works(win, memory);
    MPI_Win_free(&win);
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&barrier);
    munmap(memory, PAGES * page);
}

// Static memory is a private mapping of the program's file.
static void static_memory_is_shared(void)
{
    static unsigned char array[3 << 14] = {1};
    MPI_Win win = open_window(array, sizeof array, 1, "true");
    CHECK(is_shared(win) == (node_size > 1));
    CHECK(array[0] == 1);
    check_works(win, array);
    MPI_Win_free(&win);
    CHECK(array[0] == 1 && array[page] == left() + 1);
}

// ---- several windows ----------------------------------------------------------------
static void windows_overlap(void)
{
    unsigned char *memory = map_pages(PAGES, MAP_PRIVATE);
    MPI_Win inner = open_window(memory + 2 * page, 2 * page, 1, "true");
    MPI_Win outer = open_window(memory, PAGES * page, 1, "true");
    MPI_Win part = open_window(memory + 3 * page + 8, page, 1, "true");
    CHECK(node_size == 1 || (is_shared(inner) && is_shared(outer)));
    CHECK(is_refused(part, "another window"));
    check_works(outer, memory);
    check_works(inner, memory + 2 * page);
    MPI_Win_free(&inner);
    CHECK(is_of_segment(memory + 2 * page) == (node_size > 1));
    CHECK(!is_of_segment(memory + page));
    check_works(outer, memory);
    MPI_Win_free(&outer);
    CHECK(!is_of_segment(memory + 2 * page));
    MPI_Win_free(&part);
    MPI_Win unshared = open_window(memory, PAGES * page, 1, "false");
    MPI_Win late = open_window(memory, PAGES * page, 1, "true");
    CHECK(is_refused(late, "another window"));
    MPI_Win_free(&unshared);
    MPI_Win_free(&late);
    munmap(memory, PAGES * page);
}

// ---- what the program does beside ---------------------------------------------------
// The window's pages are gone from the program, or elsewhere in it.
static void pages_that_are_unmapped_or_moved_are_let_go(void)
{
    size_t all = PAGES * page;
    unsigned char *memory = map_pages(PAGES, MAP_PRIVATE);
    fill(memory, all, rank, 3);
    MPI_Win win = open_window(memory, all, 1, "true");
    MPI_Barrier(MPI_COMM_WORLD);
    munmap(memory + page, page);
    unsigned char *other = mmap(memory + page, page, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    CHECK(other == memory + page);
    other[0] = 77;
    unsigned char *moved =
        mremap(memory + 4 * page, page, page, MREMAP_MAYMOVE | MREMAP_FIXED,
               map_pages(1, MAP_PRIVATE));
    CHECK(moved != MAP_FAILED);
    MPI_Win_free(&win);
    CHECK(other[0] == 77 && other[1] == 0);
    CHECK(!is_of_segment(memory) && !is_of_segment(moved));
    for (size_t i = 0; i < page; i++) {
        CHECK(memory[i] == pattern(rank, i, 3));
        CHECK(moved[i] == pattern(rank, 4 * page + i, 3));
    }
    munmap(memory, all);
    munmap(moved, page);
}

// A large array is a mapping of its own for the C library, a small one is not.
static void arrays_may_be_freed_early_and_grown_later(void)
{
    for (size_t bytes = 60000; bytes < 2000000; bytes += 1900000) {
        unsigned char *array = malloc(bytes);
        memset(array, 5, bytes);
        MPI_Win win = open_window(array, bytes, 1, "true");
        check_works(win, array);
        MPI_Barrier(MPI_COMM_WORLD);
        free(array);
        array = malloc(bytes);
        memset(array, 9, bytes);
        MPI_Win_free(&win);
        CHECK(is_all(array, bytes, 9));
        win = open_window(array, bytes, 1, "true");
        MPI_Win_free(&win);
        array = realloc(array, 3 * bytes);
        CHECK(is_all(array, bytes, 9));
        free(array);
        array = calloc(bytes, 1);
        CHECK(is_all(array, bytes, 0));
        free(array);
    }
}

// A child has a copy of its own, of the moment of the fork.
static void children_have_copies(void)
{
    unsigned char *memory = map_pages(PAGES, MAP_PRIVATE);
    fill(memory, PAGES * page, rank, 5);
    MPI_Win win = open_window(memory + 16, PAGES * page - 32, 1, "true");
    MPI_Barrier(MPI_COMM_WORLD);
    int ready[2], status;
    CHECK(pipe(ready) == 0);
    pid_t child = fork();
    if (child == 0) {
        close(ready[1]);
        bool is_right = read(ready[0], &status, 1) == 0 &&
                        is_filled(memory, PAGES * page, rank, 5) &&
                        !is_of_segment(memory + page);
        memset(memory, 9, PAGES * page);
        _exit(is_right ? 0 : 1);
    }
    CHECK(child > 0);
    memory[2 * page] ^= 1;
    close(ready[0]);
    close(ready[1]);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    memory[2 * page] ^= 1;
    CHECK(is_filled(memory, PAGES * page, rank, 5));
    CHECK(is_of_segment(memory + page) == (node_size > 1));
    check_works(win, memory + 16);
    MPI_Win_free(&win);
    munmap(memory, PAGES * page);
}

int main(int argc, char **argv)
{
    start_with_pages(&argc, &argv);
    pages_change_in_place_and_back();
    other_memory_is_refused();
    threads_are_refused_unless_it_insists();
    static_memory_is_shared();
    windows_overlap();
    pages_that_are_unmapped_or_moved_are_let_go();
    arrays_may_be_freed_early_and_grown_later();
    children_have_copies();
    return finish();
}
