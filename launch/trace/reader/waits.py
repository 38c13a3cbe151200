# SPDX-License-Identifier: BSD-3-Clause
"""What calls have waited for, as far as the order of the calls of others tells it."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from typing import NamedTuple

from events import Event, Trace
from files import NONE

# Calls that end the wait of another process, and whether it is their end that does.
POSTS = ("MPI_Win_post",)
COMPLETIONS = ("MPI_Win_complete",)
UNLOCKS = ("MPI_Win_unlock", "MPI_Win_unlock_all")
SENDS = (
    *("MPI_Send", "MPI_Ssend", "MPI_Bsend", "MPI_Rsend", "MPI_Isend", "MPI_Issend"),
    *("MPI_Ibsend", "MPI_Irsend", "MPI_Sendrecv", "MPI_Sendrecv_replace", "MPI_Start"),
    *("MPI_Isendrecv", "MPI_Isendrecv_replace"),
)
# Who waits -> what it may wait for, and what that is called. An access waits for the post
# if MPI_Win_start has not, and for a lock that is taken when it is first needed.
Ends = tuple[tuple[str, ...], str]
LATE_POST: Ends = (POSTS, "late post")
LOCK_HELD: Ends = (UNLOCKS, "lock held")
LATE_SEND: Ends = (SENDS, "late send")
OF_ACCESS = (LATE_POST, LOCK_HELD)
ENDED_BY: dict[str, tuple[Ends, ...]] = {
    "MPI_Win_start": (LATE_POST,),
    "MPI_Win_complete": (LATE_POST,),
    "MPI_Win_wait": ((COMPLETIONS, "late complete"),),
    "MPI_Win_lock": (LOCK_HELD,),
    "MPI_Win_flush": (LOCK_HELD,),
    "MPI_Recv": (LATE_SEND,),
    "MPI_Probe": (LATE_SEND,),
    "MPI_Mprobe": (LATE_SEND,),
    "MPI_Sendrecv": (LATE_SEND,),
}
# Start and end of the library are no waits of the program.
OUTSIDE = ("MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Abort")


class Wait(NamedTuple):
    """One call that may have waited."""

    event: Event
    cause: int  # the rank that it has waited for, NONE: not known
    reason: str  # "late post", "last to come", ..., "" if the cause is not known


def plain(name: str) -> str:
    """A procedure without the ending of large counts."""
    return name.removesuffix("_c")


class Waits:
    """All calls of a trace that may wait, with their causes."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._names = [plain(procedure.name) for procedure in trace.procedures]
        self._enders: dict[tuple[tuple[str, ...], int], list[tuple[int, Event]]] = {}
        self._index_enders()
        self._arrivals = self._index_arrivals()
        self.all = [
            Wait(event, *self._cause(event, nth))
            for event, nth in self._events
            if self._may_wait(event)
        ]

    def _may_wait(self, event: Event) -> bool:
        return self._names[event.procedure] not in OUTSIDE

    def _ends(self, event: Event) -> tuple[Ends, ...]:
        """What may end this call's wait."""
        procedure = self._trace.procedures[event.procedure]
        if procedure.works_on == "window" and procedure.data != "-":
            return OF_ACCESS
        return ENDED_BY.get(self._names[event.procedure], ())

    # ---- tables ----------------------------------------------------------------------
    def _index_enders(self) -> None:
        found: dict[tuple[tuple[str, ...], int], list[tuple[int, Event]]] = defaultdict(
            list
        )
        for event in self._trace.events:
            name = self._names[event.procedure]
            for names in (POSTS, COMPLETIONS, UNLOCKS, SENDS):
                if name in names:
                    time = event.end if names is UNLOCKS else event.begin
                    found[names, event.object].append((time, event))
        for events in found.values():
            events.sort(key=lambda pair: pair[0])
        self._enders = dict(found)

    def _index_arrivals(self) -> dict[tuple[int, int], list[Event]]:
        """The calls that belong together: the n-th collective call on an object, of each
        of its members."""
        arrivals: dict[tuple[int, int], list[Event]] = defaultdict(list)
        counts: dict[tuple[int, int], int] = defaultdict(int)
        self._events: list[tuple[Event, int]] = []
        procedures = self._trace.procedures
        in_time = sorted(self._trace.events, key=lambda event: event.begin)
        for event in in_time:
            nth = 0
            is_shared = procedures[event.procedure].shared == "collective"
            if is_shared and event.object != NONE:
                counts[event.rank, event.object] += event.calls
                nth = counts[event.rank, event.object]
                arrivals[event.object, nth].append(event)
            self._events.append((event, nth))
        return arrivals

    # ---- causes ----------------------------------------------------------------------
    def _cause(self, event: Event, nth: int) -> tuple[int, str]:
        if nth:
            return self._last_to_come(event, nth)
        for names, reason in self._ends(event):
            rank = self._ended_by(event, names)
            if rank != NONE:
                return rank, reason
        return NONE, ""

    def _ended_by(self, event: Event, names: tuple[str, ...]) -> int:
        """The rank of the last call of these in the time of the event."""
        found = self._enders.get((names, event.object), [])
        for index in range(bisect_right(found, event.end, key=_time) - 1, -1, -1):
            time, other = found[index]
            if time < event.begin:
                break
            if self._can_end(event, other, names):
                return other.rank
        return NONE

    def _can_end(self, event: Event, other: Event, names: tuple[str, ...]) -> bool:
        """Whether a call of another process can have ended this one's wait."""
        if other.rank == event.rank:
            return False
        if names is UNLOCKS:
            return other.peer in (event.peer, NONE)
        if names is SENDS:
            is_from = event.peer in (NONE, other.rank)
            return other.peer == event.rank and (is_from or event.peer == other.peer)
        return names is COMPLETIONS or event.peer in (NONE, other.rank)

    def _last_to_come(self, event: Event, nth: int) -> tuple[int, str]:
        together = self._arrivals[event.object, nth]
        last = max(together, key=_came)
        if last.rank == event.rank or _came(last) <= event.begin:
            return NONE, ""
        return last.rank, "last to come"


def _came(event: Event) -> int:
    """When the last call of a run began, as far as it is known."""
    return event.begin if event.calls == 1 else event.end


def _time(pair: tuple[int, Event]) -> int:
    return pair[0]
