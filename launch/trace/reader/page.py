# SPDX-License-Identifier: BSD-3-Clause
"""index.html: the trace as one page, with all that it needs inside it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from chrome import grouped
from events import Event
from files import NONE
from summary import ONE_CALL, summary_lines, time_text
from totals import Totals, WaitRow
from waits import plain

PARTS = Path(__file__).resolve().parent / "page"
BARS = 60_000  # more would take a browser long to read; Perfetto has all
ROWS = 10
Bar = tuple[int, int, int, int, int, int, int, int, int, int]


# ---- bars ----------------------------------------------------------------------------
class _Bars:
    """Calls as they are drawn. Where there are more than BARS, neighbours that would be
    narrower than some width are one."""

    def __init__(self, totals: Totals) -> None:
        self._trace = totals.trace
        self._groups = [
            (group, (group[0].rank, group[0].thread), max(e.end for e in group))
            for group in grouped(totals.trace.events)
        ]
        self._causes = {
            id(w.event): w for w in totals.waits if w.cause != NONE  # by its event
        }
        self.tracks: list[tuple[int, int]] = []
        self.width = 0

    def make(self) -> list[list[Bar]]:
        """The bars of each track, by begin."""
        width = 0
        while sum(1 for _ in self._near(width)) > BARS:
            width = max(2 * width, round(self._trace.seconds * 1e9 / 50_000), 1)
        tracks = self._tracks(width)
        self.tracks, self.width = sorted(tracks), width
        return [tracks[track] for track in self.tracks]

    def _tracks(self, width: int) -> dict[tuple[int, int], list[Bar]]:
        tracks: dict[tuple[int, int], list[Bar]] = {}
        for near in self._near(width):
            track = near[0].rank, near[0].thread
            tracks.setdefault(track, []).append(self._bar(near))
        return tracks

    def _near(self, width: int) -> Iterator[list[Event]]:
        """Groups, put together where they are narrow and near each other."""
        near: list[Event] = []
        last, until = (NONE, NONE), 0
        for group, track, end in self._groups:
            if track == last and end <= until:
                near.extend(group)
                continue
            if near:
                yield near
            near, last, until = list(group), track, group[0].begin + width
        if near:
            yield near

    def _bar(self, events: list[Event]) -> Bar:
        """The one that took longest gives it its name and colour."""
        main = max(events, key=lambda event: event.inside)
        begin, end = events[0].begin, max(event.end for event in events)
        wait = self._causes.get(id(main))
        return (
            begin, end - begin, main.procedure, main.object, main.peer, main.place,
            sum(event.calls for event in events), sum(event.bytes for event in events),
            wait.cause if wait else NONE, len({e.procedure for e in events}),
        )  # fmt: skip


# ---- tables --------------------------------------------------------------------------
def _wait_row(row: WaitRow, whole: int) -> dict[str, object]:
    cause = row.causes.most_common(1)
    reason = row.reasons.most_common(1)
    return {
        "object": row.number,
        "cells": [
            time_text(row.nanoseconds),
            f"{row.nanoseconds / whole:.0%}",
            f"{row.calls:,}",
            row.name,
            row.object,
            row.place,
            time_text(row.longest),
            f"rank {cause[0][0]}, {reason[0][0]}" if cause else "",
        ],
    }


def _cause_rows(totals: Totals, reason: str) -> list[dict[str, object]]:
    """Who has been waited for, for a reason, on which object."""
    spent: Counter[tuple[int, int]] = Counter()
    times: Counter[tuple[int, int]] = Counter()
    longest: Counter[tuple[int, int]] = Counter()
    for wait in totals.waits:
        if wait.reason == reason:
            key = wait.event.object, wait.cause
            spent[key] += wait.event.inside
            times[key] += 1
            longest[key] = max(longest[key], wait.event.inside)
    objects = totals.trace.objects
    return [
        {
            "object": number,
            "cells": [
                f"rank {cause}",
                objects[number].text if number != NONE else "",
                f"{times[number, cause]:,}",
                time_text(nanoseconds),
                time_text(longest[number, cause]),
            ],
        }
        for (number, cause), nanoseconds in spent.most_common(ROWS)
    ]


def _short_rows(totals: Totals) -> list[dict[str, object]]:
    return [
        {
            "object": row.number,
            "cells": [
                f"{row.calls:,}",
                row.name,
                row.object,
                row.place,
                f"{row.bytes / row.calls:.3g}",
                f"{row.runs:,}",
                row.between or ONE_CALL,
            ],
        }
        for row in totals.short[:ROWS]
    ]


def _histograms(totals: Totals) -> list[dict[str, object]]:
    """How long the calls of each procedure on each object took: their number by powers of
    two of nanoseconds. Those of a run count as their mean."""
    found: dict[tuple[int, int], Counter[int]] = {}
    spent: Counter[tuple[int, int]] = Counter()
    for wait in totals.waits:
        event = wait.event
        if event.object == NONE or totals.is_access(event):
            continue
        key = event.procedure, event.object
        mean = max(event.inside // max(event.calls, 1), 1)
        found.setdefault(key, Counter())[mean.bit_length() - 1] += event.calls
        spent[key] += event.inside
    return [
        {
            "object": key[1],
            "title": f"{totals.trace.procedures[key[0]].name} on "
            f"{totals.trace.objects[key[1]].text}",
            "total": time_text(nanoseconds),
            "buckets": sorted(found[key].items()),
        }
        for key, nanoseconds in spent.most_common(12)
    ]


def _matrices(totals: Totals) -> dict[int, list[tuple[int, int, int, int]]]:
    return {
        number: [
            (origin, target, its.operations, its.bytes)
            for (origin, target), its in sorted(pairs.items())
        ]
        for number, pairs in totals.traffic.items()
    }


def _group(totals: Totals, number: int) -> str:
    """The colour of a procedure."""
    its = totals.trace.procedures[number]
    if its.shared == "collective":
        return "collective"
    if its.works_on == "window":
        return "access" if its.data != "-" else "synchronization"
    if its.data != "-":
        return "message"
    is_wait = plain(its.name).startswith(("MPI_Wait", "MPI_Test"))
    return "message" if is_wait else "other"


def _data(totals: Totals) -> dict[str, object]:
    trace = totals.trace
    bars = _Bars(totals)
    tracks = bars.make()
    whole = max(sum(totals.inside.values()), 1)
    return {
        "seconds": trace.seconds,
        "size": trace.size,
        "width": bars.width,
        "summary": summary_lines(totals),
        "tracks": bars.tracks,
        "bars": tracks,
        "procedures": [procedure.name for procedure in trace.procedures],
        "groups": [_group(totals, n) for n in range(len(trace.procedures))],
        "objects": [[shared.kind, shared.text] for shared in trace.objects],
        "places": trace.places,
        "matrices": _matrices(totals),
        "waits": [_wait_row(row, whole) for row in totals.rows[:ROWS]],
        "posts": _cause_rows(totals, "late post"),
        "locks": _cause_rows(totals, "lock held"),
        "comings": _cause_rows(totals, "last to come"),
        "short": _short_rows(totals),
        "histograms": _histograms(totals),
    }


def write_page(totals: Totals, path: Path) -> None:
    """Write it."""
    text = json.dumps(_data(totals), separators=(",", ":")).replace("</", "<\\/")
    page = (PARTS / "page.html").read_text(encoding="utf-8")
    for part in ("page.css", "timeline.js", "tables.js"):
        page = page.replace("{" + part + "}", (PARTS / part).read_text("utf-8"))
    path.write_text(page.replace("{data}", text), encoding="utf-8")
