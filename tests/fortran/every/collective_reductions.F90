! SPDX-License-Identifier: BSD-3-Clause
! Collective reductions, each in its blocking, its nonblocking and its persistent form,
! by an operation of the program: a product of 2 x 2 matrices, which does not commute.
module matrices
    use, intrinsic :: iso_c_binding, only : c_f_pointer, c_ptr
#include "binding.inc"
    private
    public :: multiply

contains

    ! The operands are addresses in mpi_f08 alone.
    subroutine multiply(invec, inoutvec, len, datatype)
        integer(ck) :: len
        HANDLE(MPI_Datatype) :: datatype
#if defined(F08) || defined(F08_LARGE)
        type(c_ptr), value :: invec, inoutvec
        integer, pointer :: left(:, :, :), right(:, :, :)
        call c_f_pointer(invec, left, [2, 2, int(len)])
        call c_f_pointer(inoutvec, right, [2, 2, int(len)])
        call multiply_each(left, right, int(len), datatype)
#else
        integer :: invec(2, 2, len), inoutvec(2, 2, len)
        call multiply_each(invec, inoutvec, int(len), datatype)
#endif
    end subroutine multiply

    subroutine multiply_each(left, right, length, datatype)
        integer, intent(in) :: length, left(2, 2, length)
        integer, intent(inout) :: right(2, 2, length)
        HANDLE(MPI_Datatype), intent(in) :: datatype
        integer :: size, i, ierror
        call MPI_Type_size(datatype, size, ierror)
        call check('an operation gets the datatype', size == 4 * unit)
        do i = 1, length
            right(:, :, i) = matmul(left(:, :, i), right(:, :, i))
        end do
    end subroutine multiply_each
end module matrices

program collective_reductions
    use matrices, only : multiply
#include "binding.inc"
#if defined(F08_LARGE)
#define OP_CREATE MPI_Op_create_c
#else
#define OP_CREATE MPI_Op_create
#endif
    integer, parameter :: blocking = 1, nonblocking = 2, persistent = 3
    integer :: rank, ranks, form, ierror
    HANDLE(MPI_Comm) :: world
    HANDLE(MPI_Datatype) :: matrix
    HANDLE(MPI_Op) :: times
    HANDLE(MPI_Request) :: request
    call MPI_Init(ierror)
    world = MPI_COMM_WORLD
    call MPI_Comm_rank(world, rank, ierror)
    call MPI_Comm_size(world, ranks, ierror)
    call MPI_Type_contiguous(4_ck, MPI_INTEGER, matrix, ierror)
    call MPI_Type_commit(matrix, ierror)
    call OP_CREATE(multiply, .false., times, ierror)
    do form = blocking, persistent
        call reduce()
        call allreduce()
        call reduce_scatter()
        call reduce_scatter_block()
        call scan()
        call exscan()
    end do
    call MPI_Type_free(matrix, ierror)
    call reduce_local()
    call operations_of_both_kinds()
    call MPI_Finalize(ierror)

contains

    ! Completes what has no blocking form; a persistent operation is run twice.
    subroutine finish()
        if (form == persistent) then
            call MPI_Start(request, ierror)
            call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
            call MPI_Start(request, ierror)
        end if
        if (form /= blocking) call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
        if (form == persistent) call MPI_Request_free(request, ierror)
    end subroutine finish

    ! Matrix number `place` of a process.
    pure function of(process, place)
        integer, intent(in) :: process, place
        integer :: of(2, 2)
        of = reshape([1, process, 1, place], [2, 2])
    end function of

    ! The first matrices of this process.
    pure function own(length)
        integer, intent(in) :: length
        integer :: own(2, 2, length), i
        do i = 1, length
            own(:, :, i) = of(rank, i)
        end do
    end function own

    ! What the processes from 0 to `last` give in order.
    pure function product_to(last, place)
        integer, intent(in) :: last, place
        integer :: product_to(2, 2), process
        product_to = of(0, place)
        do process = 1, last
            product_to = matmul(product_to, of(process, place))
        end do
    end function product_to

    pure logical function are_products(found, last, first_place)
        integer, intent(in) :: found(:, :, :), last, first_place
        integer :: i
        are_products = .true.
        do i = 1, size(found, 3)
            are_products = are_products .and. &
                all(found(:, :, i) == product_to(last, first_place + i - 1))
        end do
    end function are_products

    subroutine reduce()
        integer, asynchronous :: mine(2, 2, 3), found(2, 2, 3)
        mine = own(3)
        found = 77
        select case (form)
        case (blocking)
            call MPI_Reduce(mine, found, 3_ck, matrix, times, ranks - 1, world, ierror)
        case (nonblocking)
            call MPI_Ireduce(mine, found, 3_ck, matrix, times, ranks - 1, world, &
                request, ierror)
        case (persistent)
            call MPI_Reduce_init(mine, found, 3_ck, matrix, times, ranks - 1, world, &
                MPI_INFO_NULL, request, ierror)
        end select
        call finish()
        if (rank == ranks - 1) then
            call check('reduce goes by rank', are_products(found, ranks - 1, 1))
        else
            call check('only the root has the result', all(found == 77))
        end if
    end subroutine reduce

    subroutine allreduce()
        integer, asynchronous :: mine(2, 2, 3), found(2, 2, 3)
        mine = own(3)
        found = 77
        select case (form)
        case (blocking)
            call MPI_Allreduce(mine, found, 3_ck, matrix, times, world, ierror)
        case (nonblocking)
            call MPI_Iallreduce(mine, found, 3_ck, matrix, times, world, request, &
                ierror)
        case (persistent)
            call MPI_Allreduce_init(mine, found, 3_ck, matrix, times, world, &
                MPI_INFO_NULL, request, ierror)
        end select
        call finish()
        call check('allreduce', are_products(found, ranks - 1, 1))
    end subroutine allreduce

    ! Process i receives i + 1 matrices.
    subroutine reduce_scatter()
        integer, asynchronous :: mine(2, 2, ranks * (ranks + 1) / 2)
        integer, asynchronous :: found(2, 2, rank + 1)
        integer(ck), asynchronous :: counts(ranks)
        integer :: i
        mine = own(size(mine, 3))
        found = 77
        counts = [(i, i = 1, ranks)]
        select case (form)
        case (blocking)
            call MPI_Reduce_scatter(mine, found, counts, matrix, times, world, ierror)
        case (nonblocking)
            call MPI_Ireduce_scatter(mine, found, counts, matrix, times, world, &
                request, ierror)
        case (persistent)
            call MPI_Reduce_scatter_init(mine, found, counts, matrix, times, world, &
                MPI_INFO_NULL, request, ierror)
        end select
        call finish()
        call check('reduce_scatter', &
            are_products(found, ranks - 1, rank * (rank + 1) / 2 + 1))
    end subroutine reduce_scatter

    subroutine reduce_scatter_block()
        integer, asynchronous :: mine(2, 2, 2 * ranks), found(2, 2, 2)
        mine = own(2 * ranks)
        found = 77
        select case (form)
        case (blocking)
            call MPI_Reduce_scatter_block(mine, found, 2_ck, matrix, times, world, &
                ierror)
        case (nonblocking)
            call MPI_Ireduce_scatter_block(mine, found, 2_ck, matrix, times, world, &
                request, ierror)
        case (persistent)
            call MPI_Reduce_scatter_block_init(mine, found, 2_ck, matrix, times, &
                world, MPI_INFO_NULL, request, ierror)
        end select
        call finish()
        call check('reduce_scatter_block', &
            are_products(found, ranks - 1, 2 * rank + 1))
    end subroutine reduce_scatter_block

    subroutine scan()
        integer, asynchronous :: mine(2, 2, 3), found(2, 2, 3)
        mine = own(3)
        found = 77
        select case (form)
        case (blocking)
            call MPI_Scan(mine, found, 3_ck, matrix, times, world, ierror)
        case (nonblocking)
            call MPI_Iscan(mine, found, 3_ck, matrix, times, world, request, ierror)
        case (persistent)
            call MPI_Scan_init(mine, found, 3_ck, matrix, times, world, MPI_INFO_NULL, &
                request, ierror)
        end select
        call finish()
        call check('scan has the own part', are_products(found, rank, 1))
    end subroutine scan

    subroutine exscan()
        integer, asynchronous :: mine(2, 2, 3), found(2, 2, 3)
        mine = own(3)
        found = 77
        select case (form)
        case (blocking)
            call MPI_Exscan(mine, found, 3_ck, matrix, times, world, ierror)
        case (nonblocking)
            call MPI_Iexscan(mine, found, 3_ck, matrix, times, world, request, ierror)
        case (persistent)
            call MPI_Exscan_init(mine, found, 3_ck, matrix, times, world, &
                MPI_INFO_NULL, request, ierror)
        end select
        call finish()
        if (rank == 0) then
            call check('nobody is before the first', all(found == 77))
        else
            call check('exscan has not the own part', are_products(found, rank - 1, 1))
        end if
    end subroutine exscan

    ! An operation that is freed is gone; predefined ones stay.
    subroutine operations_of_both_kinds()
        logical :: commutes
        call MPI_Op_commutative(times, commutes, ierror)
        call check('the operation of the program does not commute', .not. commutes)
        call MPI_Op_commutative(MPI_SUM, commutes, ierror)
        call check('a sum commutes', commutes)
        call MPI_Op_free(times, ierror)
        call check('a freed operation is null', times == MPI_OP_NULL)
    end subroutine operations_of_both_kinds

    subroutine reduce_local()
        integer :: left(3), right(3)
        left = [1, 5, 3]
        right = [4, 2, 6]
        call MPI_Reduce_local(left, right, 3_ck, MPI_INTEGER, MPI_MAX, ierror)
        call check('reduce_local', all(right == [4, 5, 6]))
    end subroutine reduce_local
end program collective_reductions
