# SPDX-License-Identifier: BSD-3-Clause
"""A stream of 8-byte puts takes at most ten times as long with ORIEL_CHECK=races, in
windows of both kinds, in a node and between two: the two are measured in turns.

MPIEXEC and PROGRAM (races_stream) come from the environment.
"""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import product

MOST = 10  # times as long
TURNS = 3


def nanoseconds(nodes: int, window: str, step: int, checked: str) -> float:
    """What a put takes."""
    settings = {"ORIEL_FAKE_NODES": str(nodes), "ORIEL_CHECK": checked}
    done = subprocess.run(
        [os.environ["MPIEXEC"], "-n", "2", os.environ["PROGRAM"], window, str(step)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **settings},
    )
    return float(done.stdout)


def main() -> int:
    worst = 0.0
    for nodes, window, step in product((1, 2), ("allocated", "created"), (1, 5)):
        taken: dict[str, float] = {}
        for _, checked in product(range(TURNS), ("full", "races")):
            now = nanoseconds(nodes, window, step, checked)
            taken[checked] = min(now, taken.get(checked, now))
        ratio = taken["races"] / taken["full"]
        worst = max(worst, ratio)
        where = f"{nodes} nodes, {window}, every {step}. cell"
        print(f"{where}: {taken['full']:.1f} -> {taken['races']:.1f} ns, {ratio:.1f} x")
    return 1 if worst > MOST else 0


if __name__ == "__main__":
    sys.exit(main())
