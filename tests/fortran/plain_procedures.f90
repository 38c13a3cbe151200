! SPDX-License-Identifier: BSD-3-Clause
! Procedures of a program under plain names, which count their calls and pass them on. In a
! file of their own, so that compilers do not compare their calls with them.
module noted
    implicit none
    integer :: sends = 0, gathers = 0
    integer(8) :: address = 0
end module noted

subroutine mpi_isend(buf, count, datatype, dest, tag, comm, request, ierror)
    use noted, only : address, sends
    implicit none
    integer :: buf(*)
    integer :: count, datatype, dest, tag, comm, request, ierror
    external :: pmpi_isend
    sends = sends + 1
    address = loc(buf)
    call pmpi_isend(buf, count, datatype, dest, tag, comm, request, ierror)
end subroutine mpi_isend

subroutine mpi_iallgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
    comm, request, ierror)
    use noted, only : gathers
    implicit none
    integer :: sendbuf(*), recvbuf(*)
    integer :: sendcount, sendtype, recvcount, recvtype, comm, request, ierror
    external :: pmpi_iallgather
    gathers = gathers + 1
    call pmpi_iallgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, request, ierror)
end subroutine mpi_iallgather
