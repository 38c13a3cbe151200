# SPDX-License-Identifier: BSD-3-Clause
"""Prints a record as the standard prints a procedure, and what Oriel checks of it."""

from collections.abc import Iterator, Mapping

from codegen.language import Language
from codegen.model import INDEPENDENT, Procedure, Spec
from codegen.position import nearest
from codegen.rules import Condition, Domain
from codegen.words import kind_words


# ---- by name -------------------------------------------------------------------------
PREFIX = "mpi_"


def _names(procedure: Procedure, languages: Mapping[str, Language]) -> Iterator[str]:
    """Whatever programs and linkers may call it, in lower case."""
    yield procedure.name.lower()
    for language in languages.values():
        for entry in (*language.entries(procedure), *language.undeclared(procedure)):
            yield from (name.lower() for name in (entry.name, entry.pmpi_name))
            yield entry.c_name.lower()


def find(spec: Spec, languages: Mapping[str, Language], wanted: str) -> Procedure:
    """The record that has this name in some language, with or without MPI_, in any
    case; a name that none has is a KeyError that suggests another."""
    records = {
        name: procedure
        for procedure in spec.procedures.values()
        for name in _names(procedure, languages)
    }
    short = wanted.lower()
    for name in (short, PREFIX + short):
        if name in records:
            return records[name]
    near = nearest(short, records) or nearest(PREFIX + short, records)
    known = f"; did you mean '{records[near].name}'?" if near else ""
    raise KeyError(f"{wanted}: no such procedure in the table{known}")


# ---- language-independent ------------------------------------------------------------
def independent(procedure: Procedure) -> Iterator[str]:
    """The argument list without a language."""
    arguments = procedure.arguments_in(INDEPENDENT)
    yield f"{procedure.name.upper()}({', '.join(a.name for a in arguments)})"
    width = max((len(a.name) for a in arguments), default=0)
    for argument in arguments:
        direction = argument.lis_direction.value.upper()
        words = kind_words(argument)
        text = argument.description + (f" ({words})" if words else "")
        yield f"  {direction:<5}  {argument.name:<{width}}  {text}"


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
    if procedure.deprecation:
        yield f"Deprecated {procedure.deprecation}."
    yield procedure.summary
    yield from procedure.doc


def show(procedure: Procedure, languages: Mapping[str, Language]) -> str:
    """The whole page."""
    lines = [*independent(procedure)]
    for language in languages.values():
        lines += language.page(procedure)
    lines += _facts(procedure)
    checks = list(_checks(procedure))
    return "\n".join(lines + (["Checks", *checks] if checks else [])) + "\n"
