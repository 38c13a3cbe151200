# SPDX-License-Identifier: BSD-3-Clause
"""How far the cores were from each other while a program ran.

The two cores of a virtual machine may be near each other (one cache) for a while and then
far, and all that crosses cores changes with it. So the round trip of a cache line is
measured before and after each run, and only runs of the same distance are compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Protocol

NEAR, FAR, MIXED = "near", "far", "mixed"
# Where no round trip takes more than this many times the shortest, the cores do not move.
FACTOR = 3.0
SHORTEST = 0.1  # the share of round trips below which one may be shorter by chance


class Placed(Protocol):
    """A run: what was run, of which library, and the round trips around it."""

    @property
    def task(self) -> str:
        ...

    @property
    def label(self) -> str:
        ...

    @property
    def round_trips(self) -> tuple[float, ...]:
        ...


def farthest_near(runs: Sequence[Placed]) -> float:
    """The longest round trip that counts as near."""
    trips = sorted(trip for run in runs for trip in run.round_trips)
    return FACTOR * trips[int(SHORTEST * len(trips))] if trips else float("inf")


def distance(run: Placed, limit: float) -> str:
    are_near = {trip <= limit for trip in run.round_trips}
    if len(are_near) == 2:
        return MIXED
    return FAR if are_near == {False} else NEAR


def distances(runs: Sequence[Placed]) -> list[str]:
    """The distance of the cores in each of the runs."""
    limit = farthest_near(runs)
    return [distance(run, limit) for run in runs]


def chosen(runs: Sequence[Placed]) -> dict[str, str]:
    """For each task the distance at which the library with the fewest runs has most; else
    the one at which most libraries have run, and near rather than far."""
    known = distances(runs)
    labels: dict[str, set[str]] = {}
    counts: Counter[tuple[str, str, str]] = Counter()
    for run, where in zip(runs, known, strict=True):
        labels.setdefault(run.task, set()).add(run.label)
        counts[run.task, run.label, where] += 1

    def worth(task: str, where: str) -> tuple[int, int]:
        found = [counts[task, label, where] for label in labels[task]]
        return min(found), sum(count > 0 for count in found)

    return {
        task: FAR if worth(task, FAR) > worth(task, NEAR) else NEAR for task in labels
    }


def keep(runs: Sequence[Placed]) -> list[bool]:
    """Which of the runs are compared with each other."""
    wanted = chosen(runs)
    known = distances(runs)
    return [wanted[r.task] == where for r, where in zip(runs, known, strict=True)]
