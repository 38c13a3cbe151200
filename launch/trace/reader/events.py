# SPDX-License-Identifier: BSD-3-Clause
"""The calls of all processes, with common times, objects, ranks and places."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from clocks import Clock, clocks
from files import NONE, Object, Procedure, Process, Record, read_folder
from places import Places

Key = tuple[str, tuple[int, ...], int]


class Event(NamedTuple):
    """One call, or a run of calls; times in nanoseconds since the job's first call."""

    begin: int
    end: int
    inside: int  # spent in the calls
    rank: int
    thread: int
    procedure: int
    object: int  # among those of the trace, NONE: it has none
    peer: int  # rank in the job, NONE: none
    calls: int
    bytes: int
    place: int
    detail: int
    is_open: bool  # the last call has not returned


@dataclass
class Shared:
    """A window or communicator, one for all its members."""

    kind: str
    members: tuple[int, ...]
    name: str
    number: int

    @property
    def text(self) -> str:
        """How people call it."""
        return f"'{self.name}'" if self.name else f"{self.kind} {self.number}"


@dataclass
class Trace:
    """A job."""

    processes: list[Process]
    procedures: list[Procedure]
    objects: list[Shared]
    places: list[str]
    events: list[Event]  # by rank, thread and begin
    seconds: float

    @property
    def size(self) -> int:
        """Processes of the job, more than those that have left a file."""
        return max(max(p.size, p.rank + 1) for p in self.processes)

    def name(self, event: Event) -> str:
        """The procedure."""
        return self.procedures[event.procedure].name

    def object_text(self, event: Event) -> str:
        """What it works on."""
        return "" if event.object == NONE else self.objects[event.object].text


class _Objects:
    """Finds which objects of the processes are one: those with the same members of which
    each process has made as many before."""

    def __init__(self) -> None:
        self.all: list[Shared] = []
        self._known: dict[Key, Shared] = {}

    def of_process(self, process: Process) -> dict[int, int]:
        """The number in the trace of each object of a process."""
        before: Counter[tuple[str, tuple[int, ...]]] = Counter()
        numbers = {}
        for number in sorted(process.objects):
            its = process.objects[number]
            before[its.kind, its.members] += 1
            key = (its.kind, its.members, before[its.kind, its.members])
            numbers[number] = self._shared(key, its).number
        return numbers

    def _shared(self, key: Key, its: Object) -> Shared:
        shared = self._known.get(key)
        if shared is None:
            shared = Shared(its.kind, its.members, its.name, len(self.all))
            self._known[key] = shared
            self.all.append(shared)
        shared.name = shared.name or its.name
        return shared


def _last_end(records: list[Record], last: int) -> int:
    """What a call that has not returned lasts to: the end of what is known."""
    return max(last, max(max(r.end, r.entered) for r in records))


def _events(
    process: Process,
    clock: Clock,
    numbers: dict[int, int],
    places: dict[int, int],
    objects: list[Shared],
) -> list[Event]:
    """Those of one process, by thread and begin."""
    events = []
    rank = process.rank
    for thread, records in sorted(process.threads.items()):
        begun = sorted(records, key=lambda record: record.begin)
        until = _last_end(records, process.last.ticks)
        for r in begun:
            is_open = r.entered != 0
            first = clock(r.begin)
            end = clock(until if is_open else r.end)
            inside = clock(r.begin + r.inside) - first
            if is_open:
                inside += end - clock(r.entered)
            number = numbers.get(r.object, NONE)
            peer = r.peer
            if peer >= 0 and number != NONE:
                members = objects[number].members
                peer = members[peer] if peer < len(members) else NONE
            events.append(
                Event(
                    first, end, inside, rank, thread, r.procedure, number,
                    max(peer, NONE), r.calls + is_open, r.bytes, places[r.site],
                    r.detail, is_open,
                )  # fmt: skip
            )
    return events


def read_trace(folder: Path) -> Trace | None:
    """The trace of a folder, or None if it has none."""
    processes = read_folder(folder)
    if not processes:
        return None
    times = clocks(processes)
    objects, places = _Objects(), Places()
    events: list[Event] = []
    for process in processes:
        numbers = objects.of_process(process)
        sites = {r.site for records in process.threads.values() for r in records}
        lines = places.of_process(process, sites)
        events += _events(process, times[process.rank], numbers, lines, objects.all)
    origin = min((event.begin for event in events), default=0)
    events = [
        event._replace(begin=event.begin - origin, end=event.end - origin)
        for event in events
    ]
    seconds = max((event.end for event in events), default=0) / 1e9
    return Trace(
        processes=processes,
        procedures=max((p.procedures for p in processes), key=len),
        objects=objects.all,
        places=places.texts,
        events=events,
        seconds=seconds,
    )
