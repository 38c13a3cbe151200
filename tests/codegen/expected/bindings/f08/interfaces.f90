! SPDX-License-Identifier: BSD-3-Clause
! Generated from bindings/f08/interfaces.f90.j2 and spec/. Do not edit.
subroutine MPI_Move_f08ts(buffer, count, datatype, target, &
    assert, win, ierror)
    type(*), dimension(..), intent(in), asynchronous :: buffer
    integer, intent(in) :: count, target, assert
    type(MPI_Datatype), intent(in) :: datatype
    type(MPI_Win), intent(in) :: win
    integer, optional, intent(out) :: ierror
subroutine MPI_Move_c_f08ts(buffer, count, datatype, &
    target, assert, win, ierror)
    type(*), dimension(..), intent(in), asynchronous :: buffer
    integer(kind=MPI_COUNT_KIND), intent(in) :: count
    type(MPI_Datatype), intent(in) :: datatype
    integer, intent(in) :: target, assert
    type(MPI_Win), intent(in) :: win
    integer, optional, intent(out) :: ierror
subroutine MPI_Open_f08(comm, n, ranks, watch, base, win, &
    ierror)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: n, ranks(n)
    procedure(MPI_Watch_function) :: watch
    type(c_ptr), intent(out) :: base
    type(MPI_Win), intent(out) :: win
    integer, optional, intent(out) :: ierror
subroutine MPI_Label_f08(win, name, length, ierror)
    type(MPI_Win), intent(in) :: win
    character(len=MPI_MAX_NAME), intent(out) :: name
    integer, intent(out) :: length
    integer, optional, intent(out) :: ierror
subroutine MPI_Clock_f08()
subroutine MPI_Close_f08ts(mode, result, win, ierror)
    integer, intent(in) :: mode
    type(*), dimension(..), asynchronous :: result
    type(MPI_Win), intent(inout) :: win
    integer, optional, intent(out) :: ierror
function MPI_Watch_function(win, ierror)
    type(MPI_Win) :: win
    integer :: ierror
