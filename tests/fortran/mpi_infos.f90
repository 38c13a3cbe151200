! SPDX-License-Identifier: BSD-3-Clause
! The mpi module: the deprecated procedures of infos.
program mpi_infos
    use mpi
    use check_m, only : check
    implicit none
    integer :: info, length, ierror
    logical :: flag
    character(len=4) :: value
    call MPI_INIT(ierror)
    call MPI_INFO_CREATE(info, ierror)
    call MPI_INFO_SET(info, 'order', 'random', ierror)
    call MPI_INFO_GET_VALUELEN(info, ' order', length, flag, ierror)
    call check('the length is that of the value', flag .and. length == 6)
    call MPI_INFO_GET(info, 'order', 3, value, flag, ierror)
    call check('a value is cut to valuelen', flag .and. value == 'ran')
    value = 'keep'
    call MPI_INFO_GET(info, 'chaos', 4, value, flag, ierror)
    call check('a key that is not set leaves the value', &
        .not. flag .and. value == 'keep')
    call MPI_INFO_FREE(info, ierror)
    call MPI_PCONTROL(1)
    call MPI_FINALIZE(ierror)
end program mpi_infos
