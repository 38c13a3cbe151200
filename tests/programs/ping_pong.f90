! SPDX-License-Identifier: BSD-3-Clause
! Ping-pong: processes in pairs send messages of 1 number to 4 MiB forth and back, and print
! the time and the bandwidth of each size.
program ping_pong
    use mpi
    implicit none
    integer, parameter :: largest = 524288, rounds = 20
    integer :: rank, size, other, numbers, round, elements, wrong, wrong_in_all, ierror
    integer :: status(MPI_STATUS_SIZE)
    double precision, allocatable :: sent(:), data(:)
    double precision :: start, seconds
    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
    other = ieor(rank, 1)
    if (other >= size) other = MPI_PROC_NULL
    allocate (sent(largest), data(largest))
    sent = [(0.5d0*elements, elements=1, largest)]
    wrong = 0
    numbers = 1
    do while (numbers <= largest)
        start = MPI_Wtime()
        do round = 1, rounds
            if (other == MPI_PROC_NULL) exit
            if (mod(rank, 2) == 0) then
                data(:numbers) = sent(:numbers) + round
                call MPI_Send(data, numbers, MPI_DOUBLE_PRECISION, other, round, MPI_COMM_WORLD, ierror)
                data(:numbers) = 0
            end if
            call MPI_Recv(data, numbers, MPI_DOUBLE_PRECISION, other, round, MPI_COMM_WORLD, status, ierror)
            call MPI_Get_count(status, MPI_DOUBLE_PRECISION, elements, ierror)
            if (elements /= numbers .or. status(MPI_SOURCE) /= other) wrong = wrong + 1
            if (any(data(:numbers) /= sent(:numbers) + round)) wrong = wrong + 1
            if (mod(rank, 2) == 1) then
                call MPI_Send(data, numbers, MPI_DOUBLE_PRECISION, other, round, MPI_COMM_WORLD, ierror)
            end if
        end do
        seconds = (MPI_Wtime() - start)/(2*rounds)
        if (rank == 0 .and. size > 1) then
            print '(i8, a, f10.2, a, f10.1, a)', 8*numbers, ' bytes', 1d6*seconds, ' us', &
                8d-6*numbers/seconds, ' MB/s'
        end if
        numbers = 8*numbers
    end do
    call MPI_Allreduce(wrong, wrong_in_all, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    call MPI_Finalize(ierror)
    if (wrong_in_all /= 0) error stop 'wrong messages'
end program ping_pong
