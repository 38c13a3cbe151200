# SPDX-License-Identifier: BSD-3-Clause
"""Each program of the corpus is reported at the lines that it names when it is wrong, and
not at all when it is right.

usage: test_mistakes.py SOURCE... [--only NAME]

MPIEXEC, PROGRAM (the executable of these sources), NODES and FABRIC (the folder of the
tests' own libfabric) come from the environment.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
START = re.compile(
    r"^(?:void (\w+)\(bool wrong\)|subroutine (\w+)\(wrong\) bind\(c\))$"
)
RUN = re.compile(r"^[/!]+ run: (.*)$")
SIGNAL = re.compile(r"^[/!]+ may end by a signal$")
MISTAKE = re.compile(r'mistake: ([\w-]+)(?: "([^"]*)")?')
WORKERS = 4  # most of a job's time is its start, which waits


@dataclass(frozen=True)
class Mistake:
    """What must be reported at a line."""

    line: int
    rule: str
    words: str


@dataclass
class Program:
    source: str
    name: str
    arguments: list[str]  # of mpiexec
    may_end_by_signal: bool = False
    mistakes: list[Mistake] = field(default_factory=list)


def programs_of(path: Path) -> list[Program]:
    """The programs of a source file, with what is said of them there."""
    programs: list[Program] = []
    arguments, by_signal = "-n 2", False
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if found := RUN.match(line):
            arguments = found[1]
        elif SIGNAL.match(line):
            by_signal = True
        elif found := START.match(line):
            name = found[1] or found[2]
            programs.append(Program(path.name, name, arguments.split(), by_signal))
            arguments, by_signal = "-n 2", False
        is_above = line.lstrip().startswith(("//", "!"))  # the line that it is about
        for rule, words in MISTAKE.findall(line):
            programs[-1].mistakes.append(Mistake(number + is_above, rule, words))
    return programs


def lines_of(result: dict[str, Any], source: str) -> set[int]:
    """The lines of the source that a result names."""
    locations = result.get("locations", []) + result.get("relatedLocations", [])
    found = set()
    for location in locations:
        place = location.get("physicalLocation")
        if place and Path(place["artifactLocation"]["uri"]).name == source:
            found.add(int(place["region"]["startLine"]))
    return found


def is_told(mistake: Mistake, result: dict[str, Any], source: str) -> bool:
    """Does a result report this mistake? One without a location is asked for its rule."""
    lines = lines_of(result, source)
    said = [result["message"]["text"]]
    for name in ("locations", "relatedLocations"):
        said += [one["message"]["text"] for one in result.get(name, [])]
    return (
        result["ruleId"] == mistake.rule
        and mistake.words in "\n".join(said)
        and (not lines or mistake.line in lines)
    )


def complaints_of_wrong(program: Program, code: int, lines: list[str]) -> list[str]:
    """What is missing of the reports of a wrong program, and what is too much."""
    results = [json.loads(line) for line in lines]
    source = program.source
    found = [
        f"{source}:{mistake.line}: {mistake.rule} {mistake.words} is not reported"
        for mistake in program.mistakes
        if not any(is_told(mistake, result, source) for result in results)
    ]
    for result in results:
        if not any(is_told(mistake, result, source) for mistake in program.mistakes):
            found.append(f"{source}: {program.name}: must not be reported: {result}")
    is_signal = code > 128 and not program.may_end_by_signal
    if code == 0 or code == 124 or is_signal:
        found.append(f"{source}: {program.name}: the wrong one ends with {code}")
    return found


def run(program: Program, way: str) -> list[str]:
    """Runs the program and compares."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report"
        command = [os.environ["MPIEXEC"], "--timeout", "60", "--check-exit", "99"]
        command += ["--report", str(report)]
        if os.environ["NODES"] != "1":
            command += ["-genv", "ORIEL_FAKE_NODES", os.environ["NODES"]]
            command += ["-genv", "LD_LIBRARY_PATH", os.environ["FABRIC"]]
        command += [*program.arguments, os.environ["PROGRAM"], program.name, way]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if way == "wrong":
            lines = report.read_text("utf-8").splitlines()
            found = complaints_of_wrong(program, done.returncode, lines)
            return found + [done.stderr] if found else []
        if done.returncode or done.stderr or done.stdout:
            what = f"{program.source}: {program.name}: the right one is not silent"
            return [f"{what}: {done.returncode} {done.stdout} {done.stderr}"]
        return []


def main(arguments: list[str]) -> int:
    only = None
    if "--only" in arguments:
        at = arguments.index("--only")
        only = arguments[at + 1]
        del arguments[at : at + 2]
    programs = [one for name in arguments for one in programs_of(HERE / name)]
    chosen = [one for one in programs if only in (None, one.name)]
    ways = [(one, way) for one in chosen for way in ("wrong", "right")]
    with ThreadPoolExecutor(WORKERS) as workers:
        found = [
            said for each in workers.map(lambda way: run(*way), ways) for said in each
        ]
    print(*found, f"{len(chosen)} pairs", sep="\n")
    return 1 if found or not chosen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
