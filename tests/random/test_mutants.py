# SPDX-License-Identifier: BSD-3-Clause
"""Mutants of random programs, each with one mistake, are reported by ORIEL_CHECK=races.

usage: test_mutants.py COUNT [FIRST-SEED]

MPIEXEC, PROGRAM and NODES come from the environment. At least 98 of 100 mutants must be
reported, and none of those that have locks which make them right. Seeds whose program
cannot be made wrong in that way are left out.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

WRONG = ("moved", "exchanged", "unflushed", "unfenced", "unlocked")
RIGHT = "locked"
MUTATIONS = (*WRONG, RIGHT)
FOUND, NO_MUTANT = 99, 77
ENOUGH = 0.98


def run(seed: int, mutation: str) -> int:
    """The exit code of mpiexec for one mutant."""
    command = [os.environ["MPIEXEC"], "-n", "3", "--timeout", "60"]
    command += ["--check-exit", str(FOUND), "-genv", "ORIEL_CHECK", "races"]
    command += ["-genv", "ORIEL_FAKE_NODES", os.environ["NODES"]]
    command += [os.environ["PROGRAM"], "1", str(seed), "1", mutation]
    return subprocess.run(command, capture_output=True, check=False).returncode


def main(arguments: list[str]) -> int:
    count = int(arguments[0])
    first = int(arguments[1]) if len(arguments) > 1 else 1
    jobs = [(first + i, mutation) for i in range(count) for mutation in MUTATIONS]
    made: Counter[str] = Counter()
    silent: list[tuple[int, str]] = []
    loud: list[int] = []
    with ThreadPoolExecutor(2) as workers:
        for job, code in zip(jobs, workers.map(lambda job: run(*job), jobs)):
            if code == NO_MUTANT:
                continue
            made[job[1]] += 1
            if job[1] == RIGHT and code != 0:
                loud.append(job[0])
            elif job[1] != RIGHT and code != FOUND:
                silent.append(job)
    total = sum(made[mutation] for mutation in WRONG)
    print(f"{total} mutants {dict(made)}, {len(silent)} not reported: {silent}")
    print(f"{made[RIGHT]} with locks, reported all the same: {loud}")
    return 0 if total > 0 and len(silent) <= (1 - ENOUGH) * total and not loud else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
