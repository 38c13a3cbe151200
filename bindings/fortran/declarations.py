# SPDX-License-Identifier: BSD-3-Clause
"""Headings and declarations of procedures in Fortran and of interface bodies."""

from collections.abc import Iterator

from bindings.fortran.entries import Scheme
from bindings.fortran.text import F08Text, F90Text, fortran_case
from codegen.entries import Entry, Parameter
from codegen.kinds import KindClass
from codegen.model import Procedure


class FortranDeclarations:
    """The first and last statements and the declarations of entries."""

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
        """The names that an interface body of mpif.h imports."""
        if entry.scheme is Scheme.CPTR:
            yield "USE, INTRINSIC :: ISO_C_BINDING, ONLY : C_PTR"
        lines = self.declarations(entry, prefix)
        for name in ("MPI_ADDRESS_KIND", "MPI_COUNT_KIND", "MPI_STATUS_SIZE"):
            if any(name in line for line in lines):
                yield f"IMPORT :: {name}"

    @staticmethod
    def directives(entry: Entry, prefix: str) -> Iterator[str]:
        """Lines for gfortran, which are comments to others: it warns of calls of what
        is deprecated, as compilers of C do, but not of a tool's calls."""
        if entry.procedure.deprecated and not prefix:
            yield f"!GCC$ ATTRIBUTES DEPRECATED :: {entry.name}"

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
