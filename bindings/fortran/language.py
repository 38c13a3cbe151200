# SPDX-License-Identifier: BSD-3-Clause
"""Fortran: the module mpi and mpif.h, and what they share with mpi_f08."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from bindings.c.text import CText
from bindings.fortran import entries, keywords
from bindings.fortran.constants import FortranConstants
from bindings.fortran.page import cptr_interface, f90_binding
from bindings.fortran.planner import FortranPlanner
from bindings.fortran.text import F08Text, F90Text, fortran_case
from bindings.fortran.wrap import wrap_both, wrap_fortran, wrap_fortran_lines
from codegen.entries import Entry
from codegen.language import Bindings, Language
from codegen.model import Form, Procedure
from codegen.symbols import Symbol


class F90(Language):
    """mpi and mpif.h; their entries call those of C."""

    name = entries.LANGUAGE
    library = "liboriel_fortran"
    title = "Fortran"
    usage = "use mpi\ninclude 'mpif.h'"

    def entries(self, procedure: Procedure) -> tuple[Entry, ...]:
        return entries.f90_entries(procedure)

    def undeclared(self, procedure: Procedure) -> tuple[Entry, ...]:
        return entries.implicit_entries(procedure)

    def reserved(self, name: str) -> str:
        return keywords.reserved(name)

    def linker_name(self, name: str) -> str:
        return entries.linker_name(name)

    def symbols(self, bindings: Bindings) -> Iterator[Symbol]:
        """Predefined callbacks are constants in C and procedures in Fortran. mpi_f08 and
        mpi share them: a handle type has the layout of an INTEGER."""
        constants = bindings.spec.constants.values()
        for constant in (c for c in constants if c.form is Form.FUNCTION):
            if not bindings.spec.callbacks[constant.callback].planned:
                name, record = self.linker_name(constant.name), constant.name
                symbol = self.support_symbol(name, record, constant.position)
                yield replace(symbol, scheme=entries.Scheme.F90)

    def names(self, bindings: Bindings) -> Mapping[str, object]:
        """f90            declarations (text.F90Text)
        f90_entries    entries.Entry, in the table's order; f90_of(procedure): of one record
        implicit_of(procedure)    entries.Entry that f90_of has not: called by address
        fortran        plans of entries (planner.FortranPlanner), of mpi_f08, too
        constants      constants (constants.FortranConstants), of mpi_f08, too
        """
        f08 = F08Text(bindings.languages["f08"].table)
        f90 = F90Text(self.table)
        c = CText(bindings.languages["c"].table)
        return {
            "f90": f90,
            "f90_entries": bindings.entries[self.name],
            "f90_of": entries.f90_entries,
            "implicit_of": entries.implicit_entries,
            "fortran": FortranPlanner(bindings.spec, c, f08, f90),
            "constants": FortranConstants(bindings.spec, f08, f90),
        }

    def filters(self) -> Mapping[str, Callable[..., str]]:
        return {
            "wrap_fortran": wrap_fortran,
            "wrap_fortran_lines": wrap_fortran_lines,
            "wrap_both": wrap_both,
            "fortran_case": fortran_case,
        }

    def page(self, procedure: Procedure) -> Iterator[str]:
        """The interface, and how it is overloaded."""
        text = F90Text(self.table)
        yield from f90_binding(procedure, text)
        yield from cptr_interface(procedure, text)


LANGUAGE = F90
