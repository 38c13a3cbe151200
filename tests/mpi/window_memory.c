// SPDX-License-Identifier: BSD-3-Clause
// allocated_memory_is_the_programs: aligned as asked, distinct, freed once and kept under
// its windows; addresses are added and subtracted without overflow.
#include "window_test.h"

#include <limits.h>

static bool is_at_least_aligned(MPI_Aint bytes, const char *alignment)
{
    MPI_Info info;
    void *memory;
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_minimum_memory_alignment", alignment);
    MPI_Alloc_mem(bytes, info, &memory);
    MPI_Info_free(&info);
    memset(memory, 1, (size_t)bytes);
    bool is_aligned = (uintptr_t)memory % strtoul(alignment, NULL, 10) == 0;
    MPI_Free_mem(memory);
    return is_aligned;
}

static void pieces_do_not_overlap(void)
{
    enum { PIECES = 100 };
    unsigned char *pieces[PIECES];
    for (int i = 0; i < PIECES; i++) {
        MPI_Alloc_mem(i * 100, MPI_INFO_NULL, &pieces[i]);
        fill(pieces[i], (size_t)i * 100, i, 0);
    }
    for (int i = 0; i < PIECES; i++)
        CHECK(is_filled(pieces[i], (size_t)i * 100, i, 0));
    for (int i = 0; i < PIECES; i++)
        MPI_Free_mem(pieces[i]);
}

static void bad_requests_are_refused(void)
{
    void *memory = NULL;
    int local;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CHECK_CLASS(MPI_Alloc_mem(LONG_MAX / 2, MPI_INFO_NULL, &memory), MPI_ERR_NO_MEM);
    CHECK(MPI_Alloc_mem(-1, MPI_INFO_NULL, &memory) != MPI_SUCCESS);
    CHECK(memory == NULL);
    CHECK_CLASS(MPI_Free_mem(&local), MPI_ERR_BASE);
    MPI_Alloc_mem(64, MPI_INFO_NULL, &memory);
    CHECK_CLASS(MPI_Free_mem((char *)memory + 8), MPI_ERR_BASE);
    CHECK_CLASS(MPI_Free_mem(memory), MPI_SUCCESS);
    CHECK_CLASS(MPI_Free_mem(memory), MPI_ERR_BASE);
    CHECK_CLASS(MPI_Free_mem(NULL), MPI_SUCCESS);
}

// The last 8 bytes, all, and some of them.
struct users {
    MPI_Win part, whole, dynamic;
};

static struct users open_users(unsigned char *memory)
{
    struct users users;
    MPI_Win_create(memory + 992, 8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &users.part);
    MPI_Win_create(memory, 1000, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &users.whole);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &users.dynamic);
    MPI_Win_attach(users.dynamic, memory + 500, 1);
    return users;
}

// Does one of many requests get some of this memory? What windows give back later, as
// their last user leaves, may be given out before it.
static bool is_free(const unsigned char *memory)
{
    enum { MOST = 200, BYTES = 1000 };
    unsigned char *pieces[MOST];
    int count = 0;
    bool is_found = false;
    while (count < MOST && !is_found) {
        unsigned char *piece;
        MPI_Alloc_mem(BYTES, MPI_INFO_NULL, &piece);
        pieces[count++] = piece;
        is_found = piece < memory + BYTES && memory < piece + BYTES;
    }
    while (count > 0)
        MPI_Free_mem(pieces[--count]);
    return is_found;
}

static void put_to_next(MPI_Win win, MPI_Aint displacement)
{
    unsigned char value = (unsigned char)(rank + 1);
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_BYTE, (rank + 1) % size, displacement, 1, MPI_BYTE, win);
    MPI_Win_fence(0, win);
}

// What the program has freed serves the windows on it until the last of them is freed,
// or has detached it.
static void used_memory_is_kept(bool is_detached)
{
    unsigned char *memory;
    MPI_Alloc_mem(1000, MPI_INFO_NULL, &memory);
    memset(memory, 0, 1000);
    struct users users = open_users(memory);
    CHECK_CLASS(MPI_Free_mem(memory), MPI_SUCCESS);
    CHECK_CLASS(MPI_Free_mem(memory), MPI_ERR_BASE);
    put_to_next(users.whole, 10);
    CHECK(memory[10] == (rank + size - 1) % size + 1);
    MPI_Win_free(&users.whole);
    CHECK(!is_free(memory));
    put_to_next(users.part, 7);
    CHECK(memory[999] == memory[10]);
    MPI_Win_free(&users.part);
    CHECK(!is_free(memory));
    if (is_detached) {
        MPI_Win_detach(users.dynamic, memory + 500);
        CHECK(is_free(memory));
    }
    MPI_Win_free(&users.dynamic);
    CHECK(is_free(memory));
    CHECK_CLASS(MPI_Free_mem(memory), MPI_ERR_BASE);
}

// Only the window itself frees what it has allocated.
static void windows_free_their_memory(void)
{
    MPI_Win win;
    void *base;
    MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    CHECK_CLASS(MPI_Free_mem(base), MPI_ERR_BASE);
    MPI_Win_free(&win);
}

static void addresses_wrap(void)
{
    int array[4] = {0};
    MPI_Aint first, third;
    MPI_Get_address(&array[0], &first);
    MPI_Get_address(&array[2], &third);
    CHECK((int *)first == array);
    CHECK(MPI_Aint_diff(third, first) == 2 * sizeof(int));
    CHECK(MPI_Aint_add(first, 2 * sizeof(int)) == third);
    MPI_Aint top = (MPI_Aint)((uintptr_t)LONG_MAX + 8); // an address in the upper half
    CHECK(MPI_Aint_add(LONG_MAX, 8) == top);
    CHECK(MPI_Aint_diff(top, LONG_MAX) == 8);
    CHECK(MPI_Aint_diff(LONG_MAX, top) == -8);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    CHECK(is_at_least_aligned(100, "1") && is_at_least_aligned(100, "128"));
    CHECK(is_at_least_aligned(1, "65536") && is_at_least_aligned(1 << 20, "2097152"));
    pieces_do_not_overlap();
    bad_requests_are_refused();
    used_memory_is_kept(true);
    used_memory_is_kept(false);
    windows_free_their_memory();
    addresses_wrap();
    return finish();
}
