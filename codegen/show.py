# SPDX-License-Identifier: BSD-3-Clause
"""Prints a record as the standard prints a procedure, and what Oriel checks of it."""

from collections.abc import Iterator

from codegen.c_text import CText
from codegen.expand import Entry, Scheme, c_entries, f08_entries, f90_entries
from codegen.fortran_text import F08Text, F90Text
from codegen.language import LanguageTable
from codegen.model import Argument, Procedure
from codegen.rules import Condition, Domain
from codegen.wrap import wrap_fortran

USE_C_PTR = "USE, INTRINSIC :: ISO_C_BINDING, ONLY : C_PTR"


# ---- language-independent ------------------------------------------------------------
def _word(argument: Argument) -> str:
    """What stands in parentheses after the description."""
    if not argument.has_word:
        return ""
    word = argument.kind.word
    return f" (array of {word}s)" if argument.is_array else f" ({word})"


def independent(procedure: Procedure) -> Iterator[str]:
    """The argument list without a language."""
    arguments = procedure.arguments_in("lis")
    yield f"{procedure.name.upper()}({', '.join(a.name for a in arguments)})"
    width = max((len(a.name) for a in arguments), default=0)
    for argument in arguments:
        direction = argument.lis_direction.value.upper()
        text = argument.description + _word(argument)
        yield f"  {direction:<5}  {argument.name:<{width}}  {text}"


# ---- bindings ------------------------------------------------------------------------
def c_binding(procedure: Procedure, c: CText) -> Iterator[str]:
    """The C prototypes."""
    entries = c_entries(procedure)
    if entries:
        yield "C binding"
    for entry in entries:
        yield "  " + c.prototype(entry)


def _head(entry: Entry, result: str, dummies: tuple[str, ...]) -> str:
    prefix = f"{result} " if entry.is_function else ""
    large = " !(_c)" if entry.is_large else ""
    return f"{prefix}{entry.generic}({', '.join(dummies)}){large}"


def f08_binding(procedure: Procedure, f08: F08Text) -> Iterator[str]:
    """The mpi_f08 interfaces."""
    entries = f08_entries(procedure)
    if entries:
        yield "Fortran 2008 binding"
    for entry in entries:
        result = f08.result(procedure.returns) if entry.is_function else ""
        yield "  " + _head(entry, result, f08.dummies(entry))
        declarations = f08.declarations(entry)
        if any("C_PTR" in d.attributes for d in declarations):
            yield "    " + USE_C_PTR
        for declaration in declarations:
            yield f"    {declaration}"


def f90_binding(procedure: Procedure, f90: F90Text) -> Iterator[str]:
    """The interface of the mpi module and mpif.h."""
    entries = f90_entries(procedure)
    if entries:
        entry = entries[0]
        result = f90.result(procedure.returns) if entry.is_function else ""
        yield "Fortran binding"
        yield "  " + _head(entry, result, f90.dummies(entry))
        for declaration in f90.declarations(entry):
            yield f"    {declaration.attributes} {', '.join(declaration.names)}"


def _overloaded(entry: Entry, f90: F90Text, longest: int) -> Iterator[str]:
    """One specific of the CPTR interface: default integers are declared first.

    All specifics break their lines where the one with the longest name must.
    """
    head = f"    SUBROUTINE {entry.name}({', '.join(f90.dummies(entry))})"
    yield from wrap_fortran(head, 76 - longest + len(entry.name), hang=8).splitlines()
    declarations = f90.declarations(entry)
    if entry.scheme is Scheme.CPTR:
        yield "        " + USE_C_PTR
    yield "        IMPORT :: MPI_ADDRESS_KIND"
    for declaration in sorted(declarations, key=lambda d: d.attributes != "INTEGER"):
        yield f"        {declaration}"
    yield "    END SUBROUTINE"


def cptr_interface(procedure: Procedure, f90: F90Text) -> Iterator[str]:
    """The generic interface of a procedure that is overloaded with TYPE(C_PTR)."""
    if not procedure.has_cptr:
        return
    entries = f90_entries(procedure)
    longest = max(len(entry.name) for entry in entries)
    yield f"INTERFACE {procedure.name.upper()}"
    for entry in entries:
        yield from _overloaded(entry, f90, longest)
    yield "END INTERFACE"


# ---- what is checked -----------------------------------------------------------------
def _condition(condition: Condition) -> str:
    member = f".{condition.member}" if condition.member else ""
    return f"{condition.argument}{member} == {condition.constant}"


def domain_text(domain: Domain) -> str:
    """A domain as the record writes it, without the error class."""
    text = domain.rule.text
    text += "".join(f" or {constant}" for constant in domain.also)
    return text + (f" unless {_condition(domain.unless)}" if domain.unless else "")


def _checks(procedure: Procedure) -> Iterator[str]:
    for argument in procedure.arguments:
        if argument.ignored_if:
            conditions = " or ".join(_condition(c) for c in argument.ignored_if)
            yield f"  {argument.name}: ignored if {conditions}"
        if argument.at_root:
            root = argument.at_root
            yield f"  {argument.name}: ignored but at {root.rank} of {root.argument}"
        if argument.is_in and argument.kind.error and not procedure.is_raw:
            null = " or null" if argument.null_ok else ""
            word = "handle" if argument.kind.is_handle else "key"
            yield f"  {argument.name}: valid {word}{null}, else {argument.kind.error}"
        for domain in argument.domains:
            yield f"  {argument.name}: {domain_text(domain)}, else {domain.error}"


def _facts(procedure: Procedure) -> Iterator[str]:
    over = {"": "local", "all": "collective over all processes"}
    where = over.get(procedure.collective, f"collective over {procedure.collective}")
    raised = {
        "none": "raises no error",
        "self": "errors on MPI_COMM_SELF",
        "returned": "errors are only returned",
    }
    errors = raised.get(procedure.errors, f"errors on {procedure.errors}")
    yield f"{procedure.standard} {procedure.section}, since {procedure.since}; {where}; {errors}"
    if procedure.planned:
        yield "Planned: no binding declares it yet."
    if procedure.deprecated:
        yield f"Deprecated since {procedure.deprecated}."
    yield procedure.summary
    yield from procedure.doc


def show(procedure: Procedure, tables: dict[str, LanguageTable]) -> str:
    """The whole page."""
    f90 = F90Text(tables["f90"])
    parts = [
        independent(procedure),
        c_binding(procedure, CText(tables["c"])),
        f08_binding(procedure, F08Text(tables["f08"])),
        f90_binding(procedure, f90),
        cptr_interface(procedure, f90),
        _facts(procedure),
    ]
    checks = list(_checks(procedure))
    lines = [line for part in parts for line in part]
    return "\n".join(lines + (["Checks", *checks] if checks else [])) + "\n"
