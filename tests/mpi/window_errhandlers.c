// SPDX-License-Identifier: BSD-3-Clause
// errors_go_to_the_windows_handler: an own handler is called with window and code, of
// the right window, until another is set.
#include "window_test.h"

static int calls[2];
static MPI_Win last_window;
static int last_code;

static void note_first(MPI_Win *win, int *code, ...)
{
    calls[0]++;
    last_window = *win;
    last_code = *code;
}

static void note_second(MPI_Win *win, int *code, ...)
{
    calls[1]++;
    last_window = *win;
    last_code = *code;
}

static int put_outside_an_epoch(MPI_Win win)
{
    int value = 0;
    return MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
}

static void each_window_has_its_own(void)
{
    struct opened one = open_allocated(8, 1), other = open_allocated(8, 1);
    MPI_Errhandler first, second, found;
    MPI_Win_create_errhandler(note_first, &first);
    MPI_Win_create_errhandler(note_second, &second);
    MPI_Win_set_errhandler(one.win, first);
    MPI_Win_set_errhandler(other.win, second);
    CHECK_CLASS(put_outside_an_epoch(one.win), MPI_ERR_RMA_SYNC);
    CHECK(calls[0] == 1 && calls[1] == 0 && last_window == one.win);
    CHECK(last_code == MPI_ERR_RMA_SYNC);
    CHECK_CLASS(MPI_Win_unlock(0, other.win), MPI_ERR_RMA_SYNC);
    CHECK(calls[0] == 1 && calls[1] == 1 && last_window == other.win);
    MPI_Win_get_errhandler(one.win, &found);
    CHECK(found == first);
    MPI_Errhandler_free(&found);
    MPI_Errhandler_free(&first); // the window keeps it
    put_outside_an_epoch(one.win);
    CHECK(calls[0] == 2);
    MPI_Win_call_errhandler(one.win, MPI_ERR_OTHER);
    CHECK(calls[0] == 3 && last_code == MPI_ERR_OTHER);
    MPI_Win_set_errhandler(one.win, MPI_ERRORS_RETURN);
    CHECK_CLASS(put_outside_an_epoch(one.win), MPI_ERR_RMA_SYNC);
    CHECK(calls[0] == 3);
    MPI_Errhandler_free(&second);
    close_allocated(&one);
    close_allocated(&other);
}

static void a_new_window_ends_the_job(void)
{
    MPI_Win win;
    void *base;
    MPI_Errhandler found;
    MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_get_errhandler(win, &found);
    CHECK(found == MPI_ERRORS_ARE_FATAL);
    MPI_Win_free(&win);
}

static void other_objects_handlers_are_refused(void)
{
    struct opened opened = open_allocated(8, 1);
    MPI_Errhandler of_comm;
    MPI_Comm_create_errhandler((MPI_Comm_errhandler_function *)note_first, &of_comm);
    CHECK(MPI_Win_set_errhandler(opened.win, of_comm) != MPI_SUCCESS);
    MPI_Errhandler_free(&of_comm);
    close_allocated(&opened);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    each_window_has_its_own();
    a_new_window_ends_the_job();
    other_objects_handlers_are_refused();
    return finish();
}
