# SPDX-License-Identifier: BSD-3-Clause
"""Processes that end at random moments of random programs of one-sided communication.

usage: test_deaths.py [KILLS [SEED]]

A rank is killed or exits without MPI_Finalize, all ranks of a node are killed, or mpiexec
itself. Within the bound everything has ended, mpiexec says who died of what, and neither
a process nor a file is left. If mpiexec is told to keep the job, each survivor's calls
fail, and what it finds in its memory is what the others have written. MPIEXEC,
RANDOM_PROGRAMS and ENDURE name the launcher and the programs.
"""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

MPIEXEC = os.environ["MPIEXEC"]
RANDOM_PROGRAMS = os.environ["RANDOM_PROGRAMS"]
ENDURE = os.environ["ENDURE"]
# Seconds, of which 2 are mpiexec's patience with a rank that ignores SIGTERM.
BOUND = 15.0
EXITED = 3  # the code with which a rank of ENDURE exits at SIGUSR1


@dataclass
class Death:
    """Of some ranks, by a signal, or of mpiexec."""

    ranks: int
    nodes: int
    keeps_job: bool
    number: int
    victims: list[int]  # ranks; none: mpiexec
    program: list[str]

    def command(self) -> list[str]:
        what = [MPIEXEC, "-v", "-n", str(self.ranks)]
        what += ["--keep-job"] if self.keeps_job else []
        what += ["-env", "ORIEL_FAKE_NODES", str(self.nodes), *self.program]
        return what


def any_death(chance: random.Random) -> Death:
    ranks, nodes = chance.randint(2, 5), chance.choice((1, 1, 2, 3))
    seed = str(chance.randrange(1 << 30))
    programs = [[ENDURE, seed], [RANDOM_PROGRAMS, "1000000", seed]]
    kind = chance.choice(("rank", "rank", "exit", "node", "mpiexec"))
    keeps_job = kind != "mpiexec" and chance.random() < 0.6
    is_enduring = keeps_job or kind == "exit" or chance.random() < 0.5
    victims = [chance.randrange(ranks)]
    if kind == "node":
        parts = min(nodes, ranks)
        victims = [r for r in range(ranks) if r * parts // ranks == parts - 1]
    return Death(
        ranks=ranks,
        nodes=nodes,
        keeps_job=keeps_job,
        number=signal.SIGUSR1 if kind == "exit" else signal.SIGKILL,
        victims=[] if kind == "mpiexec" else victims,
        program=programs[0 if is_enduring else 1],
    )


def traces(folder: str) -> set[Path]:
    """Files where a job might leave some; `folder` is for temporary ones."""
    return {*Path("/dev/shm").glob("*oriel*"), *Path(folder).iterdir()}


def pids_of(job: subprocess.Popen[str], ranks: int) -> list[int]:
    """From what mpiexec -v says when it starts a rank."""
    assert job.stderr
    pids: list[int] = []
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


def wrong_in_report(death: Death, code: int, output: str, report: str) -> str:
    if not death.victims:
        return ""
    codes = {128 + death.number, EXITED} if death.number != signal.SIGKILL else {137}
    if code not in codes:
        return f"exit code {code}"
    named = re.search(r"rank (\d+) .*(killed by signal|exited with code)", report)
    if not named or int(named[1]) not in death.victims:
        return "no victim is named first"
    if " not 0x" in report or "must be 0x" in report:
        return "a survivor has wrong data"
    for rank in set(range(death.ranks)) - set(death.victims):
        # Who has not yet left MPI_Init when another dies cannot survive.
        is_early = "MPI_Init" in report
        if death.keeps_job and not is_early and f"rank {rank} has surv" not in output:
            return f"rank {rank} has not survived"
    return ""


def wrong_after(death: Death, moment: float) -> str:
    """What was wrong, or nothing. `moment` is from 0 to 1."""
    with subprocess.Popen(
        death.command(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as job:
        pids = pids_of(job, death.ranks)
        time.sleep(moment * (0.3 if death.nodes == 1 else 2.0))
        for pid in [pids[rank] for rank in death.victims] or [job.pid]:
            os.kill(pid, death.number)
        try:
            output, report = job.communicate(timeout=BOUND)
        except subprocess.TimeoutExpired:
            job.kill()
            return f"still runs after {BOUND} s"
    end = time.monotonic() + BOUND
    while any(is_running(pid) for pid in pids):
        if time.monotonic() > end:
            return "a rank has outlived the job"
        time.sleep(0.01)
    wrong = wrong_in_report(death, job.returncode, output, report)
    return f"{wrong}\n{output}\n{report}" if wrong else ""


def main() -> None:
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TMPDIR"] = folder
        before = traces(folder)
        for number in range(kills):
            death = any_death(chance)
            if wrong := wrong_after(death, chance.random()):
                sys.exit(f"kill {number} of seed {seed}: {death}: {wrong}")
        if left := traces(folder) - before:
            sys.exit(f"files are left: {left}")


if __name__ == "__main__":
    main()
