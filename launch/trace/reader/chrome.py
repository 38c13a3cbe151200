# SPDX-License-Identifier: BSD-3-Clause
"""trace.json: the trace as Perfetto and Chrome read it (Trace Event Format)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from events import Event, Trace
from files import NONE


def grouped(events: list[Event]) -> Iterator[list[Event]]:
    """Events of one thread; runs that alternate, so that they overlap, are a group."""
    group: list[Event] = []
    end = 0
    for event in events:
        is_other = not group or group[0].rank != event.rank
        is_other = is_other or group[0].thread != event.thread
        is_inside = not is_other and event.begin < end and group[0].calls == 1
        if is_other or is_inside or event.begin >= end:
            if group:
                yield group
            group, end = [], end if is_inside else 0
        group.append(event)
        end = max(end, event.end)
    if group:
        yield group


def _arguments(trace: Trace, event: Event) -> dict[str, object]:
    """What is known of a call."""
    known: dict[str, object] = {"line": trace.places[event.place]}
    if event.object != NONE:
        known[trace.objects[event.object].kind] = trace.object_text(event)
    if event.peer != NONE:
        known["rank"] = event.peer
    if event.bytes:
        known["bytes"] = event.bytes
    if event.detail:
        known["detail"] = event.detail
    if event.calls != 1:
        known["calls"] = event.calls
        known["inside_us"] = event.inside / 1000
    if event.is_open:
        known["has not returned"] = True
    return known


def _slice(trace: Trace, group: list[Event]) -> dict[str, object]:
    """One bar."""
    names = dict.fromkeys(trace.name(event) for event in group)
    begin, end = group[0].begin, max(event.end for event in group)
    arguments = _arguments(trace, group[0])
    if len(group) > 1:
        arguments = {
            f"{trace.name(event)} {number}": _arguments(trace, event)
            for number, event in enumerate(group, 1)
        }
    return {
        "name": ", ".join(names),
        "cat": trace.procedures[group[0].procedure].works_on,
        "ph": "X",
        "ts": begin / 1000,
        "dur": (end - begin) / 1000,
        "pid": group[0].rank,
        "tid": group[0].thread,
        "args": arguments,
    }


def _names(trace: Trace) -> Iterator[dict[str, object]]:
    for process in trace.processes:
        ended = "" if process.has_ended else ", has not reached the end of MPI_Finalize"
        name = f"rank {process.rank} ({process.host}{ended})"
        common = {"ph": "M", "pid": process.rank}
        yield {**common, "name": "process_name", "args": {"name": name}}
        yield {
            **common,
            "name": "process_sort_index",
            "args": {"sort_index": process.rank},
        }


def write_chrome(trace: Trace, path: Path) -> None:
    """Write it, an event a line."""
    encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
    with path.open("w", encoding="utf-8") as file:
        file.write('{"displayTimeUnit":"ns","traceEvents":[\n')
        file.write(",\n".join(map(encode, _names(trace))))
        for group in grouped(trace.events):
            file.write(",\n" + encode(_slice(trace, group)))
        file.write("\n]}\n")
