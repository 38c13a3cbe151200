! SPDX-License-Identifier: BSD-3-Clause
! Heat conduction in a square plate, with a one-sided halo exchange (Fortran 2008).
!
! usage: heat [cells per side] [steps] [picture.png]
!
! The same solver as heat.c: every process owns a block of the plate with a rim of halo
! cells, twice (old and new field), in one MPI_Win_allocate window that it sees through
! c_f_pointer. In every step it puts the edges of its block into the halo of its
! neighbours; the edges along the second dimension are passed as strided sections.

module plates
    use, intrinsic :: iso_c_binding, only: c_f_pointer, c_ptr, c_double, c_int, c_char
    use, intrinsic :: iso_fortran_env, only: real64
    use mpi_f08
    implicit none
    private
    public :: block, plate, fill, advance, block_of, plate_open, plate_close
    public :: exchange_by_fence, exchange_by_flush, collect, solve_alone, exchange_bytes
    public :: write_picture

    integer, parameter :: low_x = 1, high_x = 2, low_y = 3, high_y = 4

    ! The cells (x+1 : x+nx, y+1 : y+ny) of the plate.
    type :: block
        integer :: x, y, nx, ny
    end type block

    type :: plate
        integer :: cells, steps       ! per side; time steps
        integer :: across, down       ! processes in each direction
        integer :: rank, processes
        type(block) :: mine
        integer :: neighbour(4)       ! rank or MPI_PROC_NULL
        type(MPI_Win) :: win
        type(MPI_Datatype) :: edge(2) ! halo columns of the neighbours in x
        real(real64), pointer :: field(:, :, :) => null()
    end type plate

    interface
        function write_picture(file, field, columns, rows, low, high) &
            bind(C, name="write_picture") result(failed)
            import :: c_char, c_double, c_int
            character(kind=c_char), intent(in) :: file(*)
            integer(c_int), value :: columns, rows
            real(c_double), intent(in) :: field(columns, rows)
            real(c_double), value :: low, high
            integer(c_int) :: failed
        end function write_picture
    end interface

contains

    ! The piece number `part` of `cells` shared out among `parts`.
    subroutine share(cells, parts, part, first, count)
        integer, intent(in) :: cells, parts, part
        integer, intent(out) :: first, count
        first = cells * part / parts
        count = cells * (part + 1) / parts - first
    end subroutine share

    function block_of(p, rank) result(b)
        type(plate), intent(in) :: p
        integer, intent(in) :: rank
        type(block) :: b
        call share(p%cells, p%across, mod(rank, p%across), b%x, b%nx)
        call share(p%cells, p%down, rank / p%across, b%y, b%ny)
    end function block_of

    ! The fixed temperature outside and the initial one inside of the plate.
    pure function temperature(x, y, cells) result(t)
        integer, intent(in) :: x, y, cells
        real(real64) :: t, u, v
        u = (x - 0.5_real64) / cells
        v = (y - 0.5_real64) / cells
        t = 0
        if (y < 1) then
            t = sin(acos(-1.0_real64) * u)
        else if (x >= 1 .and. x <= cells .and. y <= cells) then
            if (hypot(u - 0.3_real64, v - 0.65_real64) < 0.12_real64) t = 1
            if (hypot(u - 0.7_real64, v - 0.6_real64) < 0.08_real64) t = 1
        end if
    end function temperature

    subroutine fill(field, b, cells)
        type(block), intent(in) :: b
        integer, intent(in) :: cells
        real(real64), intent(out) :: field(0:b%nx + 1, 0:b%ny + 1)
        integer :: i, j
        do j = 0, b%ny + 1
            do i = 0, b%nx + 1
                field(i, j) = temperature(b%x + i, b%y + j, cells)
            end do
        end do
    end subroutine fill

    ! One explicit step; `change` is the sum of the squared changes.
    subroutine advance(old, new, b, change)
        type(block), intent(in) :: b
        real(real64), intent(in) :: old(0:b%nx + 1, 0:b%ny + 1)
        real(real64), intent(inout) :: new(0:b%nx + 1, 0:b%ny + 1)
        real(real64), intent(out) :: change
        integer :: i, j
        change = 0
        do j = 1, b%ny
            do i = 1, b%nx
                new(i, j) = old(i, j) + 0.2_real64 * (old(i, j - 1) + old(i, j + 1) &
                    + old(i - 1, j) + old(i + 1, j) - 4 * old(i, j))
                change = change + (new(i, j) - old(i, j))**2
            end do
        end do
    end subroutine advance

    function neighbour_at(p, dx, dy) result(rank)
        type(plate), intent(in) :: p
        integer, intent(in) :: dx, dy
        integer :: rank, x, y
        x = mod(p%rank, p%across) + dx
        y = p%rank / p%across + dy
        rank = MPI_PROC_NULL
        if (x >= 0 .and. x < p%across .and. y >= 0 .and. y < p%down) &
            rank = y * p%across + x
    end function neighbour_at

    subroutine plate_open(p)
        type(plate), intent(inout) :: p
        type(c_ptr) :: memory
        type(block) :: theirs
        integer(MPI_ADDRESS_KIND) :: bytes
        integer :: side
        call MPI_Comm_rank(MPI_COMM_WORLD, p%rank)
        call MPI_Comm_size(MPI_COMM_WORLD, p%processes)
        p%down = int(sqrt(real(p%processes)))
        do while (mod(p%processes, p%down) /= 0)
            p%down = p%down - 1
        end do
        p%across = p%processes / p%down
        p%mine = block_of(p, p%rank)
        p%neighbour = [neighbour_at(p, -1, 0), neighbour_at(p, 1, 0), &
            neighbour_at(p, 0, -1), neighbour_at(p, 0, 1)]
        do side = low_x, high_x
            if (p%neighbour(side) == MPI_PROC_NULL) cycle
            theirs = block_of(p, p%neighbour(side))
            call MPI_Type_vector(theirs%ny, 1, theirs%nx + 2, MPI_REAL8, p%edge(side))
            call MPI_Type_commit(p%edge(side))
        end do
        bytes = 2_MPI_ADDRESS_KIND * (p%mine%nx + 2) * (p%mine%ny + 2) * 8
        call MPI_Win_allocate(bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, memory, p%win)
        call c_f_pointer(memory, p%field, [p%mine%nx + 2, p%mine%ny + 2, 2])
        p%field(0:, 0:, 1:) => p%field
    end subroutine plate_open

    subroutine plate_close(p)
        type(plate), intent(inout) :: p
        integer :: side
        nullify (p%field)
        call MPI_Win_free(p%win)
        do side = low_x, high_x
            if (p%neighbour(side) /= MPI_PROC_NULL) call MPI_Type_free(p%edge(side))
        end do
    end subroutine plate_close

    ! Displacement of cell (i, j) of field `which` in the window of a process.
    pure function place(b, i, j, which) result(disp)
        type(block), intent(in) :: b
        integer, intent(in) :: i, j, which
        integer(MPI_ADDRESS_KIND) :: disp
        disp = (int(which - 1, MPI_ADDRESS_KIND) * (b%ny + 2) + j) * (b%nx + 2) + i
    end function place

    ! Puts the edges of field `which` (1 or 2) into the halos of the neighbours.
    subroutine put_edges(p, which)
        type(plate), intent(in) :: p
        integer, intent(in) :: which
        type(block) :: me, to
        integer :: side, rank
        me = p%mine
        do side = low_x, high_y
            rank = p%neighbour(side)
            if (rank == MPI_PROC_NULL) cycle
            to = block_of(p, rank)
            select case (side)
            case (low_x)
                call MPI_Put(p%field(1, 1:me%ny, which), me%ny, MPI_REAL8, rank, &
                    place(to, to%nx + 1, 1, which), 1, p%edge(low_x), p%win)
            case (high_x)
                call MPI_Put(p%field(me%nx, 1:me%ny, which), me%ny, MPI_REAL8, rank, &
                    place(to, 0, 1, which), 1, p%edge(high_x), p%win)
            case (low_y)
                call MPI_Put(p%field(1:me%nx, 1, which), me%nx, MPI_REAL8, rank, &
                    place(to, 1, to%ny + 1, which), me%nx, MPI_REAL8, p%win)
            case (high_y)
                call MPI_Put(p%field(1:me%nx, me%ny, which), me%nx, MPI_REAL8, rank, &
                    place(to, 1, 0, which), me%nx, MPI_REAL8, p%win)
            end select
        end do
    end subroutine put_edges

    subroutine exchange_by_fence(p, which)
        type(plate), intent(in) :: p
        integer, intent(in) :: which
        call MPI_Win_fence(MPI_MODE_NOPRECEDE, p%win)
        call put_edges(p, which)
        call MPI_Win_fence(MPI_MODE_NOSUCCEED, p%win)
        if (.not. MPI_ASYNC_PROTECTS_NONBLOCKING) call MPI_F_sync_reg(p%field)
    end subroutine exchange_by_fence

    ! Inside lock_all: after the flush the edges have arrived, after the barrier all.
    subroutine exchange_by_flush(p, which)
        type(plate), intent(in) :: p
        integer, intent(in) :: which
        call MPI_Win_sync(p%win)
        call MPI_Barrier(MPI_COMM_WORLD)
        call put_edges(p, which)
        call MPI_Win_flush_all(p%win)
        call MPI_Barrier(MPI_COMM_WORLD)
        call MPI_Win_sync(p%win)
        if (.not. MPI_ASYNC_PROTECTS_NONBLOCKING) call MPI_F_sync_reg(p%field)
    end subroutine exchange_by_flush

    ! Rank 0 gets every block of field `which` into its place in `whole`.
    subroutine collect(p, which, whole)
        type(plate), intent(in) :: p
        integer, intent(in) :: which
        real(real64), intent(inout), asynchronous :: whole(:, :)
        type(block) :: from
        integer :: rank, j
        call MPI_Win_fence(MPI_MODE_NOPRECEDE, p%win)
        if (p%rank == 0) then
            do rank = 0, p%processes - 1
                from = block_of(p, rank)
                do j = 1, from%ny
                    call MPI_Get(whole(from%x + 1:from%x + from%nx, from%y + j), from%nx, &
                        MPI_REAL8, rank, place(from, 1, j, which), from%nx, MPI_REAL8, &
                        p%win)
                end do
            end do
        end if
        call MPI_Win_fence(MPI_MODE_NOSUCCEED, p%win)
    end subroutine collect

    ! The same computation by one process.
    subroutine solve_alone(cells, steps, whole)
        integer, intent(in) :: cells, steps
        real(real64), intent(out) :: whole(:, :)
        real(real64), allocatable :: field(:, :, :)
        type(block) :: all
        real(real64) :: change
        integer :: step, old
        all = block(0, 0, cells, cells)
        allocate (field(0:cells + 1, 0:cells + 1, 2))
        call fill(field(:, :, 1), all, cells)
        call fill(field(:, :, 2), all, cells)
        do step = 1, steps
            old = 2 - mod(step, 2)
            call advance(field(:, :, old), field(:, :, 3 - old), all, change)
        end do
        whole = field(1:cells, 1:cells, 1 + mod(steps, 2))
    end subroutine solve_alone

    ! Bytes that all processes put in one exchange.
    function exchange_bytes(p) result(bytes)
        type(plate), intent(in) :: p
        real(real64) :: bytes, mine
        mine = 8.0_real64 * (p%mine%ny * count(p%neighbour(low_x:high_x) >= 0) &
            + p%mine%nx * count(p%neighbour(low_y:high_y) >= 0))
        call MPI_Allreduce(mine, bytes, 1, MPI_REAL8, MPI_SUM, MPI_COMM_WORLD)
    end function exchange_bytes

end module plates

program heat
    use, intrinsic :: iso_c_binding, only: c_null_char
    use, intrinsic :: iso_fortran_env, only: real64, error_unit
    use mpi_f08
    use plates
    implicit none

    type(plate) :: p
    real(real64), allocatable :: expected(:, :), whole(:, :)
    character(len=4096) :: picture
    integer :: failures

    call MPI_Init()
    p%cells = argument(1, 256)
    p%steps = argument(2, 2000)
    call get_command_argument(3, picture)
    if (p%cells < 8 .or. p%steps < 1) then
        write (error_unit, '(a)') 'heat: needs at least 8 cells per side and 1 step'
        call MPI_Abort(MPI_COMM_WORLD, 2)
    end if
    call plate_open(p)
    allocate (expected(p%cells, p%cells), whole(p%cells, p%cells))
    if (p%rank == 0) then
        print '(a, i0, a, i0, a, i0, a, i0, a, i0, a)', 'heat (Fortran 2008): ', p%cells, &
            ' x ', p%cells, ' cells, ', p%steps, ' steps, ', p%across, ' x ', p%down, &
            ' processes'
        call solve_alone(p%cells, p%steps, expected)
    end if
    failures = 0
    call run('fence', exchange_by_fence, .false.)
    call run('lock_all + flush', exchange_by_flush, .true.)
    call plate_close(p)
    call MPI_Finalize()
    if (failures > 0) error stop 1

contains

    ! Argument number `index` of the command, a whole number, or `otherwise`.
    function argument(index, otherwise) result(value)
        integer, intent(in) :: index, otherwise
        character(len=32) :: text
        integer :: value, status
        call get_command_argument(index, text)
        read (text, *, iostat=status) value
        if (status /= 0) value = otherwise
    end function argument

    ! Solves with one way to exchange the halos, and reports.
    subroutine run(name, exchange, locks)
        character(len=*), intent(in) :: name
        procedure(exchange_by_fence) :: exchange
        logical, intent(in) :: locks
        real(real64) :: start, before, spent, change, residual, total, bytes, difference
        integer :: step, old

        call fill(p%field(:, :, 1), p%mine, p%cells)
        call fill(p%field(:, :, 2), p%mine, p%cells)
        call MPI_Barrier(MPI_COMM_WORLD)
        if (locks) call MPI_Win_lock_all(0, p%win)
        start = MPI_Wtime()
        spent = 0
        do step = 1, p%steps
            old = 2 - mod(step, 2)
            before = MPI_Wtime()
            call exchange(p, old)
            spent = spent + MPI_Wtime() - before
            call advance(p%field(:, :, old), p%field(:, :, 3 - old), p%mine, change)
        end do
        call MPI_Allreduce(change, residual, 1, MPI_REAL8, MPI_SUM, MPI_COMM_WORLD)
        total = MPI_Wtime() - start
        if (locks) call MPI_Win_unlock_all(p%win)

        bytes = exchange_bytes(p) * p%steps
        call collect(p, 1 + mod(p%steps, 2), whole)
        if (p%rank /= 0) return
        difference = maxval(abs(whole - expected))
        if (.not. difference <= 1e-12_real64) failures = failures + 1
        print '(2x, a17, a, es12.6, 2x, f8.2, a, f8.2, a, es7.1, a)', [character(17) :: &
            name], ' residual ', sqrt(residual), 1e6_real64 * total / p%steps, &
            ' us/step  halo ', 1e-6_real64 * bytes / spent, &
            ' MB/s  differs from serial by ', difference, &
            trim(merge('  WRONG', '       ', .not. difference <= 1e-12_real64))
        if (picture /= '' .and. .not. locks) then
            if (write_picture(trim(picture)//c_null_char, whole, p%cells, p%cells, &
                0.0_real64, 1.0_real64) /= 0) then
                write (error_unit, '(2a)') 'heat: cannot write ', trim(picture)
                failures = failures + 1
            end if
        end if
    end subroutine run

end program heat
