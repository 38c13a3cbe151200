# SPDX-License-Identifier: BSD-3-Clause
"""mpiexec --trace and --summary: programs whose slow place is known, in C and in Fortran.

environment: MPIEXEC, PROGRAMS (folder of the programs of docs/examples/slow),
FORTRAN_PROGRAMS (the same, empty without Fortran), LOOPS, ENDLESS, TRACER (the library),
READER (folder of what reads traces)
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, os.environ["READER"])
from files import read_process  # noqa: E402

MPIEXEC, TRACER = os.environ["MPIEXEC"], os.environ["TRACER"]
SLOW = TOP / "docs" / "examples" / "slow"


def line_of(file: str, text: str) -> int:
    """The only line of a program that has a text."""
    lines = (SLOW / file).read_text(encoding="utf-8").splitlines()
    [number] = [n for n, line in enumerate(lines, 1) if text in line]
    return number


def place_of(file: str, text: str) -> str:
    """The place of a call; of a statement of two lines compilers name the one or the
    other."""
    line = line_of(file, text)
    return rf"{re.escape(file)}:({line}|{line + 1})\b"


def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k != "ORIEL_TRACE"}
    return subprocess.run(
        [MPIEXEC, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        env={**environment, **variables},
    )


class TracedTest(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.folder = Path(directory.name, "trace")

    def events(self, kind: str = "X") -> list[dict[str, Any]]:
        """The bars of trace.json, or other events."""
        text = (self.folder / "trace.json").read_text(encoding="utf-8")
        return [e for e in json.loads(text)["traceEvents"] if e["ph"] == kind]

    def traced(self, *arguments: str, **variables: str) -> str:
        """What a job that is traced prints as its summary."""
        options = ("--trace", str(self.folder), "--summary")
        done = run(*options, *arguments, **variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr


class HotSpots(TracedTest):
    """Each program's slow place is the first in its summary."""

    def programs(self, name: str) -> list[tuple[str, str]]:
        """The files of a program, and what was made of them."""
        found = [(f"{name}.c", str(Path(os.environ["PROGRAMS"], f"slow_{name}_c")))]
        fortran = os.environ["FORTRAN_PROGRAMS"]
        if fortran:
            found.append((f"{name}.f90", str(Path(fortran, f"slow_{name}_f90"))))
        return found

    def test_a_late_post_is_found(self) -> None:
        for file, program in self.programs("late_post"):
            lines = self.traced("-n", "3", program).splitlines()
            place = place_of(file, "MPI_Put(")
            self.assertRegex(lines[1], f"MPI_Put on 'values' at {place}")
            self.assertRegex(lines[1], r"; (9\d|100)% for rank 0, late post$")
            self.assertRegex("\n".join(lines), "rank 0 is waited for most")

    def test_a_lock_that_is_held_long_is_found(self) -> None:
        for file, program in self.programs("held_lock"):
            first = self.traced("-n", "3", program).splitlines()[1]
            place = place_of(file, "MPI_Win_lock(")
            self.assertRegex(first, f"MPI_Win_lock on 'sum' at {place}")
            self.assertRegex(first, r"for rank \d, lock held$")

    def test_short_operations_are_found(self) -> None:
        for file, program in self.programs("short_puts"):
            text = self.traced("-n", "2", program)
            found = re.search(r"([\d,]+) calls of MPI_Put of 8 B at (\S+) ", text)
            assert found is not None, text
            self.assertGreater(int(found[1].replace(",", "")), 39000)
            self.assertRegex(found[2], place_of(file, "MPI_Put("))
            self.assertIn("one call with a datatype", text)


class Files(TracedTest):
    """What the folder has, and what a run costs."""

    def test_every_call_is_in_the_trace_with_its_line(self) -> None:
        self.traced("-n", "2", str(Path(os.environ["PROGRAMS"], "slow_late_post_c")))
        bars = self.events()
        posts = [e for e in bars if e["name"] == "MPI_Win_post"]
        self.assertEqual(len(posts), 10)
        self.assertEqual({e["pid"] for e in posts}, {0})
        place = f"late_post.c:{line_of('late_post.c', 'MPI_Win_post(')} (take_values)"
        self.assertEqual({e["args"]["line"] for e in posts}, {place})
        puts = [e for e in bars if e["name"] == "MPI_Put"]
        self.assertEqual({e["args"]["bytes"] for e in puts}, {512})
        self.assertEqual({e["args"]["rank"] for e in puts}, {0})
        for put, post in zip(puts, posts):
            self.assertLess(put["ts"], post["ts"])
            self.assertGreater(put["ts"] + put["dur"], post["ts"])

    def test_loops_leave_few_records_and_lose_no_call(self) -> None:
        text = self.traced("-n", "2", os.environ["LOOPS"], "50000")
        calls = sum(
            arguments.get("calls", 1)
            for event in self.events()
            for arguments in event["args"].values()
            if isinstance(arguments, dict)
        )
        self.assertGreaterEqual(calls, 2 * 2 * 49900, text)
        self.assertLess(len(self.events()), 10000)

    def test_the_file_is_bounded_and_has_the_newest_records(self) -> None:
        """Here without mpiexec, as under another launcher."""
        variables = {"LD_PRELOAD": TRACER, "ORIEL_TRACE": str(self.folder)}
        subprocess.run(
            [os.environ["LOOPS"], "300000", "apart"],
            env={**os.environ, **variables},
            check=True,
            timeout=60,
        )
        [file] = self.folder.glob("*.trace")
        self.assertLess(file.stat().st_size, 18 << 20)
        process = read_process(file)
        assert process is not None
        [records] = process.threads.values()
        self.assertGreater(len(records), 260000)
        last = process.procedures[records[-1].procedure]
        self.assertEqual(last.name, "MPI_Finalize")

    def test_the_summary_alone_leaves_nothing(self) -> None:
        before = set(Path("/tmp").glob("oriel-trace-*"))
        done = run("--summary", "-n", "2", os.environ["LOOPS"], "10")
        self.assertIn("Oriel: 2 processes on 1 host", done.stderr)
        self.assertEqual(set(Path("/tmp").glob("oriel-trace-*")) - before, set())

    def test_the_variable_traces_as_the_option_does(self) -> None:
        done = run("-n", "2", os.environ["LOOPS"], "10", ORIEL_TRACE=str(self.folder))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual({e["pid"] for e in self.events()}, {0, 1})

    def test_a_folder_that_cannot_be_is_refused(self) -> None:
        done = run("--trace", "/dev/null/trace", os.environ["LOOPS"])
        self.assertEqual(done.returncode, 1)
        self.assertIn("--trace /dev/null/trace: Not a directory", done.stderr)

    def test_programs_without_calls_are_said_to_leave_no_trace(self) -> None:
        done = run("--trace", str(self.folder), "true")
        self.assertEqual(done.returncode, 0)
        self.assertIn("has no trace of an MPI program", done.stderr)


class Deaths(TracedTest):
    """What has been recorded stays."""

    def test_a_killed_process_is_named_with_its_last_call(self) -> None:
        options = ("--trace", str(self.folder), "--summary", "-n", "3")
        done = run(*options, os.environ["ENDLESS"])
        self.assertEqual(done.returncode, 137, done.stderr)
        self.assertRegex(
            done.stderr,
            r"rank 1 has ended before MPI_Finalize, after MPI_Comm_rank at endless.c",
        )
        self.assertRegex(
            done.stderr,
            r"rank 0 has ended before MPI_Finalize, inside MPI_Barrier at endless.c",
        )


class Clocks(TracedTest):
    """Times of processes with different monotonic clocks."""

    def test_clocks_are_aligned(self) -> None:
        later = ("unshare", "--time", "--monotonic", "100000", "--boottime", "100000")
        if subprocess.run([*later, "true"], capture_output=True).returncode != 0:
            self.skipTest("time namespaces are not allowed here")
        program = (os.environ["LOOPS"], "10")
        self.traced("-n", "1", *program, ":", "-n", "1", *later, *program)
        ends = {
            e["pid"]: e["ts"] + e["dur"]
            for e in self.events()
            if e["name"] == "MPI_Win_free"
        }
        begins = {
            e["pid"]: e["ts"] for e in self.events() if e["name"] == "MPI_Win_free"
        }
        # MPI_Win_free returns nowhere before all have called it.
        for rank in (0, 1):
            self.assertGreater(ends[rank] + 50, begins[1 - rank])
            self.assertLess(ends[rank], 60e6)


class Threads(TracedTest):
    def test_each_thread_has_a_track(self) -> None:
        self.traced("-n", "2", os.environ["LOOPS"], "1000", "threads")
        puts = [e for e in self.events() if "MPI_Put" in e["name"]]
        self.assertEqual({e["tid"] for e in puts}, {1, 2, 3, 4})


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
