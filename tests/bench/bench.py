# SPDX-License-Identifier: BSD-3-Clause
"""Compares Oriel with the MPI libraries that are installed, and writes pages about it.

MPICH and Open MPI are found by the names that Debian gives their tools (mpicc.mpich,
mpicc.openmpi); others are named by their compiler and launcher. The first library, which is
Oriel, is the one that is compared with the others.

What is written into the output folder: index.html, a page that needs nothing from
elsewhere; results.json, all figures; benchmarks.md, the page of docs/.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from libraries import Library, described, mpich, open_mpi, oriel
from markdown import publish, write_markdown
from page import write_page
from report import Report, read_report, write_report
from run import Pace, Programs, Runner
from tasks import GROUPS, KINDS, Selection

TOP = Path(__file__).resolve().parents[2]
USUAL = Pace(batches=5, milliseconds=0.7, runs=3)
QUICK = Pace(batches=3, milliseconds=0.3, runs=1)


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="scripts/bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add(
        "libraries", nargs="*", metavar="LABEL=MPICC,MPIEXEC", help="more MPI libraries"
    )
    add("--oriel", type=Path, metavar="PREFIX", help="where Oriel is installed")
    add("--alone", action="store_true", help="leave out MPICH and Open MPI")
    add("--quick", action="store_true", help="one short run of each program")
    add("--runs", type=int, help=f"runs of each program [{USUAL.runs}]")
    add("--minutes", type=float, default=11.0, help="the longest time for them [11]")
    add("--groups", type=words, default=(), metavar="LIST", help=", ".join(GROUPS))
    add("--kinds", type=words, default=(), metavar="LIST", help=", ".join(KINDS))
    add("--operations", type=words, default=(), metavar="LIST", help="put, fence, ...")
    add("--sizes", type=words, default=(), metavar="LIST", help="in bytes: 8, 64, ...")
    add("--output", type=Path, default=Path("build/bench"), metavar="FOLDER")
    add(
        "--read",
        type=Path,
        nargs="+",
        default=[],
        metavar="JSON",
        help="measure nothing",
    )
    add("--publish", action="store_true", help="write docs/benchmarks.md, README.md")
    return parser


def pace(chosen: argparse.Namespace) -> Pace:
    usual = QUICK if chosen.quick else USUAL
    return Pace(usual.batches, usual.milliseconds, chosen.runs or usual.runs)


def libraries(chosen: argparse.Namespace) -> list[Library]:
    found = oriel(chosen.oriel.resolve()) if chosen.oriel else []
    found += [described(text) for text in chosen.libraries]
    return found if chosen.alone else [*found, *mpich(), *open_mpi()]


def machine() -> str:
    """The processor's name, its cores, and the kernel."""
    model = ""
    for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    cores = len(os.sched_getaffinity(0))
    kernel = f"{platform.system()} {platform.release().partition('-')[0]}"
    return f"{model}, {cores} cores, {kernel}"


def measured(chosen: argparse.Namespace) -> Report:
    begin = time.monotonic()

    def tell(text: str) -> None:
        elapsed = int(time.monotonic() - begin)
        print(f"{elapsed // 60:3}:{elapsed % 60:02} {text}", flush=True)

    compared = libraries(chosen)
    if not compared:
        raise ValueError("there is no MPI library to measure")
    selection = Selection(chosen.groups, chosen.kinds, chosen.operations, chosen.sizes)
    tasks = selection.tasks()
    runner = Runner(compared, Programs(chosen.output / "programs"), pace(chosen))
    runner.build(tasks, tell)
    runner.measure(tasks, time.monotonic() + 60 * chosen.minutes, tell)
    own = [one.label for one in compared if one.is_own] or [compared[0].label]
    versions = {one.label: one.version() for one in compared}
    return Report(machine(), versions, tuple(dict.fromkeys(own)), tuple(runner.runs))


def main(words: Sequence[str]) -> int:
    chosen = arguments().parse_args(words)
    try:
        chosen.output.mkdir(parents=True, exist_ok=True)
        report = read_report(chosen.read) if chosen.read else measured(chosen)
    except (ValueError, OSError) as error:
        print(f"scripts/bench: {error}", file=sys.stderr)
        return 1
    write_report(report, chosen.output / "results.json")
    write_page(report, chosen.output / "index.html")
    write_markdown(report, chosen.output / "benchmarks.md")
    if chosen.publish:
        publish(report, TOP)
    print(report.summary())
    print(f"{chosen.output / 'index.html'} has the curves, results.json all figures")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
