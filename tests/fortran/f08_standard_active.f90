! SPDX-License-Identifier: BSD-3-Clause
! mpi_f08: what MPI-4.1 12.3 and 12.8 show of active target communication, completed to
! programs: indirect assignment and sums, iterations with fences and with post, start,
! complete and wait, double buffering. Results are compared with those of one process.
module ring_m
    use, intrinsic :: iso_fortran_env, only : int64
    use mpi_f08
    use check_m, only : check
    implicit none
    private
    public :: begin, check_cells, next, step_with_fences, &
        step_with_fences_and_overlap, step_with_post_and_start, &
        step_with_post_start_and_overlap
    integer, parameter, public :: cells = 10, steps = 6
    integer(int64), parameter :: modulus = 1000003
    integer, public :: rank, ranks, left, right
    type(MPI_Group), public :: neighbours
    ! The cells of this rank; cell(0) and cell(cells + 1) are copies of its neighbours'.
    integer, asynchronous, public :: cell(0:cells + 1)
    integer :: old(0:cells + 1)

contains

    elemental integer function next(before, own, after)
        integer, intent(in) :: before, own, after
        next = int(mod(3_int64 * own + before + 5_int64 * after, modulus))
    end function next

    elemental integer function first_value(of_rank, i)
        integer, intent(in) :: of_rank, i
        first_value = 100 * of_rank + i
    end function first_value

    subroutine begin()
        integer :: i
        cell = [first_value(left, cells), (first_value(rank, i), i = 1, cells), &
            first_value(right, 1)]
    end subroutine begin

    subroutine update_boundary()
        old = cell
        cell(1) = next(old(0), old(1), old(2))
        cell(cells) = next(old(cells - 1), old(cells), old(cells + 1))
    end subroutine update_boundary

    subroutine update_core()
        cell(2:cells - 1) = next(old(1:cells - 2), old(2:cells - 1), old(3:cells))
    end subroutine update_core

    subroutine check_cells(claim)
        character(len=*), intent(in) :: claim
        integer :: ring(cells * ranks), i, r, step
        ring = [((first_value(r, i), i = 1, cells), r = 0, ranks - 1)]
        do step = 1, steps
            ring = next(cshift(ring, -1), ring, cshift(ring, 1))
        end do
        i = cells * rank
        call check(claim, all(cell(1:cells) == ring(i + 1:i + cells)))
    end subroutine check_cells

    subroutine put_boundary(win)
        type(MPI_Win), intent(in) :: win
        call MPI_Put(cell(1), 1, MPI_INTEGER, left, &
            int(cells + 1, MPI_ADDRESS_KIND), 1, MPI_INTEGER, win)
        call MPI_Put(cell(cells), 1, MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, 1, &
            MPI_INTEGER, win)
    end subroutine put_boundary

    subroutine get_boundary(win)
        type(MPI_Win), intent(in) :: win
        call MPI_Get(cell(0), 1, MPI_INTEGER, left, int(cells, MPI_ADDRESS_KIND), 1, &
            MPI_INTEGER, win)
        call MPI_Get(cell(cells + 1), 1, MPI_INTEGER, right, 1_MPI_ADDRESS_KIND, 1, &
            MPI_INTEGER, win)
    end subroutine get_boundary

    subroutine step_with_fences(win)
        type(MPI_Win), intent(in) :: win
        call update_boundary()
        call update_core()
        call MPI_Win_fence(MPI_MODE_NOPRECEDE, win)
        call put_boundary(win)
        call MPI_Win_fence(ior(MPI_MODE_NOSTORE, MPI_MODE_NOSUCCEED), win)
    end subroutine step_with_fences

    subroutine step_with_fences_and_overlap(win)
        type(MPI_Win), intent(in) :: win
        call update_boundary()
        call MPI_Win_fence(ior(MPI_MODE_NOPUT, MPI_MODE_NOPRECEDE), win)
        call get_boundary(win)
        call update_core()
        call MPI_Win_fence(MPI_MODE_NOSUCCEED, win)
    end subroutine step_with_fences_and_overlap

    subroutine step_with_post_and_start(win)
        type(MPI_Win), intent(in) :: win
        call update_boundary()
        call update_core()
        call MPI_Win_post(neighbours, 0, win)
        call MPI_Win_start(neighbours, 0, win)
        call put_boundary(win)
        call MPI_Win_complete(win)
        call MPI_Win_wait(win)
    end subroutine step_with_post_and_start

    subroutine step_with_post_start_and_overlap(win)
        type(MPI_Win), intent(in) :: win
        call update_boundary()
        call MPI_Win_post(neighbours, MPI_MODE_NOPUT, win)
        call MPI_Win_start(neighbours, 0, win)
        call get_boundary(win)
        call update_core()
        call MPI_Win_complete(win)
        call MPI_Win_wait(win)
    end subroutine step_with_post_start_and_overlap
end module ring_m

program f08_standard_active
    use mpi_f08
    use check_m, only : check
    use ring_m
    implicit none
    integer, parameter :: mapped = 12
    integer :: unit_bytes
    type(MPI_Group) :: world
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    left = mod(rank + ranks - 1, ranks)
    right = mod(rank + 1, ranks)
    unit_bytes = storage_size(0) / 8
    call MPI_Comm_group(MPI_COMM_WORLD, world)
    call MPI_Group_incl(world, merge(1, 2, left == right), [left, right], neighbours)
    call indirect_assignment(.true.)
    call indirect_assignment(.false.)
    call sums_by_a_map()
    call iterate(step_with_fences, 'fences')
    call iterate(step_with_fences_and_overlap, 'fences with overlap')
    call iterate(step_with_post_and_start, 'post and start')
    call iterate(step_with_post_start_and_overlap, 'post and start with overlap')
    call double_buffering()
    call MPI_Group_free(neighbours)
    call MPI_Group_free(world)
    call MPI_Finalize()

contains

    subroutine open_window(memory, count, win)
        integer, asynchronous, intent(inout) :: memory(*)
        integer, intent(in) :: count
        type(MPI_Win), intent(out) :: win
        call MPI_Win_create(memory, int(count * unit_bytes, MPI_ADDRESS_KIND), &
            unit_bytes, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    end subroutine open_window

    ! The element, of all ranks', that belongs to element i of all ranks' (from 0).
    elemental integer function map(i)
        integer, intent(in) :: i
        map = mod(i * i + 5, mapped * ranks)
    end function map

    ! With one get of each element, or one from each rank, of all that come from there.
    subroutine indirect_assignment(by_types)
        logical, intent(in) :: by_types
        integer, asynchronous :: a(mapped), b(mapped)
        integer :: i, j
        type(MPI_Win) :: win
        b = [(1000 + mapped * rank + j, j = 0, mapped - 1)]
        call open_window(b, mapped, win)
        call MPI_Win_fence(0, win)
        if (by_types) then
            call get_by_types(a, win)
        else
            do j = 1, mapped
                i = map(mapped * rank + j - 1)
                call MPI_Get(a(j), 1, MPI_INTEGER, i / mapped, &
                    int(mod(i, mapped), MPI_ADDRESS_KIND), 1, MPI_INTEGER, win)
            end do
        end if
        call MPI_Win_fence(0, win)
        if (.not. MPI_ASYNC_PROTECTS_NONBLOCKING) call MPI_F_sync_reg(a)
        call MPI_Win_free(win)
        call check('A = B(map)', &
            all(a == [(1000 + map(mapped * rank + j), j = 0, mapped - 1)]))
    end subroutine indirect_assignment

    subroutine get_by_types(a, win)
        integer, intent(inout), asynchronous :: a(mapped)
        type(MPI_Win), intent(in) :: win
        integer :: from(mapped), all_places(mapped), j, r
        type(MPI_Datatype) :: origin_type, target_type
        all_places = [(j, j = 0, mapped - 1)]
        from = map(mapped * rank + all_places)
        do r = 0, ranks - 1
            call make_type(pack(all_places, from / mapped == r), origin_type)
            call make_type(pack(mod(from, mapped), from / mapped == r), target_type)
            call MPI_Get(a, 1, origin_type, r, 0_MPI_ADDRESS_KIND, 1, target_type, win)
            call MPI_Type_free(origin_type)
            call MPI_Type_free(target_type)
        end do
    end subroutine get_by_types

    subroutine make_type(places, made)
        integer, intent(in) :: places(:)
        type(MPI_Datatype), intent(out) :: made
        call MPI_Type_create_indexed_block(size(places), 1, places, MPI_INTEGER, made)
        call MPI_Type_commit(made)
    end subroutine make_type

    subroutine sums_by_a_map()
        integer, asynchronous :: a(mapped), b(mapped)
        integer :: i, j
        type(MPI_Win) :: win
        a = [(mapped * rank + j, j = 0, mapped - 1)]
        b = 0
        call open_window(b, mapped, win)
        call MPI_Win_fence(0, win)
        do j = 1, mapped
            i = map(a(j))
            call MPI_Accumulate(a(j), 1, MPI_INTEGER, i / mapped, &
                int(mod(i, mapped), MPI_ADDRESS_KIND), 1, MPI_INTEGER, MPI_SUM, win)
        end do
        call MPI_Win_fence(0, win)
        if (.not. MPI_ASYNC_PROTECTS_NONBLOCKING) call MPI_F_sync_reg(b)
        call MPI_Win_free(win)
        do i = 0, mapped * ranks - 1
            if (map(i) / mapped == rank) b(mod(map(i), mapped) + 1) = &
                b(mod(map(i), mapped) + 1) - i
        end do
        call check('B is the sum of what is mapped to it', all(b == 0))
    end subroutine sums_by_a_map

    subroutine iterate(one_step, way)
        interface
            subroutine one_step(win)
                import :: MPI_Win
                type(MPI_Win), intent(in) :: win
            end subroutine one_step
        end interface
        character(len=*), intent(in) :: way
        type(MPI_Win) :: win
        integer :: step
        call begin()
        call open_window(cell, size(cell), win)
        do step = 1, steps
            call one_step(win)
            if (.not. MPI_ASYNC_PROTECTS_NONBLOCKING) call MPI_F_sync_reg(cell)
        end do
        call MPI_Win_free(win)
        call check_cells('cells are updated: ' // way)
    end subroutine iterate

    ! While the boundary of one field travels, the other field is computed.
    subroutine double_buffering()
        integer, asynchronous :: field(cells, 0:1), beside(2, 0:1)
        integer :: own(cells, 0:1, 0:ranks - 1), next_to(2, 0:1, 0:ranks - 1)
        type(MPI_Win) :: win(0:1)
        integer :: half, f, r, i
        do f = 0, 1
            do r = 0, ranks - 1
                own(:, f, r) = [(100 * r + i + f, i = 1, cells)]
            end do
            field(:, f) = own(:, f, rank)
            call open_window(field(:, f), cells, win(f))
        end do
        beside = 0
        next_to = 0
        call MPI_Win_post(neighbours, ior(MPI_MODE_NOCHECK, MPI_MODE_NOPUT), win(0))
        call MPI_Barrier(MPI_COMM_WORLD)
        do half = 0, 2 * steps - 1
            f = mod(half, 2)
            field(:, 1 - f) = updated(field(:, 1 - f), field(:, f), beside(:, f))
            call MPI_Win_start(neighbours, MPI_MODE_NOCHECK, win(f))
            call MPI_Get(beside(1, f), 1, MPI_INTEGER, left, &
                int(cells - 1, MPI_ADDRESS_KIND), 1, MPI_INTEGER, win(f))
            call MPI_Get(beside(2, f), 1, MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, 1, &
                MPI_INTEGER, win(f))
            field(:, 1 - f) = next(1, field(:, 1 - f), 1)
            if (half < 2 * steps - 1) call MPI_Win_post(neighbours, &
                ior(MPI_MODE_NOCHECK, MPI_MODE_NOPUT), win(1 - f))
            call MPI_Win_complete(win(f))
            call MPI_Win_wait(win(f))
            if (.not. MPI_ASYNC_PROTECTS_NONBLOCKING) call MPI_F_sync_reg(beside)
            do r = 0, ranks - 1
                own(:, 1 - f, r) = updated(own(:, 1 - f, r), own(:, f, r), &
                    next_to(:, f, r))
                own(:, 1 - f, r) = next(1, own(:, 1 - f, r), 1)
                next_to(:, f, r) = [own(cells, f, mod(r + ranks - 1, ranks)), &
                    own(1, f, mod(r + 1, ranks))]
            end do
        end do
        call MPI_Win_free(win(0))
        call MPI_Win_free(win(1))
        call check('two fields are computed in turn', all(field == own(:, :, rank)))
    end subroutine double_buffering

    pure function updated(to, from, beside_from)
        integer, intent(in) :: to(cells), from(cells), beside_from(2)
        integer :: updated(cells)
        updated = next(to, from, [beside_from(1), from(:cells - 1)])
        updated = next(updated, from, [from(2:), beside_from(2)])
    end function updated
end program f08_standard_active
