# SPDX-License-Identifier: BSD-3-Clause
"""Plans the entry points in C that Fortran calls with choice buffers: those of mpi_f08,
those of mpi and mpif.h, which do the same, and those without an interface.
"""

from collections.abc import Iterable, Iterator

from bindings.f08.buffer_steps import (
    Alias,
    AnyFunction,
    BeginWell,
    Buffer,
    CallFortranIfOpen,
    CallIfOpen,
    Close,
    DeclareBuffer,
    DeclareTyped,
    DeclareTypedIf,
    Export,
    FortranNumber,
    Function,
    GiveCode,
    GiveResults,
    Hidden,
    IdentifyCall,
    Ignore,
    OpenFirst,
    OpenIf,
    Own,
    TellBytes,
    Touch,
    UnlessReplaced,
    UseAny,
)
from bindings.c.text import CText
from bindings.f08.choice_arguments import ChoiceArguments
from bindings.fortran.entries import f90_entries, implicit_entries, linker_name
from codegen.entries import Entry, Parameter
from bindings.fortran.steps import CallC, CopyIn, CopyOut, Declare, GiveErrorIfAsked
from codegen.plan import raiser_of
from codegen.steps import Step


class ChoicePlanner:
    """Plans the entries of a table; `is_wide` where INTEGER is wider than C's int."""

    def __init__(self, c: CText) -> None:
        self._c = c

    def parts(self, entries: Iterable[Entry], is_wide: bool) -> Iterator[list[Step]]:
        """The parts of the file for each entry with choice buffers and its twin."""
        for entry in entries:
            wanted = entry.widened if is_wide else entry
            for prefix in ("", "P"):
                arguments = ChoiceArguments(wanted, self._c)
                yield [*_EntryParts(arguments, prefix, entry.is_large).parts()]


class _EntryParts:
    """The functions of one entry, or of its twin if there is a prefix."""

    def __init__(self, arguments: ChoiceArguments, prefix: str, is_large: bool) -> None:
        self._arguments = arguments
        self._entry = arguments.entry
        self._procedure = arguments.entry.procedure
        self._prefix = prefix
        self._is_large = is_large
        self._symbol = linker_name(prefix + self._entry.name)

    def parts(self) -> Iterator[Step]:
        """The parts of the file."""
        head = self._head(self._symbol)
        is_theirs = self._procedure.is_in_language("f08")
        yield Export(head) if is_theirs else Hidden(head)
        if self._procedure.is_in_language("c"):
            yield from self._any_function("any_" + self._prefix, "")
            yield Function(head, tuple(self._usual_steps()))
        else:
            yield Function(head, tuple(self._own_steps()))
        if not self._is_large:
            yield from self._of_mpi()

    def _head(self, name: str, buffer: str = "const struct descriptor *") -> str:
        return f"void {name}({self._arguments.parameters(buffer)})"

    # ---- the usual function ----------------------------------------------------------
    def _usual_steps(self) -> Iterator[Step]:
        """For simple sections; others are another function's."""
        tests = tuple(f"!is_simple({p.name})" for p in self._arguments.sections)
        if tests:
            name = f"any_{self._prefix}{self._entry.name}"
            yield UseAny(tests, f"{name}({self._arguments.names()})")
        yield from self._direct_steps(self._arguments.simple_call(self._prefix))

    def _direct_steps(self, call: str) -> Iterator[Step]:
        """Arguments are converted, a function in C is called, and results converted."""
        yield from self._copies_in()
        yield CallC(call)
        yield from self._results()

    def _copies_in(self, of_arrays: bool = False) -> Iterator[Step]:
        arguments = self._arguments
        yield from map(Declare, arguments.filled(lambda row: row.local, of_arrays))
        yield from map(CopyIn, arguments.filled(lambda row: row.before, of_arrays))

    def _results(self) -> Iterator[Step]:
        yield from map(CopyOut, self._arguments.filled(lambda row: row.always))
        after = tuple(self._arguments.filled(lambda row: row.after))
        if after:
            yield GiveResults(after)
        yield GiveErrorIfAsked()

    def _own_steps(self) -> Iterator[Step]:
        """A procedure that C lacks tells the bytes of a variable, or does nothing."""
        parameters = self._entry.parameters
        variable = next(p.name for p in parameters if p.argument.is_choice)
        sizes = [p for p in parameters if p.kind.is_integral and p.argument.is_out]
        yield TellBytes(sizes[0].name, variable) if sizes else Touch(variable)

    # ---- the function for any sections -----------------------------------------------
    def _any_function(self, prefix: str, plain: str) -> Iterator[Step]:
        """The function for any sections: calls C, or the procedure `plain` in Fortran."""
        if self._arguments.sections:
            steps = tuple(self._any_steps(plain))
            yield AnyFunction(self._head(prefix + self._entry.name), steps)

    def _any_steps(self, plain: str) -> Iterator[Step]:
        arguments, raised_on = self._arguments, raiser_of(self._procedure)
        tag = raised_on.kind.tag if raised_on else "0"
        yield IdentifyCall(self._entry.c_name, tag)
        yield from self._copies_in(of_arrays=bool(plain))
        yield from map(self._declared, arguments.sections)
        yield from self._openings()
        handle = f"(uintptr_t)*{raised_on.name}" if raised_on else "0"
        if plain:
            numbers = tuple(self._fortran_numbers())
            yield CallFortranIfOpen(arguments.fortran_call(plain), handle, numbers)
        else:
            yield CallIfOpen(arguments.call(self._prefix), handle)
        for p in arguments.sections:
            yield Close(arguments.closing(p, is_fortran=bool(plain)))
        yield from [GiveCode()] if plain else self._results()

    def _declared(self, p: Parameter) -> Step:
        way = self._arguments.way(p)
        if way is not Buffer.TYPED:
            return DeclareBuffer(way, p.name)
        if not self._arguments.uses(p):
            return DeclareTyped(p.name)
        count, datatype = map(self._arguments.actual, self._arguments.told(p)[:2])
        return DeclareTypedIf(p.name, count, datatype)

    def _openings(self) -> Iterator[Step]:
        first, *others = self._arguments.sections
        used = self._arguments.uses(first)
        if used:
            yield BeginWell()
            yield OpenIf(self._arguments.opening(first), used)
        else:
            yield OpenFirst(self._arguments.opening(first))
        for p in others:
            terms = ("code == 0", *self._arguments.uses(p))
            yield OpenIf(self._arguments.opening(p), terms)

    def _fortran_numbers(self) -> Iterator[FortranNumber]:
        """The count and the datatype of a section, as Fortran passes them."""
        for p in self._arguments.sections:
            if self._arguments.way(p) is Buffer.TYPED:
                kind = self._arguments.fortran_number(self._arguments.told(p)[0])
                value = f"({kind})c_{p.name}.count"
                yield FortranNumber(kind, f"{p.name}_count", value)
                value = f"(fortran_integer)(intptr_t)c_{p.name}.type"
                yield FortranNumber("fortran_integer", f"{p.name}_type", value)

    # ---- mpi and mpif.h --------------------------------------------------------------
    def _of_mpi(self) -> Iterator[Step]:
        """The procedures of mpi and mpif.h, and the one without an interface."""
        plain = ""
        for entry in implicit_entries(self._procedure):
            plain = linker_name(self._prefix + entry.name)
            head = self._head(plain, "void *")
            yield Export(head)
            yield Function(head, tuple(self._address_steps()))
        for twin in f90_entries(self._procedure):
            name = linker_name(self._prefix + twin.name)
            if plain and not self._prefix:
                yield from self._unless_replaced(name, plain)
            else:
                yield Alias(name, self._symbol)

    def _address_steps(self) -> Iterator[Step]:
        """The procedure for programs that know no interface."""
        if self._procedure.is_in_language("c"):
            call = self._arguments.call_of_addresses(self._prefix)
            yield from self._direct_steps(call)
        else:
            yield from (Ignore(p.name) for p in self._entry.parameters)

    def _unless_replaced(self, twin: str, plain: str) -> Iterator[Step]:
        """What mpi and mpif.h call does what mpi_f08 does, unless the plain name is
        another's."""
        yield Own(plain)
        yield Own(self._symbol)
        others = [*self._any_function("plain_", plain)]
        yield from others
        names = self._arguments.names()
        call = f"plain_{self._entry.name}({names})"
        if not others:
            call = self._arguments.fortran_call(plain)
        head = self._head(twin)
        yield Export(head)
        own_call = f"own_{self._symbol}({names})"
        yield Function(head, (UnlessReplaced(plain, call, own_call),))
