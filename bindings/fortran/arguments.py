# SPDX-License-Identifier: BSD-3-Clause
"""The arguments of a procedure in an entry point in Fortran."""

from collections.abc import Iterator

from bindings.c.text import CText
from bindings.fortran.conversion import Conversion, ConvertedArguments, row
from bindings.fortran.conversions import CONVERSIONS
from bindings.fortran.entries import Scheme
from bindings.fortran.text import F08Text, F90Text
from codegen.entries import Entry, Parameter
from codegen.kinds import KindClass
from codegen.model import Argument, Spec
from codegen.plan import count_of, room_of
from codegen.steps import NamedCount, ObjectCount, ToldCount

C_NUMBERS = {
    "int": "integer(c_int)",
    "double": "real(c_double)",
    "MPI_Aint": "integer(c_intptr_t)",
    "MPI_Count": "integer(c_int64_t)",
    "MPI_Offset": "integer(c_int64_t)",
}


class FortranArguments(ConvertedArguments):
    """The arguments of one entry in Fortran."""

    def __init__(
        self, entry: Entry, text: F08Text | F90Text, c: CText, spec: Spec, is_wide: bool
    ) -> None:
        super().__init__(entry)
        self._text = text
        self._c = c
        self._spec = spec
        self._is_wide = is_wide  # INTEGER and LOGICAL are wider than int
        self._room = room_of(entry.procedure)

    def is_narrowed(self, p: Parameter) -> bool:
        """It is INTEGER or LOGICAL, and wider than what C has."""
        if p.kind.is_integral:
            is_other = self._c.type(p) == "int"
        elif p.kind.kind_class is KindClass.LOGICAL:
            is_other = p.argument.is_array
        else:
            is_other = p.kind.kind_class is KindClass.STATUS
        return self._is_wide and is_other

    def treatment(self, p: Parameter) -> str:
        """The key of an argument's row."""
        argument = p.argument
        if not any(argument.is_in_language(x) for x in ("f08", "f90")):
            return "absent"
        words = list(self._class_words(p))
        return " ".join([*words, argument.direction.value])

    def _class_words(self, p: Parameter) -> Iterator[str]:
        argument, way = p.argument, p.kind.kind_class
        array = ["array"] if argument.is_array else []
        if argument is self._room:
            yield "string room"
        elif p.kind.is_integral:
            is_place = argument.from_one and not argument.is_array
            yield from ["narrowed"] if self.is_narrowed(p) and not is_place else []
            yield from ["short"] if p.kind.is_short else []
            yield from ["ignorable"] if argument.may_be else []
            yield "place" if argument.from_one else "integer"
            yield from array
        elif way is KindClass.STRING:
            yield from self._string_words(argument)
        else:
            yield from ["narrowed"] if self.is_narrowed(p) else []
            yield from self._scheme_words(p)
            yield way.value
            yield from array
            is_address = argument.by_pointer and p.kind.is_handle
            yield from ["by pointer"] if is_address else []

    def _string_words(self, argument: Argument) -> Iterator[str]:
        if argument.is_out and self._has_room(argument):
            yield "sized"
        elif not argument.is_out and self.procedure.trims_strings:
            yield "info"
        yield "string"

    def _scheme_words(self, p: Parameter) -> Iterator[str]:
        if p.kind.is_pointer and self.entry.scheme is Scheme.F90:
            yield "integer"
        elif p.kind.kind_class is KindClass.DETACHED and self.entry.language == "f90":
            yield "unused"

    def _has_room(self, argument: Argument) -> bool:
        """An argument says how long the string may be."""
        if argument.length in self._spec.constants:
            return False
        return bool(argument.count) or self._room is not None

    def _string_room(self, argument: Argument) -> str:
        """Bytes of a string as C writes it: with the final NUL."""
        constants = self._spec.constants
        if argument.length in constants:
            return str(constants[argument.length].value)
        if argument.length not in ("", "*"):
            return argument.length
        if self._room is not None:
            return self._room.name
        is_key = self.procedure.trims_strings
        return str(constants["MPI_MAX_INFO_KEY"].value) if is_key else ""

    def elements(self, argument: Argument) -> str:
        """The number of elements of an array, where C gets a copy of it."""
        match count_of(self.procedure, argument):
            case ObjectCount(owner, what):
                handle = owner.name + self._member
                function = f"oriel_{owner.kind.object}_{what}"
                return f"{function}(int({handle}, c_intptr_t))"
            case ToldCount("sum", counts):
                return f"sum({counts.name}(1:{counts.count}))"
            case ToldCount(_, counts):
                return f"({counts.name}({counts.count}))"
            case NamedCount(name):
                return name
        return ""

    def length_functions(self) -> tuple[str, ...]:
        """The functions that tell lengths, each once."""
        asked = [
            self.elements(p.argument).partition("(")[0]
            for p in self.entry.parameters
            if p.argument.per and (p.kind.is_handle or self._is_wide)
        ]
        return tuple(dict.fromkeys(asked))

    @property
    def _member(self) -> str:
        """Leads from a handle to its INTEGER."""
        return "%MPI_VAL" if self.entry.language == "f08" else ""

    def _handle_value(self, argument: Argument) -> str:
        """The INTEGERs of a handle or of an array of handles."""
        part = f"(1:{self.elements(argument)})" if argument.is_array else ""
        return argument.name + part + self._member

    def _first(self, argument: Argument) -> str:
        """The element at the address of an argument: a status is an array in mpi."""
        is_status = "MPI_STATUS_SIZE" in self._text.entity(argument)
        dimensions = ["1"] * (is_status + argument.is_array)
        return argument.name + (f"({', '.join(dimensions)})" if dimensions else "")

    def cells(self, p: Parameter) -> Conversion:
        """An argument's row, to be filled."""
        return row(CONVERSIONS, self.treatment(p), p.argument, self.procedure)

    def fill(self, p: Parameter, cell: str) -> str:
        """A cell of an argument's row."""
        argument = p.argument
        columns = ":, " if argument.columns else ""
        is_string = p.kind.kind_class is KindClass.STRING
        return cell.format(
            name=p.name,
            value=self._handle_value(argument) if p.kind.is_handle else "",
            first=self._first(argument),
            many=argument.from_one_up_to,
            type=C_NUMBERS[self._c.type(p)] if p.kind.is_integral else "",
            n=self.elements(argument),
            part=f"{p.name}({columns}1:{self.elements(argument)})",
            room=self._string_room(argument) if is_string else "",
        )
