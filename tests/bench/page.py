# SPDX-License-Identifier: BSD-3-Clause
"""The page of a comparison: HTML with curves, and nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from curves import Curve, chart
from figures import (
    MACHINE,
    Row,
    against_allocated,
    quantity,
    ratio_text,
    size_of,
    size_text,
)
from report import Report
from wording import GROUPS, floor_of, operation_text, title

ALLOWED = (
    1.2  # times an allocated window's figure, for memory that is shared on request
)

STYLE = """\
:root { --ink: #1d2733; --paper: #fff; --faint: #d9dfe6; --soft: #5b6b7c; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #dfe6ee; --paper: #14191f; --faint: #323c47; --soft: #9aa8b6;
          --bad: #ff8a80; }
}
body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper);
       max-width: 1120px; margin: 2em auto; padding: 0 1em; }
h2 { margin-top: 2em; border-bottom: 1px solid var(--faint); }
h3 { margin-bottom: .3em; text-transform: capitalize; }
p.note { color: var(--soft); }
table { border-collapse: collapse; margin: .6em 0; font-variant-numeric: tabular-nums; }
th, td { padding: .15em .7em; text-align: right; border-bottom: 1px solid var(--faint); }
th:first-child, td:first-child { text-align: left; }
td.bad { color: var(--bad); font-weight: 600; }
.curves { display: grid; grid-template-columns: repeat(auto-fill, minmax(320px, 1fr));
          gap: .5em; }
svg { width: 100%; height: auto; }
svg text { font-size: 10px; fill: var(--soft); }
svg .title { font-size: 12px; fill: var(--ink); font-weight: 600; }
svg .x { text-anchor: middle; }
svg .y { text-anchor: end; }
svg .grid { stroke: var(--faint); stroke-width: .7; }
svg g path { fill: none; stroke-width: 1.6; stroke: var(--colour); }
svg g circle, .key i { fill: var(--colour); background: var(--colour); }
svg g.floor path { stroke-dasharray: 4 3; }
.key { position: sticky; top: 0; background: var(--paper); padding: .3em 0; }
.key span { margin-right: 1.2em; white-space: nowrap; }
.key i { display: inline-block; width: 1.1em; height: .28em; margin-right: .4em;
         vertical-align: middle; }
.s0 { --colour: #0072b2; } .s1 { --colour: #d55e00; } .s2 { --colour: #009e73; }
.s3 { --colour: #cc79a7; } .s4 { --colour: #56b4e9; } .s5 { --colour: #e69f00; }
.s6 { --colour: #8f6bd1; } .s7 { --colour: #7a6a00; } .floor { --colour: #8a949e; }
svg g.s0 path { stroke-width: 2.6; }
"""


def _cells(kind: str, texts: Iterable[str]) -> str:
    return "".join(f"<{kind}>{escape(text)}</{kind}>" for text in texts)


def table(head: Sequence[str], lines: Iterable[Sequence[str]], marked: int = -1) -> str:
    """A table; the column number `marked` is shown in red."""
    parts = ["<table>", f"<tr>{_cells('th', head)}</tr>"]
    for line in lines:
        cells = _cells("td", line)
        if marked >= 0:
            before, cell, after = line[:marked], line[marked], line[marked + 1 :]
            red = f'<td class="bad">{escape(cell)}</td>'
            cells = _cells("td", before) + red + _cells("td", after)
        parts.append(f"<tr>{cells}</tr>")
    return "\n".join([*parts, "</table>"])


class Page:
    """Writes the parts of the page."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._styles = {label: f"s{i % 8}" for i, label in enumerate(report.labels)}

    def text(self) -> str:
        parts = [
            "<!DOCTYPE html>",
            '<html lang="en">',
            '<head><meta charset="utf-8"/><title>Oriel compared</title>',
            f"<style>\n{STYLE}</style></head>",
            f"<body><h1>{escape(self._report.first)} compared</h1>",
            *self._introduction(),
            *self._behind(),
            *self._settings(),
            *self._floors(),
            self._key(),
            *(part for group in GROUPS for part in self._group(group)),
            "</body></html>",
        ]
        return "\n".join(parts) + "\n"

    # ---- what precedes the curves

    def _introduction(self) -> list[str]:
        report = self._report
        names = ", ".join(f"{k} {v}".strip() for k, v in report.versions.items())
        dropped = len(report.runs) - len(report.kept)
        places = report.distances().values()
        far = sum(place == "far" for place in places)
        texts = [
            f"{names}. On {report.machine}.",
            "Each figure is the median of runs that took turns; each run's is the median "
            "of its batches. A ratio says how many times better "
            f"{report.first} is than the best other library: below 1 it is behind. "
            f"Of {len(report.runs)} runs {dropped} were dropped, since the round trip of a "
            "cache line between the cores was another one before or after them; "
            f"{far} of {len(places)} programs are compared with the cores far apart.",
        ]
        texts += [f"Failed: {failure}" for failure in report.failures()]
        return [f'<p class="note">{escape(text)}</p>' for text in texts]

    def _behind(self) -> list[str]:
        report = self._report
        head = f"<h2>Where {escape(report.first)} is behind</h2>"
        if not report.compared:
            return [head, "<p>Nothing else was measured beside it.</p>"]
        count = f"<p>{len(report.behind)} of {report.compared} figures.</p>"
        lines = []
        for one in report.behind:
            row = one.row
            lines.append(
                (
                    f"{row.group}: {title(row)}",
                    size_of(row),
                    quantity(row.value(report.first), row.unit),
                    quantity(row.value(one.other), row.unit),
                    one.other,
                    ratio_text(one.ratio),
                )
            )
        names = ("figure", "size", report.first, "best other", "which", "ratio")
        return [head, count, table(names, lines, marked=5) if lines else ""]

    def _settings(self) -> list[str]:
        """How near the settings that share memory come to the allocated window."""
        parts = []
        for label in self._report.own[1:]:
            found = against_allocated(self._report.rows, self._report.first, label)
            above = [one for one in found if one.times > ALLOWED]
            parts.append(f"<h2>{escape(label)} beside the allocated window</h2>")
            parts.append(
                f"<p>{len(above)} of {len(found)} figures take more than {ALLOWED} times "
                "as long as on an allocated window.</p>"
            )
            lines = [
                (
                    f"{one.row.group}: {title(one.row)}",
                    size_text(one.row.size),
                    quantity(one.row.value(label), one.row.unit),
                    ratio_text(one.times),
                )
                for one in above
            ]
            if lines:
                parts.append(table(("figure", "size", label, "times"), lines, marked=3))
        return parts

    def _floors(self) -> list[str]:
        rows = [row for row in self._report.rows if row.group == "floor"]
        lines = [
            (
                operation_text(row.operation),
                size_text(row.size) if row.size else "",
                quantity(row.value(MACHINE), row.unit),
            )
            for row in rows
        ]
        if not lines:
            return []
        return [
            "<h2>The machine's floors</h2>",
            table(("floor", "size", "time"), lines),
        ]

    def _key(self) -> str:
        named = [*self._styles.items(), ("floor: memcpy or process_vm", "floor")]
        spans = (
            f'<span class="{s}"><i></i>{escape(label)}</span>' for label, s in named
        )
        return f'<div class="key">{"".join(spans)}</div>'

    # ---- groups

    def _group(self, group: str) -> list[str]:
        rows = [row for row in self._report.rows if row.group == group]
        if not rows:
            return []
        parts = [f"<h2>{escape(GROUPS[group])}</h2>"]
        for kind in dict.fromkeys(row.kind for row in rows):
            of_kind = [row for row in rows if row.kind == kind]
            if kind:
                parts.append(f"<h3>{escape(kind)} windows</h3>")
            parts += [self._curves(of_kind), self._numbers(of_kind)]
        return parts

    def _curves(self, rows: Sequence[Row]) -> str:
        charts = []
        for name in dict.fromkeys(row.name for row in rows):
            own = [row for row in rows if row.name == name]
            curves = [self._floor_curve(own)] + [
                Curve(label, style, self._points(own, label))
                for label, style in reversed(self._styles.items())
            ]
            if own[0].group != "start":
                charts.append(
                    chart(operation_text(own[0].operation), curves, own[0].unit)
                )
        drawn = "\n".join(text for text in charts if text)
        return f'<div class="curves">{drawn}</div>' if drawn else ""

    @staticmethod
    def _points(rows: Sequence[Row], label: str) -> tuple[tuple[int, float], ...]:
        values = ((row.size, row.value(label)) for row in rows)
        return tuple((size, value) for size, value in values if value)

    def _floor_curve(self, rows: Sequence[Row]) -> Curve:
        """The floor in the unit of the rows, which is microseconds where there is one."""
        name = floor_of(rows[0])
        floors = [
            (row.size, self._report.floor(name, row.size)) for row in rows if name
        ]
        points = tuple((size, 1e-3 * value) for size, value in floors if value)
        return Curve(operation_text(name), "floor", points)

    def _numbers(self, rows: Sequence[Row]) -> str:
        report = self._report
        lines = []
        for row in rows:
            best = row.best(report.others)
            ratio = row.ratio(report.first, best) if best else None
            values = (quantity(row.value(label), row.unit) for label in report.labels)
            what = operation_text(row.operation)
            lines.append((what, size_of(row), *values, ratio_text(ratio)))
        head = ("operation", "size", *report.labels, "ratio")
        return f"<details><summary>figures</summary>{table(head, lines)}</details>"


def write_page(report: Report, path: Path) -> None:
    path.write_text(Page(report).text(), "utf-8")
