! SPDX-License-Identifier: BSD-3-Clause
! Procedures with choice buffers by their plain names: programs that declare them EXTERNAL
! beside the constants of the module call them with addresses. A program's own mpi_isend
! (plain_procedures.f90) gets the calls of mpi and of mpif.h, those with sections too, but
! not those of mpi_f08, whose procedures have other names (MPI-4.1 19.1.5).
module plain
    use check_m, only : check, unit
    implicit none
    private
    public :: call_external, call_mpi, call_mpif, call_f08

contains

    ! Nothing but constants comes from the module.
    subroutine call_external()
        use mpi, only : MPI_ADDRESS_KIND, MPI_BOTTOM, MPI_COMM_WORLD, MPI_INFO_NULL, &
            MPI_INTEGER, MPI_IN_PLACE, MPI_STATUS_IGNORE, MPI_SUCCESS, MPI_SUM
        use noted, only : sends
        external :: mpi_comm_rank, mpi_win_fence, mpi_win_free, mpi_wait, mpi_type_free, &
            mpi_type_commit, mpi_get_address, mpi_put, mpi_win_create, mpi_recv, &
            mpi_isend, mpi_allreduce, mpi_type_create_struct, mpi_pack_external, &
            mpi_f_sync_reg, pmpi_put
        integer :: memory(4), origin(2), number
        integer(MPI_ADDRESS_KIND) :: bytes, place(1), position
        integer :: win, rank, ierror, absolute, request
        character(len=1) :: packed(8)
        call mpi_comm_rank(MPI_COMM_WORLD, rank, ierror)
        bytes = 4 * unit
        memory = 0
        origin = [7, 8]
        call mpi_win_create(memory, bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, win, &
            ierror)
        call mpi_win_fence(0, win, ierror)
        position = 1
        call mpi_put(origin, 2, MPI_INTEGER, rank, position, 2, MPI_INTEGER, win, ierror)
        call check('put', ierror == MPI_SUCCESS)
        position = 3
        call pmpi_put(origin, 1, MPI_INTEGER, rank, position, 1, MPI_INTEGER, win, ierror)
        call mpi_win_fence(0, win, ierror)
        call mpi_f_sync_reg(memory)
        call check('put by its plain name', all(memory == [0, 7, 8, 7]))
        call mpi_win_free(win, ierror)

        number = 3
        call mpi_allreduce(MPI_IN_PLACE, number, 1, MPI_INTEGER, MPI_SUM, &
            MPI_COMM_WORLD, ierror)
        call check('MPI_IN_PLACE by address', mod(number, 3) == 0 .and. number >= 3)

        call mpi_get_address(number, place, ierror)
        call mpi_type_create_struct(1, [1], place, [MPI_INTEGER], absolute, ierror)
        call mpi_type_commit(absolute, ierror)
        call mpi_isend(MPI_BOTTOM, 1, absolute, rank, 4, MPI_COMM_WORLD, request, ierror)
        call mpi_recv(origin, 1, MPI_INTEGER, rank, 4, MPI_COMM_WORLD, &
            MPI_STATUS_IGNORE, ierror)
        call mpi_wait(request, MPI_STATUS_IGNORE, ierror)
        call check('MPI_BOTTOM by address', origin(1) == number)
        call check('own mpi_isend called as external', sends == 1)
        call mpi_type_free(absolute, ierror)

        position = 0
        bytes = 8
        call mpi_pack_external('external32', origin, 1, MPI_INTEGER, packed, bytes, &
            position, ierror)
        call check('string by its plain name', ierror == MPI_SUCCESS .and. position == unit)
    end subroutine call_external

    ! Calls with interfaces: every second element of an array, and a constant.
    subroutine call_mpi()
        use mpi
        use noted, only : address, gathers, sends
        integer, asynchronous :: out(8), back(8)
        integer :: rank, request, ierror, i, ranks
        integer, allocatable, asynchronous :: all_of(:, :)
        out = [(i, i = 1, 8)]
        back = 0
        call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
        call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
        call MPI_Isend(out(8:2:-2), 3, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, request, &
            ierror)
        call MPI_Recv(back, 3, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, &
            ierror)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
        call check('own mpi_isend called by mpi', sends == 2)
        call check('section through it', all(back == [8, 6, 4, 0, 0, 0, 0, 0]))
        call check('address of the section', address == loc(out(8)))
        call MPI_Isend(MPI_BOTTOM, 0, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, request, &
            ierror)
        call check('the constant itself', address == loc(MPI_BOTTOM))
        call MPI_Recv(back, 0, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, &
            ierror)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)

        allocate(all_of(2, ranks), source=-1)
        call MPI_Iallgather(rank, 1, MPI_INTEGER, all_of(1, :), 1, MPI_INTEGER, &
            MPI_COMM_WORLD, request, ierror)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
        call MPI_F_sync_reg(all_of)
        call check('own mpi_iallgather called by mpi', gathers == 1)
        call check('copy that the request keeps', &
            all(all_of(1, :) == [(i, i = 0, ranks - 1)]) .and. all(all_of(2, :) == -1))
    end subroutine call_mpi

    subroutine call_mpif()
        use noted, only : sends
        include 'mpif.h'
        integer, asynchronous :: number
        integer :: rank, request, ierror
        call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
        number = rank + 5
        call MPI_Isend(number, 1, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, request, ierror)
        number = 0
        call MPI_Recv(number, 1, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, &
            MPI_STATUS_IGNORE, ierror)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
        call check('own mpi_isend called by mpif.h', sends == 4 .and. number == rank + 5)
        call PMPI_Isend(number, 1, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, request, ierror)
        call MPI_Recv(number, 1, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, &
            MPI_STATUS_IGNORE, ierror)
        call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
        call check('not for PMPI', sends == 4)
    end subroutine call_mpif

    subroutine call_f08()
        use mpi_f08
        use noted, only : sends
        type(MPI_Request) :: request
        integer, asynchronous :: number
        integer :: rank
        call MPI_Comm_rank(MPI_COMM_WORLD, rank)
        number = rank
        call MPI_Isend(number, 1, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, request)
        call MPI_Recv(number, 1, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call check('mpi_f08 has names of its own', sends == 4)
    end subroutine call_f08
end module plain

program mpi_plain_names
    use plain, only : call_external, call_f08, call_mpi, call_mpif
    implicit none
    integer :: ierror
    external :: mpi_finalize, mpi_init
    call mpi_init(ierror)
    call call_external()
    call call_mpi()
    call call_mpif()
    call call_f08()
    call mpi_finalize(ierror)
end program mpi_plain_names
