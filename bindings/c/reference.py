# SPDX-License-Identifier: BSD-3-Clause
"""The comment above a procedure in mpi.h."""

from collections.abc import Iterator
from textwrap import wrap

from codegen.model import Argument, Procedure
from codegen.words import domain_demands, freedoms

_WIDTH = 85


def _fill(text: str, width: int, start: str) -> Iterator[str]:
    """Lines of so many columns; all but the first begin with `start`."""
    lines = wrap(text, width, break_on_hyphens=False, drop_whitespace=True)
    yield from (start * (place > 0) + line for place, line in enumerate(lines))


def _callers(procedure: Procedure) -> str:
    if procedure.collective == "all":
        return "Called by all processes."
    if procedure.collective:
        return f"Called by all processes of {procedure.collective}."
    return "Local."


def summary(procedure: Procedure) -> Iterator[str]:
    """The first lines of the comment, which they open."""
    text = f"/* {procedure.standard} {procedure.section}. {procedure.summary} "
    text += _callers(procedure)
    if procedure.raised_on:
        text += f" Raises errors on {procedure.errors}."
    if procedure.deprecated:
        text += f" Deprecated in MPI-{procedure.deprecated}."
    return _fill(text, _WIDTH, " * ")


def _demands(argument: Argument) -> Iterator[str]:
    """ ">= 0 (MPI_ERR_COUNT)", "may be MPI_INFO_NULL"."""
    for words, error in domain_demands(argument):
        yield f"{words} ({error})"
    yield from freedoms(argument)


def arguments(procedure: Procedure) -> Iterator[str]:
    """The lines about the arguments."""
    given = procedure.arguments_in("c")
    longest = max((len(a.name) for a in given), default=0)
    for argument in given:
        words = "; ".join([argument.description, *_demands(argument)])
        head = f" *   {argument.direction.value:<5} {argument.name:<{longest}}  "
        first, *rest = _fill(words, 72 - longest, " *" + " " * (longest + 11))
        yield from [head + first, *rest]
