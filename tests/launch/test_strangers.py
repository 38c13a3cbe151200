# SPDX-License-Identifier: BSD-3-Clause
"""Strangers who connect to a job's ports and send bytes change nothing.

While random programs of one-sided communication run on two nodes over TCP, every port
on which their ranks listen gets connections that send nothing, noise, or much. The
programs check all their data. MPIEXEC and RANDOM_PROGRAMS name the launcher and
tests/random's program.
"""

from __future__ import annotations

import os
import random
import re
import socket
import subprocess
import sys
from pathlib import Path

MPIEXEC = os.environ["MPIEXEC"]
PROGRAM = os.environ["RANDOM_PROGRAMS"]
RANKS = 4
LISTENS = "0A"  # the state in /proc/net/tcp


def sockets_of(pid: int) -> set[str]:
    inodes = set()
    for file in Path(f"/proc/{pid}/fd").iterdir():
        try:
            if found := re.fullmatch(r"socket:\[(\d+)\]", os.readlink(file)):
                inodes.add(found[1])
        except FileNotFoundError:
            pass
    return inodes


def listeners(pids: list[int]) -> list[tuple[str, int]]:
    inodes = set().union(*map(sockets_of, pids))
    found = []
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if fields[3] == LISTENS and fields[9] in inodes:
            address, port = fields[1].split(":")
            host = socket.inet_ntoa(bytes.fromhex(address)[::-1])
            found.append((host, int(port, 16)))
    return found


def disturb(place: tuple[str, int], chance: random.Random) -> None:
    try:
        with socket.create_connection(place, timeout=1) as stranger:
            stranger.sendall(chance.randbytes(chance.choice((0, 7, 64, 1024, 100000))))
    except OSError:
        pass  # it was shown the door


def main() -> None:
    chance = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    what = [MPIEXEC, "-v", "-n", str(RANKS), "-env", "ORIEL_FAKE_NODES", "2"]
    what += [PROGRAM, "60"]
    pids: list[int] = []
    connections = 0
    with subprocess.Popen(what, stderr=subprocess.PIPE, text=True) as job:
        assert job.stderr
        while len(pids) < RANKS:
            line = job.stderr.readline()
            if found := re.search(r"rank \d+ is pid (\d+)", line):
                pids.append(int(found[1]))
            elif line == "":
                sys.exit("mpiexec has ended before it had started the ranks")
        while job.poll() is None:
            try:
                places = listeners(pids)
            except FileNotFoundError:
                break  # the ranks have ended
            for place in places:
                disturb(place, chance)
                connections += 1
        report = job.stderr.read()
    if job.returncode != 0:
        sys.exit(f"the job has failed with code {job.returncode}:\n{report}")
    if connections < RANKS:
        sys.exit(f"only {connections} connections were tried")
    print(f"{connections} connections of strangers")


if __name__ == "__main__":
    main()
