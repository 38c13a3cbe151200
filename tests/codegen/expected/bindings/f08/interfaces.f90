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
subroutine MPI_Gather_f08ts(parts, whole, counts, types, &
    op, root, comm, ierror)
    type(*), dimension(..), intent(in), asynchronous :: parts
    type(*), dimension(..), asynchronous :: whole
    integer, intent(in) :: counts(*), root
    type(MPI_Datatype), intent(in) :: types(*)
    type(MPI_Op), intent(in) :: op
    type(MPI_Comm), intent(in) :: comm
    integer, optional, intent(out) :: ierror
subroutine MPI_Gather_c_f08ts(parts, whole, counts, types, &
    op, root, comm, ierror)
    type(*), dimension(..), intent(in), asynchronous :: parts
    type(*), dimension(..), asynchronous :: whole
    integer(kind=MPI_COUNT_KIND), intent(in) :: counts(*)
    type(MPI_Datatype), intent(in) :: types(*)
    type(MPI_Op), intent(in) :: op
    integer, intent(in) :: root
    type(MPI_Comm), intent(in) :: comm
    integer, optional, intent(out) :: ierror
subroutine MPI_Graph_f08(n, degrees, edges, weights, &
    ranges, update, state, win, ierror)
    integer, intent(in) :: n, degrees(n), edges(*), weights(*), ranges(3, n)
    procedure(MPI_Sum_function) :: update
    integer(kind=MPI_ADDRESS_KIND), intent(in) :: state
    type(MPI_Win), intent(inout) :: win
    integer, optional, intent(out) :: ierror
subroutine MPI_Choose_f08(n, size, first, indices, flag, &
    status, ierror)
    integer, intent(in) :: n
    integer, intent(out) :: size, first, indices(n)
    logical, intent(out) :: flag
    type(MPI_Status) :: status
    integer, optional, intent(out) :: ierror
subroutine MPI_Choose_c_f08(n, size, rest, first, indices, &
    flag, status, ierror)
    integer, intent(in) :: n
    integer(kind=MPI_COUNT_KIND), intent(out) :: size, rest
    integer, intent(out) :: first, indices(n)
    logical, intent(out) :: flag
    type(MPI_Status) :: status
    integer, optional, intent(out) :: ierror
subroutine MPI_Convert_f08(key)
    integer, intent(inout) :: key
function MPI_Watch_function(win, ierror)
    type(MPI_Win) :: win
    integer :: ierror
function MPI_Sum_function(n, state)
    integer :: n
    integer(kind=MPI_ADDRESS_KIND) :: state
function MPI_Sum_function_c(n, state)
    integer(kind=MPI_COUNT_KIND) :: n
    integer(kind=MPI_ADDRESS_KIND) :: state
