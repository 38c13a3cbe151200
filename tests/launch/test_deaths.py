# SPDX-License-Identifier: BSD-3-Clause
"""Processes killed at random moments of random programs of one-sided communication.

usage: test_deaths.py [KILLS [SEED]]

Whoever dies (a rank, or mpiexec itself), the job ends within the bound, mpiexec says who
died of what, and neither a process nor a file is left. MPIEXEC and RANDOM_PROGRAMS name
the launcher and tests/random's program.
"""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

MPIEXEC = os.environ["MPIEXEC"]
PROGRAM = os.environ["RANDOM_PROGRAMS"]
BOUND = (
    15.0  # seconds, of which 2 are mpiexec's patience with a rank that ignores SIGTERM
)


def files() -> set[Path]:
    return set(Path("/dev/shm").glob("*oriel*"))


def pids_of(job: subprocess.Popen[str], ranks: int) -> list[int]:
    """From what mpiexec -v says when it starts a rank."""
    assert job.stderr
    pids = []
    while len(pids) < ranks:
        line = job.stderr.readline()
        if found := re.search(r"rank \d+ is pid (\d+)", line):
            pids.append(int(found[1]))
        elif line == "":
            sys.exit("mpiexec has ended before it had started the ranks")
    return pids


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def kill_one(chance: random.Random) -> str:
    """What was wrong, or nothing."""
    ranks, nodes = chance.randint(2, 5), chance.choice((1, 1, 2, 3))
    what = [MPIEXEC, "-v", "-n", str(ranks), "-env", "ORIEL_FAKE_NODES", str(nodes)]
    what += [PROGRAM, "1000000", str(chance.randrange(1 << 30))]
    with subprocess.Popen(what, stderr=subprocess.PIPE, text=True) as job:
        pids = pids_of(job, ranks)
        is_launcher = chance.random() < 0.2
        time.sleep(chance.random() * (0.3 if nodes == 1 else 2.0))
        victim = job.pid if is_launcher else chance.choice(pids)
        os.kill(victim, signal.SIGKILL)
        try:
            report = job.communicate(timeout=BOUND)[1]
        except subprocess.TimeoutExpired:
            job.kill()
            return f"still runs {BOUND} s after {victim} was killed: {what}"
    end = time.monotonic() + BOUND
    while any(is_running(pid) for pid in pids):
        if time.monotonic() > end:
            return f"a rank has outlived the job: {what}"
        time.sleep(0.01)
    if not is_launcher and (
        job.returncode != 137 or "killed by signal 9" not in report
    ):
        return f"exit code {job.returncode}: {what}\n{report}"
    if "must be 0x" in report:
        return f"a survivor has wrong data: {what}\n{report}"
    return ""


def main() -> None:
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    chance = random.Random(seed)
    before = files()
    for number in range(kills):
        if wrong := kill_one(chance):
            sys.exit(f"kill {number} of seed {seed}: {wrong}")
    if left := files() - before:
        sys.exit(f"files are left: {left}")


if __name__ == "__main__":
    main()
