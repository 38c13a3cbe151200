// SPDX-License-Identifier: BSD-3-Clause
// counts_beyond_2_31_move_all_elements: a put and an accumulate of more than 2^31
// elements, from an origin datatype that names the same few bytes again and again.
#include "window_test.h"

enum { PAGE = 4096 };

static const MPI_Count PAGES =
    ((MPI_Count)1 << 19) + 3; // of one byte elements: 2^31 + ...

// `PAGE` elements with extent 0, so that many of them lie in the same memory.
static MPI_Datatype page_of(MPI_Datatype element)
{
    MPI_Datatype page, still;
    MPI_Type_contiguous(PAGE, element, &page);
    MPI_Type_create_resized(page, 0, 0, &still);
    MPI_Type_commit(&still);
    MPI_Type_free(&page);
    return still;
}

// Looks at pages on both sides of every power of two, and at the last.
static void check_pages(const unsigned char *memory, const unsigned char *page)
{
    for (MPI_Count i = 1; i < PAGES; i *= 2)
        for (MPI_Count j = i - 1; j <= i && j < PAGES; j++)
            CHECK(memcmp(memory + j * PAGE, page, PAGE) == 0);
    CHECK(memcmp(memory + (PAGES - 1) * PAGE, page, PAGE) == 0);
    CHECK(memory[PAGES * PAGE] == 0); // one behind
}

int main(int argc, char **argv)
{
    static unsigned char page[PAGE], twice[PAGE], fetched[PAGE];
    start(&argc, &argv);
    unsigned char *memory;
    MPI_Win win;
    MPI_Count elements = PAGES * PAGE;
    MPI_Aint bytes = rank == size - 1 ? elements + 1 : 0;
    MPI_Datatype pages = page_of(MPI_UINT8_T);
    MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    for (int i = 0; i < PAGE; i++) {
        page[i] = (unsigned char)(i * 7 + i / 256);
        twice[i] = (unsigned char)(2 * page[i]);
    }
    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Put_c(page, PAGES, pages, size - 1, 0, elements, MPI_UINT8_T, win);
    MPI_Win_fence(0, win);
    if (rank == size - 1)
        check_pages(memory, page);
    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Accumulate_c(page, PAGES, pages, size - 1, 0, elements, MPI_UINT8_T,
                         MPI_SUM, win);
    MPI_Win_fence(0, win);
    if (rank == size - 1)
        check_pages(memory, twice);
    MPI_Get_c(fetched, PAGE, MPI_UINT8_T, size - 1, elements - PAGE, PAGE, MPI_UINT8_T,
              win);
    MPI_Win_fence(0, win);
    CHECK(memcmp(fetched, twice, PAGE) == 0);
    MPI_Win_free(&win);
    MPI_Type_free(&pages);
    return finish();
}
