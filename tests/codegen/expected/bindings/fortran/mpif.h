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
      subroutine MPI_GATHER_FTS(PARTS, WHOLE, COUNTS, TYPES, OP, ROOT,  &
     &COMM, IERROR)
      <type> :: PARTS(*), WHOLE(*)
      INTEGER :: COUNTS(*), TYPES(*), OP, ROOT, COMM, IERROR
      subroutine MPI_GRAPH(N, DEGREES, EDGES, WEIGHTS, RANGES, UPDATE,  &
     &STATE, WIN, IERROR)
      INTEGER :: N, DEGREES(*), EDGES(*), WEIGHTS(*), RANGES(3, *), WIN,&
     &IERROR
      EXTERNAL :: UPDATE
      INTEGER(KIND=MPI_ADDRESS_KIND) :: STATE
      subroutine MPI_CHOOSE(N, SIZE, FIRST, INDICES, FLAG, STATUS,      &
     &IERROR)
      INTEGER :: N, SIZE, FIRST, INDICES(*), STATUS(MPI_STATUS_SIZE),   &
     &IERROR
      LOGICAL :: FLAG
      subroutine MPI_CONVERT(KEY)
      INTEGER :: KEY
