# SPDX-License-Identifier: BSD-3-Clause
"""What MPI calls send between nodes: docs/network.md.

usage: network.py check|write MPIEXEC FOLDER PROGRAM

The program (calls.c) runs over the libfabric in the folder, which counts what it carries.
`check` compares the page with what it has counted; `write` writes the page.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
PAGE = TOP / "docs" / "network.md"
SECONDS = 150
LATENCY = "2000"  # microseconds
TRIES = 3

Counts = tuple[int, int, int]  # messages, accesses, trips
Table = dict[str, Counts]

INTRODUCTION = """\
# What calls send between nodes

The least that a call sends, and how long it has to wait for the network. A *message* is handled by a thread of the
receiver: by the program's own while it is inside MPI, else by the progress thread. An *access* is a remote write or read,
which the network's hardware carries out by itself; where the network is software, as over TCP, a thread of the target does
that too, when it polls. The *round trips* are those that follow each other from the begin of the call, in all processes
together, until the last of them has returned from it; half a one is a message that nobody answers.

The numbers are counted. The tests have a libfabric of their own (`tests/fabric`), which plays a network between processes
of one machine, each on a node of its own: once with remote accesses in hardware (as `cxi`), once in software (as `tcp`).
The test `fabric_calls` counts anew and compares with this page; after a change, from the build folder:

```
python3 ../tests/fabric/network.py write launch/mpiexec tests/fabric/lib tests/fabric/fabric_calls
```

"""
ONE_SIDED = """\
## One process calls, the other computes

Messages, accesses and round trips; short operations of software networks share messages. Epochs are those of
`MPI_Win_lock_all` where the row names none, and their target has been accessed before.

"""
COLLECTIVE = """\

## All processes call

Messages and accesses of all processes together, on a network with accesses in hardware.

"""


def start(
    mpiexec: str, folder: str, program: str, nodes: int, kind: str, *arguments: str
) -> subprocess.Popen[str]:
    """Begin to count."""
    settings = {
        "LD_LIBRARY_PATH": folder,
        "ORIEL_FAKE_NODES": str(nodes),
        "FAKE_FABRIC": kind,
        "FAKE_FABRIC_LATENCY": LATENCY,
    }
    command = [mpiexec, "-n", str(nodes), program, *arguments]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=os.environ | settings
    )


def counts_of(job: subprocess.Popen[str]) -> Table:
    """What a job has counted."""
    text, _ = job.communicate(timeout=SECONDS)
    if job.returncode:
        raise SystemExit(f"{job.args!r} has failed")
    table: Table = {}
    for line in text.splitlines():
        name, numbers = line.split(";")
        messages, accesses, trips = map(int, numbers.split())
        table[name] = messages, accesses, trips
    return table


def measure(*places: str) -> list[Table]:
    """On networks with hardware and without, and of 2 and 4 nodes for all processes."""
    mpiexec, folder, program = places
    jobs = [
        start(mpiexec, folder, program, 2, "hardware"),
        start(mpiexec, folder, program, 2, "software"),
        start(mpiexec, folder, program, 2, "hardware", "collective"),
        start(mpiexec, folder, program, 4, "hardware", "collective"),
    ]
    return [counts_of(job) for job in jobs]


def least(one: Table, other: Table) -> Table:
    """A process that comes late sends late, and can send more."""

    def least_counts(name: str) -> Counts:
        a, b = one[name], other[name]
        return min(a[0], b[0]), min(a[1], b[1]), min(a[2], b[2])

    return {name: least_counts(name) for name in one}


def cells(counts: Counts) -> str:
    """Three cells of a row."""
    messages, accesses, trips = counts
    half = "½" if trips % 2 else ""
    rounds = half if trips == 1 else f"{trips // 2}{half}"
    return f"{messages} | {accesses} | {rounds}"


def table_of(heads: tuple[str, str], one: Table, other: Table) -> str:
    """Two counts for each call."""
    columns = [f"{head}: {c}" for head in heads for c in ("messages", "accesses")]
    lines = [
        f"| call | {columns[0]} | {columns[1]} | round trips "
        f"| {columns[2]} | {columns[3]} | round trips |",
        "| --- |" + " ---: |" * 6,
    ]
    for name, counts in one.items():
        lines.append(f"| {name} | {cells(counts)} | {cells(other[name])} |")
    return "\n".join(lines) + "\n"


def page(tables: list[Table]) -> str:
    """The whole page."""
    one_sided = table_of(("hardware", "software"), tables[0], tables[1])
    collective = table_of(("2 nodes", "4 nodes"), tables[2], tables[3])
    return INTRODUCTION + ONE_SIDED + one_sided + COLLECTIVE + collective


def main() -> int:
    """Compare the page with the counts, or write it."""
    what, *places = sys.argv[1:]
    tables = measure(*places)
    for _ in range(TRIES - 1):
        if what == "check" and PAGE.read_text("utf-8") == page(tables):
            return 0
        again = measure(*places)
        tables = [least(one, two) for one, two in zip(tables, again, strict=True)]
    if what == "write":
        PAGE.write_text(page(tables), "utf-8")
        return 0
    if PAGE.read_text("utf-8") == page(tables):
        return 0
    print(page(tables))
    print("docs/network.md is stale; run this with write in place of check")
    return 1


if __name__ == "__main__":
    sys.exit(main())
