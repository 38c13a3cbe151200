// SPDX-License-Identifier: BSD-3-Clause
// wrong_arguments_have_their_class: calls on windows with one thing wrong in each; the
// windows can be used afterwards. rma_errors and accumulate_errors have the
// same for operations, epoch_table for calls at the wrong time.
#include "window_test.h"

enum { BYTES = 64 };

static MPI_Win fixed, dynamic, created;
static MPI_Win stale; // has been freed
static char attached[BYTES], outside[BYTES];
static void *allocated; // under `created`
static MPI_Comm comm;   // MPI_ERRORS_RETURN
static MPI_Win made;
static void *base;
static int unit, flag;
static MPI_Aint bytes;

static int put_to(MPI_Win win, MPI_Aint displacement)
{
    static const char byte = 1;
    int code = MPI_Put(&byte, 1, MPI_BYTE, rank, displacement, 1, MPI_BYTE, win);
    int flush_code = MPI_Win_flush(rank, win);
    return code != MPI_SUCCESS ? code : flush_code;
}

static int create(MPI_Aint size_of_part, int unit_of_part)
{
    return MPI_Win_create(outside, size_of_part, unit_of_part, MPI_INFO_NULL, comm,
                          &made);
}

static int allocate(MPI_Aint size_of_part, int unit_of_part, MPI_Info info)
{
    return MPI_Win_allocate(size_of_part, unit_of_part, info, comm, &base, &made);
}

static int allocate_shared(MPI_Aint size_of_part, int unit_of_part)
{
    return MPI_Win_allocate_shared(size_of_part, unit_of_part, MPI_INFO_NULL, comm,
                                   &base, &made);
}

static MPI_Aint address_of(const void *memory)
{
    MPI_Aint address;
    MPI_Get_address(memory, &address);
    return address;
}

static void windows_are_not_made(void)
{
    CHECK_CLASS(create(-1, 1), MPI_ERR_SIZE);
    CHECK_CLASS(create(BYTES, 0), MPI_ERR_DISP);
    CHECK_CLASS(create(BYTES, -1), MPI_ERR_DISP);
    CHECK_CLASS(allocate(-1, 1, MPI_INFO_NULL), MPI_ERR_SIZE);
    CHECK_CLASS(allocate(BYTES, 0, MPI_INFO_NULL), MPI_ERR_DISP);
    CHECK_CLASS(allocate(BYTES, 1, (MPI_Info)MPI_COMM_WORLD), MPI_ERR_INFO);
    CHECK_CLASS(allocate_shared(-1, 1), MPI_ERR_SIZE);
    CHECK_CLASS(allocate_shared(BYTES, 0), MPI_ERR_DISP);
    if (!is_one_node())
        CHECK_CLASS(allocate_shared(BYTES, 1), MPI_ERR_RMA_SHARED);
    CHECK_CLASS(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_NULL, &made),
                MPI_ERR_COMM);
    CHECK(made == MPI_WIN_NULL);
}

// The last member has none; nobody waits for it.
static void windows_have_memory(void)
{
    void *memory = rank == size - 1 ? NULL : outside;
    CHECK_CLASS(MPI_Win_create(memory, BYTES, 1, MPI_INFO_NULL, comm, &made),
                MPI_ERR_BUFFER);
    CHECK(made == MPI_WIN_NULL);
    CHECK_CLASS(
        MPI_Win_create(memory, memory ? BYTES : 0, 1, MPI_INFO_NULL, comm, &made),
        MPI_SUCCESS);
    MPI_Win_free(&made);
    CHECK_CLASS(MPI_Win_attach(dynamic, NULL, 8), MPI_ERR_BUFFER);
}

static void memory_is_not_attached(void)
{
    CHECK_CLASS(MPI_Win_attach(fixed, outside, 8), MPI_ERR_RMA_FLAVOR);
    CHECK_CLASS(MPI_Win_detach(fixed, outside), MPI_ERR_RMA_FLAVOR);
    CHECK_CLASS(MPI_Win_attach(created, outside, 8), MPI_ERR_RMA_FLAVOR);
    CHECK_CLASS(MPI_Win_attach(dynamic, outside, -8), MPI_ERR_SIZE);
    CHECK_CLASS(MPI_Win_attach(dynamic, attached + 1, 8), MPI_ERR_RMA_ATTACH);
    CHECK_CLASS(MPI_Win_detach(dynamic, attached + 1), MPI_ERR_RMA_ATTACH);
    CHECK_CLASS(MPI_Win_detach(dynamic, outside), MPI_ERR_RMA_ATTACH);
    CHECK_CLASS(MPI_Win_shared_query(dynamic, rank, &bytes, &unit, &base),
                MPI_ERR_RMA_FLAVOR);
    CHECK_CLASS(MPI_Win_shared_query(fixed, size, &bytes, &unit, &base), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Free_mem(outside), MPI_ERR_BASE);
}

static void epochs_are_not_opened(void)
{
    CHECK_CLASS(MPI_Win_fence(MPI_MODE_NOCHECK, fixed), MPI_ERR_ASSERT);
    CHECK_CLASS(MPI_Win_fence(1 << 30, fixed), MPI_ERR_ASSERT);
    CHECK_CLASS(MPI_Win_start(MPI_GROUP_EMPTY, MPI_MODE_NOPUT, fixed), MPI_ERR_ASSERT);
    CHECK_CLASS(MPI_Win_start(MPI_GROUP_NULL, 0, fixed), MPI_ERR_GROUP);
    CHECK_CLASS(MPI_Win_post(MPI_GROUP_EMPTY, MPI_MODE_NOPRECEDE, fixed),
                MPI_ERR_ASSERT);
    CHECK_CLASS(MPI_Win_post(MPI_GROUP_NULL, 0, fixed), MPI_ERR_GROUP);
    CHECK_CLASS(MPI_Win_lock(-1, rank, 0, fixed), MPI_ERR_LOCKTYPE);
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, size, 0, fixed), MPI_ERR_RANK);
    CHECK_CLASS(MPI_Win_lock(MPI_LOCK_SHARED, rank, MPI_MODE_NOSTORE, fixed),
                MPI_ERR_ASSERT);
    CHECK_CLASS(MPI_Win_lock_all(MPI_MODE_NOPUT, fixed), MPI_ERR_ASSERT);
}

static void handles_are_not_windows(void)
{
    MPI_Info info;
    MPI_Group group;
    MPI_Win wrong[] = {MPI_WIN_NULL, stale, (MPI_Win)MPI_COMM_WORLD};
    for (int i = 0; i < 3; i++) {
        CHECK_CLASS(MPI_Win_fence(0, wrong[i]), MPI_ERR_WIN);
        CHECK_CLASS(MPI_Win_attach(wrong[i], outside, 8), MPI_ERR_WIN);
        CHECK_CLASS(MPI_Win_lock_all(0, wrong[i]), MPI_ERR_WIN);
        CHECK_CLASS(MPI_Win_get_info(wrong[i], &info), MPI_ERR_WIN);
        CHECK_CLASS(MPI_Win_get_group(wrong[i], &group), MPI_ERR_WIN);
        CHECK_CLASS(MPI_Win_sync(wrong[i]), MPI_ERR_WIN);
    }
    CHECK_CLASS(MPI_Win_set_info(fixed, MPI_INFO_NULL), MPI_ERR_INFO);
    CHECK_CLASS(MPI_Win_get_attr(fixed, MPI_KEYVAL_INVALID, &base, &flag),
                MPI_ERR_KEYVAL);
    CHECK_CLASS(MPI_Win_set_attr(fixed, MPI_WIN_MODEL, &base), MPI_ERR_KEYVAL);
}

static void displacements_are_outside(void)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, fixed);
    CHECK_CLASS(put_to(fixed, -1), MPI_ERR_DISP);
    CHECK_CLASS(put_to(fixed, BYTES), MPI_ERR_RMA_RANGE);
    CHECK_CLASS(put_to(fixed, BYTES - 1), MPI_SUCCESS);
    MPI_Win_unlock(rank, fixed);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, dynamic);
    CHECK_CLASS(put_to(dynamic, address_of(outside)), MPI_ERR_RMA_RANGE);
    CHECK_CLASS(put_to(dynamic, -1), MPI_ERR_RMA_RANGE);
    CHECK_CLASS(put_to(dynamic, address_of(attached + BYTES - 1)), MPI_SUCCESS);
    MPI_Win_unlock(rank, dynamic);
}

static void open_windows(void)
{
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Win_allocate(BYTES, 1, MPI_INFO_NULL, comm, &base, &stale);
    MPI_Win freed = stale;
    MPI_Win_free(&freed);
    MPI_Win_allocate(BYTES, 1, MPI_INFO_NULL, comm, &base, &fixed);
    MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &dynamic);
    MPI_Win_attach(dynamic, attached, BYTES);
    MPI_Alloc_mem(BYTES, MPI_INFO_NULL, &allocated);
    MPI_Win_create(allocated, BYTES, 1, MPI_INFO_NULL, comm, &created);
    return_errors(fixed);
    return_errors(dynamic);
    return_errors(created);
    made = MPI_WIN_NULL;
}

static void windows_work(void)
{
    MPI_Win windows[] = {fixed, dynamic, created};
    for (int i = 0; i < 3; i++) {
        MPI_Aint there = i == 1 ? address_of(attached) : 0;
        MPI_Win_fence(0, windows[i]);
        CHECK_CLASS(MPI_Put("works", 6, MPI_CHAR, rank, there, 6, MPI_CHAR, windows[i]),
                    MPI_SUCCESS);
        CHECK_CLASS(MPI_Win_fence(MPI_MODE_NOSUCCEED, windows[i]), MPI_SUCCESS);
    }
    CHECK(strcmp(attached, "works") == 0 && strcmp(allocated, "works") == 0);
    CHECK(is_all((unsigned char *)outside, BYTES, 0));
    for (int i = 0; i < 3; i++)
        CHECK_CLASS(MPI_Win_free(&windows[i]), MPI_SUCCESS);
    CHECK_CLASS(MPI_Free_mem(allocated), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    open_windows();
    windows_are_not_made();
    windows_have_memory();
    memory_is_not_attached();
    epochs_are_not_opened();
    handles_are_not_windows();
    displacements_are_outside();
    windows_work();
    MPI_Comm_free(&comm);
    return finish();
}
