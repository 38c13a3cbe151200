# SPDX-License-Identifier: BSD-3-Clause
"""Builds the benchmark programs and runs them, one library after the other."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from distance import distances, keep
from figures import MACHINE, Line, read_lines
from libraries import Library
from tasks import NETWORK, Task

HERE = Path(__file__).resolve().parent
OPTIONS = ("-std=c11", "-O2", "-Wall", "-Wextra", "-pthread")
SECONDS = 60.0  # after which a run is ended
ERROR_TEXT = 200  # characters of what a program says before it fails
MOST_RUNS = 4  # times as many as wanted, where the cores move
MOST_FAILURES = 2  # of a task with a library, which then does not run again


@dataclass(frozen=True)
class Run:
    """A program that has run once: what it has printed, and the cache line's round trips
    in nanoseconds before and after."""

    task: str
    label: str
    round_trips: tuple[float, ...]
    lines: tuple[Line, ...]
    seconds: float = 0.0
    error: str = ""


@dataclass(frozen=True)
class Pace:
    """How long batches are, how many there are, and how often programs run."""

    batches: int
    milliseconds: float
    runs: int

    def options(self) -> list[str]:
        return ["-b", str(self.batches), "-t", str(self.milliseconds)]


class Programs:
    """The compiled programs, a folder for each library."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, library: Library, program: str) -> Path:
        return self._folder / library.label.replace(" ", "-") / program

    def build(self, library: Library, program: str) -> None:
        """Compiles a program; what the compiler says goes to the terminal."""
        target = self.path(library, program)
        target.parent.mkdir(parents=True, exist_ok=True)
        source = str(HERE / f"{program}.c")
        command = [*library.compiler, *OPTIONS, source, "-o", str(target)]
        subprocess.run(command, check=True)


def _output(command: Sequence[str], seconds: float) -> tuple[str, str]:
    """What a command prints, and why it failed if it did."""
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, _ = process.communicate()
        return out, f"ended after {seconds:.0f} s"
    if process.returncode:
        words = (err or out).replace("-----", "").split()
        said = " ".join(words)[-ERROR_TEXT:]
        return out, said or f"exit code {process.returncode}"
    return out, ""


class Runner:
    """Runs tasks and keeps what comes of them."""

    def __init__(
        self, libraries: Sequence[Library], programs: Programs, pace: Pace
    ) -> None:
        self.runs: list[Run] = []
        self._libraries = libraries
        self._programs = programs
        self._pace = pace
        self._has_two_cores = len(os.sched_getaffinity(0)) > 1

    def libraries_of(self, task: Task) -> list[Library]:
        """Those that the task says something about; one where it measures the machine."""
        if not task.has_library:
            return list(self._libraries[:1]) if self._has_two_cores else []
        return [
            one
            for one in self._libraries
            if one.is_between_nodes == task.is_between_nodes
            and (one.kinds is None or task.kind in one.kinds)
        ]

    def build(self, tasks: Sequence[Task], tell: Callable[[str], None]) -> None:
        wanted = {
            (library.label, task.program)
            for task in tasks
            for library in self.libraries_of(task)
        }
        if self._has_two_cores:
            wanted.add((self._libraries[0].label, "floors"))
        for library in {one.label: one for one in self._libraries}.values():
            names = sorted(name for label, name in wanted if label == library.label)
            tell(f"compiling for {library.label}: {', '.join(names)}")
            for program in names:
                self._programs.build(library, program)

    def round_trip(self) -> tuple[float, ...]:
        """How long a cache line takes from one core to the other and back just now."""
        if not self._has_two_cores:
            return ()
        floors = str(self._programs.path(self._libraries[0], "floors"))
        out, _ = _output([floors, "-o", "line_round_trip", "-t", "0.5"], SECONDS)
        return tuple(line.value for line in read_lines(out)[:1])

    def run(self, task: Task, library: Library) -> None:
        program = str(self._programs.path(library, task.program))
        command = [program, *task.command(), *self._pace.options()]
        if task.has_library:
            command = library.command(task.ranks, command)
        before = self.round_trip()
        start = time.monotonic()
        out, error = _output(command, SECONDS)
        elapsed = time.monotonic() - start
        lines = read_lines(out)
        if task.is_between_nodes:
            lines = [replace(line, name=NETWORK + line.name) for line in lines]
        if task.is_timed and not error:
            lines.append(Line("start.job", task.ranks, 1e3 * elapsed, "ms"))
        label = library.label if task.has_library else MACHINE
        trips = before + self.round_trip()
        self.runs.append(Run(task.name, label, trips, tuple(lines), elapsed, error))

    def lacking(self, tasks: Sequence[Task]) -> Iterator[tuple[Task, Library]]:
        """What has to run once more to be there often enough at one distance."""
        all_runs = Counter((run.task, run.label) for run in self.runs)
        failed = Counter((run.task, run.label) for run in self.runs if run.error)
        kept = Counter(
            (run.task, run.label)
            for run, is_kept in zip(self.runs, keep(self.runs), strict=True)
            if is_kept
        )
        for task in tasks:
            for library in self.libraries_of(task):
                key = (task.name, library.label if task.has_library else MACHINE)
                ends = all_runs[key] >= MOST_RUNS * self._pace.runs
                ends |= failed[key] >= MOST_FAILURES
                if kept[key] < self._pace.runs and not ends:
                    yield task, library

    def measure(
        self, tasks: Sequence[Task], end: float, tell: Callable[[str], None]
    ) -> None:
        """Passes over all tasks until enough runs are kept, or the time `end` has come.
        Each other pass takes the libraries in the opposite order."""
        for number in range(MOST_RUNS * self._pace.runs):
            todo = list(self.lacking(tasks))
            if not todo:
                return
            for task in dict.fromkeys(task for task, _ in todo):
                libraries = [one for other, one in todo if other == task]
                first = len(self.runs)
                for library in libraries[:: -1 if number % 2 else 1]:
                    if time.monotonic() > end:
                        tell("the time is over")
                        return
                    self.run(task, library)
                tell(f"pass {number + 1}: {task.name}: {self._summary(first)}")

    def _summary(self, first: int) -> str:
        """What has run since the run number `first`."""
        known = distances(self.runs)
        parts = []
        for run, where in zip(self.runs[first:], known[first:], strict=True):
            failed = ", failed" if run.error else ""
            parts.append(f"{run.label} {run.seconds:.1f} s {where}{failed}")
        return "; ".join(parts)
