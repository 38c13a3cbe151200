# SPDX-License-Identifier: BSD-3-Clause
"""Plans the entry points in Fortran: how each converts its arguments, calls the C
function and converts the results.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bindings.c.entries import c_entries
from bindings.c.text import CText
from bindings.fortran.arguments import C_NUMBERS, FortranArguments
from bindings.fortran.declarations import FortranDeclarations
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
from bindings.fortran.text import F08Text, F90Text
from codegen.entries import Entry, Parameter
from codegen.kinds import KindClass
from codegen.model import Constant, Form, Spec
from codegen.steps import Step


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
        arguments = FortranArguments(entry, text, self._c, self._spec, is_wide)
        declarations = self.declarations(entry, prefix)
        steps = self._steps(entry, prefix, arguments)
        return FortranPlan(
            heading=self.heading(entry, prefix),
            ending=self.ending(entry, prefix),
            uses=tuple(self._uses(entry, declarations, is_wide)),
            declarations=declarations,
            interface=self._interface(entry, prefix, arguments, is_wide),
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
        self, entry: Entry, prefix: str, arguments: FortranArguments, is_wide: bool
    ) -> Interface:
        function = _c_function(entry)
        own = FortranArguments(function, self.f90, self._c, self._spec, is_wide)
        taken = _taken(function)
        declared = (f"{own.fill(p, own.cells(p).c_type)} :: {p.name}" for p in taken)
        return Interface(
            name=f"c_{prefix}{entry.c_name}",
            symbol=prefix + entry.c_name,
            names=tuple(p.name for p in taken),
            declarations=tuple(declared),
            result=C_NUMBERS[self._c.returns(function)],
            lengths=arguments.length_functions(),
        )

    def _call(self, entry: Entry, prefix: str, arguments: FortranArguments) -> str:
        own = {p.name: p for p in entry.parameters}
        taken = [own.get(p.name, p) for p in _taken(_c_function(entry))]
        actuals = ", ".join(arguments.actual(p) for p in taken)
        return f"c_{prefix}{entry.c_name}({actuals})"

    def _steps(
        self, entry: Entry, prefix: str, arguments: FortranArguments
    ) -> Iterator[Step]:
        call = self._call(entry, prefix, arguments)
        if entry.is_function:
            yield AnswerC(call, prefix + entry.name)
            return
        predefined = self._predefined(entry)
        yield DeclareCode()
        yield from map(Declare, arguments.filled(lambda row: row.local))
        yield from (Declare(f"external :: {c.name}") for _, c in predefined)
        yield from map(CopyIn, arguments.filled(lambda row: row.before))
        for parameter, constant in predefined:
            number = constant.value or 0
            yield NumberPredefined(f"c_{parameter.name}", constant.name, number)
        yield from map(Tell, self._beforehand(entry, arguments))
        yield CallC(call)
        yield from map(CopyOut, arguments.filled(lambda row: row.always))
        if entry.has_ierror:
            yield GiveErrorIfAsked() if entry.language == "f08" else GiveError()
        results: list[Step] = [*map(CopyOut, arguments.filled(lambda row: row.after))]
        results += map(Tell, self._afterwards(entry, arguments))
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
    def _attribute_of(entry: Entry, arguments: FortranArguments) -> str:
        """The owner of an attribute: kind and handle of the object, and the key."""
        handle = _handles(entry)[0]
        keyval = _of_class(entry, KindClass.KEYVAL)[0]
        actuals = f"{arguments.actual(handle)}, {arguments.actual(keyval)}"
        return f"{handle.kind.tag}, {actuals}"

    def _beforehand(self, entry: Entry, arguments: FortranArguments) -> Iterator[str]:
        for p in _of_class(entry, KindClass.ATTRIBUTE):
            if not p.argument.is_out:
                attribute = self._attribute_of(entry, arguments)
                value = arguments.actual(p)
                yield f"call oriel_attribute_is_integer({attribute}, {value})"

    def _afterwards(self, entry: Entry, arguments: FortranArguments) -> Iterator[str]:
        attributes = _of_class(entry, KindClass.ATTRIBUTE)
        if _of_class(entry, KindClass.CALLBACK):
            yield self._callback_caller(entry, arguments)
        elif attributes and attributes[0].argument.is_out:
            flag = _of_class(entry, KindClass.LOGICAL)[0].name
            name = attributes[0].name
            attribute = self._attribute_of(entry, arguments)
            value = f"oriel_attribute_integer({attribute}, c_{name})"
            yield f"if ({flag}) {name} = int({value}, kind({name}))"
        elif not attributes and entry.calls_large and entry.procedure.sized:
            made = _made(entry)
            yield f"call oriel_{made.kind.object}_is_small(c_{made.name})"

    def _callback_caller(self, entry: Entry, arguments: FortranArguments) -> str:
        """The callbacks are Fortran's: the core is to call them so."""
        states = _of_class(entry, KindClass.STATE)
        keyvals = _of_class(entry, KindClass.KEYVAL)
        if keyvals:
            short = "_mpi1" if self.f90.type(states[0]) == "INTEGER" else ""
            return f"call keyval_calls_fortran{short}({arguments.actual(keyvals[0])})"
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
