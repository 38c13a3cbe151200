! SPDX-License-Identifier: BSD-3-Clause
! Collective operations. Any number of processes.
program collectives
    use mpi_f08
    implicit none
    integer :: rank, size, provided
    ! example: MPI_Init_thread
    call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided)
    if (provided < MPI_THREAD_MULTIPLE) call MPI_Abort(MPI_COMM_WORLD, 1) ! never with Oriel
    ! end of example
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    call from_and_to_one()
    call reductions()
    call among_all()
    call MPI_Finalize()
contains
    subroutine require(holds, what)
        logical, intent(in) :: holds
        character(len=*), intent(in) :: what
        if (holds) return
        print '(a, i0, 2a)', 'rank ', rank, ': ', what
        call MPI_Abort(MPI_COMM_WORLD, 1)
    end subroutine require

    subroutine from_and_to_one()
        integer :: settings(2), mine, i
        integer, allocatable :: numbers(:)
        ! example: MPI_Bcast
        settings = 0
        if (rank == 0) settings = [100, 7] ! read from a file, say
        call MPI_Bcast(settings, 2, MPI_INTEGER, 0, MPI_COMM_WORLD)
        ! end of example
        call require(all(settings == [100, 7]), 'the settings')

        ! example: MPI_Scatter, MPI_Gather
        ! Process 0 hands out a number to each process, and gets the squares back.
        allocate(numbers(merge(size, 0, rank == 0)))
        numbers = [(i, i = 1, ubound(numbers, 1))]
        call MPI_Scatter(numbers, 1, MPI_INTEGER, mine, 1, MPI_INTEGER, 0, MPI_COMM_WORLD)
        mine = mine**2
        call MPI_Gather(mine, 1, MPI_INTEGER, numbers, 1, MPI_INTEGER, 0, MPI_COMM_WORLD)
        ! end of example
        if (rank == 0) call require(numbers(size) == size**2, 'the squares')
    end subroutine from_and_to_one

    subroutine reductions()
        integer :: part, sum
        double precision :: residual, largest
        ! example: MPI_Reduce
        part = rank + 1
        call MPI_Reduce(part, sum, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD)
        if (rank == 0) print '(a, i0)', 'the sum, which process 0 alone has, is ', sum
        ! end of example
        if (rank == 0) call require(sum == size * (size + 1) / 2, 'the sum at process 0')

        ! example: MPI_Allreduce
        residual = 1d0 / (rank + 1)
        call MPI_Allreduce(residual, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
        ! end of example
        call require(abs(largest - 1) < 1d-12, 'the largest residual')
    end subroutine reductions

    subroutine among_all()
        integer :: i
        integer, allocatable :: ranks(:), parts(:), theirs(:)
        double precision :: start, seconds
        ! example: MPI_Allgather
        allocate(ranks(0:size - 1))
        call MPI_Allgather(rank, 1, MPI_INTEGER, ranks, 1, MPI_INTEGER, MPI_COMM_WORLD)
        ! end of example
        call require(all(ranks == [(i, i = 0, size - 1)]), 'all ranks')

        ! example: MPI_Alltoall
        ! parts(i) goes to process i; theirs(i) comes from process i.
        allocate(parts(0:size - 1), theirs(0:size - 1))
        parts = [(100 * rank + i, i = 0, size - 1)]
        call MPI_Alltoall(parts, 1, MPI_INTEGER, theirs, 1, MPI_INTEGER, MPI_COMM_WORLD)
        ! end of example
        call require(all(theirs == [(100 * i + rank, i = 0, size - 1)]), 'the part of each process')

        ! example: MPI_Barrier, MPI_Wtime
        call MPI_Barrier(MPI_COMM_WORLD) ! all begin together
        start = MPI_Wtime()
        ! ... work ...
        call MPI_Barrier(MPI_COMM_WORLD) ! the slowest counts
        seconds = MPI_Wtime() - start
        ! end of example
        call require(seconds >= 0, 'a time that goes on')
    end subroutine among_all
end program collectives
