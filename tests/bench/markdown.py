# SPDX-License-Identifier: BSD-3-Clause
"""docs/benchmarks.md and the tables of other pages, made of a comparison."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from choices import choices
from figures import (
    MACHINE,
    Row,
    against_allocated,
    quantity,
    rate,
    ratio_text,
    size_of,
    size_text,
)
from report import Report
from wording import GROUPS, operation_text, title

BEGIN = "<!-- scripts/bench writes this table -->"
END = "<!-- until here -->"
SIZES = (8, 64, 1 << 10, 8 << 10, 64 << 10, 512 << 10, 4 << 20)  # columns of tables


@dataclass(frozen=True)
class Headline:
    """A row of the README's table."""

    text: str
    name: str
    size: int
    as_rate: bool = False


HEADLINES = (
    Headline("put + flush, 8 B, allocated window", "latency.allocated.put", 8),
    Headline("put + flush, 8 B, created window", "latency.created.put", 8),
    Headline("put + flush, 8 B, created, target computes", "busy.created.put", 8),
    Headline("get + flush, 64 KiB, allocated", "latency.allocated.get", 64 << 10),
    Headline("put, 8 B, 64 deep, allocated", "stream.allocated.put", 8, as_rate=True),
    Headline("put, 8 B, 64 deep, created", "stream.created.put", 8, as_rate=True),
    Headline("put, 512 KiB, 64 deep, created", "stream.created.put", 512 << 10),
    Headline("fetch_and_op, allocated", "latency.allocated.fetch_and_op", 8),
    Headline("fetch_and_op, created", "latency.created.fetch_and_op", 8),
    Headline(
        "accumulate, 64 KiB of doubles, allocated",
        "latency.allocated.accumulate_double",
        64 << 10,
    ),
    Headline(
        "accumulate, 64 KiB of doubles, created",
        "latency.created.accumulate_double",
        64 << 10,
    ),
    Headline("lock + unlock, exclusive", "synchronization.allocated.lock_exclusive", 8),
    Headline("fence", "synchronization.allocated.fence", 8),
    Headline("message, 8 B", "message.latency", 8),
    Headline("message, 8 KiB", "message.latency", 8 << 10),
    Headline("messages, 1 MiB, 64 deep", "message.bandwidth", 1 << 20),
    Headline("broadcast, 256 KiB", "collective.broadcast", 256 << 10),
    Headline("allreduce, 8 B", "collective.allreduce", 8),
    Headline("job of 2 processes, from start to end", "start.job", 2),
)

INTRODUCTION = """\
# Benchmarks

`scripts/bench` has measured this and written this page: it builds the programs of `tests/bench` with Oriel and with each MPI
that is installed, lets them take turns, and keeps runs with the same distance of the cores only (the round trip of a cache line
is measured before and after each). `build/bench/index.html` then has the curves over all sizes and `build/bench/results.json`
all figures; `scripts/bench --publish` writes this page and the tables of the README and of [choosing.md](choosing.md) anew, and
`scripts/bench --help` says how to measure a part.

Each figure is the median of runs, and each run's that of its batches, of two processes on one node with a core each. Only the
ratios are to be relied on, since all libraries of a row ran in turns on one machine: a ratio says how many times better Oriel
is than the best of the others, so that below 1 it is behind. In rows whose names begin with `network` the two processes are on
two nodes, pretended on one machine, and talk over loopback TCP.
"""


def table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> list[str]:
    """A table in which all columns but the first are aligned to the right."""
    return [
        f"| {' | '.join(head)} |",
        f"| --- |{' ---: |' * (len(head) - 1)}",
        *(f"| {' | '.join(line)} |" for line in lines),
        "",
    ]


def best_ratio(report: Report, row: Row) -> float | None:
    best = row.best(report.others)
    return row.ratio(report.first, best) if best else None


def headline_table(report: Report) -> list[str]:
    """The table of the README: some figures of all kinds."""
    rows = {(row.name, row.size): row for row in report.rows}
    known = [(one, rows.get((one.name, one.size))) for one in HEADLINES]
    others = [
        label
        for label in report.others
        if any(row is not None and row.value(label) is not None for _, row in known)
    ]
    labels = [report.first, *others]
    lines = []
    for one, row in known:
        if row is None:
            continue
        values = [row.value(label) for label in labels]
        texts = [quantity(value, row.unit) for value in values]
        if one.as_rate:
            texts = [rate(value, row.size) for value in values]
        lines.append([one.text, *texts, ratio_text(best_ratio(report, row))])
    return table([f"{report.machine}", *labels, "ratio"], lines)


def group_tables(report: Report, group: str) -> list[str]:
    """A table for each kind of window: Oriel's figures by operation and size, with the
    ratio to the best other library."""
    rows = [row for row in report.rows if row.group == group]
    text = []
    for kind in dict.fromkeys(row.kind for row in rows):
        of_kind = [row for row in rows if row.kind == kind]
        sizes = sorted({row.size for row in of_kind})
        if len(sizes) > len(SIZES):
            sizes = [size for size in sizes if size in SIZES]
        lines = []
        for operation in dict.fromkeys(row.operation for row in of_kind):
            cells = {
                row.size: _cell(report, row)
                for row in of_kind
                if row.operation == operation
            }
            lines.append(
                [operation_text(operation), *(cells.get(s, "") for s in sizes)]
            )
        heads = [size_of(Row(f"{group}.", size, "")) for size in sizes]
        text += table([f"{kind} windows" if kind else "", *heads], lines)
    return [f"## {GROUPS[group]}", "", *text] if text else []


def _cell(report: Report, row: Row) -> str:
    value = quantity(row.value(report.first), row.unit)
    ratio = best_ratio(report, row)
    return value if ratio is None else f"{value} ({ratio_text(ratio)})"


def behind_table(report: Report) -> list[str]:
    """One row for each operation that is behind at any size, the worst first."""
    named = {row.name: title(row) for row in report.rows}
    lines = [
        [f"{name.split('.')[0]}: {named[name]}", sizes]
        for name, sizes in report.behind_by_name().items()
    ]
    count = (
        f"{report.first} is behind in {len(report.behind)} of {report.compared} figures"
    )
    head = [f"## Where {report.first} is behind", "", f"{count}.", ""]
    return [*head, *(table(["", "size and ratio"], lines) if lines else [])]


def settings_table(report: Report) -> list[str]:
    """How many times as long as on an allocated window the own settings take."""
    lines = []
    for label in report.own[1:]:
        for one in against_allocated(report.rows, report.first, label)[:8]:
            what = (
                f"{one.row.group}: {operation_text(one.row.operation)}, {one.row.kind}"
            )
            lines.append([label, what, size_text(one.row.size), ratio_text(one.times)])
    if not lines:
        return []
    text = "Memory that is shared on request: where it takes longest, in times of the "
    head = [
        "## Beside the allocated window",
        "",
        f"{text}same on an allocated window.",
        "",
    ]
    return [*head, *table(["setting", "figure", "size", "times"], lines)]


def floors_table(report: Report) -> list[str]:
    rows = [row for row in report.rows if row.group == "floor"]
    rows = [row for row in rows if row.size in (0, *SIZES) or "touch" in row.name]
    lines = [
        [
            operation_text(row.operation),
            size_text(row.size) if row.size else "",
            quantity(row.value(MACHINE), row.unit),
        ]
        for row in rows
    ]
    head = ["## What the machine itself takes", ""]
    return [*head, *table(["", "size", "time"], lines)] if lines else []


def document(report: Report) -> str:
    versions = ", ".join(f"{k} {v}".strip() for k, v in report.versions.items())
    text = [
        INTRODUCTION,
        f"Measured on {report.machine}: {versions}.",
        "",
        *headline_table(report),
        *behind_table(report),
        *settings_table(report),
        *floors_table(report),
        *(line for group in GROUPS for line in group_tables(report, group)),
    ]
    return "\n".join(text).rstrip() + "\n"


def write_markdown(report: Report, path: Path) -> None:
    path.write_text(document(report), "utf-8")


def publish(report: Report, top: Path) -> None:
    """Writes docs/benchmarks.md and the tables of README.md and docs/choosing.md."""
    write_markdown(report, top / "docs" / "benchmarks.md")
    _write_table(top / "README.md", headline_table(report))
    _write_table(top / "docs" / "choosing.md", table(*choices(report)))


def _write_table(page: Path, lines: Sequence[str]) -> None:
    """Puts a table between the marks of a page."""
    between = "\n".join([BEGIN, "", *lines, END])
    pattern = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
    text = page.read_text("utf-8")
    if not pattern.search(text):
        raise ValueError(f"{page} has no place for the table: {BEGIN}")
    page.write_text(pattern.sub(lambda _: between, text), "utf-8")
