# SPDX-License-Identifier: BSD-3-Clause
"""A trace of a job that has never run, as large as is wanted."""

from __future__ import annotations

import os
import sys

sys.path.insert(0, os.environ["READER"])

from events import Event, Shared, Trace  # noqa: E402
from files import Moment, Procedure, Process  # noqa: E402

STEP = 1_000_000  # nanoseconds


def _process(rank: int, size: int) -> Process:
    moment = Moment(0, 0)
    return Process(rank, size, 1000 + rank, "host", "", 1, True, 0, moment, moment, [])


def invented_trace(size: int, calls: int) -> Trace:
    """Each rank puts to the next one and fences; one of them comes late each time."""
    window = Shared("window", tuple(range(size)), "halo", 0)
    procedures = [
        Procedure("MPI_Put", "window", "out", "local"),
        Procedure("MPI_Win_fence", "window", "-", "collective"),
    ]
    events: list[Event] = []
    for rank in range(size):
        for step in range(calls // 2):
            begin = step * STEP + (rank * 7919 + step * 104729) % (STEP // 2)
            peer = (rank + 1) % size
            put = Event(
                begin, begin + 900, 900, rank, 0, 0, 0, peer, 1, 64, 0, 0, False
            )
            end = step * STEP + STEP // 2 + 5000
            fence = Event(
                *(begin + 1000, end, end - begin - 1000, rank, 0, 1, 0, -1, 1, 0, 1, 0),
                False,
            )
            events += [put, fence]
    places = ["halo.c:10 (exchange)", "halo.c:12 (exchange)"]
    processes = [_process(rank, size) for rank in range(size)]
    return Trace(
        processes, procedures, [window], places, events, calls * STEP / 2 / 1e9
    )
