# SPDX-License-Identifier: BSD-3-Clause
"""Each error class that a record names after `fails` can be raised by its procedure: a
program raises it, and prints that.

usage: recorded_errors.py MPIEXEC [OPTION...] PROGRAM
"""

import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP))

from codegen.load import load  # noqa: E402

# What this program does not bring about, of any procedure: tests/faults refuses
# allocations, and the programs of tests/unit whose names end in _death end processes.
ELSEWHERE = ("MPI_ERR_NO_MEM", "MPI_ERR_PROC_ABORTED")


def recorded() -> set[tuple[str, str]]:
    """Procedure and class, as the records have them."""
    procedures = load(TOP / "spec").procedures.values()
    found = {(p.name, c) for p in procedures if not p.planned for c in p.texts.fails}
    return {pair for pair in found if pair[1] not in ELSEWHERE}


def raised(command: list[str]) -> set[tuple[str, str]]:
    """Procedure and class, as the program prints them."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    pairs = [tuple(line.split()) for line in done.stdout.splitlines()]
    return {(name, class_) for name, class_ in pairs if class_ != "MPI_SUCCESS"}


def main() -> int:
    """1 if the records say other errors than are raised."""
    ours, theirs = recorded(), raised(sys.argv[1:])
    for name, class_ in sorted(ours - theirs):
        print(f"{name} is said to give {class_}, which nothing here does")
    for name, class_ in sorted(theirs - ours):
        print(f"{name} gives {class_}, which its record does not say")
    return 1 if ours != theirs else 0


if __name__ == "__main__":
    sys.exit(main())
