# SPDX-License-Identifier: BSD-3-Clause
"""Mutants of random programs, each with one mistake, are reported by ORIEL_CHECK=races.

usage: test_mutants.py COUNT [FIRST-SEED]

MPIEXEC, PROGRAM and NODES come from the environment. At least 98 of 100 mutants must be
reported. Seeds whose program cannot be made wrong in that way are left out.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

MUTATIONS = ("moved", "exchanged", "unflushed")
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
    jobs = [(first + i // 3, MUTATIONS[i % 3]) for i in range(3 * count)]
    made: Counter[str] = Counter()
    silent: list[tuple[int, str]] = []
    with ThreadPoolExecutor(2) as workers:
        for job, code in zip(jobs, workers.map(lambda job: run(*job), jobs)):
            if code == NO_MUTANT:
                continue
            made[job[1]] += 1
            if code != FOUND:
                silent.append(job)
    total = sum(made.values())
    print(f"{total} mutants {dict(made)}, {len(silent)} not reported: {silent}")
    return 0 if total > 0 and len(silent) <= (1 - ENOUGH) * total else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
