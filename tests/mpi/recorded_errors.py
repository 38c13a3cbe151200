# SPDX-License-Identifier: BSD-3-Clause
"""Each error class that a record names after `fails` can be raised by its procedure: a
program raises it, and prints that.

usage: recorded_errors.py [--only CLASS] MPIEXEC [OPTION...] PROGRAM

With --only the program does to the procedures that it calls what makes them give this class:
those must give it that name it, and no others.
"""

import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP))

from codegen.load import load  # noqa: E402

# What the program without --only does not bring about. Of calls that need several processes,
# those of accesses among them, tests/faults refuses the memory and the programs of
# tests/unit whose names end in _death end the other process.
ELSEWHERE = ("MPI_ERR_NO_MEM", "MPI_ERR_PROC_ABORTED")
Pairs = set[tuple[str, str]]  # of procedure and class


def recorded() -> Pairs:
    """As the records have them."""
    procedures = load(TOP / "spec").procedures.values()
    return {(p.name, c) for p in procedures if not p.planned for c in p.texts.fails}


def raised(command: list[str]) -> Pairs:
    """As the program prints them, with MPI_SUCCESS too. It may end as it likes."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    pairs = [line.split() for line in done.stdout.splitlines()]
    return {(name, class_) for name, class_ in pairs}


def main() -> int:
    """1 if the records say other errors than are raised."""
    _, *command = sys.argv
    ours = recorded()
    if command[0] == "--only":
        _, only, *command = command
        theirs = raised(command)
        called = {name for name, _ in theirs}
        ours = {(name, c) for name, c in ours if c == only and name in called}
        theirs = {(name, c) for name, c in theirs if c == only}
    else:
        ours = {(name, c) for name, c in ours if c not in ELSEWHERE}
        theirs = {(name, c) for name, c in raised(command) if c != "MPI_SUCCESS"}
    if not ours:
        print("no error is said to be given by what the program calls")
        return 1
    for name, class_ in sorted(ours - theirs):
        print(f"{name} is said to give {class_}, which nothing here does")
    for name, class_ in sorted(theirs - ours):
        print(f"{name} gives {class_}, which its record does not say")
    return 1 if ours != theirs else 0


if __name__ == "__main__":
    sys.exit(main())
