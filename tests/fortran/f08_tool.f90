! SPDX-License-Identifier: BSD-3-Clause
! A tool that replaces a specific procedure of mpi_f08 sees each call once and does the
! work through PMPI (MPI-4.1 15.2).
module tool
    implicit none
    integer :: puts = 0, fences = 0
end module tool

subroutine MPI_Put_f08ts(origin_addr, origin_count, origin_datatype, target_rank, &
    target_disp, target_count, target_datatype, win, ierror)
    use mpi_f08, my_own_name => MPI_Put_f08ts
    use tool, only : puts
    implicit none
    type(*), dimension(..), intent(in), asynchronous :: origin_addr
    integer, intent(in) :: origin_count, target_rank, target_count
    type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
    integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
    type(MPI_Win), intent(in) :: win
    integer, optional, intent(out) :: ierror
    puts = puts + 1
    call PMPI_Put(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, ierror)
end subroutine MPI_Put_f08ts

subroutine MPI_Win_fence_f08(assert, win, ierror)
    use mpi_f08, my_own_name => MPI_Win_fence_f08
    use tool, only : fences
    implicit none
    integer, intent(in) :: assert
    type(MPI_Win), intent(in) :: win
    integer, optional, intent(out) :: ierror
    fences = fences + 1
    call PMPI_Win_fence(assert, win, ierror)
end subroutine MPI_Win_fence_f08

program f08_tool
    use, intrinsic :: iso_c_binding, only : c_f_pointer, c_ptr
    use mpi_f08
    use check_m, only : check, unit
    use tool, only : fences, puts
    implicit none
    type(MPI_Win) :: win
    type(c_ptr) :: base
    integer, pointer, asynchronous :: memory(:)
    integer, asynchronous :: origin(6) = [1, 2, 3, 4, 5, 6]
    integer :: rank
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Win_allocate(10_MPI_ADDRESS_KIND * unit, unit, MPI_INFO_NULL, &
        MPI_COMM_WORLD, base, win)
    call c_f_pointer(base, memory, [10])
    memory = 0
    call MPI_Win_fence(0, win)
    call MPI_Put(origin(6:2:-2), 3, MPI_INTEGER, rank, 0_MPI_ADDRESS_KIND, 3, &
        MPI_INTEGER, win)
    call MPI_Win_fence(0, win)
    call check('the tool sees each call once', puts == 1 .and. fences == 2)
    call check('PMPI does the work', all(memory == [6, 4, 2, 0, 0, 0, 0, 0, 0, 0]))
    call MPI_Win_free(win)
    call MPI_Finalize()
end program f08_tool
