// SPDX-License-Identifier: BSD-3-Clause
// private_memory_of_a_local_peer_can_be_copied, more than the kernel takes at once too;
// a hole in it is an error after what is before the hole.
#include "shm_node.h"

enum { SMALL = 100000 };

static const size_t VIEW = (size_t)64 << 20;
enum { VIEWS = 17 }; // together more than 1 GiB

static unsigned char private_bytes[SMALL];

// One piece of memory mapped many times in a row: large, but soon filled.
static char *make_large(void)
{
    int file = memfd_create("large", MFD_CLOEXEC);
    CHECK(file >= 0 && ftruncate(file, (off_t)VIEW) == 0);
    char *base =
        mmap(NULL, VIEW * VIEWS, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(base != MAP_FAILED);
    for (size_t i = 0; i < VIEWS; i++)
        CHECK(mmap(base + i * VIEW, VIEW, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED);
    close(file);
    return base;
}

static void copy_small(struct shm *shm)
{
    uint64_t remote =
        (uint64_t)(uintptr_t)private_bytes; // the same in a forked local peer
    if (shm->node_rank == 0) {
        for (int i = 0; i < SMALL; i++)
            private_bytes[i] = (unsigned char)(i % 251);
        meet(shm, 2);
        meet(shm, 3);
        for (int i = 0; i < SMALL; i++)
            CHECK(private_bytes[i] == (unsigned char)(i % 241));
        return;
    }
    meet(shm, 2);
    CHECK(shm_copy_from(shm, 0, private_bytes, remote, SMALL) == 0);
    for (int i = 0; i < SMALL; i++)
        CHECK(private_bytes[i] == (unsigned char)(i % 251));
    for (int i = 0; i < SMALL; i++)
        private_bytes[i] = (unsigned char)(i % 241);
    CHECK(shm_copy_to(shm, 0, remote, private_bytes, SMALL) == 0);
    CHECK(shm_copy_to(shm, 0, remote, private_bytes, 0) == 0);
    meet(shm, 3);
}

// Copies under the message lock and others are counted apart.
static void count_copies(struct shm *shm)
{
    struct iovec here = {private_bytes, SMALL}, there = here;
    uint64_t remote = (uint64_t)(uintptr_t)private_bytes;
    uint64_t copies = counter_value(COUNTER_PROCESS_COPIES);
    uint64_t bytes = counter_value(COUNTER_PROCESS_COPY_BYTES);
    if (shm->node_rank == 1) {
        CHECK(shm_copy_to(shm, 0, remote, private_bytes, 8) == 0);
        CHECK(shm_copy_from(shm, 0, private_bytes, remote, 16) == 0);
        CHECK(shm_copy_spans_to(shm, 0, &there, &here, 1) == 0);
        CHECK(counter_value(COUNTER_PROCESS_COPIES) == copies + 3);
        CHECK(counter_value(COUNTER_PROCESS_COPY_BYTES) == bytes + 24 + SMALL);
    }
    meet(shm, 2);
}

static char
    *large; // made before the fork: at the same place in both, of the same pages

static void copy_large(struct shm *shm)
{
    uint64_t remote = (uint64_t)(uintptr_t)large;
    if (shm->node_rank == 0)
        memset(large, 'x', VIEW);
    meet(shm, 2);
    if (shm->node_rank == 1) {
        char *here = make_large();
        CHECK(shm_copy_from(shm, 0, here, remote, VIEW * VIEWS) == 0);
        CHECK(here[0] == 'x' && here[VIEW - 1] == 'x' &&
              memcmp(here, large, VIEW) == 0);
        here[VIEW - 1] = 'y';
        CHECK(shm_copy_to(shm, 0, remote, here, VIEW * VIEWS) == 0);
        CHECK(large[VIEW - 1] == 'y');
    }
    meet(shm, 3);
}

static void copy_into_hole(struct shm *shm)
{
    static char text[8192];
    size_t page = page_bytes();
    if (shm->node_rank == 0) {
        char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        CHECK(pages != MAP_FAILED && munmap(pages + page, page) == 0);
        atomic_store(&board->word, (uint64_t)(uintptr_t)pages);
        meet(shm, 2);
        meet(shm, 3);
        CHECK(pages[0] == 'z' && pages[page - 1] == 'z');
        return;
    }
    meet(shm, 2);
    uint64_t remote = atomic_load(&board->word);
    memset(text, 'z', sizeof text);
    int error_class;
    CHECK(shm_copy_to(shm, 0, remote, text, 2 * page) == MPI_ERR_OTHER);
    CHECK(strstr(error_detail(&error_class), "Bad address"));
    CHECK(shm_copy_from(shm, 0, text, remote + page, 1) == MPI_ERR_OTHER);
    CHECK(shm_copy_from(shm, 0, text, 8, 1) == MPI_ERR_OTHER);
    meet(shm, 3);
}

// A system that forbids the copies says so once and for every process.
static void skip_where_forbidden(struct shm *shm)
{
    if (!shm_can_copy(shm))
        exit(77);
}

int main(void)
{
    if (run_node(2, 1 << 20, skip_where_forbidden) == 77)
        return 77;
    if (run_node(2, 1 << 20, copy_small) || run_node(2, 1 << 20, count_copies) ||
        run_node(2, 1 << 20, copy_into_hole))
        return 1;
    large = make_large();
    return run_node(2, 1 << 20, copy_large);
}
