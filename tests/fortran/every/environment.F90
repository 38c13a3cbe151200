! SPDX-License-Identifier: BSD-3-Clause
! The environment: threads, versions, errors and their handlers, infos, time.

! The handlers note what they get.
module handlers
#include "binding.inc"
    private
    HANDLE(MPI_Comm), public :: handled_comm = MPI_COMM_NULL
    HANDLE(MPI_Win), public :: handled_win = MPI_WIN_NULL
    integer, public :: handled_code = MPI_SUCCESS
    public :: on_comm, on_win

contains

    subroutine on_comm(comm, error_code)
        HANDLE(MPI_Comm) :: comm
        integer :: error_code
        handled_comm = comm
        handled_code = error_code
    end subroutine on_comm

    subroutine on_win(win, error_code)
        HANDLE(MPI_Win) :: win
        integer :: error_code
        handled_win = win
        handled_code = error_code
    end subroutine on_win
end module handlers

program environment
    use handlers
#include "binding.inc"
    integer :: provided, number, ierror
    logical :: flag
    call MPI_Initialized(flag, ierror)
    call check('not initialized at first', .not. flag)
    call versions()
    call MPI_Init_thread(MPI_THREAD_SERIALIZED, provided, ierror)
    call check('the level asked for', provided >= MPI_THREAD_SERIALIZED)
    call MPI_Query_thread(number, ierror)
    call check('query_thread', number == provided)
    call MPI_Is_thread_main(flag, ierror)
    call check('the main thread', flag)
    call MPI_Initialized(flag, ierror)
    call check('initialized', flag)
    call machine()
    call errors_of_the_program()
    call handlers_of_communicators()
    call handlers_of_windows()
    call infos()
    call MPI_Pcontrol(1)
    call MPI_Finalized(flag, ierror)
    call check('not finalized', .not. flag)
    call MPI_Finalize(ierror)
    call MPI_Finalized(flag, ierror)
    call check('finalized', flag)

contains

    subroutine versions()
        character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: text
        HANDLE(MPI_Info) :: info
        integer :: version, subversion
        logical :: yes, no, is_set
        call MPI_Get_version(version, subversion, ierror)
        call check('get_version', &
            version == MPI_VERSION .and. subversion == MPI_SUBVERSION)
        call MPI_Abi_get_version(version, subversion, ierror)
        call check('abi_get_version', &
            version == MPI_ABI_VERSION .and. subversion == MPI_ABI_SUBVERSION)
        call MPI_Abi_get_info(info, ierror)
        call MPI_Info_get_nkeys(info, number, ierror)
        call check('abi_get_info', number > 0)
        call MPI_Info_free(info, ierror)
        call MPI_Abi_get_fortran_info(info, ierror)
        call MPI_Info_get_nkeys(info, number, ierror)
        call check('abi_get_fortran_info', number > 4)
        call MPI_Abi_get_fortran_booleans(storage_size(yes) / 8, yes, no, is_set, ierror)
        call check('abi_get_fortran_booleans', is_set .and. yes .and. .not. no)
        call MPI_Info_free(info, ierror)
        call MPI_Get_library_version(text, number, ierror)
        call check('get_library_version', number > 0 .and. number == len_trim(text))
    end subroutine versions

    subroutine machine()
        character(len=MPI_MAX_PROCESSOR_NAME) :: name
        character(len=MPI_MAX_INFO_VAL) :: value
        HANDLE(MPI_Info) :: info
        double precision :: start
        call MPI_Get_processor_name(name, number, ierror)
        call check('get_processor_name', number > 0 .and. number == len_trim(name))
        call MPI_Get_hw_resource_info(info, ierror)
        number = len(value)
        call MPI_Info_get_string(info, 'mpi_shared_memory', number, value, flag, ierror)
        call check('get_hw_resource_info', flag .and. value == 'true')
        call MPI_Info_free(info, ierror)
        start = MPI_Wtime()
        call check('time does not run backwards', MPI_Wtime() >= start)
        call check('a tick is a small time', MPI_Wtick() > 0 .and. MPI_Wtick() < 1)
    end subroutine machine

    subroutine errors_of_the_program()
        character(len=MPI_MAX_ERROR_STRING) :: text
        integer :: class, code, found
        logical :: yes = .true., no = .false.
        call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierror)
        call MPI_Abi_set_fortran_info(MPI_INFO_ENV, ierror)
        call check('abi_set_fortran_info', ierror == MPI_ERR_ABI)
        call MPI_Abi_set_fortran_booleans(storage_size(yes) / 8, yes, no, ierror)
        call check('abi_set_fortran_booleans', ierror == MPI_ERR_ABI)
        call MPI_Error_string(MPI_ERR_RANK, text, number, ierror)
        call check('an error has a text', number > 0 .and. number == len_trim(text))
        call MPI_Add_error_class(class, ierror)
        call MPI_Add_error_code(class, code, ierror)
        call MPI_Add_error_string(code, 'too cold ', ierror)
        call MPI_Error_string(code, text, number, ierror)
        call check('add_error_string', text == 'too cold' .and. number == 8)
        call MPI_Error_class(code, found, ierror)
        call check('error_class', found == class)
        call MPI_Remove_error_string(code, ierror)
        call MPI_Error_string(code, text, number, ierror)
        call check('remove_error_string', number == 0)
        call MPI_Remove_error_code(code, ierror)
        call MPI_Remove_error_class(class, ierror)
        call check('remove_error_class', ierror == MPI_SUCCESS)
        call MPI_Error_class(class, found, ierror)
        call check('what is removed is unknown', ierror /= MPI_SUCCESS)
    end subroutine errors_of_the_program

    subroutine handlers_of_communicators()
        HANDLE(MPI_Errhandler) :: handler, found
        HANDLE(MPI_Comm) :: comm
        call MPI_Comm_dup(MPI_COMM_SELF, comm, ierror)
        call MPI_Comm_create_errhandler(on_comm, handler, ierror)
        call MPI_Comm_set_errhandler(comm, handler, ierror)
        call MPI_Comm_get_errhandler(comm, found, ierror)
        call check('comm_get_errhandler', found == handler)
        call MPI_Errhandler_free(found, ierror)
        call MPI_Errhandler_free(handler, ierror)
        call MPI_Send(number, 1, MPI_INTEGER, 7, 0, comm, ierror)
        call check('an error is handled and told', ierror == MPI_ERR_RANK .and. &
            handled_comm == comm .and. handled_code == MPI_ERR_RANK)
        call MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER, ierror)
        call check('comm_call_errhandler', &
            handled_code == MPI_ERR_OTHER .and. ierror == MPI_SUCCESS)
        call MPI_Comm_free(comm, ierror)
    end subroutine handlers_of_communicators

    subroutine handlers_of_windows()
        HANDLE(MPI_Errhandler) :: handler, found
        HANDLE(MPI_Win) :: win
        call MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_SELF, win, ierror)
        call MPI_Win_create_errhandler(on_win, handler, ierror)
        call MPI_Win_set_errhandler(win, handler, ierror)
        call MPI_Win_get_errhandler(win, found, ierror)
        call check('win_get_errhandler', found == handler)
        call MPI_Errhandler_free(found, ierror)
        call MPI_Errhandler_free(handler, ierror)
        call MPI_Win_flush(0, win, ierror)
        call check('an error is handled and told', ierror == MPI_ERR_RMA_SYNC .and. &
            handled_win == win .and. handled_code == MPI_ERR_RMA_SYNC)
        call MPI_Win_call_errhandler(win, MPI_ERR_OTHER, ierror)
        call check('win_call_errhandler', &
            handled_code == MPI_ERR_OTHER .and. ierror == MPI_SUCCESS)
        call MPI_Win_free(win, ierror)
    end subroutine handlers_of_windows

    subroutine infos()
        HANDLE(MPI_Info) :: info, copy
        character(len=MPI_MAX_INFO_KEY) :: key
        character(len=8) :: value
        call MPI_Info_create(info, ierror)
        call MPI_Info_set(info, ' first ', ' one ', ierror)
        call MPI_Info_set(info, 'second', 'two', ierror)
        call MPI_Info_get_nkeys(info, number, ierror)
        call MPI_Info_get_nthkey(info, 1, key, ierror)
        call check('keys count from 0', number == 2 .and. key == 'second')
        call MPI_Info_dup(info, copy, ierror)
        call MPI_Info_delete(copy, 'second', ierror)
        call MPI_Info_get_nkeys(copy, number, ierror)
        call check('a key of the copy is deleted', number == 1)
        number = len(value)
        call MPI_Info_get_string(copy, 'first', number, value, flag, ierror)
        call check('info_get_string', flag .and. value == 'one' .and. number == 3)
        call MPI_Info_get_valuelen(info, 'second', number, flag, ierror)
        call check('info_get_valuelen', flag .and. number == 3)
        call MPI_Info_get(info, 'second', 2, value, flag, ierror)
        call check('info_get cuts to valuelen', flag .and. value(:2) == 'tw')
        value = 'keep'
        call MPI_Info_get(info, 'third', 2, value, flag, ierror)
        call check('a key that is not set changes nothing', &
            .not. flag .and. value == 'keep')
        call MPI_Info_free(copy, ierror)
        call MPI_Info_free(info, ierror)
        call check('freed infos are null', &
            info == MPI_INFO_NULL .and. copy == MPI_INFO_NULL)
        call MPI_Info_create_env(info, ierror)
        call MPI_Info_get_valuelen(info, 'command', number, flag, ierror)
        call check('info_create_env tells the command', flag .and. number > 0)
        call MPI_Info_free(info, ierror)
    end subroutine infos
end program environment
