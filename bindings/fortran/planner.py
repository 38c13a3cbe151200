# SPDX-License-Identifier: BSD-3-Clause
"""Plans the entry points in Fortran: how each converts its arguments, calls the C
function and converts the results.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from bindings.c.text import CText
from bindings.fortran.conversion import Conversion
from bindings.c.entries import c_entries
from bindings.fortran.entries import Scheme
from codegen.expand import Entry, Parameter
from bindings.fortran.steps import (
    AnswerC,
    CallC,
    CopyIn,
    CopyOut,
    Declare,
    DeclareCode,
    GiveError,
    GiveErrorIfAsked,
    NumberPredefined,
    StopOnError,
    Tell,
)
from bindings.fortran.conversions import CONVERSIONS
from bindings.fortran.text import F08Text, F90Text, fortran_case
from codegen.kinds import KindClass
from codegen.model import Argument, Constant, Form, Procedure, Spec
from codegen.plan import count_of, room_of
from codegen.steps import NamedCount, ObjectCount, Step, ToldCount

C_NUMBERS = {
    "int": "integer(c_int)",
    "double": "real(c_double)",
    "MPI_Aint": "integer(c_intptr_t)",
    "MPI_Count": "integer(c_int64_t)",
    "MPI_Offset": "integer(c_int64_t)",
}


@dataclass(frozen=True)
class Interface:
    """The C function that an entry calls, and the functions that tell lengths. Each
    entry declares its own: a module of all would be read again for every entry."""

    name: str
    symbol: str
    names: tuple[str, ...]
    declarations: tuple[str, ...]
    result: str
    lengths: tuple[str, ...]


@dataclass(frozen=True)
class FortranPlan:
    """One procedure."""

    heading: str
    ending: str
    uses: tuple[str, ...]
    declarations: tuple[str, ...]
    interface: Interface
    steps: tuple[Step, ...]


class FortranDeclarations:
    """What an interface body and a procedure begin and end with."""

    def __init__(self, f08: F08Text, f90: F90Text) -> None:
        self.f08 = f08
        self.f90 = f90

    def text(self, entry: Entry) -> F08Text | F90Text:
        """The declarations of the entry's language."""
        return self.f08 if entry.language == "f08" else self.f90

    @staticmethod
    def _what(entry: Entry) -> str:
        return "function" if entry.is_function else "subroutine"

    def heading(self, entry: Entry, prefix: str) -> str:
        """The first statement."""
        dummies = ", ".join(self.text(entry).dummies(entry)).lower()
        return f"{self._what(entry)} {prefix}{entry.name}({dummies})"

    def ending(self, entry: Entry, prefix: str) -> str:
        """The last statement."""
        return f"end {self._what(entry)} {prefix}{entry.name}"

    def declarations(self, entry: Entry, prefix: str) -> tuple[str, ...]:
        """The declarations of the dummy arguments and of the result."""
        if entry.language == "f08":
            lines = [fortran_case(str(d)) for d in self.f08.declarations(entry)]
        else:
            lines = [self._f90_declaration(p) for p in entry.parameters]
            lines += ["integer :: ierror"] if entry.has_ierror else []
        if entry.is_function:
            result = fortran_case(self.f08.result(entry.procedure.returns))
            lines.append(f"{result} :: {prefix}{entry.name}")
        return tuple(lines)

    def _f90_declaration(self, parameter: Parameter) -> str:
        argument = parameter.argument
        fixed = {
            KindClass.CHOICE: "type(*), dimension(..)",
            KindClass.DETACHED: "type(*)",
            KindClass.CALLBACK: "external",
            KindClass.STRING: "character(len=*)",
        }
        way = argument.kind.kind_class
        text = fixed.get(way) or fortran_case(self.f90.type(parameter))
        if argument.is_async and (way not in fixed or argument.is_choice):
            text += ", asynchronous"
        name = argument.name
        entity = self.f90.entity(argument).replace(name.upper(), name, 1)
        return f"{text} :: {name if argument.is_choice else entity}"

    def imports(self, entry: Entry, prefix: str) -> Iterator[str]:
        """What an interface body of mpif.h needs of what is around it."""
        if entry.scheme is Scheme.CPTR:
            yield "USE, INTRINSIC :: ISO_C_BINDING, ONLY : C_PTR"
        lines = self.declarations(entry, prefix)
        for name in ("MPI_ADDRESS_KIND", "MPI_COUNT_KIND", "MPI_STATUS_SIZE"):
            if any(name in line for line in lines):
                yield f"IMPORT :: {name}"

    @staticmethod
    def generic(procedure: Procedure, prefix: str) -> str:
        """The generic of mpi and mpif.h, "" if an interface body is all there is."""
        is_generic = procedure.has_choice or procedure.gives_pointer
        return prefix + procedure.name.upper() if is_generic else ""

    def is_ambiguous(self, entries: tuple[Entry, ...]) -> bool:
        """All take the same types where MPI_COUNT_KIND is MPI_ADDRESS_KIND; then the
        generic holds the small one only."""
        signatures = {
            tuple(self.f08.type(p).replace("COUNT", "ADDRESS") for p in e.parameters)
            for e in entries
        }
        return len(signatures) == 1


class Converter:
    """Fills the cells of the conversions for the arguments of one entry."""

    def __init__(
        self, entry: Entry, text: F08Text | F90Text, c: CText, spec: Spec, is_wide: bool
    ) -> None:
        self._entry = entry
        self._procedure = entry.procedure
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
        elif not argument.is_out and self._procedure.trims_strings:
            yield "info"
        yield "string"

    def _scheme_words(self, p: Parameter) -> Iterator[str]:
        if p.kind.is_pointer and self._entry.scheme is Scheme.F90:
            yield "integer"
        elif p.kind.kind_class is KindClass.DETACHED and self._entry.language == "f90":
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
        is_key = self._procedure.trims_strings
        return str(constants["MPI_MAX_INFO_KEY"].value) if is_key else ""

    def elements(self, argument: Argument) -> str:
        """How many elements an array has, where C gets a copy of it."""
        match count_of(self._procedure, argument):
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
            for p in self._entry.parameters
            if p.argument.per and (p.kind.is_handle or self._is_wide)
        ]
        return tuple(dict.fromkeys(asked))

    @property
    def _member(self) -> str:
        """Leads from a handle to its INTEGER."""
        return "%MPI_VAL" if self._entry.language == "f08" else ""

    def _handle_value(self, argument: Argument) -> str:
        """The INTEGERs of a handle or of an array of handles."""
        part = f"(1:{self.elements(argument)})" if argument.is_array else ""
        return argument.name + part + self._member

    def _first(self, argument: Argument) -> str:
        """What has the address of an argument: a status is an array in mpi."""
        is_status = "MPI_STATUS_SIZE" in self._text.entity(argument)
        dimensions = ["1"] * (is_status + argument.is_array)
        return argument.name + (f"({', '.join(dimensions)})" if dimensions else "")

    def cells(self, p: Parameter) -> Conversion:
        """An argument's row, to be filled."""
        return CONVERSIONS[self.treatment(p)]

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

    def actual(self, p: Parameter) -> str:
        """What is passed to C."""
        return self.fill(p, self.cells(p).actual)

    def filled(self, column: Callable[[Conversion], str]) -> Iterator[str]:
        """The cells of a column, for all arguments that have one."""
        for p in self._entry.parameters:
            cell = column(self.cells(p))
            if cell:
                yield self.fill(p, cell)


class FortranPlanner(FortranDeclarations):
    """Plans the entries of a table; `is_wide` where INTEGER is wider than C's int."""

    def __init__(self, spec: Spec, c: CText, f08: F08Text, f90: F90Text) -> None:
        super().__init__(f08, f90)
        self._spec = spec
        self._c = c

    def plans(self, entries: Iterable[Entry], is_wide: bool) -> Iterator[FortranPlan]:
        """The procedures of the entries without choice buffers, each with its twin."""
        for entry in entries:
            if not entry.procedure.has_choice:
                yield self.plan(entry, "", is_wide)
                yield self.plan(entry, "P", is_wide)

    def plan(self, entry: Entry, prefix: str, is_wide: bool) -> FortranPlan:
        """The procedure `prefix` + name of an entry."""
        entry = entry.widened if is_wide else entry
        text = self.text(entry)
        converter = Converter(entry, text, self._c, self._spec, is_wide)
        declarations = self.declarations(entry, prefix)
        steps = self._steps(entry, prefix, converter)
        return FortranPlan(
            heading=self.heading(entry, prefix),
            ending=self.ending(entry, prefix),
            uses=tuple(self._uses(entry, declarations, is_wide)),
            declarations=declarations,
            interface=self._interface(entry, prefix, converter, is_wide),
            steps=tuple(steps),
        )

    def _uses(
        self, entry: Entry, declarations: tuple[str, ...], is_wide: bool
    ) -> Iterator[str]:
        """The modules of an entry."""
        is_f08 = entry.language == "f08"
        if is_wide:
            yield "use oriel_integer8"
        if is_f08 and _of_class(entry, KindClass.CALLBACK):
            yield "use oriel_f08_callbacks"
        for p in _of_class(entry, KindClass.STRING) if is_f08 else ():
            if p.argument.length in self._spec.constants:
                yield f"use oriel_constants, only : {p.argument.length}"
        if any("MPI_STATUS_SIZE" in line for line in declarations):
            yield "use oriel_constants, only : MPI_STATUS_SIZE"

    def _interface(
        self, entry: Entry, prefix: str, converter: Converter, is_wide: bool
    ) -> Interface:
        function = _c_function(entry)
        own = Converter(function, self.f90, self._c, self._spec, is_wide)
        taken = _taken(function)
        declared = (f"{own.fill(p, own.cells(p).c_type)} :: {p.name}" for p in taken)
        return Interface(
            name=f"c_{prefix}{entry.c_name}",
            symbol=prefix + entry.c_name,
            names=tuple(p.name for p in taken),
            declarations=tuple(declared),
            result=C_NUMBERS[self._c.returns(function)],
            lengths=converter.length_functions(),
        )

    def _call(self, entry: Entry, prefix: str, converter: Converter) -> str:
        own = {p.name: p for p in entry.parameters}
        taken = [own.get(p.name, p) for p in _taken(_c_function(entry))]
        actuals = ", ".join(converter.actual(p) for p in taken)
        return f"c_{prefix}{entry.c_name}({actuals})"

    def _steps(self, entry: Entry, prefix: str, converter: Converter) -> Iterator[Step]:
        call = self._call(entry, prefix, converter)
        if entry.is_function:
            yield AnswerC(call, prefix + entry.name)
            return
        predefined = self._predefined(entry)
        yield DeclareCode()
        yield from map(Declare, converter.filled(lambda row: row.local))
        yield from (Declare(f"external :: {c.name}") for _, c in predefined)
        yield from map(CopyIn, converter.filled(lambda row: row.before))
        for parameter, constant in predefined:
            number = constant.value or 0
            yield NumberPredefined(f"c_{parameter.name}", constant.name, number)
        yield from map(Tell, self._beforehand(entry, converter))
        yield CallC(call)
        yield from map(CopyOut, converter.filled(lambda row: row.always))
        if entry.has_ierror:
            yield GiveErrorIfAsked() if entry.language == "f08" else GiveError()
        results: list[Step] = [*map(CopyOut, converter.filled(lambda row: row.after))]
        results += map(Tell, self._afterwards(entry, converter))
        yield from [StopOnError(), *results] if results else []

    def _predefined(self, entry: Entry) -> list[tuple[Parameter, Constant]]:
        """The predefined callbacks that an argument may be; C knows them by numbers."""
        return [
            (parameter, constant)
            for parameter in _of_class(entry, KindClass.CALLBACK)
            for constant in self._spec.constants.values()
            if constant.form is Form.FUNCTION
            and constant.callback == parameter.argument.callback
        ]

    @staticmethod
    def _attribute_of(entry: Entry, converter: Converter) -> str:
        """What an attribute is of: kind and handle of the object, and the key."""
        handle = _handles(entry)[0]
        keyval = _of_class(entry, KindClass.KEYVAL)[0]
        actuals = f"{converter.actual(handle)}, {converter.actual(keyval)}"
        return f"{handle.kind.tag}, {actuals}"

    def _beforehand(self, entry: Entry, converter: Converter) -> Iterator[str]:
        for p in _of_class(entry, KindClass.ATTRIBUTE):
            if not p.argument.is_out:
                attribute = self._attribute_of(entry, converter)
                value = converter.actual(p)
                yield f"call oriel_attribute_is_integer({attribute}, {value})"

    def _afterwards(self, entry: Entry, converter: Converter) -> Iterator[str]:
        attributes = _of_class(entry, KindClass.ATTRIBUTE)
        if _of_class(entry, KindClass.CALLBACK):
            yield self._callback_caller(entry, converter)
        elif attributes and attributes[0].argument.is_out:
            flag = _of_class(entry, KindClass.LOGICAL)[0].name
            name = attributes[0].name
            attribute = self._attribute_of(entry, converter)
            value = f"oriel_attribute_integer({attribute}, c_{name})"
            yield f"if ({flag}) {name} = int({value}, kind({name}))"
        elif not attributes and entry.calls_large and entry.procedure.sized:
            made = _made(entry)
            yield f"call oriel_{made.kind.object}_is_small(c_{made.name})"

    def _callback_caller(self, entry: Entry, converter: Converter) -> str:
        """The callbacks are Fortran's: the core is to call them so."""
        states = _of_class(entry, KindClass.STATE)
        keyvals = _of_class(entry, KindClass.KEYVAL)
        if keyvals:
            short = "_mpi1" if self.f90.type(states[0]) == "INTEGER" else ""
            return f"call keyval_calls_fortran{short}({converter.actual(keyvals[0])})"
        made = _made(entry)
        is_large = entry.is_large and entry.procedure.is_large_by_name
        function = f"{made.kind.object}_calls_fortran{'_large' if is_large else ''}"
        given = ", ".join([f"c_{made.name}", *(p.name for p in states[:1])])
        return f"call {function}({given})"


def _c_function(entry: Entry) -> Entry:
    """The C function that an entry calls."""
    functions = c_entries(entry.procedure)
    return next(e for e in functions if e.name == entry.c_name)


def _taken(function: Entry) -> tuple[Parameter, ...]:
    """The arguments of a C function that can be passed."""
    variadic = KindClass.VARIADIC
    return tuple(p for p in function.parameters if p.kind.kind_class is not variadic)


def _of_class(entry: Entry, kind_class: KindClass) -> tuple[Parameter, ...]:
    return tuple(p for p in entry.parameters if p.kind.kind_class is kind_class)


def _handles(entry: Entry) -> tuple[Parameter, ...]:
    return tuple(p for p in entry.parameters if p.kind.is_handle)


def _made(entry: Entry) -> Parameter:
    """The handle of the object that a procedure makes."""
    return next(p for p in _handles(entry) if not p.argument.is_in)
