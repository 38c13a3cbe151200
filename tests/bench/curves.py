# SPDX-License-Identifier: BSD-3-Clause
"""Curves over sizes as SVG that stands in the page itself: both scales are logarithmic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10

from figures import quantity, size_text

WIDTH, HEIGHT = 340, 220
LEFT, RIGHT, TOP, BOTTOM = 58, 10, 24, 26


@dataclass(frozen=True)
class Curve:
    """The points (size, value) of one library, drawn in the style of a class."""

    label: str
    style: str
    points: tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class Scale:
    """Places values between `low` and `high` on pixels by their logarithms."""

    low: float
    high: float
    first: float
    last: float

    def at(self, value: float) -> float:
        share = (log10(value) - log10(self.low)) / (log10(self.high) - log10(self.low))
        return round(self.first + share * (self.last - self.first), 1)


def decades(values: Sequence[float]) -> tuple[int, int]:
    """The powers of ten that enclose all values."""
    low, high = floor(log10(min(values))), ceil(log10(max(values)))
    return low, max(high, low + 1)


def _horizontal_grid(scale: Scale, low: int, high: int, unit: str) -> list[str]:
    step = 1 + (high - low) // 6
    parts = []
    for power in range(low, high + 1, step):
        y = scale.at(10.0**power)
        text = (
            escape(quantity(10.0**power, unit))
            .replace(".00 ", " ")
            .replace(".0 ", " ")
        )
        parts.append(f'<path class="grid" d="M{LEFT} {y}H{WIDTH - RIGHT}"/>')
        parts.append(f'<text class="y" x="{LEFT - 5}" y="{y + 3.5}">{text}</text>')
    return parts


def _vertical_grid(scale: Scale, sizes: Sequence[int]) -> list[str]:
    parts = []
    for size in (1, 8, 64, 512, 4 << 10, 32 << 10, 256 << 10, 2 << 20):
        if not sizes[0] <= size <= sizes[-1]:
            continue
        x = scale.at(size)
        text = size_text(size).removesuffix("iB").removesuffix(" B")
        parts.append(f'<path class="grid" d="M{x} {TOP}V{HEIGHT - BOTTOM}"/>')
        parts.append(f'<text class="x" x="{x}" y="{HEIGHT - 10}">{text}</text>')
    return parts


def _line(curve: Curve, across: Scale, up: Scale, unit: str) -> list[str]:
    places = [(across.at(size), up.at(value)) for size, value in curve.points]
    path = "L".join(f"{x} {y}" for x, y in places)
    parts = [f'<g class="{curve.style}"><path d="M{path}"/>']
    for (size, value), (x, y) in zip(curve.points, places, strict=True):
        told = escape(f"{curve.label}, {size_text(size)}: {quantity(value, unit)}")
        parts.append(
            f'<circle cx="{x}" cy="{y}" r="2.5"><title>{told}</title></circle>'
        )
    return [*parts, "</g>"]


def chart(title: str, curves: Sequence[Curve], unit: str) -> str:
    """One picture; nothing where no curve has two sizes."""
    sizes = sorted({size for curve in curves for size, _ in curve.points})
    values = [value for curve in curves for _, value in curve.points]
    if len(sizes) < 2:
        return ""
    low, high = decades(values)
    across = Scale(sizes[0], sizes[-1], LEFT, WIDTH - RIGHT)
    up = Scale(10.0**low, 10.0**high, HEIGHT - BOTTOM, TOP)
    name = escape(title)
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{name}">',
        f'<text class="title" x="{LEFT}" y="15">{name}</text>',
        *_horizontal_grid(up, low, high, unit),
        *_vertical_grid(across, sizes),
    ]
    for curve in curves:
        if curve.points:
            parts += _line(curve, across, up, unit)
    return "\n".join([*parts, "</svg>"])
