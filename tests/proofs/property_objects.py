# SPDX-License-Identifier: BSD-3-Clause
"""Properties of procedures that take keys of attributes, error handlers, strings, or
handles that may stand for nothing, as calls of the real library.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from common import HANDLES, implemented
from property_text import SOMEWHERE, condition, gives_back, on_each
from property_values import Use, numbers

from codegen.model import Argument, Procedure, Spec

# What makes an error handler for an object that a procedure creates.
HANDLERS = {"COMMUNICATOR": "comm_errhandler", "SESSION": "session_errhandler"}


# ---- keys that have been freed -------------------------------------------------------
@dataclass(frozen=True)
class Keys:
    """The procedures of one section for keys, and for attributes of one kind."""

    spec: Spec
    create: Procedure
    free: Procedure
    put: Procedure
    get: Procedure
    delete: Procedure

    @property
    def lines(self) -> list[str]:
        """Statements: a key in use serves until its last attribute is gone."""
        return [
            "int key = 0, flag = 0;",
            "void *value = NULL, *mark = slot[0];",
            *self.succeeds(self.create, "a key is made", "&key"),
            *self.succeeds(self.put, "an attribute is put", "key", "mark"),
            "int freed = key;",
            *self.succeeds(self.free, "a key in use is freed", "&freed"),
            'holds(freed == MPI_KEYVAL_INVALID, "the key is MPI_KEYVAL_INVALID");',
            *self.succeeds(self.get, "the key has been freed", "key"),
            'holds(flag && value == mark, "the attribute is still there");',
            *self.succeeds(self.delete, "the key has been freed", "key"),
            *self.call(self.get, "the last attribute of the key is gone", "key"),
            "gives(MPI_ERR_KEYVAL);",
        ]

    def call(
        self, record: Procedure, when: str, key: str, value: str = "&value"
    ) -> list[str]:
        """Statements that call one of them with the variables of the block."""
        values = {"keyval": key, "attribute": value, "state": "NULL"}
        given = {
            a.name: values[a.kind.kind_class.value]
            for a in record.arguments
            if a.kind.kind_class.value in values
        }
        flags = [a.name for a in record.arguments if a.kind.name == "LOGICAL"]
        given |= {name: "&flag" for name in flags}
        call = Use(self.spec, record, False).call(given)
        return [f'procedure = "{record.name}";', condition(when), f"CALL({call});"]

    def succeeds(self, *described: Any) -> list[str]:
        """The same, with the claim that it succeeds."""
        return [*self.call(*described), "gives(MPI_SUCCESS);"]


def keys(spec: Spec) -> Iterator[list[str]]:
    """A block for each section that has keys."""
    sections: dict[str, list[Procedure]] = {}
    for record in implemented(spec, "c"):
        if any(a.kind.name == "KEYVAL" for a in record.arguments):
            sections.setdefault(record.section, []).append(record)
    for records in sections.values():
        yield Keys(spec, *(next(filter(is_it, records)) for is_it in ROLES)).lines


def _creates(record: Procedure) -> bool:
    return any(a.callback for a in record.arguments)


def _frees(record: Procedure) -> bool:
    return any(a.kind.name == "KEYVAL" and a.frees for a in record.arguments)


def _attribute(record: Procedure) -> Argument | None:
    found = [a for a in record.arguments if a.kind.kind_class.value == "attribute"]
    return found[0] if found else None


def _puts(record: Procedure) -> bool:
    found = _attribute(record)
    return found is not None and not found.is_out


def _gets(record: Procedure) -> bool:
    found = _attribute(record)
    return found is not None and found.is_out


def _deletes(record: Procedure) -> bool:
    return not (_creates(record) or _frees(record) or _attribute(record))


ROLES = (_creates, _frees, _puts, _gets, _deletes)


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
