# SPDX-License-Identifier: BSD-3-Clause
"""All that a comparison has found, and its form as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from distance import chosen, distances, keep
from figures import (
    MACHINE,
    Behind,
    Line,
    Row,
    behind,
    compared,
    ratio_text,
    rows_of,
    size_of,
)
from run import Run


@dataclass(frozen=True)
class Report:
    """The machine, the versions of the libraries by label, and all runs. The libraries
    of `own` are one with several settings; the first of them is compared with others.
    """

    machine: str
    versions: dict[str, str]
    own: tuple[str, ...]
    runs: tuple[Run, ...]

    @property
    def first(self) -> str:
        return self.own[0]

    @property
    def labels(self) -> list[str]:
        return list(self.versions)

    @property
    def others(self) -> list[str]:
        return [label for label in self.versions if label not in self.own]

    @cached_property
    def kept(self) -> list[Run]:
        are_kept = keep(self.runs)
        return [
            run for run, is_kept in zip(self.runs, are_kept, strict=True) if is_kept
        ]

    @cached_property
    def rows(self) -> list[Row]:
        return rows_of((run.label, run.lines) for run in self.kept)

    @cached_property
    def behind(self) -> list[Behind]:
        return behind(self.rows, self.first, self.others)

    @property
    def compared(self) -> int:
        return compared(self.rows, self.first, self.others)

    def floor(self, operation: str, size: int) -> float | None:
        for row in self.rows:
            if row.name == f"floor.{operation}" and row.size == size:
                return row.value(MACHINE)
        return None

    def failures(self) -> list[str]:
        """What has failed and why, once for each library and task."""
        failed = {(run.label, run.task): run.error for run in self.runs if run.error}
        return [f"{label}, {task}: {why}" for (label, task), why in failed.items()]

    def distances(self) -> dict[str, str]:
        """The distance of the cores in the runs that are kept, by task."""
        return chosen(self.runs)

    def behind_by_name(self) -> dict[str, str]:
        """Sizes with their ratios for each operation that is behind, the worst first."""
        found: dict[str, list[str]] = {}
        for one in self.behind:
            text = f"{size_of(one.row)} {ratio_text(one.ratio)}"
            found.setdefault(one.row.name, []).append(text)
        return {name: ", ".join(texts) for name, texts in found.items()}

    def summary(self) -> str:
        """Where the first library is behind, for the terminal."""
        dropped = len(self.runs) - len(self.kept)
        lines = [f"{len(self.runs)} runs, {dropped} dropped: the cores had moved"]
        lines += [f"failed: {failure}" for failure in self.failures()]
        lines.append(
            f"{self.first} is behind in {len(self.behind)} of {self.compared} figures"
        )
        lines += [f"  {name}: {sizes}" for name, sizes in self.behind_by_name().items()]
        return "\n".join(lines)


# ---- JSON


def _row_json(report: Report, row: Row) -> dict[str, Any]:
    labels = [label for label in (*report.labels, MACHINE) if label in row.values]
    best = row.best(report.others)
    return {
        "name": row.name,
        "size": row.size,
        "unit": row.unit,
        "medians": {label: row.value(label) for label in labels},
        "best_other": best,
        "ratio": row.ratio(report.first, best) if best else None,
    }


def _run_json(run: Run, where: str, is_kept: bool) -> dict[str, Any]:
    return {**asdict(run), "distance": where, "kept": is_kept}


def write_report(report: Report, path: Path) -> None:
    places = zip(report.runs, distances(report.runs), keep(report.runs), strict=True)
    document = {
        "machine": report.machine,
        "versions": report.versions,
        "own": report.own,
        "rows": [_row_json(report, row) for row in report.rows],
        "runs": [_run_json(*place) for place in places],
    }
    path.write_text(json.dumps(document, indent=1) + "\n", "utf-8")


def _read_run(entry: dict[str, Any]) -> Run:
    lines = tuple(Line(**line) for line in entry.pop("lines"))
    trips = tuple(entry.pop("round_trips"))
    known = {name: entry[name] for name in ("task", "label", "seconds", "error")}
    return Run(round_trips=trips, lines=lines, **known)


def read_report(paths: Sequence[Path]) -> Report:
    """What has been measured in one or several parts, on one machine."""
    documents = [json.loads(path.read_text("utf-8")) for path in paths]
    versions: dict[str, str] = {}
    for document in documents:
        versions |= document["versions"]
    own = dict.fromkeys(label for document in documents for label in document["own"])
    runs = [_read_run(entry) for document in documents for entry in document["runs"]]
    return Report(documents[0]["machine"], versions, tuple(own), tuple(runs))
