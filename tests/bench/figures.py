# SPDX-License-Identifier: BSD-3-Clause
"""What the benchmark programs have said: lines, medians of several runs, ratios.

A name is `group.operation` or `group.kind.operation`, where kind is that of a window. A
ratio says how many times better the first library is than another one, whatever the unit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

MACHINE = "machine"  # the label of figures that no MPI library has a part in
LEAST_BEHIND = 0.97  # ratios nearer to 1 are noise
SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


@dataclass(frozen=True)
class Line:
    """One line that a program has printed: `name size value unit`."""

    name: str
    size: int
    value: float
    unit: str


def read_lines(text: str) -> list[Line]:
    """The lines of a program's output that are figures; others are left out."""
    found = []
    for words in (line.split() for line in text.splitlines()):
        if len(words) != 4 or "." not in words[0]:
            continue
        try:
            found.append(Line(words[0], int(words[1]), float(words[2]), words[3]))
        except ValueError:
            continue
    return found


@dataclass
class Row:
    """The figures of all libraries for one operation and size."""

    name: str
    size: int
    unit: str
    values: dict[str, list[float]] = field(default_factory=dict)

    @property
    def group(self) -> str:
        return self.name.split(".")[0]

    @property
    def kind(self) -> str:
        words = self.name.split(".")
        return words[1] if len(words) > 2 else ""

    @property
    def operation(self) -> str:
        return self.name.split(".")[-1]

    @property
    def more_is_better(self) -> bool:
        return self.unit.endswith("/s")

    def value(self, label: str) -> float | None:
        """The median of the runs of a library."""
        values = self.values.get(label)
        return median(values) if values else None

    def ratio(self, label: str, other: str) -> float | None:
        """How many times better `label` is than `other`."""
        value, others = self.value(label), self.value(other)
        if not value or not others:
            return None
        return value / others if self.more_is_better else others / value

    def best(self, labels: Iterable[str]) -> str | None:
        """The label with the best figure."""
        known = [(self.value(label), label) for label in labels]
        there = [(value, label) for value, label in known if value is not None]
        if not there:
            return None
        return max(there)[1] if self.more_is_better else min(there)[1]


def rows_of(runs: Iterable[tuple[str, Sequence[Line]]]) -> list[Row]:
    """The rows of pairs of label and lines, in the order in which they first come."""
    rows: dict[tuple[str, int, str], Row] = {}
    for label, lines in runs:
        for line in lines:
            key = (line.name, line.size, line.unit)
            row = rows.setdefault(key, Row(*key))
            row.values.setdefault(label, []).append(line.value)
    return list(rows.values())


@dataclass(frozen=True)
class Behind:
    """A row in which a library is behind the best of others."""

    row: Row
    other: str
    ratio: float


def behind(
    rows: Iterable[Row], label: str, others: Sequence[str], least: float = LEAST_BEHIND
) -> list[Behind]:
    """Where `label` is behind the best of `others`, the worst first."""
    found = []
    for row in rows:
        best = row.best(others)
        ratio = row.ratio(label, best) if best is not None else None
        if best is not None and ratio is not None and ratio < least:
            found.append(Behind(row, best, ratio))
    return sorted(found, key=lambda one: one.ratio)


def compared(rows: Iterable[Row], label: str, others: Sequence[str]) -> int:
    """How many rows have a figure of `label` and one of `others`."""
    return sum(
        row.value(label) is not None and row.best(others) is not None for row in rows
    )


@dataclass(frozen=True)
class Excess:
    """A figure of a window of one kind beside that of the allocated window."""

    row: Row
    label: str
    times: float  # as long


def against_allocated(rows: Sequence[Row], first: str, label: str) -> list[Excess]:
    """How much longer `label` takes on created and dynamic windows than `first` takes
    for the same on an allocated one; the longest first."""
    base = {(r.group, r.operation, r.size): r for r in rows if r.kind == "allocated"}
    found = []
    for row in rows:
        own = base.get((row.group, row.operation, row.size))
        if row.kind not in {"created", "dynamic"} or own is None:
            continue
        value, least = row.value(label), own.value(first)
        if value and least:
            times = least / value if row.more_is_better else value / least
            found.append(Excess(row, label, times))
    return sorted(found, key=lambda one: -one.times)


# ---- text


def _three_digits(value: float) -> str:
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def quantity(value: float | None, unit: str) -> str:
    """A figure with the unit that suits it."""
    if value is None:
        return "–"
    if unit in SECONDS:
        seconds = value * SECONDS[unit]
        for name, scale in (("ns", 1e-9), ("µs", 1e-6), ("ms", 1e-3)):
            if seconds < 999.5 * scale:
                return f"{_three_digits(seconds / scale)} {name}"
        return f"{_three_digits(seconds)} s"
    if unit == "MB/s" and value >= 999.5:
        return f"{_three_digits(value / 1e3)} GB/s"
    return f"{_three_digits(value)} {unit}"


def rate(value: float | None, size: int) -> str:
    """A bandwidth in MB/s as operations in a second."""
    return "–" if value is None else f"{_three_digits(value / size)} M/s"


def size_text(size: int) -> str:
    for scale, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= scale and size % scale == 0:
            return f"{size // scale} {name}"
    return f"{size} B"


def size_of(row: Row) -> str:
    """What a row's size is: bytes, or processes where the start is measured."""
    return f"{row.size} processes" if row.group == "start" else size_text(row.size)


def ratio_text(ratio: float | None) -> str:
    return "–" if ratio is None else f"{_three_digits(ratio)}"
