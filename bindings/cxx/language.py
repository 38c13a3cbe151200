# SPDX-License-Identifier: BSD-3-Clause
"""C++ as MPI-2 had it: namespace MPI, a header over the C functions. It has no entries of
its own: its members are inline, and tools see the C functions.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from bindings.cxx.classes import Classes
from bindings.cxx.constants import Constants
from bindings.cxx.members import LANGUAGE as NAME
from bindings.cxx.members import Members
from bindings.cxx.page import Page
from bindings.cxx.passing import Types
from bindings.cxx.text import CxxText
from bindings.cxx.wrap import wrap_cxx, wrap_cxx_comment
from codegen.language import Bindings, Language, LanguageTable
from codegen.model import Procedure, Spec


class Cxx(Language):
    """The namespace."""

    name = NAME
    title = "C++"
    usage = "#include <mpi.h> // compiled with mpiCC, else <mpicxx.h>"

    def __init__(self, folder: Path, table: LanguageTable, spec: Spec) -> None:
        super().__init__(folder, table, spec)
        self._classes = Classes(folder / "classes.spec", table, spec)
        self._members = Members(self._classes, spec)
        self._types = Types(table, self._classes)

    def names(self, bindings: Bindings) -> Mapping[str, object]:
        """cxx             text of members (text.CxxText)
        cxx_page        classes with what they declare, functions (page.Page)
        cxx_constants   constants.Constants
        """
        return {
            "cxx": CxxText(self._types),
            "cxx_page": Page(self._classes, self._members, self._types, bindings),
            "cxx_constants": Constants(self._classes, self._types, self.spec),
        }

    def filters(self) -> Mapping[str, Callable[..., str]]:
        return {"wrap_cxx": wrap_cxx, "wrap_cxx_comment": wrap_cxx_comment}

    def page(self, procedure: Procedure) -> Iterator[str]:
        """The members."""
        text = CxxText(self._types)
        members = list(self._members.of(procedure))
        if members:
            yield "C++ binding"
        for member in members:
            yield "  " + text.page(member)


LANGUAGE = Cxx
