! SPDX-License-Identifier: BSD-3-Clause
! Communicators, datatypes, memory, error handlers. Any number of processes.
program objects
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    implicit none
    integer :: rank, size, next, before
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    next = mod(rank + 1, size)
    before = mod(rank + size - 1, size)
    call communicators()
    call datatypes()
    call structures()
    call memory()
    call errors()
    ! example: MPI_Abort
    if (size < 1) call MPI_Abort(MPI_COMM_WORLD, 3) ! ends all processes; mpiexec exits with 3
    ! end of example
    call MPI_Finalize()
contains
    subroutine require(holds, what)
        logical, intent(in) :: holds
        character(len=*), intent(in) :: what
        if (holds) return
        print '(a, i0, 2a)', 'rank ', rank, ': ', what
        call MPI_Abort(MPI_COMM_WORLD, 1)
    end subroutine require

    subroutine communicators()
        type(MPI_Comm) :: row, own
        integer :: place, width
        ! example: MPI_Comm_split, MPI_Comm_free
        ! Rows of a grid that is two processes wide: processes with the same color share a row.
        call MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, row)
        call MPI_Comm_rank(row, place)
        call MPI_Comm_size(row, width)
        call MPI_Comm_free(row)
        ! end of example
        call require(place == mod(rank, 2) .and. width <= 2, 'a place in a row of two')

        ! example: MPI_Comm_dup
        ! A library communicates apart from the program that calls it.
        call MPI_Comm_dup(MPI_COMM_WORLD, own)
        call MPI_Barrier(own)
        call MPI_Comm_free(own)
        ! end of example
        call require(own == MPI_COMM_NULL, 'a freed communicator')
    end subroutine communicators

    subroutine datatypes()
        double precision :: matrix(5, 4)
        type(MPI_Datatype) :: row
        integer :: i
        matrix = reshape([(100d0 * rank + i, i = 0, 19)], [5, 4])
        ! example: MPI_Type_vector, MPI_Type_commit, MPI_Type_free
        ! A row of double precision :: matrix(5, 4): 4 elements, each 5 after the one before.
        call MPI_Type_vector(4, 1, 5, MPI_DOUBLE_PRECISION, row)
        call MPI_Type_commit(row)
        call MPI_Sendrecv_replace(matrix(5, 1), 1, row, next, 0, before, 0, MPI_COMM_WORLD, &
            MPI_STATUS_IGNORE)
        call MPI_Type_free(row)
        ! end of example
        call require(all(nint(matrix(5, :)) == [(100 * before + i, i = 4, 19, 5)]), 'a row')
        call require(nint(matrix(4, 4)) == 100 * rank + 18, 'the row beside it')
    end subroutine datatypes

    subroutine structures()
        ! example: MPI_Type_create_struct, MPI_Type_create_resized
        type particle
            sequence
            double precision :: place(3)
            integer :: kind
        end type particle
        type(particle) :: particles(2)
        type(MPI_Datatype) :: fields, whole
        integer(kind=MPI_ADDRESS_KIND) :: at(4)
        particles = [particle([dble(rank), 0d0, 0d0], 1), particle([dble(rank), 1d0, 1d0], 2)]
        call MPI_Get_address(particles(1), at(1))
        call MPI_Get_address(particles(1)%place, at(2))
        call MPI_Get_address(particles(1)%kind, at(3))
        call MPI_Get_address(particles(2), at(4))
        at = at - at(1)
        call MPI_Type_create_struct(2, [3, 1], at(2:3), [MPI_DOUBLE_PRECISION, MPI_INTEGER], fields)
        call MPI_Type_create_resized(fields, 0_MPI_ADDRESS_KIND, at(4), whole) ! with its padding
        call MPI_Type_commit(whole)
        call MPI_Bcast(particles, 2, whole, 0, MPI_COMM_WORLD)
        call MPI_Type_free(whole)
        call MPI_Type_free(fields)
        ! end of example
        call require(nint(particles(2)%place(1)) == 0, 'the place of process 0')
        call require(particles(2)%kind == 2, 'the kind')
    end subroutine structures

    subroutine memory()
        type(c_ptr) :: address
        integer, pointer, asynchronous :: numbers(:)
        type(MPI_Win) :: win
        integer :: value
        ! example: MPI_Alloc_mem, MPI_Free_mem
        ! In memory of MPI, a window of MPI_Win_create is as fast as one of MPI_Win_allocate.
        ! With type(c_ptr) :: address and integer, pointer, asynchronous :: numbers(:)
        call MPI_Alloc_mem(40_MPI_ADDRESS_KIND, MPI_INFO_NULL, address)
        call c_f_pointer(address, numbers, [10])
        call MPI_Win_create(numbers, 40_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
        call MPI_Win_fence(0, win)
        call MPI_Put(rank, 1, MPI_INTEGER, next, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win)
        call MPI_Win_fence(0, win)
        value = numbers(1)
        call MPI_Win_free(win)
        call MPI_Free_mem(numbers)
        ! end of example
        call require(value == before, 'the rank of the process before')
    end subroutine memory

    subroutine errors()
        character(len=MPI_MAX_ERROR_STRING) :: text
        integer :: code, class, length
        ! example: MPI_Comm_set_errhandler, MPI_Error_string, MPI_Error_class
        ! Errors come back instead of ending the program.
        call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
        call MPI_Send(rank, 1, MPI_INTEGER, size, 0, MPI_COMM_WORLD, code) ! no rank is `size`
        if (code /= MPI_SUCCESS) then
            call MPI_Error_class(code, class)
            call MPI_Error_string(code, text, length)
            print '(2a)', 'as it should: ', text(:length)
        end if
        call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL)
        ! end of example
        call require(code /= MPI_SUCCESS .and. class == MPI_ERR_RANK, 'an error of the rank')
    end subroutine errors
end program objects
