! SPDX-License-Identifier: BSD-3-Clause
! mpif.h: names of MPI-1 that MPI-3.0 has removed, with addresses as INTEGERs.
module removed_m
    use check_m, only : check
    implicit none
    include 'mpif.h'
include 'removed.inc'
