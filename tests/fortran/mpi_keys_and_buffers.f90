! SPDX-License-Identifier: BSD-3-Clause
! The mpi module: attributes by their names of MPI-1, whose values are INTEGERs, and
! buffers of sessions.
module keys_and_buffers_m
    use mpi
    use check_m, only : check
    implicit none
include 'keys_and_buffers.inc'
