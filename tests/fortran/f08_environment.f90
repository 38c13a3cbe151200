! SPDX-License-Identifier: BSD-3-Clause
! mpi_f08: error codes that go again, infos that describe the process.
program f08_environment
    use mpi_f08
    use check_m, only : check
    implicit none
    call MPI_Init()
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
    call codes()
    call descriptions()
    call MPI_Pcontrol(1)
    call MPI_Finalize()

contains

    subroutine codes()
        integer :: class, code, found, length, ierror
        character(len=MPI_MAX_ERROR_STRING) :: text
        call MPI_Add_error_class(class)
        call MPI_Add_error_code(class, code)
        call MPI_Add_error_string(code, 'too late')
        call MPI_Remove_error_string(code)
        call MPI_Error_string(code, text, length)
        call check('a removed text is gone', length == 0)
        call MPI_Remove_error_class(class, ierror)
        call check('a class with codes stays', ierror /= MPI_SUCCESS)
        call MPI_Remove_error_code(code)
        call MPI_Remove_error_class(class)
        call MPI_Error_class(class, found, ierror)
        call check('a removed class is unknown', ierror /= MPI_SUCCESS)
    end subroutine codes

    subroutine descriptions()
        type(MPI_Info) :: info
        character(len=MPI_MAX_INFO_VAL) :: value
        integer :: room
        logical :: flag
        call MPI_Info_create_env(info)
        room = len(value)
        call MPI_Info_get_string(info, 'command', room, value, flag)
        call check('the command is known', flag .and. room > 0)
        call MPI_Info_free(info)
        call MPI_Get_hw_resource_info(info)
        room = len(value)
        call MPI_Info_get_string(info, 'mpi_shared_memory', room, value, flag)
        call check('a process runs on one node', flag .and. value == 'true')
        call MPI_Info_free(info)
    end subroutine descriptions
end program f08_environment
