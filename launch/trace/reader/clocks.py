# SPDX-License-Identifier: BSD-3-Clause
"""One time for all processes: the monotonic clock of rank 0's host, in nanoseconds."""

from __future__ import annotations

from collections.abc import Callable

from files import Process

Clock = Callable[[int], int]  # from ticks


def _rate(process: Process) -> float:
    """Nanoseconds of a tick, 0 if the process has ended before a second moment."""
    ticks = process.last.ticks - process.first.ticks
    return (process.last.monotonic - process.first.monotonic) / ticks if ticks else 0.0


def _offset(process: Process, common: list[tuple[int, int, int]]) -> Clock:
    """What to add at a time: measured at two times, and between them in proportion."""
    measured = process.alignments or common
    if len(measured) < 2 or measured[1][0] == measured[0][0]:
        constant = measured[0][1] if measured else 0
        return lambda time: constant
    (first, offset, _), (last, later, _) = measured
    slope = (later - offset) / (last - first)
    return lambda time: offset + round((time - first) * slope)


def clocks(processes: list[Process]) -> dict[int, Clock]:
    """The clock of each rank. A process that was killed has the rate of another with the
    same clock; one that has not compared clocks, what another with the same one found.
    """
    rates: dict[str, float] = {}
    offsets: dict[str, list[tuple[int, int, int]]] = {}
    for process in processes:
        rates.setdefault(process.clock_domain, _rate(process) or 0.0)
        rates[process.clock_domain] = _rate(process) or rates[process.clock_domain]
        if process.alignments:
            offsets.setdefault(process.clock_domain, process.alignments)
    made = {}
    for process in processes:
        domain = process.clock_domain
        rate = _rate(process) or rates[domain] or 1.0
        made[process.rank] = _clock(process, rate, offsets.get(domain, []))
    return made


def _clock(process: Process, rate: float, common: list[tuple[int, int, int]]) -> Clock:
    first, offset = process.first, _offset(process, common)
    if not process.alignments and not common:
        return lambda ticks: first.monotonic + int((ticks - first.ticks) * rate)

    def clock(ticks: int) -> int:
        time = first.monotonic + int((ticks - first.ticks) * rate)
        return time + offset(time)

    return clock
