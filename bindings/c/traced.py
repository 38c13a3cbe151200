# SPDX-License-Identifier: BSD-3-Clause
"""What the tracer keeps of a call, as kinds and clauses of its record say: the object on
which it works, the peer, the bytes, and a number such as the type of a lock.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from bindings.c.steps import value
from codegen.entries import Entry
from codegen.kinds import KindClass
from codegen.model import Argument, Direction
from codegen.rules import OneOf

NOTHING = "TRACE_NONE"
EVERYBODY = "all"  # what a record is collective over


def is_traced(entry: Entry) -> bool:
    """It works on something that the library has while it runs, or starts or ends it."""
    procedure = entry.procedure
    is_start = procedure.collective == EVERYBODY
    return procedure.returns_error and (is_start or not procedure.anytime)


def _has_ranks(argument: Argument) -> bool:
    """A handle of an object whose processes have met."""
    kind = argument.kind
    return kind.is_handle and kind.has_ranks and not kind.is_unmet


def _handle(argument: Argument) -> str:
    """The value of a handle; a program may give no address where one is due."""
    text = value(argument)
    return f"{argument.name} ? {text} : NULL" if text != argument.name else text


def _is_number(argument: Argument) -> bool:
    """An integer that goes in."""
    is_plain = not argument.is_out and not argument.is_array
    return is_plain and argument.kind.is_integral


@dataclass(frozen=True)
class Traced:
    """A C function, and what is kept of its calls: expressions of C."""

    entry: Entry
    number: int

    @property
    def _arguments(self) -> tuple[Argument, ...]:
        return tuple(parameter.argument for parameter in self.entry.parameters)

    @property
    def _object(self) -> Argument | None:
        """The window or communicator."""
        ranked = (a for a in self._arguments if _has_ranks(a) and a.is_in)
        return next((a for a in ranked if not a.is_array), None)

    @property
    def _peer(self) -> Argument | None:
        """The rank of another process, or of the root."""
        numbers = (a for a in self._arguments if _is_number(a))
        return next((a for a in numbers if any(d.rule.group for d in a.domains)), None)

    @property
    def object(self) -> str:
        """Its number in the trace."""
        found = self._object
        if not found:
            return NOTHING
        return f"trace_{found.kind.object}({_handle(found)})"

    @property
    def peer(self) -> str:
        """Its rank among those of the object."""
        return self._peer.name if self._peer else NOTHING

    @property
    def bytes(self) -> str:
        """Of the first buffer with a count and a datatype."""
        arguments = self._arguments
        types = [a for a in arguments if a.kind.is_datatype and not a.is_out]
        if not self.entry.procedure.has_choice or not types or types[0].is_array:
            return "0"
        before = arguments[arguments.index(types[0]) - 1]
        size = f"trace_type_bytes({types[0].name})"
        if before.is_choice:
            return size
        return f"(uint64_t){before.name} * {size}" if _is_number(before) else "0"

    @property
    def detail(self) -> str:
        """A union of constants, or one of several."""
        for argument in filter(_is_number, self._arguments):
            rules = [domain.rule for domain in argument.domains]
            if argument.kind.is_mask or any(isinstance(r, OneOf) for r in rules):
                return argument.name
        return "0"

    @property
    def _made(self) -> Iterator[Argument]:
        """Windows and communicators that it makes."""
        return (a for a in self._arguments if _has_ranks(a) and not a.is_in)

    @property
    def _freed(self) -> Argument | None:
        """The object that it frees."""
        found = self._object
        return found if found and found.frees else None

    @property
    def _named(self) -> Argument | None:
        """The object to which it gives a name."""
        is_string = [a.kind.kind_class is KindClass.STRING for a in self._arguments]
        gives = any(is_string) and not any(a.is_out for a in self._arguments)
        return self._object if gives else None

    @property
    def _is_for_all(self) -> bool:
        """It starts or ends the library."""
        return self.entry.procedure.collective == EVERYBODY

    @property
    def before(self) -> tuple[str, ...]:
        """What is done before the call."""
        lines = ["trace_library_ends();"] if self._is_for_all else []
        if self._freed:
            ends = f"trace_{self._freed.kind.object}_ends"
            lines.append(f"{ends}({_handle(self._freed)});")
        return tuple(lines)

    @property
    def after(self) -> tuple[str, ...]:
        """What is done after one that has succeeded."""
        lines = ["trace_library_begins();"] if self._is_for_all else []
        lines += [f"trace_{a.kind.object}_begins(*{a.name});" for a in self._made]
        if self._named:
            is_named = f"trace_{self._named.kind.object}_named"
            lines.append(f"{is_named}({_handle(self._named)});")
        succeeded = [f"if (err == MPI_SUCCESS) {line}" for line in lines]
        return (*succeeded, "return err;") if succeeded else ()

    @property
    def result(self) -> str:
        """What becomes of the result."""
        return "int err =" if self.after else "return"

    @property
    def passed(self) -> str:
        """The arguments."""
        return ", ".join(argument.name for argument in self._arguments)

    @property
    def works_on(self) -> str:
        """What its object is: "window", "communicator"; "-" if it has none."""
        return self._object.kind.object if self._object else "-"

    @property
    def data(self) -> str:
        """Which way the caller's data go: "-" without any."""
        ways = {a.direction for a in self._arguments if a.is_choice}
        if not ways:
            return "-"
        if len(ways) > 1 or Direction.INOUT in ways:
            return "both"
        return "out" if Direction.IN in ways else "in"

    @property
    def shared(self) -> str:
        """Who must call it."""
        return "collective" if self.entry.procedure.collective else "local"


def traced_calls(entries: tuple[Entry, ...]) -> tuple[Traced, ...]:
    """The functions that are traced, numbered from 0."""
    found = filter(is_traced, entries)
    return tuple(Traced(entry, number) for number, entry in enumerate(found))
