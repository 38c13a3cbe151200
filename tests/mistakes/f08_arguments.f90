! SPDX-License-Identifier: BSD-3-Clause
! Mistakes in what single calls of mpi_f08 are given.

subroutine f08_put_without_an_epoch(wrong) bind(c)
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_bool
    implicit none
    logical(c_bool), value :: wrong
    integer, asynchronous :: memory(4), values(1) = 1
    type(MPI_Win) :: win
    call MPI_Init()
    call MPI_Win_create(memory, 16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    if (.not. wrong) call MPI_Win_fence(0, win)
    call MPI_Put(values, 1, MPI_INTEGER, 0, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win) ! mistake: MPI_ERR_RMA_SYNC
    call MPI_Win_fence(0, win)
    call MPI_Win_free(win)
    call MPI_Finalize()
end subroutine f08_put_without_an_epoch

subroutine f08_put_behind_the_window(wrong) bind(c)
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_bool
    implicit none
    logical(c_bool), value :: wrong
    integer, asynchronous :: memory(4), values(2)
    integer :: count
    type(MPI_Win) :: win
    call MPI_Init()
    values = 1
    call MPI_Win_create(memory, 16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Win_fence(0, win)
    count = merge(2, 1, wrong)
    call MPI_Put(values, count, MPI_INTEGER, 0, 3_MPI_ADDRESS_KIND, count, MPI_INTEGER, win) ! mistake: MPI_ERR_RMA_RANGE
    call MPI_Win_fence(0, win)
    call MPI_Win_free(win)
    call MPI_Finalize()
end subroutine f08_put_behind_the_window

subroutine f08_window_larger_than_its_array(wrong) bind(c)
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_bool
    implicit none
    logical(c_bool), value :: wrong
    integer, asynchronous :: memory(4)
    integer(MPI_ADDRESS_KIND) :: bytes
    type(MPI_Win) :: win
    call MPI_Init()
    bytes = merge(32, 16, wrong)
    ! mistake: MPI_ERR_SIZE "fewer bytes"
    call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Win_free(win)
    call MPI_Finalize()
end subroutine f08_window_larger_than_its_array

subroutine f08_attachment_larger_than_its_array(wrong) bind(c)
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_bool
    implicit none
    logical(c_bool), value :: wrong
    real, asynchronous :: memory(2, 8)
    integer(MPI_ADDRESS_KIND) :: bytes
    type(MPI_Win) :: win
    call MPI_Init()
    call MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, win)
    bytes = merge(128, 64, wrong)
    ! mistake: MPI_ERR_SIZE "fewer bytes"
    call MPI_Win_attach(win, memory, bytes)
    call MPI_Win_detach(win, memory)
    call MPI_Win_free(win)
    call MPI_Finalize()
end subroutine f08_attachment_larger_than_its_array

subroutine f08_window_left_open(wrong) bind(c)
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_bool
    implicit none
    logical(c_bool), value :: wrong
    integer, asynchronous :: memory(8)
    type(MPI_Win) :: win
    call MPI_Init()
    call MPI_Win_create(memory, 32_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Win_lock_all(0, win)
    if (.not. wrong) call MPI_Win_unlock_all(win)
    call MPI_Finalize() ! mistake: open-epoch
end subroutine f08_window_left_open

subroutine f08_misspelt_key(wrong) bind(c)
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_bool
    implicit none
    logical(c_bool), value :: wrong
    integer, asynchronous :: memory(8)
    type(MPI_Win) :: win
    type(MPI_Info) :: info
    call MPI_Init()
    call MPI_Info_create(info)
    call MPI_Info_set(info, merge('same_sizes', 'same_size ', wrong), 'true')
    ! mistake: unknown-key "same_size?"
    call MPI_Win_create(memory, 32_MPI_ADDRESS_KIND, 4, info, MPI_COMM_WORLD, win)
    call MPI_Info_free(info)
    call MPI_Win_free(win)
    call MPI_Finalize()
end subroutine f08_misspelt_key

! run: -n 2 -env ORIEL_CHECK errors
subroutine f08_error_without_ierror(wrong) bind(c)
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_bool
    implicit none
    logical(c_bool), value :: wrong
    integer, asynchronous :: memory(8)
    integer :: code, class
    type(MPI_Win) :: win
    call MPI_Init()
    call MPI_Win_create(memory, 32_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN)
    if (wrong) then
        call MPI_Win_unlock(0, win) ! mistake: unseen-error "MPI_ERR_RMA_SYNC"
    else
        call MPI_Win_unlock(0, win, code)
        call MPI_Error_class(code, class)
    end if
    call MPI_Win_free(win)
    call MPI_Finalize()
end subroutine f08_error_without_ierror
