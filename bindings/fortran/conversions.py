# SPDX-License-Identifier: BSD-3-Clause
"""Conversions of arguments in an entry point in Fortran: a row for each class and
direction. A class or direction without a row cannot be generated.

In the cells: {name}; {value}, the INTEGER of a handle; {type}, of a C number; {n}, the
length of an array; {first}, its first element; {part}, the elements that C gets;
{room}, the length of a string with its final NUL; {many}, the argument that counts
places. INTEGERs are C's int, so their addresses are passed on; so are those of
MPI_Aint, MPI_Count and statuses. A handle is passed as an integer as wide as a pointer.
The rows that begin with "short" are for an MPI_Aint that is an INTEGER in Fortran, and
those that begin with "narrowed" for compilers whose options make INTEGER and
LOGICAL wider than int.
"""

from bindings.fortran.conversion import Conversion

CONVERSIONS: dict[str, Conversion] = {
    "handle in": Conversion(
        c_type="integer(c_intptr_t), value",
        actual="int({value}, c_intptr_t)",
    ),
    "handle out": Conversion(
        c_type="integer(c_intptr_t), intent(out)",
        local="integer(c_intptr_t) :: c_{name}",
        actual="c_{name}",
        after="{value} = int(c_{name})",
    ),
    "handle inout": Conversion(
        c_type="integer(c_intptr_t), intent(inout)",
        local="integer(c_intptr_t) :: c_{name}",
        before="c_{name} = {value}",
        actual="c_{name}",
        always="{value} = int(c_{name})",
    ),
    "handle by pointer in": Conversion(
        c_type="integer(c_intptr_t), intent(in)",
        actual="int({value}, c_intptr_t)",
    ),
    "handle array in": Conversion(
        c_type="integer(c_intptr_t), intent(in), dimension(*)",
        actual="int({value}, c_intptr_t)",
    ),
    "handle array inout": Conversion(
        c_type="integer(c_intptr_t), intent(inout), dimension(*)",
        local="integer(c_intptr_t) :: c_{name}({n})",
        before="c_{name} = {value}",
        actual="c_{name}",
        always="{value} = int(c_{name})",
    ),
    "handle array out": Conversion(
        c_type="integer(c_intptr_t), intent(inout), dimension(*)",
        local="integer(c_intptr_t) :: c_{name}({n})",
        before="c_{name} = {value}",
        actual="c_{name}",
        always="{value} = int(c_{name})",
    ),
    "integer in": Conversion(
        c_type="{type}, value",
        actual="{name}",
    ),
    "integer out": Conversion(
        c_type="{type}, intent(out)",
        actual="{name}",
    ),
    "integer inout": Conversion(
        c_type="{type}, intent(inout)",
        actual="{name}",
    ),
    "integer array in": Conversion(
        c_type="{type}, intent(in), dimension(*)",
        actual="{name}",
    ),
    "integer array out": Conversion(
        c_type="{type}, intent(out), dimension(*)",
        actual="{name}",
    ),
    "integer array inout": Conversion(
        c_type="{type}, intent(inout), dimension(*)",
        actual="{name}",
    ),
    "short integer in": Conversion(
        c_type="{type}, value",
        actual="int({name}, kind=c_intptr_t)",
    ),
    "short integer out": Conversion(
        c_type="{type}, intent(out)",
        local="{type} :: c_{name}",
        actual="c_{name}",
        after="{name} = int(c_{name}, kind=kind({name}))",
    ),
    "short integer array in": Conversion(
        c_type="{type}, intent(in), dimension(*)",
        actual="int({part}, kind=c_intptr_t)",
    ),
    "ignorable integer array in": Conversion(
        c_type="type(c_ptr), value",
        actual="address_unless_ignored({first})",
    ),
    "ignorable integer array out": Conversion(
        c_type="type(c_ptr), value",
        actual="address_unless_ignored({first})",
    ),
    "place out": Conversion(
        c_type="integer(c_int), intent(out)",
        local="integer(c_int) :: c_{name}",
        before="c_{name} = -1",
        actual="c_{name}",
        always="{name} = merge(c_{name} + 1_c_int, c_{name}, c_{name} >= 0)",
    ),
    "place array out": Conversion(
        c_type="integer(c_int), intent(out), dimension(*)",
        before="{many} = 0",
        actual="{name}",
        always="{name}(1:{many}) = {name}(1:{many}) + 1",
    ),
    "logical in": Conversion(
        c_type="integer(c_int), value",
        actual="merge(1_c_int, 0_c_int, {name})",
    ),
    "logical out": Conversion(
        c_type="integer(c_int), intent(out)",
        local="integer(c_int) :: c_{name}",
        before="c_{name} = 0",
        actual="c_{name}",
        always="{name} = c_{name} /= 0",
    ),
    "logical array in": Conversion(
        c_type="logical, intent(in), dimension(*)",
        actual="{name}",
    ),
    "logical array out": Conversion(
        c_type="logical, intent(out), dimension(*)",
        actual="{name}",
    ),
    "literal in": Conversion(
        c_type="type(c_ptr), value",
        actual="address_unless_ignored({name})",
    ),
    "literal out": Conversion(
        c_type="type(c_ptr), value",
        actual="address_unless_ignored({name})",
    ),
    "status in": Conversion(
        c_type="type(c_ptr), value",
        actual="address_unless_ignored({first})",
    ),
    "status out": Conversion(
        c_type="type(c_ptr), value",
        actual="address_unless_ignored({first})",
    ),
    "status inout": Conversion(
        c_type="type(c_ptr), value",
        actual="address_unless_ignored({first})",
    ),
    "fstatus in": Conversion(
        c_type="type(c_ptr), value",
        actual="address_unless_ignored({first})",
    ),
    "fstatus out": Conversion(
        c_type="type(c_ptr), value",
        actual="address_unless_ignored({first})",
    ),
    "status array out": Conversion(
        c_type="type(c_ptr), value",
        actual="address_unless_ignored({first})",
    ),
    "string in": Conversion(
        c_type="character(kind=c_char), intent(in), dimension(*)",
        actual="trim({name})//c_null_char",
    ),
    "info string in": Conversion(
        c_type="character(kind=c_char), intent(in), dimension(*)",
        actual="trim(adjustl({name}))//c_null_char",
    ),
    "string out": Conversion(
        c_type="character(kind=c_char), intent(out), dimension(*)",
        local="character(kind=c_char) :: c_{name}({room})",
        actual="c_{name}",
        after="call string_to_fortran(c_{name}, {name})",
    ),
    "sized string out": Conversion(
        c_type="character(kind=c_char), intent(inout), dimension(*)",
        local="character(kind=c_char) :: c_{name}(max({room}, 0) + 1)",
        before="call string_mark(c_{name})",
        actual="c_{name}",
        after="call string_to_fortran(c_{name}, {name})",
    ),
    "string room inout": Conversion(
        c_type="integer(c_int), intent(inout)",
        local="integer(c_int) :: c_{name}",
        before="c_{name} = int({name} + merge(1, 0, {name} > 0), c_int)",
        actual="c_{name}",
        after="{name} = max(c_{name} - 1, 0)",
    ),
    "pointer out": Conversion(
        c_type="type(c_ptr), intent(out)",
        actual="{name}",
    ),
    "integer pointer out": Conversion(
        c_type="type(c_ptr), intent(out)",
        local="type(c_ptr) :: c_{name}",
        actual="c_{name}",
        after="{name} = transfer(c_{name}, {name})",
    ),
    "detached out": Conversion(
        c_type="type(c_ptr), intent(out)",
        actual="{name}",
    ),
    "unused detached out": Conversion(
        c_type="type(c_ptr), intent(out)",
        local="type(c_ptr) :: c_{name}",
        actual="c_{name}",
    ),
    "callback in": Conversion(
        c_type="type(c_funptr), value",
        local="type(c_funptr) :: c_{name}",
        before="c_{name} = c_funloc({name})",
        actual="c_{name}",
    ),
    "state in": Conversion(
        c_type="integer(c_intptr_t), value",
        actual="int({name}, c_intptr_t)",
    ),
    "attribute in": Conversion(
        c_type="integer(c_intptr_t), value",
        actual="int({name}, c_intptr_t)",
    ),
    "attribute out": Conversion(
        c_type="integer(c_intptr_t), intent(out)",
        local="integer(c_intptr_t) :: c_{name}",
        actual="c_{name}",
    ),
    "narrowed integer in": Conversion(
        c_type="integer(c_int), value",
        actual="narrowed({name})",
    ),
    "narrowed integer out": Conversion(
        c_type="integer(c_int), intent(out)",
        local="integer(c_int) :: c_{name}",
        before="c_{name} = 0",
        actual="c_{name}",
        always="{name} = c_{name}",
    ),
    "narrowed integer inout": Conversion(
        c_type="integer(c_int), intent(inout)",
        local="integer(c_int) :: c_{name}",
        before="c_{name} = narrowed({name})",
        actual="c_{name}",
        always="{name} = c_{name}",
    ),
    "narrowed integer array in": Conversion(
        c_type="integer(c_int), intent(in), dimension(*)",
        actual="narrowed({part})",
    ),
    "narrowed integer array out": Conversion(
        c_type="integer(c_int), intent(out), dimension(*)",
        local="integer(c_int) :: c_{name}({n})",
        before="c_{name} = 0",
        actual="c_{name}",
        always="{part} = c_{name}",
    ),
    "narrowed integer array inout": Conversion(
        c_type="integer(c_int), intent(inout), dimension(*)",
        local="integer(c_int) :: c_{name}({n})",
        before="c_{name} = narrowed({part})",
        actual="c_{name}",
        always="{part} = c_{name}",
    ),
    "narrowed place array out": Conversion(
        c_type="integer(c_int), intent(out), dimension(*)",
        local="integer(c_int) :: c_{name}({n})",
        before="{many} = 0",
        actual="c_{name}",
        always="{name}(1:{many}) = c_{name}(1:{many}) + 1",
    ),
    "narrowed logical array in": Conversion(
        c_type="integer(c_int), intent(in), dimension(*)",
        actual="merge(1_c_int, 0_c_int, {part})",
    ),
    "narrowed logical array out": Conversion(
        c_type="integer(c_int), intent(out), dimension(*)",
        local="integer(c_int) :: c_{name}({n})",
        before="c_{name} = 0",
        actual="c_{name}",
        always="{part} = c_{name} /= 0",
    ),
    "narrowed ignorable integer array in": Conversion(
        c_type="type(c_ptr), value",
        local="integer(c_int) :: c_{name}({n})",
        before="call narrow({first}, c_{name})",
        actual="address_of_copy({first}, c_{name})",
    ),
    "narrowed ignorable integer array out": Conversion(
        c_type="type(c_ptr), value",
        local="integer(c_int) :: c_{name}({n})",
        before="call narrow({first}, c_{name})",
        actual="address_of_copy({first}, c_{name})",
        always="call widen(c_{name}, {first})",
    ),
    "narrowed status in": Conversion(
        c_type="type(c_ptr), value",
        local="integer(c_int) :: c_{name}(8)",
        before="call narrow({first}, c_{name})",
        actual="address_of_copy({first}, c_{name})",
    ),
    "narrowed status out": Conversion(
        c_type="type(c_ptr), value",
        local="integer(c_int) :: c_{name}(8)",
        before="call narrow({first}, c_{name})",
        actual="address_of_copy({first}, c_{name})",
        always="call widen(c_{name}, {first})",
    ),
    "narrowed status inout": Conversion(
        c_type="type(c_ptr), value",
        local="integer(c_int) :: c_{name}(8)",
        before="call narrow({first}, c_{name})",
        actual="address_of_copy({first}, c_{name})",
        always="call widen(c_{name}, {first})",
    ),
    "narrowed status array out": Conversion(
        c_type="type(c_ptr), value",
        local="integer(c_int) :: c_{name}(8 * {n})",
        before="call narrow({first}, c_{name})",
        actual="address_of_copy({first}, c_{name})",
        always="call widen(c_{name}, {first})",
    ),
    "absent": Conversion(
        c_type="type(c_ptr), value",
        actual="c_null_ptr",
    ),
}
