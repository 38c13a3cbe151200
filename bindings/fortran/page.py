# SPDX-License-Identifier: BSD-3-Clause
"""How the standard prints what Fortran has of a record."""

from collections.abc import Iterator

from bindings.fortran.entries import Scheme, f90_entries
from bindings.fortran.text import F90Text
from bindings.fortran.wrap import wrap_fortran
from codegen.entries import Entry
from codegen.model import Procedure

USE_C_PTR = "USE, INTRINSIC :: ISO_C_BINDING, ONLY : C_PTR"


def head(entry: Entry, result: str, dummies: tuple[str, ...]) -> str:
    """The first line of a specific."""
    prefix = f"{result} " if entry.is_function else ""
    large = " !(_c)" if entry.is_large else ""
    return f"{prefix}{entry.generic}({', '.join(dummies)}){large}"


def f90_binding(procedure: Procedure, f90: F90Text) -> Iterator[str]:
    """The interface of the mpi module and mpif.h."""
    entries = f90_entries(procedure)
    if entries:
        entry = entries[0]
        result = f90.result(procedure.returns) if entry.is_function else ""
        yield "Fortran binding"
        yield "  " + head(entry, result, f90.dummies(entry))
        for declaration in f90.declarations(entry):
            yield f"    {declaration.attributes} {', '.join(declaration.names)}"


def _overloaded(entry: Entry, f90: F90Text, longest: int) -> Iterator[str]:
    """One specific of the CPTR interface: default integers are declared first.

    All specifics break their lines where the one with the longest name must.
    """
    first = f"    SUBROUTINE {entry.name}({', '.join(f90.dummies(entry))})"
    yield from wrap_fortran(first, 76 - longest + len(entry.name), hang=8).splitlines()
    declarations = f90.declarations(entry)
    if entry.scheme is Scheme.CPTR:
        yield "        " + USE_C_PTR
    yield "        IMPORT :: MPI_ADDRESS_KIND"
    for declaration in sorted(declarations, key=lambda d: d.attributes != "INTEGER"):
        yield f"        {declaration}"
    yield "    END SUBROUTINE"


def cptr_interface(procedure: Procedure, f90: F90Text) -> Iterator[str]:
    """The generic interface of a procedure that is overloaded with TYPE(C_PTR)."""
    entries = f90_entries(procedure)
    if len(entries) < 2:
        return
    longest = max(len(entry.name) for entry in entries)
    yield f"INTERFACE {procedure.name.upper()}"
    for entry in entries:
        yield from _overloaded(entry, f90, longest)
    yield "END INTERFACE"
