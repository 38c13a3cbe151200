# SPDX-License-Identifier: BSD-3-Clause
"""Strangers who connect to a job's ports and send bytes change nothing.

While random programs of one-sided communication run on two nodes over TCP, every port
on which their ranks listen gets connections that send nothing, noise, or much; with the
argument `replay`, half of them send what a rank has sent there, from its connection's
first byte. That needs the right to listen to the network; without it the test is
skipped. The programs check all their data. MPIEXEC and RANDOM_PROGRAMS name the
launcher and tests/random's program.
"""

from __future__ import annotations

import os
import random
import re
import socket
import struct
import subprocess
import sys
import threading
from pathlib import Path

MPIEXEC = os.environ["MPIEXEC"]
PROGRAM = os.environ["RANDOM_PROGRAMS"]
RANKS = 4
LISTENS = "0A"  # the state in /proc/net/tcp
EVERY_PROTOCOL = 3
RECORDED = 1 << 18  # bytes of a connection, at most
SKIPPED = 77
Place = tuple[str, int]


class Recorder(threading.Thread):
    """What has been sent on each TCP connection of this host, from its beginning."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.strangers: set[Place] = set()
        self.streams: dict[tuple[Place, Place], bytes] = {}
        self.next: dict[tuple[Place, Place], int] = {}
        kind = socket.htons(EVERY_PROTOCOL)
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, kind)

    def run(self) -> None:
        while True:
            self.take(self.socket.recv(1 << 16))

    def take(self, packet: bytes) -> None:
        """An IPv4 packet; those that come again or too early are left out."""
        if packet[0] >> 4 != 4 or packet[9] != socket.IPPROTO_TCP:
            return
        start = packet[0] % 16 * 4
        length = struct.unpack("!H", packet[2:4])[0]
        source, target, number = struct.unpack("!HHI", packet[start : start + 8])
        ends = (
            (socket.inet_ntoa(packet[12:16]), source),
            (socket.inet_ntoa(packet[16:20]), target),
        )
        begins = packet[start + 13] & 2 != 0
        data = packet[start + packet[start + 12] // 16 * 4 : length]
        if begins:
            self.streams[ends] = b""
            self.next[ends] = (number + 1) % (1 << 32)
        elif self.next.get(ends) == number and len(self.streams[ends]) < RECORDED:
            self.streams[ends] += data
            self.next[ends] = (number + len(data)) % (1 << 32)

    def sent_to(self, place: Place) -> list[bytes]:
        """What ranks have sent there."""
        return [
            stream
            for (source, target), stream in list(self.streams.items())
            if target == place and source not in self.strangers and stream
        ]


def record() -> Recorder:
    try:
        recorder = Recorder()
    except PermissionError:
        sys.exit(SKIPPED)
    recorder.start()
    return recorder


def sockets_of(pid: int) -> set[str]:
    inodes = set()
    for file in Path(f"/proc/{pid}/fd").iterdir():
        try:
            if found := re.fullmatch(r"socket:\[(\d+)\]", os.readlink(file)):
                inodes.add(found[1])
        except FileNotFoundError:
            pass
    return inodes


def listeners(pids: list[int]) -> list[Place]:
    inodes = set().union(*map(sockets_of, pids))
    found = []
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if fields[3] == LISTENS and fields[9] in inodes:
            address, port = fields[1].split(":")
            host = socket.inet_ntoa(bytes.fromhex(address)[::-1])
            found.append((host, int(port, 16)))
    return found


class Strangers:
    """They connect, say something and go away."""

    def __init__(self, recorder: Recorder | None) -> None:
        self.chance = random.Random(1)
        self.recorder = recorder
        self.noises = self.replays = 0

    def choose(self, place: Place) -> bytes:
        recorded = self.recorder.sent_to(place) if self.recorder else []
        if recorded and self.chance.random() < 0.5:
            self.replays += 1
            return self.chance.choice(recorded)
        self.noises += 1
        return self.chance.randbytes(self.chance.choice((0, 7, 64, 1024, 100000)))

    def disturb(self, place: Place) -> None:
        said = self.choose(place)
        try:
            with socket.create_connection(place, timeout=1) as stranger:
                if self.recorder:
                    self.recorder.strangers.add(stranger.getsockname())
                stranger.sendall(said)
        except OSError:
            pass  # it was shown the door


def main() -> None:
    strangers = Strangers(record() if sys.argv[1:] == ["replay"] else None)
    what = [MPIEXEC, "-v", "-n", str(RANKS), "-env", "ORIEL_FAKE_NODES", "2"]
    what += [PROGRAM, "60"]
    pids: list[int] = []
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
                strangers.disturb(place)
        report = job.stderr.read()
    if job.returncode != 0:
        sys.exit(f"the job has failed with code {job.returncode}:\n{report}")
    if strangers.noises < RANKS:
        sys.exit(f"only {strangers.noises} connections were tried")
    if strangers.recorder and strangers.replays == 0:
        sys.exit("nothing was recorded and sent again")
    print(f"{strangers.noises} connections of strangers, {strangers.replays} replays")


if __name__ == "__main__":
    main()
