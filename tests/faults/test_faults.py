# SPDX-License-Identifier: BSD-3-Clause
"""No job hangs or crashes because an allocation or the network fails once.

A job counts what it asks for; then it runs again and again while one process is refused
one of them. Each run must end in time: with success, or with an error of MPI that names
its class. MPIEXEC, PROGRAM and FAULTS name the launcher, the program and what is
preloaded. The argument says how many of each kind are refused in each layout, by one
rank or another; 0: all, by each.
"""

from __future__ import annotations

import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

MPIEXEC, PROGRAM = os.environ["MPIEXEC"], os.environ["PROGRAM"]
FAULTS = os.environ["FAULTS"]
RANKS = 3
PATIENCE = 30.0  # seconds
# Of a crash, of wrong data, and of what only the launcher has found out.
BAD = re.compile(r"signal|is not true|assert|corrupt|free\(\)", re.IGNORECASE)
KINDS = {1: ("alloc", "allocs"), 2: ("alloc", "allocs", "post", "drop", "end")}


@dataclass(frozen=True)
class Fault:
    nodes: int
    kind: str
    number: int
    rank: int


def run(nodes: int, *settings: str) -> tuple[int | None, str]:
    """Exit code and output; no code for a job that hangs."""
    what = [MPIEXEC, "-n", str(RANKS), "-env", "ORIEL_FAKE_NODES", str(nodes)]
    what += ["-env", "LD_PRELOAD", FAULTS, *settings, PROGRAM]
    with subprocess.Popen(
        what, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as job:
        try:
            output, _ = job.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            job.terminate()  # mpiexec ends its processes
            output, _ = job.communicate()
            return None, output
    return job.returncode, output


def count(nodes: int) -> dict[tuple[str, int], int]:
    """How many of each kind each rank asks for."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "counts"
        code, output = run(nodes, "-env", "FAULT_COUNTS", str(path))
        assert code == 0, output
        lines = [line.split() for line in path.read_text().splitlines()]
    return {(kind, int(rank)): int(number) for rank, kind, number in lines}


def faults_of(nodes: int, limit: int) -> list[Fault]:
    """So many of each kind, from the first to the last; all for 0."""
    counts = {key: n for key, n in count(nodes).items() if key[0] in KINDS[nodes]}
    if limit == 0:
        return [
            Fault(nodes, kind, 1 + i, rank)
            for (kind, rank), total in counts.items()
            for i in range(total)
        ]
    return [
        Fault(nodes, kind, 1 + i * counts[kind, i % RANKS] // limit, i % RANKS)
        for kind in KINDS[nodes]
        for i in range(limit)
    ]


def complaint(fault: Fault) -> str:
    """What is wrong with the run, or nothing."""
    setting = f"{fault.kind} {fault.number} {fault.rank}"
    code, output = run(fault.nodes, "-env", "FAULT", setting)
    if code is None:
        why = "hangs"
    elif BAD.search(output):
        why = "crashes or has wrong data"
    elif code != 0 and "MPI_ERR_" not in output:
        why = "ends without an error of MPI"
    else:
        return ""
    return f"{fault.nodes} nodes, FAULT={setting!r}: {why}\n{output}"


def main() -> int:
    limit = int(sys.argv[1])
    faults = [fault for nodes in KINDS for fault in faults_of(nodes, limit)]
    with concurrent.futures.ThreadPoolExecutor(2) as two:
        complaints = [text for text in two.map(complaint, faults) if text]
    print(*complaints, sep="\n")
    print(f"{len(faults)} runs, {len(complaints)} of them bad")
    return 1 if complaints or not faults else 0


if __name__ == "__main__":
    sys.exit(main())
