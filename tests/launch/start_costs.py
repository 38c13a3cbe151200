# SPDX-License-Identifier: BSD-3-Clause
"""What the start of a job costs, by number of ranks and nodes: start_costs.py
[RANKS[/NODES]...]. Prints the wall time from start to end of a small program (the
best of three), the processor time of the whole job, and the memory of a process after
MPI_Init. Fails if a job does.

The variables MPIEXEC and START_COSTS name the launcher and the program.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time

USUAL = ["2", "8", "32", "64", "2/2", "8/2", "32/4", "64/8"]
RUNS = 3


def run(ranks: str, nodes: str) -> tuple[float, float, int, int]:
    """Wall and processor seconds, resident and proportional KiB."""
    command = [os.environ["MPIEXEC"], "-n", ranks, "-env", "ORIEL_FAKE_NODES", nodes]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    output = subprocess.run(
        [*command, os.environ["START_COSTS"]],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout
    wall = time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    resident, proportional = (int(word) for word in output.split())
    return wall, used, resident, proportional


def main(jobs: list[str]) -> None:
    print("| ranks | nodes | start to end | processor time | resident | proportional |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: |")
    for job in jobs:
        ranks, _, nodes = job.partition("/")
        nodes = nodes or "1"
        wall, used, resident, proportional = min(run(ranks, nodes) for _ in range(RUNS))
        print(
            f"| {ranks} | {nodes} | {1000 * wall:.0f} ms | {1000 * used:.0f} ms"
            f" | {resident / 1024:.1f} MiB | {proportional / 1024:.1f} MiB |",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:] or USUAL)
