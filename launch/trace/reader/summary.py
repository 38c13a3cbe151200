# SPDX-License-Identifier: BSD-3-Clause
"""Ten lines about a job."""

from __future__ import annotations

from events import Trace
from totals import Totals, WaitRow

LINES = 10
SHORT_RUNS = 100  # short operations that are worth a line
ONE_CALL = "they follow each other, and one call with a datatype would do"


def time_text(nanoseconds: float) -> str:
    """With three digits, and the unit that suits."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.0f} ns"


def bytes_text(count: float) -> str:
    """The same for bytes."""
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count:.3g} B"


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _job(totals: Totals) -> str:
    trace = totals.trace
    hosts = {process.host for process in trace.processes}
    most = max(totals.inside, key=lambda rank: totals.inside[rank])
    least = min(totals.inside, key=lambda rank: totals.inside[rank])
    whole = max(trace.seconds * 1e9, 1)
    return (
        f"{_counted(trace.size, 'process').replace('processs', 'processes')} on "
        f"{_counted(len(hosts), 'host')}, {time_text(whole)}; in MPI: "
        f"rank {most} {totals.inside[most] / whole:.0%}, "
        f"rank {least} {totals.inside[least] / whole:.0%}"
    )


def wait_text(row: WaitRow, whole: float) -> str:
    """A line about one place that waits."""
    on = f" on {row.object}" if row.object else ""
    line = (
        f"{time_text(row.nanoseconds)} ({row.nanoseconds / whole:.0%}) in "
        f"{_counted(row.calls, 'call')} of {row.name}{on} at {row.place}"
    )
    if row.causes:
        cause, spent = row.causes.most_common(1)[0]
        reason = row.reasons.most_common(1)[0][0]
        line += f"; {spent / max(row.nanoseconds, 1):.0%} for rank {cause}, {reason}"
    return line


def _endings(trace: Trace) -> list[str]:
    lines = []
    for process in trace.processes:
        if process.has_ended:
            continue
        last = [e for e in trace.events if e.rank == process.rank]
        where = ""
        if last:
            event = max(last, key=lambda event: (event.is_open, event.end))
            state = "inside" if event.is_open else "after"
            where = f", {state} {trace.name(event)} at {trace.places[event.place]}"
        lines.append(f"rank {process.rank} has ended before MPI_Finalize{where}")
    unwritten = sum(process.unwritten for process in trace.processes)
    if unwritten:
        lines.append(f"{_counted(unwritten, 'record')} could not be written")
    return lines[:3]


def summary_lines(totals: Totals) -> list[str]:
    """At most LINES lines."""
    whole = max(sum(totals.inside.values()), 1)
    other = []
    if totals.blame:
        rank, spent = totals.blame.most_common(1)[0]
        other.append(f"rank {rank} is waited for most: {time_text(spent)} of others")
    for row in totals.short[:2]:
        if row.calls >= SHORT_RUNS:
            other.append(
                f"{row.calls:,} calls of {row.name} of {bytes_text(row.bytes / row.calls)}"
                f" at {row.place}: {row.between or ONE_CALL}"
            )
    other += _endings(totals.trace)
    head = [f"Oriel: {_job(totals)}"]
    rows = [row for row in totals.rows if row.nanoseconds * 200 >= whole]
    room = LINES - len(head) - len(other)
    waits = [wait_text(row, whole) for row in rows[: max(room, 1)]]
    return [*head, *(f"  {line}" for line in (*waits, *other))]
