# SPDX-License-Identifier: BSD-3-Clause
"""Properties of procedures that take error handlers, strings, or handles that may stand
for nothing, as calls of the real library.
"""

from collections.abc import Iterator

from common import HANDLES
from property_text import SOMEWHERE, condition, gives_back, on_each
from property_values import Use, numbers

# What makes an error handler for an object that a procedure creates.
HANDLERS = {"COMMUNICATOR": "comm_errhandler", "SESSION": "session_errhandler"}


# ---- error handlers given as arguments -----------------------------------------------
def handlers(use: Use) -> Iterator[list[str]]:
    """The handler given for what a call would make hears the errors of that call, and
    MPI_COMM_SELF's does not (MPI-4.1 7.4.2, 11.3.1)."""
    given = [a for a in use.arguments if a.kind.name == "ERRHANDLER" and a.is_in]
    made = [a for a in use.arguments if a.kind.name in HANDLERS and not a.is_in]
    if not given or not made:
        return
    handler = {given[0].name: HANDLERS[made[0].kind.name]}
    for argument in use.arguments:
        if argument in given:
            continue
        bad, error = "", ""
        if argument.kind.is_handle and argument.is_in:
            bad = f"({HANDLES[argument.kind.name]})(intptr_t)STALE"
            error = argument.kind.error
        elif argument.kind.name == "STRING":
            bad, error = "NULL", "MPI_ERR_ARG"
        elif argument.domains:
            bad, error = "-77", argument.domains[0].error
        elif argument.is_out:
            bad, error = "NULL", "MPI_ERR_ARG"
        if bad:
            yield [
                condition(f"{argument.name} bad"),
                "listen();",
                f"CALL({use.call({**handler, argument.name: bad})});",
                f"gives({error});",
                'holds(heard == 1, "the handler of the call hears its error");',
                'holds(overheard == 0, "no other handler hears it");',
                "do_not_listen();",
            ]


# ---- strings -------------------------------------------------------------------------
def strings(use: Use) -> Iterator[list[str]]:
    """An empty string, or one longer than all limits, does no harm."""
    if use.record.is_meeting:
        return
    for argument in use.arguments:
        if argument.kind.name != "STRING" or not argument.is_in:
            continue
        for what, value in (("empty", '""'), ("long", "long_text")):
            yield [
                condition(f"{argument.name} {what}"),
                f"CALL({use.call({argument.name: value})});",
                *gives_back(use),
                "returns();",
            ]


# ---- handles of nothing --------------------------------------------------------------
def null_handles(use: Use) -> Iterator[list[str]]:
    """A handle that may be null serves as such. Where two communicators meet it matters
    in one process only, and meetings need groups that differ."""
    alike = [a for a in use.record.handles_in if a.kind.name == "COMMUNICATOR"]
    if use.record.is_raw or use.record.is_meeting or len(alike) > 1:
        return
    for argument in use.record.handles_in:
        if not argument.null_ok:
            continue
        null = argument.kind.null
        is_value = not (argument.is_out or argument.by_pointer)
        given = {argument.name: null if is_value else numbers(use, argument, null)}
        lines = [condition(f"{argument.name} {null}"), f"CALL({use.call(given)});"]
        yield on_each(use, [*lines, *gives_back(use), SOMEWHERE])
