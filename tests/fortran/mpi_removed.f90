! SPDX-License-Identifier: BSD-3-Clause
! The mpi module: names of MPI-1 that MPI-3.0 has removed, with addresses as INTEGERs.
module removed_m
    use mpi
    use check_m, only : check
    implicit none
include 'removed.inc'
