// SPDX-License-Identifier: BSD-3-Clause
// A heap that cannot become a part of the segment stays private, and windows on its
// memory work as on other private memory. The argument says what is in the way: "map",
// other mappings around the heap, which is one of 64 MiB; "close", the program has closed
// the heap's descriptor; "fork", the heap is a parent's.
#include "../mpi/window_test.h"
#include "counted.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 1 << 20, HEAP = 64 << 20, PAGE = 4096 };

static void map_page(char *place)
{
    void *page = mmap(place, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(page == place);
}

// `memory` is the first allocation. One of the mappings is in the way of each rank.
static void get_in_the_way(const char *how, char *memory)
{
    if (strcmp(how, "map") == 0) {
        map_page(memory - PAGE);
        map_page(memory + HEAP);
    }
    if (strcmp(how, "close") == 0)
        for (int file = 512; file < 600; file++)
            close(file);
    if (strcmp(how, "fork") == 0) {
        int status;
        pid_t child = fork();
        CHECK(child >= 0);
        if (child > 0)
            exit(waitpid(child, &status, 0) == child && status == 0 ? 0 : 1);
    }
}

static void put_and_get(int64_t *memory)
{
    int64_t value = rank + 1, got = 0;
    MPI_Win win;
    memset(memory, 0, BYTES);
    MPI_Win_create(memory, BYTES, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    int64_t before = copies_and_messages();
    MPI_Put(&value, 1, MPI_INT64_T, right(), BYTES / 16, 1, MPI_INT64_T, win);
    MPI_Win_flush(right(), win);
    MPI_Get(&got, 1, MPI_INT64_T, right(), BYTES / 16, 1, MPI_INT64_T, win);
    MPI_Win_flush(right(), win);
    CHECK(copies_and_messages() > before);
    CHECK(got == value);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    CHECK(memory[BYTES / 16] == left() + 1);
}

int main(int argc, char **argv)
{
    int64_t *early = malloc(BYTES);
    get_in_the_way(argc > 1 ? argv[1] : "", (char *)early);
    start(&argc, &argv);
    count_begin();
    int64_t *late = malloc(BYTES);
    put_and_get(early);
    put_and_get(late);
    int code = finish();
    free(early);
    free(late);
    return code;
}
