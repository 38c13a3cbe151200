! SPDX-License-Identifier: BSD-3-Clause
! Generated from bindings/fortran/mpif.h.j2 and spec/. Do not edit.
      subroutine MPI_MOVE_FTS(BUFFER, COUNT, DATATYPE, TARGET, ASSERT,  &
     &WIN, IERROR)
      <type> :: BUFFER(*)
      INTEGER :: COUNT, DATATYPE, TARGET, ASSERT, WIN, IERROR
      subroutine MPI_OPEN(COMM, N, RANKS, WATCH, BASE, WIN, IERROR)
      INTEGER :: COMM, N, RANKS(*), WIN, IERROR
      EXTERNAL :: WATCH
      INTEGER(KIND=MPI_ADDRESS_KIND) :: BASE
      subroutine MPI_OPEN_CPTR(COMM, N, RANKS, WATCH, BASE, WIN, IERROR)
      INTEGER :: COMM, N, RANKS(*), WIN, IERROR
      EXTERNAL :: WATCH
      TYPE(C_PTR) :: BASE
      subroutine MPI_LABEL(WIN, NAME, LENGTH, IERROR)
      INTEGER :: WIN, LENGTH, IERROR
      CHARACTER*(*) :: NAME
      subroutine MPI_CLOCK()
      subroutine MPI_CLOSE_FTS(MODE, RESULT, WIN, IERROR)
      INTEGER :: MODE, WIN, IERROR
      <type> :: RESULT(*)
