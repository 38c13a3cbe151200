# SPDX-License-Identifier: BSD-3-Clause
"""The files of a trace: launch/trace/trace.h says what is in them."""

from __future__ import annotations

import struct
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterator, NamedTuple

VERSION = 1
MAGIC = b"ORIELTRC"
HEADER = struct.Struct("<8sIIIIiiIIQ3Q3Q QqQ QqQ 64s80s")
CHUNK = struct.Struct("<QIIQ40x")
RECORD = struct.Struct("<QQQQQQiiIHH")
NONE = -1


class Record(NamedTuple):
    """One call, or a run of calls; times in ticks."""

    begin: int
    end: int
    entered: int
    inside: int
    site: int
    bytes: int
    object: int
    peer: int
    calls: int
    procedure: int
    detail: int


class Procedure(NamedTuple):
    """What the generator knows of a procedure."""

    name: str
    works_on: str  # "window", "communicator" or "-"
    data: str  # "out", "in", "both" or "-": which way those of the caller go
    shared: str  # "collective" or "local"


@dataclass(frozen=True)
class Object:
    """A window or communicator; members are ranks of the job."""

    number: int  # of its making in the process
    kind: str
    members: tuple[int, ...]
    name: str


@dataclass(frozen=True)
class Mapped:
    """A file that lies in memory."""

    begin: int
    end: int
    bias: int
    path: str


@dataclass(frozen=True)
class Moment:
    """The same moment by two clocks."""

    ticks: int
    monotonic: int


@dataclass
class Process:
    """What one process has recorded."""

    rank: int
    size: int
    pid: int
    host: str
    clock_domain: str
    job: int
    has_ended: bool
    started: int  # by the clock of the day, in nanoseconds
    first: Moment
    last: Moment
    alignments: list[tuple[int, int, int]]  # when, offset, doubt
    threads: dict[int, list[Record]] = field(default_factory=dict)
    unwritten: int = 0
    program: str = ""
    procedures: list[Procedure] = field(default_factory=list)
    objects: dict[int, Object] = field(default_factory=dict)
    mapped: list[Mapped] = field(default_factory=list)


def _members(text: str) -> tuple[int, ...]:
    found: list[int] = []
    for run in filter(None, text.split(",")):
        first, _, last = run.partition("-")
        if first and last:
            found.extend(range(int(first), int(last) + 1))
    return tuple(found)


def _read_text(path: Path, process: Process) -> None:
    """The lines of which each begins with what it is; the last one may be cut off."""
    mapped: dict[int, Mapped] = {}
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        what, _, rest = line.partition(" ")
        words = rest.split(" ", 3)
        if what == "procedure" and len(rest.split(" ")) == 5:
            process.procedures.append(Procedure(*rest.split(" ")[1:]))
        elif what == "program":
            process.program = rest
        elif what in ("window", "communicator") and len(words) >= 2:
            number, name = int(words[0]), rest.split(" ", 2)[2:]
            members = _members(words[1])
            text = name[0] if name else ""
            process.objects[number] = Object(number, what, members, text)
        elif what == "file" and len(words) == 4:
            begin, end, bias = (int(word, 16) for word in words[:3])
            mapped[begin] = Mapped(begin, end, bias, words[3] or process.program)
    process.mapped = list(mapped.values())


def _text(data: bytes) -> str:
    return data.split(b"\0")[0].decode(errors="replace")


def _chunks(data: memoryview, header: int, size: int) -> Iterator[tuple[int, int, int]]:
    """Where each chunk that has records begins, its sequence and thread."""
    for place in range(header, len(data) - size + 1, size):
        sequence, thread, used, _ = CHUNK.unpack_from(data, place)
        if 0 < used < size // RECORD.size:
            yield place, sequence, thread


def _read_records(data: memoryview, process: Process, header: int, size: int) -> None:
    chunks = sorted(_chunks(data, header, size), key=lambda chunk: chunk[1])
    lost: dict[int, int] = {}
    for place, _, thread in chunks:
        _, _, used, unwritten = CHUNK.unpack_from(data, place)
        lost[thread] = max(unwritten, lost.get(thread, 0))
        begin = place + CHUNK.size
        records = RECORD.iter_unpack(data[begin : begin + used * RECORD.size])
        into = process.threads.setdefault(thread, [])
        into.extend(map(Record._make, records))
    process.unwritten = sum(lost.values())


def read_process(path: Path) -> Process | None:
    """The process whose records a file has; None if it is no such file."""
    data = path.read_bytes()
    if len(data) < HEADER.size or not data.startswith(MAGIC):
        return None
    fields = HEADER.unpack_from(data)
    version, header, size = fields[1:4]
    if version != VERSION:
        print(f"oriel-trace: {path} has another version: {version}", file=sys.stderr)
        return None
    rank, ranks, pid, has_ended, job = fields[5:10]
    first, last = fields[10:13], fields[13:16]
    process = Process(
        rank=rank,
        size=ranks,
        pid=pid,
        host=_text(fields[22]),
        clock_domain=_text(fields[23]),
        job=job,
        has_ended=bool(has_ended),
        started=first[2],
        first=Moment(*first[:2]),
        last=Moment(*last[:2]),
        alignments=[(a, b, c) for a, b, c in (fields[16:19], fields[19:22]) if a],
    )
    _read_text(path.with_suffix(".text"), process)
    _read_records(memoryview(data), process, header, size)
    return process


def read_folder(folder: Path) -> list[Process]:
    """The processes of the job that was started last, by rank."""
    found = [read_process(path) for path in sorted(folder.glob("*.trace"))]
    processes = [process for process in found if process is not None]
    if not processes:
        return []
    newest = max(processes, key=lambda process: process.started)
    ours = [p for p in processes if p.job in (newest.job, 0)]
    ranks = {p.rank: p for p in sorted(ours, key=lambda p: p.started)}
    return [ranks[rank] for rank in sorted(ranks)]
