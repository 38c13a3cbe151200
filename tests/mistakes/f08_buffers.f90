! SPDX-License-Identifier: BSD-3-Clause
! Buffers of operations under way that other calls access, and data of different types
! (ORIEL_CHECK=races), by mpi_f08.

! run: -n 2 -env ORIEL_CHECK races
subroutine f08_result_that_is_sent(wrong) bind(c)
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_bool
    implicit none
    logical(c_bool), value :: wrong
    integer, asynchronous :: memory(4), values(4), received
    integer :: rank
    type(MPI_Win) :: win
    values = 1
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Win_create(memory, 16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Win_lock_all(0, win)
    ! mistake: buffer-in-use
    call MPI_Get(values, 2, MPI_INTEGER, 1 - rank, 0_MPI_ADDRESS_KIND, 2, MPI_INTEGER, win)
    if (.not. wrong) call MPI_Win_flush_local(1 - rank, win)
    ! mistake: buffer-in-use "reads 4 bytes"
    call MPI_Send(values(2), 1, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD)
    call MPI_Recv(received, 1, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Win_unlock_all(win)
    call MPI_Win_free(win)
    call MPI_Finalize()
end subroutine f08_result_that_is_sent

! run: -n 2 -env ORIEL_CHECK races
subroutine f08_sections_that_share_an_element(wrong) bind(c)
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_bool
    implicit none
    logical(c_bool), value :: wrong
    integer, asynchronous :: memory(4), values(8)
    integer :: rank, first
    type(MPI_Win) :: win
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Win_create(memory, 16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    first = merge(1, 2, wrong)
    call MPI_Win_fence(0, win)
    ! mistake: buffer-in-use
    call MPI_Get(values(1:3:2), 2, MPI_INTEGER, 1 - rank, 0_MPI_ADDRESS_KIND, 2, MPI_INTEGER, win)
    ! mistake: buffer-in-use
    call MPI_Get(values(first:4:2), 2, MPI_INTEGER, rank, 0_MPI_ADDRESS_KIND, 2, MPI_INTEGER, win)
    call MPI_Win_fence(0, win)
    call MPI_Win_free(win)
    call MPI_Finalize()
end subroutine f08_sections_that_share_an_element

! run: -n 2 -env ORIEL_CHECK races
subroutine f08_two_receives_into_one_buffer(wrong) bind(c)
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_bool
    implicit none
    logical(c_bool), value :: wrong
    integer, asynchronous :: values(4), sent
    integer :: rank
    type(MPI_Request) :: requests(2)
    sent = 1
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    ! mistake: buffer-in-use
    call MPI_Irecv(values(1), 1, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, requests(1))
    if (.not. wrong) values(2) = 0
    ! mistake: buffer-in-use "a call that completes its request"
    call MPI_Irecv(values(merge(1, 2, wrong)), 1, MPI_INTEGER, 1 - rank, 1, MPI_COMM_WORLD, requests(2))
    call MPI_Send(sent, 1, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD)
    call MPI_Send(sent, 1, MPI_INTEGER, 1 - rank, 1, MPI_COMM_WORLD)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call MPI_Finalize()
end subroutine f08_two_receives_into_one_buffer

! run: -n 2 -env ORIEL_CHECK races
subroutine f08_doubles_put_as_reals(wrong) bind(c)
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_bool
    implicit none
    logical(c_bool), value :: wrong
    double precision, asynchronous :: memory(4), values(4)
    integer :: rank
    type(MPI_Datatype) :: type
    type(MPI_Win) :: win
    values = 1
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Win_create(memory, 32_MPI_ADDRESS_KIND, 8, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    type = MPI_DOUBLE_PRECISION
    if (wrong) type = MPI_REAL
    call MPI_Win_fence(0, win)
    ! mistake: type-mismatch
    call MPI_Put(values, 1, type, 1 - rank, 0_MPI_ADDRESS_KIND, 1, MPI_DOUBLE_PRECISION, win)
    call MPI_Win_fence(0, win)
    call MPI_Win_free(win)
    call MPI_Finalize()
end subroutine f08_doubles_put_as_reals

! run: -n 2 -env ORIEL_CHECK races
subroutine f08_characters_received_as_integers(wrong) bind(c)
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_bool
    implicit none
    logical(c_bool), value :: wrong
    character(4), asynchronous :: text
    integer, asynchronous :: number
    integer :: rank
    type(MPI_Datatype) :: type
    text = "halo"
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    type = MPI_BYTE
    if (wrong) type = MPI_CHARACTER
    if (rank == 0) then
        ! mistake: type-mismatch
        call MPI_Send(text, 4, type, 1, 0, MPI_COMM_WORLD)
    else
        ! mistake: type-mismatch "receives characters of 1 byte"
        call MPI_Recv(number, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    end if
    call MPI_Finalize()
end subroutine f08_characters_received_as_integers

! run: -n 3 -env ORIEL_CHECK races
subroutine f08_persistent_barrier(wrong) bind(c)
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_bool
    implicit none
    logical(c_bool), value :: wrong
    integer, asynchronous :: memory(4), value
    integer :: rank, turn
    type(MPI_Request) :: request
    type(MPI_Win) :: win
    value = 1
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Win_create(memory, 16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, request)
    call MPI_Win_lock_all(0, win)
    do turn = 0, 2
        if (rank == turn) then
            ! mistake: conflicting-accesses
            call MPI_Put(value, 1, MPI_INTEGER, 1, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win)
        end if
        call MPI_Win_flush_all(win)
        if (.not. wrong) call MPI_Start(request)
        call MPI_Wait(request, MPI_STATUS_IGNORE)
    end do
    call MPI_Win_unlock_all(win)
    call MPI_Request_free(request)
    call MPI_Win_free(win)
    call MPI_Finalize()
end subroutine f08_persistent_barrier

! run: -n 2 -env ORIEL_CHECK races
subroutine f08_result_that_is_reduced(wrong) bind(c)
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_bool
    implicit none
    logical(c_bool), value :: wrong
    integer, asynchronous :: memory(4), values(4), sums(4)
    integer :: rank
    type(MPI_Win) :: win
    values = 1
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Win_create(memory, 16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Win_fence(0, win)
    ! mistake: buffer-in-use
    call MPI_Get(values, 2, MPI_INTEGER, 1 - rank, 0_MPI_ADDRESS_KIND, 2, MPI_INTEGER, win)
    if (.not. wrong) call MPI_Win_fence(0, win)
    ! mistake: buffer-in-use "MPI_Win_fence between them"
    call MPI_Allreduce(values, sums, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Win_fence(0, win)
    call MPI_Win_free(win)
    call MPI_Finalize()
end subroutine f08_result_that_is_reduced

! run: -n 2 -env ORIEL_CHECK races
subroutine f08_origin_that_is_broadcast_into(wrong) bind(c)
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_bool
    implicit none
    logical(c_bool), value :: wrong
    integer, asynchronous :: memory(4), values(4)
    integer :: rank
    type(MPI_Request) :: request
    type(MPI_Win) :: win
    values = 1
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Win_create(memory, 16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Win_fence(0, win)
    ! mistake: buffer-in-use
    call MPI_Ibcast(values, 4, MPI_INTEGER, 0, MPI_COMM_WORLD, request)
    if (.not. wrong) call MPI_Wait(request, MPI_STATUS_IGNORE)
    ! mistake: buffer-in-use "a call that completes its request"
    call MPI_Put(values, 2, MPI_INTEGER, 1 - rank, 0_MPI_ADDRESS_KIND, 2, MPI_INTEGER, win)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_Win_fence(0, win)
    call MPI_Win_free(win)
    call MPI_Finalize()
end subroutine f08_origin_that_is_broadcast_into
