! SPDX-License-Identifier: BSD-3-Clause
! mpi_f08: strings are padded with blanks on the way out and stripped on the way in.
program f08_strings
    use mpi_f08
    use check_m, only : check, unit
    implicit none
    call MPI_Init()
    call infos()
    call names()
    call texts()
    call MPI_Finalize()

contains

    subroutine infos()
        type(MPI_Info) :: info, copy
        character(len=20) :: value
        character(len=3) :: short
        character(len=MPI_MAX_INFO_KEY) :: key
        integer :: length, keys
        logical :: flag
        call MPI_Info_create(info)
        call MPI_Info_set(info, '  city ', '  Dar es Salaam  ')
        call MPI_Info_set(info, 'empty', ' ')
        value = 'untouched'
        length = len(value)
        call MPI_Info_get_string(info, 'city ', length, value, flag)
        call check('a value comes back without the blanks around it', &
            flag .and. value == 'Dar es Salaam' .and. value(14:) == '')
        call check('buflen becomes the length of the value', length == 13)
        length = len(short)
        call MPI_Info_get_string(info, 'city', length, short, flag)
        call check('a value is cut to fit', flag .and. short == 'Dar')
        call check('buflen becomes the length needed', length == 13)
        length = 0
        value = 'untouched'
        call MPI_Info_get_string(info, 'city', length, value, flag)
        call check('with buflen 0 only the length is told', &
            flag .and. length == 13 .and. value == 'untouched')
        length = len(value)
        call MPI_Info_get_string(info, 'town', length, value, flag)
        call check('a key that is not set changes nothing', &
            .not. flag .and. value == 'untouched' .and. length == len(value))
        call MPI_Info_get_nkeys(info, keys)
        call check('two keys are set', keys == 2)
        call MPI_Info_get_nthkey(info, 0, key)
        call check('the first key is the one set first', key == 'city')
        call MPI_Info_dup(info, copy)
        call MPI_Info_delete(copy, ' city')
        call MPI_Info_get_nthkey(copy, 0, key)
        call check('a key is deleted without the blanks around it', key == 'empty')
        call MPI_Info_free(copy)
        call MPI_Info_free(info)
        call check('freed infos are null', info == MPI_INFO_NULL .and. &
            copy == MPI_INFO_NULL)
    end subroutine infos

    subroutine names()
        character(len=MPI_MAX_OBJECT_NAME) :: name
        type(MPI_Win) :: win
        integer :: length
        integer, asynchronous :: memory(4)
        call MPI_Comm_get_name(MPI_COMM_WORLD, name, length)
        call check('the world''s name', name == 'MPI_COMM_WORLD' .and. length == 14)
        call MPI_Win_create(memory, 4_MPI_ADDRESS_KIND * unit, unit, MPI_INFO_NULL, &
            MPI_COMM_WORLD, win)
        name = 'untouched'
        call MPI_Win_get_name(win, name, length)
        call check('a window has no name at first', length == 0 .and. name == '')
        call MPI_Win_set_name(win, '  halo of u  ')
        call MPI_Win_get_name(win, name, length)
        call check('a name keeps its leading blanks', name == '  halo of u' .and. &
            length == 11)
        call MPI_Win_free(win)
    end subroutine names

    subroutine texts()
        character(len=MPI_MAX_ERROR_STRING) :: text
        character(len=MPI_MAX_PROCESSOR_NAME) :: name
        character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: version
        integer :: length, class
        call MPI_Error_string(MPI_ERR_RANK, text, length)
        call check('an error has a text as long as told', &
            length > 0 .and. length == len_trim(text))
        call MPI_Add_error_class(class)
        call MPI_Add_error_string(class, 'too cold  ')
        call MPI_Error_string(class, text, length)
        call check('the program''s error has its own text', text == 'too cold' .and. &
            length == 8)
        call MPI_Get_processor_name(name, length)
        call check('the machine has a name', length > 0 .and. length == len_trim(name))
        call MPI_Get_library_version(version, length)
        call check('the library tells its version', length > 0 .and. &
            length == len_trim(version))
        call check('the string constants are one less than in C', &
            MPI_MAX_OBJECT_NAME == 127 .and. MPI_MAX_ERROR_STRING == 511)
    end subroutine texts
end program f08_strings
