# SPDX-License-Identifier: BSD-3-Clause
"""Fortran 2008: the module mpi_f08."""

from collections.abc import Iterator, Mapping

from bindings.c.text import CText
from bindings.f08 import entries
from bindings.f08.choice_planner import ChoicePlanner
from bindings.fortran import keywords
from bindings.fortran.entries import linker_name
from bindings.fortran.page import USE_C_PTR, head
from bindings.fortran.text import F08Text
from codegen.entries import Entry, callback_entries
from codegen.language import Bindings, Language
from codegen.model import Callback, Procedure


class F08(Language):
    """mpi_f08; its entries call those of C."""

    name = entries.LANGUAGE
    library = "liboriel_fortran"
    title = "Fortran 2008"
    usage = "use mpi_f08"
    suffix = ".f90"

    def entries(self, procedure: Procedure) -> tuple[Entry, ...]:
        return entries.f08_entries(procedure)

    def reserved(self, name: str) -> str:
        return keywords.reserved(name)

    def linker_name(self, name: str) -> str:
        return linker_name(name)

    def names(self, bindings: Bindings) -> Mapping[str, object]:
        """f08            declarations (fortran/text.F08Text)
        f08_entries    entries.Entry, in the table's order; f08_of(procedure): of one record
        choice_entries entries with choice buffers, those of mpi and mpif.h alone, too
        choice         plans of these (choice_planner.ChoicePlanner)
        """
        return {
            "f08": F08Text(self.table),
            "f08_entries": bindings.entries[self.name],
            "f08_of": entries.f08_entries,
            "choice_entries": tuple(entries.choice_entries(bindings.procedures)),
            "choice": ChoicePlanner(CText(bindings.languages["c"].table)),
        }

    def page(self, procedure: Procedure) -> Iterator[str]:
        """The interfaces."""
        text = F08Text(self.table)
        specifics = self.entries(procedure)
        if specifics:
            yield "Fortran 2008 binding"
        for entry in specifics:
            result = text.result(procedure.returns) if entry.is_function else ""
            yield "  " + head(entry, result, text.dummies(entry))
            declarations = text.declarations(entry)
            if any("C_PTR" in d.attributes for d in declarations):
                yield "    " + USE_C_PTR
            for declaration in declarations:
                yield f"    {declaration}"

    def callback_page(self, callback: Callback) -> Iterator[str]:
        """The abstract interfaces."""
        text = F08Text(self.table)
        yield "Fortran 2008 interface"
        for entry in callback_entries(callback):
            dummies = ", ".join(text.callback_dummies(entry))
            yield f"  SUBROUTINE {entry.name}({dummies})"
            for declaration in text.callback_declarations(entry):
                yield f"    {declaration}"


LANGUAGE = F08
