// SPDX-License-Identifier: BSD-3-Clause
// allocated_memory_is_the_programs: aligned as asked, distinct, freed once and not under
// a window; addresses are added and subtracted without overflow.
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
}

// MPI_Free_mem refuses memory that a window of any kind uses, and takes it afterwards.
static void used_memory_is_kept(void)
{
    MPI_Win part, whole, dynamic, allocated;
    char *memory, *base;
    MPI_Alloc_mem(1000, MPI_INFO_NULL, &memory);
    MPI_Win_create(memory + 992, 8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &part);
    MPI_Win_create(memory, 1000, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &whole);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
    MPI_Win_attach(dynamic, memory + 500, 1);
    MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &allocated);
    CHECK_CLASS(MPI_Free_mem(memory), MPI_ERR_BASE);
    CHECK_CLASS(MPI_Free_mem(base), MPI_ERR_BASE);
    MPI_Win_free(&allocated);
    MPI_Win_free(&whole);
    CHECK_CLASS(MPI_Free_mem(memory), MPI_ERR_BASE);
    MPI_Win_free(&part);
    CHECK_CLASS(MPI_Free_mem(memory), MPI_ERR_BASE);
    MPI_Win_detach(dynamic, memory + 500);
    CHECK_CLASS(MPI_Free_mem(memory), MPI_SUCCESS);
    MPI_Win_free(&dynamic);
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
    used_memory_is_kept();
    addresses_wrap();
    return finish();
}
