! SPDX-License-Identifier: BSD-3-Clause
! mpi_f08: what MPI-4.1 12.7 and 12.8 show of passive target communication, completed to
! programs: a barrier, mutual exclusion and a list made of atomic operations, a pipeline
! of requests, and waiting by loads, with ASYNCHRONOUS and MPI_F_sync_reg.
program f08_standard_passive
    use, intrinsic :: iso_c_binding, only : c_f_pointer, c_ptr
    use mpi_f08
    use check_m, only : check
    implicit none
    integer, parameter :: entries = 40, depth = 4, blocks = 25, block_size = 64
    integer, parameter :: elements = 10
    integer(MPI_ADDRESS_KIND), parameter :: first = 0, second = 1
    integer :: rank, ranks, right, unit_bytes
    integer, asynchronous :: zero = 0, one = 1, minus_one = -1
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    right = mod(rank + 1, ranks)
    unit_bytes = storage_size(0) / 8
    call a_counter_is_a_barrier()
    call compare_and_swap_excludes()
    call requests_make_a_pipeline()
    call a_put_is_awaited_by_loads()
    call a_store_is_awaited_by_loads()
    call a_list_grows_at_its_end()
    call MPI_Finalize()

contains

    ! Integers, all 0, in a lock_all epoch.
    subroutine open_integers(count, memory, win)
        integer, intent(in) :: count
        integer, pointer, asynchronous, intent(out) :: memory(:)
        type(MPI_Win), intent(out) :: win
        type(c_ptr) :: base
        call MPI_Win_allocate(int(count * unit_bytes, MPI_ADDRESS_KIND), unit_bytes, &
            MPI_INFO_NULL, MPI_COMM_WORLD, base, win)
        call c_f_pointer(base, memory, [count])
        memory = 0
        call MPI_F_sync_reg(memory)
        call MPI_Win_lock_all(0, win)
        call MPI_Win_sync(win)
        call MPI_Barrier(MPI_COMM_WORLD)
    end subroutine open_integers

    subroutine close_integers(win)
        type(MPI_Win), intent(inout) :: win
        call MPI_Win_unlock_all(win)
        call MPI_Win_free(win)
    end subroutine close_integers

    subroutine add(value, displacement, win)
        integer, intent(in), asynchronous :: value
        integer(MPI_ADDRESS_KIND), intent(in) :: displacement
        type(MPI_Win), intent(in) :: win
        call MPI_Accumulate(value, 1, MPI_INTEGER, 0, displacement, 1, MPI_INTEGER, &
            MPI_SUM, win)
        call MPI_Win_flush(0, win)
    end subroutine add

    integer function fetch(displacement, win)
        integer(MPI_ADDRESS_KIND), intent(in) :: displacement
        type(MPI_Win), intent(in) :: win
        integer, asynchronous :: value
        call MPI_Fetch_and_op(zero, value, MPI_INTEGER, 0, displacement, MPI_NO_OP, win)
        call MPI_Win_flush(0, win)
        if (.not. MPI_ASYNC_PROTECTS_NONBLOCKING) call MPI_F_sync_reg(value)
        fetch = value
    end function fetch

    ! Nobody leaves before all have come; the second integer counts who has.
    subroutine a_counter_is_a_barrier()
        integer, pointer, asynchronous :: memory(:)
        integer, asynchronous :: all_ranks
        type(MPI_Win) :: win
        call open_integers(2, memory, win)
        all_ranks = ranks
        if (rank == 0) call add(all_ranks, first, win)
        call MPI_Barrier(MPI_COMM_WORLD)
        call add(one, second, win)
        call add(minus_one, first, win)
        do while (fetch(first, win) /= 0)
        end do
        call check('all have come', fetch(second, win) == ranks)
        call close_integers(win)
    end subroutine a_counter_is_a_barrier

    ! The first integer is the lock, the second what it protects.
    subroutine compare_and_swap_excludes()
        integer, pointer, asynchronous :: memory(:)
        integer, asynchronous :: held, value
        integer :: i
        type(MPI_Win) :: win
        call open_integers(2, memory, win)
        do i = 1, entries
            held = 1
            do while (held /= 0)
                call MPI_Compare_and_swap(one, zero, held, MPI_INTEGER, 0, first, win)
                call MPI_Win_flush(0, win)
                call MPI_F_sync_reg(held)
            end do
            call MPI_Get(value, 1, MPI_INTEGER, 0, second, 1, MPI_INTEGER, win)
            call MPI_Win_flush(0, win)
            call MPI_F_sync_reg(value)
            value = value + 1
            call MPI_F_sync_reg(value)
            call MPI_Put(value, 1, MPI_INTEGER, 0, second, 1, MPI_INTEGER, win)
            call MPI_Win_flush(0, win)
            call MPI_Compare_and_swap(zero, one, held, MPI_INTEGER, 0, first, win)
            call MPI_Win_flush(0, win)
            call MPI_F_sync_reg(held)
            call check('the lock was held', held == 1)
        end do
        call MPI_Barrier(MPI_COMM_WORLD)
        call check('no update is lost', fetch(second, win) == ranks * entries)
        call close_integers(win)
    end subroutine compare_and_swap_excludes

    ! Squares all blocks of the right neighbour: `depth` are on their way at a time.
    subroutine requests_make_a_pipeline()
        integer, pointer, asynchronous :: memory(:)
        integer, asynchronous :: data(block_size, 0:depth - 1)
        type(MPI_Request) :: puts(0:depth - 1), get
        type(MPI_Win) :: win
        integer(MPI_ADDRESS_KIND) :: there
        integer :: i, slot
        call open_integers(blocks * block_size, memory, win)
        memory = [(rank + i, i = 1, size(memory))]
        call MPI_F_sync_reg(memory)
        call MPI_Win_sync(win)
        call MPI_Barrier(MPI_COMM_WORLD)
        do i = 0, blocks - 1
            slot = mod(i, depth)
            there = int(i, MPI_ADDRESS_KIND) * block_size
            if (i >= depth) call MPI_Wait(puts(slot), MPI_STATUS_IGNORE)
            call MPI_Rget(data(:, slot), block_size, MPI_INTEGER, right, there, &
                block_size, MPI_INTEGER, win, get)
            call MPI_Wait(get, MPI_STATUS_IGNORE)
            call MPI_F_sync_reg(data)
            data(:, slot) = data(:, slot)**2
            call MPI_F_sync_reg(data)
            call MPI_Rput(data(:, slot), block_size, MPI_INTEGER, right, there, &
                block_size, MPI_INTEGER, win, puts(slot))
        end do
        call MPI_Waitall(depth, puts, MPI_STATUSES_IGNORE)
        call MPI_Win_flush_all(win)
        call MPI_Barrier(MPI_COMM_WORLD)
        call MPI_Win_sync(win)
        call MPI_F_sync_reg(memory)
        call check('all blocks are squared', &
            all(memory == [((rank + i)**2, i = 1, size(memory))]))
        call close_integers(win)
    end subroutine requests_make_a_pipeline

    ! The last rank sees what rank 0 puts, without a message.
    subroutine a_put_is_awaited_by_loads()
        integer, asynchronous :: x(1), value
        type(MPI_Win) :: win
        integer :: round
        x = 0
        call MPI_Win_create(x, int(unit_bytes, MPI_ADDRESS_KIND), unit_bytes, &
            MPI_INFO_NULL, MPI_COMM_WORLD, win)
        call MPI_Win_lock_all(0, win)
        do round = 1, 20
            value = round
            call MPI_F_sync_reg(value)
            if (rank == 0) then
                call MPI_Put(value, 1, MPI_INTEGER, ranks - 1, first, 1, &
                    MPI_INTEGER, win)
                call MPI_Win_flush(ranks - 1, win)
            end if
            if (rank == ranks - 1) then
                do while (x(1) /= round)
                    call MPI_Win_sync(win)
                    call MPI_F_sync_reg(x)
                end do
            end if
            call MPI_Barrier(MPI_COMM_WORLD)
        end do
        call MPI_Win_unlock_all(win)
        call MPI_Win_free(win)
        call check('the last put is there', rank /= ranks - 1 .or. x(1) == 20)
    end subroutine a_put_is_awaited_by_loads

    ! The first process of a node stores data, then a flag, for which all others wait.
    subroutine a_store_is_awaited_by_loads()
        type(MPI_Comm) :: node
        type(MPI_Win) :: win
        type(c_ptr) :: base
        integer, pointer, asynchronous :: shared(:)
        integer(MPI_ADDRESS_KIND) :: bytes
        integer :: node_rank, unit, round
        call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, &
            MPI_INFO_NULL, node)
        call MPI_Comm_rank(node, node_rank)
        bytes = merge(2 * unit_bytes, 0, node_rank == 0)
        call MPI_Win_allocate_shared(bytes, unit_bytes, MPI_INFO_NULL, node, base, win)
        call MPI_Win_shared_query(win, 0, bytes, unit, base)
        call c_f_pointer(base, shared, [2])
        call MPI_Win_lock_all(MPI_MODE_NOCHECK, win)
        if (node_rank == 0) shared = 0
        call MPI_F_sync_reg(shared)
        call MPI_Win_sync(win)
        call MPI_Barrier(node)
        do round = 1, 20
            if (node_rank == 0) then
                shared(1) = 3 * round
                call MPI_F_sync_reg(shared)
                call MPI_Win_sync(win)
                shared(2) = round
                call MPI_F_sync_reg(shared)
            end if
            do while (shared(2) /= round)
                call MPI_Win_sync(win)
                call MPI_F_sync_reg(shared)
            end do
            call MPI_Win_sync(win)
            call MPI_F_sync_reg(shared)
            call check('data precede their flag', shared(1) == 3 * round)
            call MPI_Barrier(node)
        end do
        call MPI_Win_unlock_all(win)
        call MPI_Win_free(win)
        call MPI_Comm_free(node)
    end subroutine a_store_is_awaited_by_loads

    ! Every element is a triple: address and rank of the next one, and a value. The rank
    ! in the last one is -1. All ranks append to the list that begins on rank 0.
    subroutine a_list_grows_at_its_end()
        integer(MPI_ADDRESS_KIND), asynchronous :: list(3, elements)
        integer(MPI_ADDRESS_KIND) :: head(2), tail(2), added(2)
        integer(MPI_ADDRESS_KIND), asynchronous :: message(2)
        integer :: i
        type(MPI_Win) :: win
        call MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, win)
        do i = 1, elements
            list(:, i) = [0, -1, 100 * rank + i]
            call MPI_Win_attach(win, list(:, i), 3_MPI_ADDRESS_KIND * word_bytes())
        end do
        call MPI_Get_address(list(1, 1), message(1))
        message(2) = 0
        call MPI_Bcast(message, 2, MPI_AINT, 0, MPI_COMM_WORLD)
        head = message
        tail = head
        call MPI_Win_lock_all(0, win)
        do i = 2, elements
            call MPI_Get_address(list(1, i), added(1))
            added(2) = rank
            call append(tail, added, win)
        end do
        call MPI_Barrier(MPI_COMM_WORLD)
        call walk(head, win)
        call MPI_Win_unlock_all(win)
        call MPI_Barrier(MPI_COMM_WORLD)
        do i = 1, elements
            call MPI_Win_detach(win, list(:, i))
        end do
        call MPI_Win_free(win)
    end subroutine a_list_grows_at_its_end

    integer(MPI_ADDRESS_KIND) function word_bytes()
        word_bytes = storage_size(0_MPI_ADDRESS_KIND) / 8
    end function word_bytes

    ! Word number `i` of an element, read atomically.
    integer(MPI_ADDRESS_KIND) function word(place, i, win)
        integer(MPI_ADDRESS_KIND), intent(in) :: place(2)
        integer, intent(in) :: i
        type(MPI_Win), intent(in) :: win
        integer(MPI_ADDRESS_KIND), asynchronous :: value, unused
        unused = 0
        call MPI_Fetch_and_op(unused, value, MPI_AINT, int(place(2)), &
            MPI_Aint_add(place(1), (i - 1) * word_bytes()), MPI_NO_OP, win)
        call MPI_Win_flush(int(place(2)), win)
        call MPI_F_sync_reg(value)
        word = value
    end function word

    subroutine append(tail, added, win)
        integer(MPI_ADDRESS_KIND), intent(inout) :: tail(2)
        integer(MPI_ADDRESS_KIND), intent(in) :: added(2)
        type(MPI_Win), intent(in) :: win
        integer(MPI_ADDRESS_KIND), asynchronous :: none, found, owner, address
        none = -1
        owner = added(2)
        address = added(1)
        do
            call MPI_Compare_and_swap(owner, none, found, MPI_AINT, int(tail(2)), &
                MPI_Aint_add(tail(1), word_bytes()), win)
            call MPI_Win_flush(int(tail(2)), win)
            call MPI_F_sync_reg(found)
            if (found == -1) exit
            address = 0
            do while (address == 0)
                address = word(tail, 1, win)
            end do
            tail = [address, found]
            address = added(1)
        end do
        call MPI_Accumulate(address, 1, MPI_AINT, int(tail(2)), tail(1), 1, MPI_AINT, &
            MPI_REPLACE, win)
        call MPI_Win_flush(int(tail(2)), win)
        tail = added
    end subroutine append

    subroutine walk(head, win)
        integer(MPI_ADDRESS_KIND), intent(in) :: head(2)
        type(MPI_Win), intent(in) :: win
        integer(MPI_ADDRESS_KIND) :: place(2)
        integer :: seen(0:ranks - 1), owner
        seen = 1
        place = [word(head, 1, win), word(head, 2, win)]
        do while (place(2) /= -1)
            owner = int(place(2))
            seen(owner) = seen(owner) + 1
            call check('elements of a rank are in order', &
                word(place, 3, win) == 100 * owner + seen(owner))
            place = [word(place, 1, win), word(place, 2, win)]
        end do
        call check('all elements are in the list', all(seen == elements))
    end subroutine walk
end program f08_standard_passive
