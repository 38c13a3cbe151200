# SPDX-License-Identifier: BSD-3-Clause
"""What calls send between nodes: the rows of docs/network.md, whose numbers a test counts."""

from dataclasses import dataclass
from pathlib import Path

PAGE = Path("docs") / "network.md"


@dataclass(frozen=True)
class Cost:
    """One row of one of the page's tables."""

    call: str  # "put of 8 B, flush"
    columns: tuple[str, ...]  # "hardware: messages"
    cells: tuple[str, ...]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def load_costs(root: Path) -> dict[str, Cost]:
    """Every row by its call; none if the tree has no such page."""
    path = root / PAGE
    if not path.exists():
        return {}
    costs: dict[str, Cost] = {}
    columns: list[str] = []
    for line in path.read_text("utf-8").splitlines():
        if not line.startswith("|"):
            columns = []
            continue
        cells = _cells(line)
        if not columns:
            columns = cells[1:]
        elif not cells[0].startswith("---"):
            costs[cells[0]] = Cost(cells[0], tuple(columns), tuple(cells[1:]))
    return costs
