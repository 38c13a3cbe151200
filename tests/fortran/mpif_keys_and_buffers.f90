! SPDX-License-Identifier: BSD-3-Clause
! mpif.h: attributes by their names of MPI-1, whose values are INTEGERs, and buffers of
! sessions.
module keys_and_buffers_m
    use check_m, only : check
    implicit none
    include 'mpif.h'
include 'keys_and_buffers.inc'
