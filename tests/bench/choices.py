# SPDX-License-Identifier: BSD-3-Clause
"""The table of docs/choosing.md: what operations and synchronization cost, by window."""

from __future__ import annotations

from dataclasses import dataclass

from figures import quantity, size_text
from report import Report
from wording import operation_text

# Group, operation and size of each row.
COSTS = (
    ("latency", "put", 8),
    ("latency", "get", 8),
    ("latency", "put", 64 << 10),
    ("latency", "get", 64 << 10),
    ("latency", "fetch_and_op", 8),
    ("latency", "compare_and_swap", 8),
    ("latency", "accumulate_double", 8),
    ("latency", "accumulate_double", 64 << 10),
    ("synchronization", "fence_put", 8),
    ("synchronization", "post_start_put_complete_wait", 8),
    ("synchronization", "lock_put", 8),
    ("synchronization", "lock_all", 8),
    ("synchronization", "create_and_free", 8),
)


@dataclass(frozen=True)
class Column:
    """Windows of one kind: with one setting of the library, on one node or on two."""

    head: str
    label: str
    kind: str
    nodes: str = ""  # what the names of groups begin with

    def value(self, report: Report, group: str, operation: str, size: int) -> str:
        name = f"{self.nodes}{group}.{self.kind}.{operation}"
        for row in report.rows:
            if (row.name, row.size) == (name, size):
                return quantity(row.value(self.label), row.unit)
        return quantity(None, "")


def columns(report: Report) -> list[Column]:
    first = report.first
    return [
        Column("allocated", first, "allocated"),
        *(
            Column(f"created{label.removeprefix(first)}", label, "created")
            for label in report.own
        ),
        Column("dynamic", first, "dynamic"),
        Column("allocated, two nodes", first, "allocated", "network_"),
    ]


def choices(report: Report) -> tuple[list[str], list[list[str]]]:
    """The head of the table and its lines, as texts."""
    shown = columns(report)
    lines = [
        [
            f"{operation_text(operation)}, {size_text(size)}",
            *(one.value(report, group, operation, size) for one in shown),
        ]
        for group, operation, size in COSTS
    ]
    return ["", *(one.head for one in shown)], lines
