// SPDX-License-Identifier: BSD-3-Clause
// A program of someone who has never seen Oriel: it knows the standard ABI only.
#include "abi_mpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(int holds, const char *claim)
{
    if (holds)
        return;
    fprintf(stderr, "does not hold: %s\n", claim);
    exit(1);
}

static int handled_class;
static MPI_Win handled_win;

static void on_error(MPI_Win *win, int *code, ...)
{
    handled_win = *win;
    MPI_Error_class(*code, &handled_class);
}

static int on_delete(MPI_Win win, int keyval, void *value, void *extra_state)
{
    (void)win;
    (void)keyval;
    *(int *)extra_state += *(int *)value;
    return MPI_SUCCESS;
}

static void version(void)
{
    int major, minor, length = 8, flag;
    char bytes[8];
    MPI_Info info;
    check(MPI_Abi_get_version(&major, &minor) == MPI_SUCCESS, "Abi_get_version works");
    check(major == MPI_ABI_VERSION && minor == MPI_ABI_SUBVERSION, "versions agree");
    check(MPI_Abi_get_info(&info) == MPI_SUCCESS, "Abi_get_info works");
    MPI_Info_get_string(info, "mpi_aint_size", &length, bytes, &flag);
    check(flag && atoi(bytes) == (int)sizeof(MPI_Aint), "MPI_Aint is as wide");
    length = 8;
    MPI_Info_get_string(info, "mpi_count_size", &length, bytes, &flag);
    check(flag && atoi(bytes) == (int)sizeof(MPI_Count), "MPI_Count is as wide");
    length = 8;
    MPI_Info_get_string(info, "mpi_offset_size", &length, bytes, &flag);
    check(flag && atoi(bytes) == (int)sizeof(MPI_Offset), "MPI_Offset is as wide");
    MPI_Info_free(&info);
    check(info == MPI_INFO_NULL, "a freed handle is null");
}

static void size_of(MPI_Datatype type, size_t bytes)
{
    int size;
    check(MPI_Type_size(type, &size) == MPI_SUCCESS && size == (int)bytes,
          "predefined datatypes have their sizes");
}

static void datatypes(void)
{
    size_of(MPI_CHAR, 1);
    size_of(MPI_INT, sizeof(int));
    size_of(MPI_DOUBLE, sizeof(double));
    size_of(MPI_LONG_DOUBLE, sizeof(long double));
    size_of(MPI_INT16_T, 2);
    size_of(MPI_UINT64_T, 8);
    size_of(MPI_AINT, sizeof(MPI_Aint));
    size_of(MPI_COUNT, sizeof(MPI_Count));
    size_of(MPI_C_DOUBLE_COMPLEX, 16);
}

static void communication(MPI_Win win, double *memory, int rank, int size)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    double mine = 10 + rank, there = 0, sum = 0;
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    MPI_Put(&mine, 1, MPI_DOUBLE, right, 2, 1, MPI_DOUBLE, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    check(memory[2] == 10 + left, "a put arrives");
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
    MPI_Get_c(&there, 1, MPI_DOUBLE, right, 2, 1, MPI_DOUBLE, win);
    MPI_Win_flush(right, win);
    check(there == mine, "a get brings it back");
    MPI_Win_unlock(right, win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, MPI_MODE_NOCHECK, win);
    MPI_Win_unlock(0, win);
    MPI_Win_fence(0, win);
    MPI_Accumulate(&mine, 1, MPI_DOUBLE, 0, 5, 1, MPI_DOUBLE, MPI_SUM, win);
    MPI_Win_fence(0, win);
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    check(rank != 0 || memory[5] == sum, "accumulate and allreduce add the same");
    MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    check(mine == 10 + size - 1, "allreduce in place");
}

static void attributes(MPI_Win win, double *memory)
{
    static int dropped, value = 7;
    int flag, keyval, *unit, *flavor, *model;
    void *base;
    MPI_Aint *bytes;
    MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag);
    check(flag && base == memory, "MPI_WIN_BASE");
    MPI_Win_get_attr(win, MPI_WIN_SIZE, &bytes, &flag);
    check(flag && *bytes == 64, "MPI_WIN_SIZE");
    MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &unit, &flag);
    check(flag && *unit == 8, "MPI_WIN_DISP_UNIT");
    MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &flag);
    check(flag && *flavor == MPI_WIN_FLAVOR_ALLOCATE, "MPI_WIN_CREATE_FLAVOR");
    MPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &flag);
    check(flag && (*model == MPI_WIN_UNIFIED || *model == MPI_WIN_SEPARATE),
          "MPI_WIN_MODEL");
    MPI_Win_create_keyval(MPI_WIN_DUP_FN, on_delete, &keyval, &dropped);
    MPI_Win_set_attr(win, keyval, &value);
    MPI_Win_set_attr(win, keyval, &value);
    MPI_Win_free_keyval(&keyval);
    check(keyval == MPI_KEYVAL_INVALID, "a freed keyval is invalid");
    check(dropped == 7, "the delete function is called");
}

static void errors(MPI_Win win, int size)
{
    MPI_Errhandler handler;
    int byte = 0, err;
    MPI_Win_create_errhandler(on_error, &handler);
    MPI_Win_set_errhandler(win, handler);
    MPI_Errhandler_free(&handler);
    check(handler == MPI_ERRHANDLER_NULL, "a freed error handler is null");
    err = MPI_Put(&byte, 1, MPI_BYTE, size, 0, 1, MPI_BYTE, win);
    check(err != MPI_SUCCESS && handled_class == MPI_ERR_RANK, "MPI_ERR_RANK");
    check(handled_win == win, "the handler gets the window");
    MPI_Put(&byte, 1, MPI_DATATYPE_NULL, 0, 0, 1, MPI_BYTE, win);
    check(handled_class == MPI_ERR_TYPE, "MPI_ERR_TYPE");
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    check(MPI_Win_lock(-1, 0, 0, win) == MPI_ERR_LOCKTYPE, "MPI_ERR_LOCKTYPE");
    MPI_Win_fence(0, win);
    err = MPI_Put(&byte, 1, MPI_BYTE, MPI_PROC_NULL, 0, 1, MPI_BYTE, win);
    check(err == MPI_SUCCESS, "MPI_PROC_NULL");
    MPI_Win_fence(0, win);
}

int main(int argc, char *argv[])
{
    int provided, rank, size, group_rank;
    version();
    check(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided) == MPI_SUCCESS,
          "Init_thread works");
    check(provided >= MPI_THREAD_FUNNELED && provided <= MPI_THREAD_MULTIPLE,
          "the level of threads is one");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    datatypes();
    double *memory;
    MPI_Win win;
    MPI_Comm node;
    MPI_Group group;
    MPI_Win_allocate(64, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    memset(memory, 0, 64);
    MPI_Win_get_group(win, &group);
    MPI_Group_rank(group, &group_rank);
    MPI_Group_free(&group);
    check(group_rank == rank && group == MPI_GROUP_NULL, "the window's group");
    communication(win, memory, rank, size);
    attributes(win, memory);
    errors(win, size);
    MPI_Win_free(&win);
    check(win == MPI_WIN_NULL, "a freed window is null");
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_free(&node);
    check(node == MPI_COMM_NULL, "a freed communicator is null");
    return MPI_Finalize();
}
