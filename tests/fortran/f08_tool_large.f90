! SPDX-License-Identifier: BSD-3-Clause
! A tool that replaces a large specific procedure of mpi_f08. There is none where INTEGER
! is as wide as a large count (MPI-4.1 19.2).
module tool
    implicit none
    integer :: large_puts = 0
end module tool

subroutine MPI_Put_c_f08ts(origin_addr, origin_count, origin_datatype, target_rank, &
    target_disp, target_count, target_datatype, win, ierror)
    use mpi_f08, my_own_name => MPI_Put_c_f08ts
    use tool, only : large_puts
    implicit none
    type(*), dimension(..), intent(in), asynchronous :: origin_addr
    integer(MPI_COUNT_KIND), intent(in) :: origin_count, target_count
    integer, intent(in) :: target_rank
    type(MPI_Datatype), intent(in) :: origin_datatype, target_datatype
    integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
    type(MPI_Win), intent(in) :: win
    integer, optional, intent(out) :: ierror
    large_puts = large_puts + 1
    call PMPI_Put(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, ierror)
end subroutine MPI_Put_c_f08ts

program f08_tool_large
    use mpi_f08
    use check_m, only : check, unit
    use tool, only : large_puts
    implicit none
    type(MPI_Win) :: win
    integer, asynchronous :: memory(6), origin(3) = [1, 2, 3]
    integer :: rank
    memory = 0
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Win_create(memory, 6_MPI_ADDRESS_KIND * unit, unit, MPI_INFO_NULL, &
        MPI_COMM_WORLD, win)
    call MPI_Win_fence(0, win)
    call MPI_Put(origin, 3, MPI_INTEGER, rank, 0_MPI_ADDRESS_KIND, 3, MPI_INTEGER, win)
    call MPI_Put(origin, 3_MPI_COUNT_KIND, MPI_INTEGER, rank, 2_MPI_ADDRESS_KIND, &
        3_MPI_COUNT_KIND, MPI_INTEGER, win)
    call MPI_Win_fence(0, win)
    call MPI_F_sync_reg(memory)
    call check('the tool sees the large put only', large_puts == 1)
    call check('PMPI does the work', all(memory == [1, 2, 1, 2, 3, 0]))
    call MPI_Win_free(win)
    call MPI_Finalize()
end program f08_tool_large
