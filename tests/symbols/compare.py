# SPDX-License-Identifier: BSD-3-Clause
"""The libraries export what the symbol plan says: no more, no less, weak where planned;
so do the static ones.

usage: compare.py SYMBOLS.TXT LIBRARY...
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def exported(library: Path) -> dict[str, str]:
    """Symbol -> weak|strong of all that a library defines for others."""
    table = "--extern-only" if library.suffix == ".a" else "--dynamic"
    listing = subprocess.run(
        ["nm", table, "--defined-only", str(library)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    rows = [line.split()[-2:] for line in listing.splitlines() if " " in line]
    return {name: "weak" if kind in "WwV" else "strong" for kind, name in rows}


def planned(plan: Path, library: str) -> dict[str, str]:
    """The rows of the plan for a library; the first line, a comment, names the columns."""
    lines = plan.read_text(encoding="utf-8").splitlines()
    columns = lines[0].removeprefix("#").split()
    rows = [line.split() for line in lines[1:]]
    at = {name: index for index, name in enumerate(columns)}
    return {
        row[at["symbol"]]: row[at["binding"]]
        for row in rows
        if row[at["library"]] == library
    }


def differences(plan: dict[str, str], found: dict[str, str]) -> list[str]:
    missing = [f"planned, not exported: {name}" for name in plan if name not in found]
    extra = [f"exported, not planned: {name}" for name in found if name not in plan]
    other = [
        f"{name} is {found[name]}, planned {plan[name]}"
        for name in plan
        if name in found and found[name] != plan[name]
    ]
    return sorted(missing + extra + other)


def main() -> int:
    plan, libraries = Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]]
    failed = False
    for library in libraries:
        stem = library.name.split(".")[0]
        rows = planned(plan, stem)
        found = differences(rows, exported(library))
        print(f"{library.name}: {len(rows)} planned symbols, {len(found)} differences")
        for text in found:
            print(f"  {text}")
        failed = failed or bool(found) or not rows
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
