! SPDX-License-Identifier: BSD-3-Clause
! mpi_f08: the handler of the right object is called, and ierror has the error's class.
module f08_error_handlers_m
    use mpi_f08
    implicit none
    type(MPI_Win) :: handled_win
    type(MPI_Comm) :: handled_comm
    integer :: calls = 0, handled_code

contains

    subroutine on_window(win, error_code)
        type(MPI_Win) :: win
        integer :: error_code
        calls = calls + 1
        handled_win = win
        handled_code = error_code
    end subroutine on_window

    subroutine on_communicator(comm, error_code)
        type(MPI_Comm) :: comm
        integer :: error_code
        calls = calls + 1
        handled_comm = comm
        handled_code = error_code
    end subroutine on_communicator
end module f08_error_handlers_m

program f08_error_handlers
    use mpi_f08
    use f08_error_handlers_m
    use check_m, only : check, unit
    implicit none
    type(MPI_Win) :: win, broken
    type(MPI_Errhandler) :: handler, comm_handler, current
    integer :: ierror, ranks
    integer, asynchronous :: memory(100), origin(10)
    call MPI_Init()
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    call MPI_Win_create(memory, 100_MPI_ADDRESS_KIND * unit, unit, MPI_INFO_NULL, &
        MPI_COMM_WORLD, win)
    call MPI_Win_create_errhandler(on_window, handler)
    call check('a new error handler is not null', handler /= MPI_ERRHANDLER_NULL)
    call MPI_Win_set_errhandler(win, handler)
    call MPI_Win_get_errhandler(win, current)
    call check('get_errhandler gives the handler that was set', current == handler)
    call MPI_Errhandler_free(current)
    call MPI_Errhandler_free(handler)
    call check('a freed handler is null', handler == MPI_ERRHANDLER_NULL)

    call MPI_Win_fence(0, win)
    call MPI_Put(origin, 10, MPI_INTEGER, ranks, 0_MPI_ADDRESS_KIND, 10, MPI_INTEGER, &
        win, ierror)
    call check('a bad rank is MPI_ERR_RANK', ierror == MPI_ERR_RANK)
    call check('the window''s handler is called with window and code', &
        calls == 1 .and. handled_win == win .and. handled_code == MPI_ERR_RANK)
    call MPI_Put(origin(1:10:3), 4, MPI_INTEGER, ranks, 0_MPI_ADDRESS_KIND, 4, &
        MPI_INTEGER, win, ierror)
    call check('likewise with a section', ierror == MPI_ERR_RANK .and. calls == 2)
    call MPI_Put(origin(1:10:3), 4, MPI_DATATYPE_NULL, 0, 0_MPI_ADDRESS_KIND, 4, &
        MPI_INTEGER, win, ierror)
    call check('a section with a null datatype is MPI_ERR_TYPE', &
        ierror == MPI_ERR_TYPE .and. calls == 3)
    call MPI_Put(origin(1:10:3), -4, MPI_INTEGER, 0, 0_MPI_ADDRESS_KIND, 4, &
        MPI_INTEGER, win)
    call check('a handler is called also without ierror', &
        calls == 4 .and. handled_code == MPI_ERR_COUNT)
    call MPI_Win_fence(0, win)
    call MPI_Win_call_errhandler(win, MPI_ERR_OTHER)
    call check('call_errhandler calls it', calls == 5 .and. &
        handled_code == MPI_ERR_OTHER)
    call MPI_Win_free(win)

    call MPI_Comm_create_errhandler(on_communicator, comm_handler)
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, comm_handler)
    call MPI_Win_create(memory(1:100:2), 50_MPI_ADDRESS_KIND * unit, unit, &
        MPI_INFO_NULL, MPI_COMM_SELF, broken, ierror)
    call check('a window on a section is MPI_ERR_BUFFER', ierror == MPI_ERR_BUFFER)
    call check('the communicator''s handler is called', calls == 6 .and. &
        handled_comm == MPI_COMM_SELF .and. handled_code == MPI_ERR_BUFFER)
    call MPI_Win_create(memory(1:100:100), 1_MPI_ADDRESS_KIND * unit, unit, &
        MPI_INFO_NULL, MPI_COMM_SELF, broken, ierror)
    call check('one element is contiguous whatever its stride', ierror == MPI_SUCCESS)
    call MPI_Win_free(broken)
    call MPI_Win_create(memory(5:4:2), 0_MPI_ADDRESS_KIND, unit, MPI_INFO_NULL, &
        MPI_COMM_SELF, broken, ierror)
    call check('so is an empty section', ierror == MPI_SUCCESS)
    call MPI_Win_free(broken)
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
    call MPI_Errhandler_free(comm_handler)
    call arrays_must_be_large_enough()
    call MPI_Finalize()

contains

    ! A window is refused on all ranks if it is one on one of them.
    subroutine arrays_must_be_large_enough()
        integer(MPI_ADDRESS_KIND) :: bytes
        integer :: rank
        bytes = 100_MPI_ADDRESS_KIND * unit
        call MPI_Comm_rank(MPI_COMM_WORLD, rank)
        call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
        call MPI_Win_create(memory, bytes + merge(1, 0, rank == 0), unit, &
            MPI_INFO_NULL, MPI_COMM_WORLD, win, ierror)
        call check('a window on a smaller array is MPI_ERR_SIZE', ierror == MPI_ERR_SIZE)
        if (rank == 0) then
            call MPI_Win_create(memory(1:100:2), 8_MPI_ADDRESS_KIND, unit, &
                MPI_INFO_NULL, MPI_COMM_WORLD, win, ierror)
        else
            call MPI_Win_create(memory, bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, win, &
                ierror)
        end if
        call check('a section of one rank is refused by all', ierror == MPI_ERR_BUFFER)
        call MPI_Win_create(memory(:50), bytes / 2 + 1, unit, MPI_INFO_NULL, &
            MPI_COMM_WORLD, win, ierror)
        call check('a part of an array is as large as it is', ierror == MPI_ERR_SIZE)
        call MPI_Win_create(memory(1), bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, win, &
            ierror)
        call check('an element stands for what follows it', ierror == MPI_SUCCESS)
        call MPI_Win_free(win)
        call make_of_assumed_size(memory, bytes)
        call attach_to_dynamic(bytes)
    end subroutine arrays_must_be_large_enough

    subroutine make_of_assumed_size(array, bytes)
        integer, intent(in), asynchronous :: array(10, *)
        integer(MPI_ADDRESS_KIND), intent(in) :: bytes
        call MPI_Win_create(array, bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierror)
        call check('an array of assumed size is large enough', ierror == MPI_SUCCESS)
        call MPI_Win_free(win)
    end subroutine make_of_assumed_size

    subroutine attach_to_dynamic(bytes)
        integer(MPI_ADDRESS_KIND), intent(in) :: bytes
        call MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, win)
        call MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN)
        call MPI_Win_attach(win, memory, bytes + 1, ierror)
        call check('attaching more than the array is MPI_ERR_SIZE', ierror == MPI_ERR_SIZE)
        call MPI_Win_attach(win, memory, bytes, ierror)
        call check('the whole array is attached', ierror == MPI_SUCCESS)
        call MPI_Win_detach(win, memory)
        call MPI_Win_free(win)
    end subroutine attach_to_dynamic
end program f08_error_handlers
