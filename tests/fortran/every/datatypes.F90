! SPDX-License-Identifier: BSD-3-Clause
! Every constructor of datatypes: what a datatype of integers selects shows when it is
! packed; envelopes and contents, extents, names, attributes, external32.
program datatypes
#include "binding.inc"
    integer, parameter :: n = 24
    integer(bk), parameter :: bytes = unit
    integer :: i, ierror
    integer :: field(n)
    HANDLE(MPI_Datatype) :: made
    call MPI_Init(ierror)
    field = [(i, i = 0, n - 1)]
    call regular()
    call irregular()
    call parts_of_arrays()
    call others()
    call extents()
    call envelope_and_contents()
    if (storage_size(1_ck) == 64) call large_counts()
    call elements()
    call names()
    call chosen_by_precision()
    if (unit == 4) call external32() ! wider ones keep their 8 bytes
    call MPI_Finalize(ierror)

contains

    ! One `made` takes those elements of `field` in this order, and puts them back and
    ! nothing else. Frees it.
    subroutine selects(claim, elements)
        character(len=*), intent(in) :: claim
        integer, intent(in) :: elements(:)
        integer :: packed(n), unpacked(n), expected(n)
        integer(ck) :: place, room
        call MPI_Type_commit(made, ierror)
        call MPI_Pack_size(1_ck, made, MPI_COMM_WORLD, room, ierror)
        call check('there is room for what is packed', room >= unit * size(elements))
        packed = -1
        place = 0
        call MPI_Pack(field, 1_ck, made, packed, int(unit * n, ck), place, &
            MPI_COMM_WORLD, ierror)
        call check(claim, place == unit * size(elements))
        call check(claim, all(packed(:size(elements)) == elements))
        unpacked = -1
        expected = -1
        expected(elements + 1) = elements
        place = 0
        call MPI_Unpack(packed, int(unit * size(elements), ck), place, unpacked, 1_ck, &
            made, MPI_COMM_WORLD, ierror)
        call check(claim, all(unpacked == expected))
        call MPI_Type_free(made, ierror)
        call check('a freed datatype is null', made == MPI_DATATYPE_NULL)
    end subroutine selects

    subroutine regular()
        call MPI_Type_contiguous(3_ck, MPI_INTEGER, made, ierror)
        call selects('contiguous', [0, 1, 2])
        call MPI_Type_vector(3_ck, 2_ck, 5_ck, MPI_INTEGER, made, ierror)
        call selects('vector', [0, 1, 5, 6, 10, 11])
        call MPI_Type_create_hvector(3_ck, 1_ck, 4 * bytes, MPI_INTEGER, made, ierror)
        call selects('hvector', [0, 4, 8])
    end subroutine regular

    subroutine irregular()
        HANDLE(MPI_Datatype) :: two
        call MPI_Type_indexed(2_ck, [2_ck, 1_ck], [7_ck, 3_ck], MPI_INTEGER, made, &
            ierror)
        call selects('indexed', [7, 8, 3])
        call MPI_Type_create_indexed_block(2_ck, 2_ck, [9_ck, 1_ck], MPI_INTEGER, &
            made, ierror)
        call selects('indexed_block', [9, 10, 1, 2])
        call MPI_Type_create_hindexed(2_ck, [1_ck, 2_ck], [5 * bytes, 0 * bytes], &
            MPI_INTEGER, made, ierror)
        call selects('hindexed', [5, 0, 1])
        call MPI_Type_create_hindexed_block(2_ck, 2_ck, [4 * bytes, 8 * bytes], &
            MPI_INTEGER, made, ierror)
        call selects('hindexed_block', [4, 5, 8, 9])
        call MPI_Type_contiguous(2_ck, MPI_INTEGER, two, ierror)
        call MPI_Type_create_struct(2_ck, [2_ck, 1_ck], [2 * bytes, 0 * bytes], &
            [two, MPI_INTEGER], made, ierror)
        call MPI_Type_free(two, ierror)
        call selects('struct', [2, 3, 4, 5, 0])
    end subroutine irregular

    ! `field` is taken for an array of 4 x 6, as Fortran and as C orders it.
    subroutine parts_of_arrays()
        call MPI_Type_create_subarray(2, [4_ck, 6_ck], [2_ck, 2_ck], [1_ck, 3_ck], &
            MPI_ORDER_FORTRAN, MPI_INTEGER, made, ierror)
        call selects('subarray', [13, 14, 17, 18])
        call MPI_Type_create_subarray(2, [4_ck, 6_ck], [2_ck, 2_ck], [1_ck, 3_ck], &
            MPI_ORDER_C, MPI_INTEGER, made, ierror)
        call selects('subarray in the order of C', [9, 10, 15, 16])
        call MPI_Type_create_darray(4, 2, 2, [4_ck, 6_ck], &
            [MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC], &
            [MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG], [2, 2], &
            MPI_ORDER_FORTRAN, MPI_INTEGER, made, ierror)
        call selects('darray', [2, 3, 10, 11, 18, 19])
    end subroutine parts_of_arrays

    subroutine others()
        HANDLE(MPI_Datatype) :: vector, spread
        call MPI_Type_vector(2_ck, 1_ck, 3_ck, MPI_INTEGER, vector, ierror)
        call MPI_Type_dup(vector, made, ierror)
        call selects('dup', [0, 3])
        call MPI_Type_create_resized(vector, 0 * bytes, 10 * bytes, spread, ierror)
        call MPI_Type_contiguous(2_ck, spread, made, ierror)
        call selects('resized', [0, 3, 10, 13])
        call MPI_Type_free(vector, ierror)
        call MPI_Type_free(spread, ierror)
    end subroutine others

    subroutine extents()
        HANDLE(MPI_Datatype) :: vector
        integer(MPI_ADDRESS_KIND) :: lb, extent
        integer(MPI_COUNT_KIND) :: large_lb, large_extent, large_size
        integer(ck) :: size
        call MPI_Type_create_hindexed(1_ck, [2_ck], [3 * bytes], MPI_INTEGER, vector, &
            ierror)
        call MPI_Type_create_resized(vector, bytes, 8 * bytes, made, ierror)
        call MPI_Type_get_extent(made, lb, extent, ierror)
        call check('extent', lb == unit .and. extent == 8 * unit)
        call MPI_Type_get_true_extent(made, lb, extent, ierror)
        call check('true extent', lb == 3 * unit .and. extent == 2 * unit)
        call MPI_Type_get_extent_x(made, large_lb, large_extent, ierror)
        call check('extent_x', large_lb == unit .and. large_extent == 8 * unit)
        call MPI_Type_get_true_extent_x(made, large_lb, large_extent, ierror)
        call check('true_extent_x', large_lb == 3 * unit .and. large_extent == 2 * unit)
        call MPI_Type_size(made, size, ierror)
        call MPI_Type_size_x(made, large_size, ierror)
        call check('sizes', size == 2 * unit .and. large_size == 2 * unit)
        call MPI_Type_free(vector, ierror)
        call MPI_Type_free(made, ierror)
    end subroutine extents

    ! A datatype made with large counts tells them apart.
    subroutine envelope_and_contents()
        HANDLE(MPI_Datatype) :: types(1)
        integer(ck) :: integers, addresses, types_used
        integer(MPI_ADDRESS_KIND) :: places(1)
        integer :: numbers(3), combiner
#if defined(F08_LARGE)
        integer(ck) :: counts, large_numbers(3)
#endif
        call MPI_Type_vector(3_ck, 2_ck, 5_ck, MPI_INTEGER, made, ierror)
#if defined(F08_LARGE)
        call MPI_Type_get_envelope(made, integers, addresses, counts, types_used, &
            combiner, ierror)
        call check('envelope with large counts', integers == 0 .and. counts == 3)
        call MPI_Type_get_contents(made, integers, addresses, counts, types_used, &
            numbers, places, large_numbers, types, ierror)
        numbers = int(large_numbers)
#else
        call MPI_Type_get_envelope(made, integers, addresses, types_used, combiner, &
            ierror)
        call check('envelope', integers == 3)
        call MPI_Type_get_contents(made, integers, addresses, types_used, numbers, &
            places, types, ierror)
#endif
        call check('the envelope tells the constructor', addresses == 0 .and. &
            types_used == 1 .and. combiner == MPI_COMBINER_VECTOR)
        call check('contents', all(numbers == [3, 2, 5]) .and. types(1) == MPI_INTEGER)
        call MPI_Type_free(made, ierror)
    end subroutine envelope_and_contents

    ! A datatype of counts that no int can hold has no small envelope.
    subroutine large_counts()
        integer :: integers, addresses, types_used, combiner
        call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierror)
        call MPI_Type_contiguous(ishft(1_ck, storage_size(1_ck) - 16), MPI_BYTE, &
            made, ierror)
        call MPI_Type_get_envelope(made, integers, addresses, types_used, combiner, &
            ierror)
        call check('the envelope of large counts', ierror == MPI_ERR_TYPE)
        call MPI_Type_free(made, ierror)
    end subroutine large_counts

    ! Of what is not a whole number of datatypes, elements can be counted.
    subroutine elements()
        STATUS :: status
        integer(ck) :: found
        integer(MPI_COUNT_KIND) :: large
        call MPI_Type_contiguous(2_ck, MPI_INTEGER, made, ierror)
        call MPI_Type_commit(made, ierror)
        call MPI_Sendrecv(field, 3_ck, MPI_INTEGER, 0, 1, field(n / 2:), 3_ck, made, &
            0, 1, MPI_COMM_SELF, status, ierror)
        call MPI_Get_count(status, made, found, ierror)
        call check('three halves are no count', found == MPI_UNDEFINED)
        call MPI_Get_elements(status, made, found, ierror)
        call MPI_Get_elements_x(status, made, large, ierror)
        call check('get_elements', found == 3 .and. large == 3)
        call MPI_Status_set_elements(status, made, 5_ck, ierror)
        call MPI_Get_elements(status, made, found, ierror)
        call check('status_set_elements', found == 5)
        call MPI_Status_set_elements_x(status, made, 4_MPI_COUNT_KIND, ierror)
        call MPI_Get_count(status, made, found, ierror)
        call check('status_set_elements_x', found == 2)
        call MPI_Type_free(made, ierror)
        field = [(i, i = 0, n - 1)]
    end subroutine elements

    subroutine names()
        character(len=MPI_MAX_OBJECT_NAME) :: name
        integer :: length
        call MPI_Type_get_name(MPI_INTEGER, name, length, ierror)
        call check('predefined datatypes have names', &
            name == 'MPI_INTEGER' .and. length == 11)
        call MPI_Type_contiguous(2_ck, MPI_INTEGER, made, ierror)
        call MPI_Type_get_name(made, name, length, ierror)
        call check('others have none at first', name == '' .and. length == 0)
        call MPI_Type_set_name(made, 'pair  ', ierror)
        call MPI_Type_get_name(made, name, length, ierror)
        call check('a name without its trailing blanks', &
            name == 'pair' .and. length == 4)
        call MPI_Type_free(made, ierror)
    end subroutine names

    ! Datatypes that fit what the program says of precision, range or size.
    subroutine chosen_by_precision()
        integer, parameter :: long = selected_int_kind(18)
        integer, parameter :: fine = selected_real_kind(15)
        integer(ck) :: size
        integer :: bytes_of_integer
        call MPI_Type_create_f90_integer(18, made, ierror)
        call MPI_Type_size(made, size, ierror)
        call check('f90_integer', size == storage_size(0_long) / 8)
        call MPI_Type_create_f90_real(15, MPI_UNDEFINED, made, ierror)
        call MPI_Type_size(made, size, ierror)
        call check('f90_real', size == storage_size(0._fine) / 8)
        call MPI_Type_create_f90_complex(15, MPI_UNDEFINED, made, ierror)
        call MPI_Type_size(made, size, ierror)
        call check('f90_complex', size == storage_size((0._fine, 0._fine)) / 8)
        call MPI_Sizeof(field, bytes_of_integer, ierror)
        call MPI_Type_match_size(MPI_TYPECLASS_INTEGER, bytes_of_integer, made, ierror)
        call MPI_Type_size(made, size, ierror)
        call check('match_size', size == unit .and. bytes_of_integer == unit)
        call MPI_Type_get_value_index(MPI_REAL, MPI_INTEGER, made, ierror)
        call check('no pair has a Fortran REAL', made == MPI_DATATYPE_NULL)
        call MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, made, ierror)
        call check('MPI_DOUBLE_INT is a pair', made == MPI_DOUBLE_INT)
    end subroutine chosen_by_precision

    ! Integers in 4 bytes each, the most significant first.
    subroutine external32()
        integer, parameter :: byte = selected_int_kind(2)
        integer(byte) :: packed(8)
        integer(bk) :: place, room
        integer :: unpacked(2)
        call MPI_Pack_external_size('external32', 2_ck, MPI_INTEGER, room, ierror)
        call check('pack_external_size', room == 8)
        place = 0
        call MPI_Pack_external('external32', [1, 515], 2_ck, MPI_INTEGER, packed, &
            room, place, ierror)
        call check('pack_external', place == 8 .and. &
            all(packed == [0, 0, 0, 1, 0, 0, 2, 3]))
        place = 0
        call MPI_Unpack_external('external32', packed, room, place, unpacked, 2_ck, &
            MPI_INTEGER, ierror)
        call check('unpack_external', place == 8 .and. all(unpacked == [1, 515]))
    end subroutine external32
end program datatypes
