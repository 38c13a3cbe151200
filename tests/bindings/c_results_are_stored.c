// SPDX-License-Identifier: BSD-3-Clause
// What the core returns reaches the program: objects as handles, wide numbers narrowed or
// refused, error classes through the error handler. Small and large procedures share a
// core function, and a tool can take the place of an MPI_ name.
#include "c_core.h"

static MPI_Count wide; // what the core finds

int oriel_type_size(struct datatype *datatype, MPI_Count *size)
{
    CHECK(datatype == &integer);
    *size = wide;
    return answer();
}

int oriel_win_shared_query(struct window *win, int rank, MPI_Aint *size,
                           MPI_Aint *disp_unit, void *baseptr)
{
    CHECK(win == &window && rank == 1);
    *size = 64;
    *disp_unit = wide;
    *(void **)baseptr = &wide;
    return answer();
}

int oriel_win_create(void *base, MPI_Aint size, MPI_Aint disp_unit, struct info *hints,
                     struct communicator *comm, struct window **win)
{
    CHECK(base == &wide && size == 8 && disp_unit == 4 && !hints && comm == &world);
    *win = &window;
    return answer();
}

int oriel_win_free(struct window *win)
{
    CHECK(win == &window);
    return answer();
}

int oriel_comm_split(struct communicator *comm, int color, int key,
                     struct communicator **newcomm)
{
    CHECK(comm == &world && color == MPI_UNDEFINED && key == 7);
    *newcomm = NULL;
    return answer();
}

int oriel_type_vector(MPI_Count count, MPI_Count blocklength, MPI_Count stride,
                      struct datatype *oldtype, struct datatype **newtype,
                      bool is_large)
{
    CHECK(count == wide && blocklength == 2 && stride == -3 && oldtype == &integer);
    CHECK(is_large == (count > INT32_MAX)); // as the test calls them
    *newtype = &vector;
    return answer();
}

MPI_Aint oriel_aint_diff(MPI_Aint addr1, MPI_Aint addr2)
{
    return addr1 - addr2;
}

static const MPI_Count too_wide = (MPI_Count)INT32_MAX + 1;

static void wide_numbers(void)
{
    int size, unit;
    MPI_Count large_size;
    MPI_Aint bytes, large_unit;
    void *base;

    wide = INT32_MAX;
    CHECK(was_done(MPI_Type_size(MPI_INT, &size)) && size == INT32_MAX);
    CHECK(was_done(MPI_Win_shared_query(a_window, 1, &bytes, &unit, &base)));
    CHECK(unit == INT32_MAX && bytes == 64 && base == &wide);

    wide = too_wide;
    CHECK(was_done(MPI_Type_size(MPI_INT, &size)) && size == MPI_UNDEFINED);
    CHECK(was_done(MPI_Type_size_c(MPI_INT, &large_size)) && large_size == too_wide);
    CHECK(was_done(MPI_Win_shared_query_c(a_window, 1, &bytes, &large_unit, &base)));
    CHECK(large_unit == too_wide);
    unit = 5;
    int code = MPI_Win_shared_query(a_window, 1, &bytes, &unit, &base);
    CHECK(code == MPI_ERR_VALUE_TOO_LARGE && raised.object == &window && unit == 5);
    start_over();
}

static void wide_arguments(void)
{
    MPI_Datatype type;
    wide = 6;
    CHECK(was_done(MPI_Type_vector(6, 2, -3, MPI_INT, &type)) && type == a_vector);
    wide = too_wide;
    CHECK(was_done(MPI_Type_vector_c(too_wide, 2, -3, MPI_INT, &type)));
}

static void handles(void)
{
    MPI_Win win = MPI_WIN_NULL;
    CHECK(was_done(MPI_Win_create(&wide, 8, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win)));
    CHECK(win == a_window);
    CHECK(was_done(MPI_Win_free(&win)) && win == MPI_WIN_NULL);
    CHECK(was_refused(MPI_Win_create(&wide, 8, 4, MPI_INFO_NULL, MPI_COMM_WORLD, NULL),
                      MPI_ERR_ARG, "win", &world));

    MPI_Comm comm = MPI_COMM_WORLD;
    CHECK(was_done(MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, 7, &comm)));
    CHECK(comm == MPI_COMM_NULL);
}

static void errors(void)
{
    MPI_Win win = a_window;
    core_answer = MPI_ERR_RMA_SYNC;
    CHECK(MPI_Win_free(&win) == MPI_ERR_RMA_SYNC);
    CHECK(raised.object == &window && raised.kind == KIND_WIN && win == a_window);
    start_over();

    win = MPI_WIN_NULL;
    core_answer = MPI_ERR_NO_MEM;
    CHECK(MPI_Win_create(&wide, 8, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win) ==
          MPI_ERR_NO_MEM);
    CHECK(raised.object == &world && raised.kind == KIND_COMM && win == MPI_WIN_NULL);
    start_over();
}

// A tool's procedure: the library's own MPI_ name is weak and yields.
static int intercepted;
MPI_Aint MPI_Aint_diff(MPI_Aint addr1, MPI_Aint addr2)
{
    intercepted++;
    return PMPI_Aint_diff(addr1, addr2);
}

static void tools(void)
{
    CHECK(MPI_Aint_diff(9, 4) == 5 && intercepted == 1);
    CHECK(PMPI_Aint_diff(9, 4) == 5 && intercepted == 1);
}

int main(void)
{
    place_objects();
    wide_numbers();
    wide_arguments();
    handles();
    errors();
    tools();
    return 0;
}
