# SPDX-License-Identifier: BSD-3-Clause
"""Sums over a trace: what the summary and the page have."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from chrome import grouped
from events import Event, Trace
from files import NONE
from waits import OUTSIDE, Wait, Waits, plain

SHORT = 1024  # bytes: operations up to here are worth putting together
MANY = 8  # so many of them to one target


@dataclass
class WaitRow:
    """Calls of one procedure from one line on one object."""

    name: str
    object: str
    place: str
    number: int  # of the object
    nanoseconds: int = 0
    calls: int = 0
    longest: int = 0
    causes: Counter[int] = field(default_factory=Counter)  # nanoseconds for each rank
    reasons: Counter[str] = field(default_factory=Counter)
    waiting: Counter[int] = field(default_factory=Counter)  # nanoseconds of each rank


@dataclass
class ShortRow:
    """Short operations to one target after another."""

    name: str
    object: str
    place: str
    number: int  # of the object
    between: str = ""  # what is called after each, so that they are not one
    calls: int = 0
    bytes: int = 0
    runs: int = 0


@dataclass
class Traffic:
    """What one process has moved to or from another."""

    operations: int = 0
    bytes: int = 0


class Totals:
    """Sums over all processes."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.waits = Waits(trace).all
        self.rows = self._wait_rows()
        self.short = self._short_rows()
        self.traffic = self._traffic()
        self.blame: Counter[int] = Counter()
        self.reasons: dict[str, Counter[tuple[str, int]]] = defaultdict(Counter)
        for wait in self.waits:
            if wait.cause != NONE:
                self.blame[wait.cause] += wait.event.inside
                text = trace.object_text(wait.event)
                self.reasons[wait.reason][text, wait.cause] += wait.event.inside
        self.inside = self._inside()

    def _key(self, event: Event) -> tuple[int, int, int]:
        return event.procedure, event.object, event.place

    def _wait_rows(self) -> list[WaitRow]:
        rows: dict[tuple[int, int, int], WaitRow] = {}
        for wait in self.waits:
            event = wait.event
            row = rows.get(self._key(event))
            if row is None:
                row = rows[self._key(event)] = WaitRow(*self.words(event), event.object)
            _add_wait(row, wait)
        return sorted(rows.values(), key=lambda row: -row.nanoseconds)

    def words(self, event: Event) -> tuple[str, str, str]:
        """Procedure, object and place of an event."""
        trace = self.trace
        return trace.name(event), trace.object_text(event), trace.places[event.place]

    def is_access(self, event: Event) -> bool:
        """It moves data between this process and another that it names."""
        procedure = self.trace.procedures[event.procedure]
        is_message = event.peer != NONE and procedure.shared == "local"
        return is_message and procedure.data != "-"

    def _short_rows(self) -> list[ShortRow]:
        rows: dict[tuple[int, int, int], ShortRow] = {}
        for group in grouped(self.trace.events):
            for event in group:
                is_short = 0 < event.bytes <= SHORT * event.calls
                if event.calls >= MANY and is_short and self.is_access(event):
                    self._add_short(rows, event, group)
        return sorted(rows.values(), key=lambda row: -row.calls)

    def _add_short(
        self,
        rows: dict[tuple[int, int, int], ShortRow],
        event: Event,
        group: list[Event],
    ) -> None:
        """Add a run; calls that alternate with it may wait for each of it."""
        row = rows.get(self._key(event))
        if row is None:
            words = self.words(event)
            row = rows[self._key(event)] = ShortRow(*words, event.object)
        row.calls += event.calls
        row.bytes += event.bytes
        row.runs += 1
        for other in group:
            is_after = other.object == event.object and not self.is_access(other)
            if is_after and 2 * other.calls > event.calls:
                row.between = f"each is followed by {self.trace.name(other)}"

    def _traffic(self) -> dict[int, dict[tuple[int, int], Traffic]]:
        """By object, and by who calls and whom it names."""
        found: dict[int, dict[tuple[int, int], Traffic]] = {}
        for event in self.trace.events:
            if self.is_access(event):
                pairs = found.setdefault(event.object, {})
                traffic = pairs.setdefault((event.rank, event.peer), Traffic())
                traffic.operations += event.calls
                traffic.bytes += event.bytes
        return found

    def _inside(self) -> dict[int, int]:
        """Nanoseconds of each rank in MPI, start and end apart."""
        inside: dict[int, int] = {p.rank: 0 for p in self.trace.processes}
        names = [plain(procedure.name) for procedure in self.trace.procedures]
        for event in self.trace.events:
            if names[event.procedure] not in OUTSIDE and event.thread == 0:
                inside[event.rank] += event.inside
        return inside


def _add_wait(row: WaitRow, wait: Wait) -> None:
    event = wait.event
    row.nanoseconds += event.inside
    row.calls += event.calls
    row.longest = max(row.longest, event.inside // max(event.calls, 1))
    row.waiting[event.rank] += event.inside
    if wait.cause != NONE:
        row.causes[wait.cause] += event.inside
        row.reasons[wait.reason] += event.inside
