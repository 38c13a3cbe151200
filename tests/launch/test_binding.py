# SPDX-License-Identifier: BSD-3-Clause
"""Which cores ranks may run on. The variables are those of test_mpiexec."""

from __future__ import annotations

import os
import re
import sys
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path

from test_mpiexec import LIFE, mpiexec

ALL = os.sched_getaffinity(0)
SHOW = "import os; print(os.environ['PMI_RANK'], *os.sched_getaffinity(0))"


def cores_of(processors: set[int]) -> set[tuple[int, ...]]:
    """Those that have one of these processors, each by all it has of them."""

    def place(processor: int) -> list[str]:
        folder = Path(f"/sys/devices/system/cpu/cpu{processor}/topology")
        names = ("physical_package_id", "die_id", "core_id")
        return [(folder / name).read_text() for name in names]

    return {
        tuple(sorted(other for other in processors if place(other) == place(one)))
        for one in processors
    }


CORES = cores_of(ALL)


def masks(ranks: int, *arguments: str, **options: object) -> list[set[int]]:
    """Of the ranks of a job, in their order."""
    program = (sys.executable, "-c", SHOW)
    run = mpiexec(*arguments, "-n", str(ranks), *program, **options)
    lines = [[int(word) for word in line.split()] for line in run.stdout.splitlines()]
    return [set(line[1:]) for line in sorted(lines)]


def restrict(processors: set[int]) -> Callable[[], None]:
    return lambda: os.sched_setaffinity(0, processors)


class Binding(unittest.TestCase):
    def setUp(self) -> None:
        if len(CORES) < 2:
            self.skipTest("there is one core only")

    def test_one_rank_has_all_cores(self) -> None:
        self.assertEqual(masks(1), [ALL])

    def test_ranks_share_the_cores(self) -> None:
        for ranks in range(2, min(len(CORES), 8) + 1):
            parts = masks(ranks)
            self.assertEqual(len(parts), ranks)
            self.assertEqual({cpu for part in parts for cpu in part}, ALL)
            self.assertEqual(sum(len(part) for part in parts), len(ALL))
            counts = [len(cores_of(part)) for part in parts]
            self.assertLessEqual(max(counts) - min(counts), 1)
            self.assertEqual(sum(counts), len(CORES))

    def test_more_ranks_than_cores_are_left_alone(self) -> None:
        ranks = len(CORES) + 1
        self.assertEqual(masks(ranks), [ALL] * ranks)

    def test_inherited_mask_is_kept(self) -> None:
        core = set(min(CORES))
        for options in ((), ("--bind-to", "core"), ("--bind-to", "none")):
            parts = masks(2, *options, preexec_fn=restrict(core))
            self.assertEqual(parts, [core, core])

    def test_options_insist(self) -> None:
        ranks = len(CORES) + 1
        self.assertEqual(masks(2, "--bind-to", "none"), [ALL, ALL])
        parts = masks(ranks, "-bind-to", "core")
        self.assertEqual({tuple(sorted(part)) for part in parts}, CORES)
        self.assertEqual(parts[0], parts[-1])

    def test_pretended_nodes_have_all_cores_each(self) -> None:
        self.assertEqual(masks(2, "-genv", "ORIEL_FAKE_NODES", "2"), [ALL, ALL])

    def test_relay_binds_too(self) -> None:
        with tempfile.NamedTemporaryFile("w", suffix="agent", delete=False) as file:
            file.write('#!/bin/sh\nshift\nexec "$@"\n')
            self.addCleanup(os.unlink, file.name)
        os.chmod(file.name, 0o755)
        agent = ("--launch-agent", file.name, "--hosts", "a:2,b:1")
        one, two, three = masks(3, *agent)
        self.assertEqual((one | two, one & two, three), (ALL, set(), ALL))
        self.assertEqual(masks(3, *agent, "--bind-to", "none"), [ALL] * 3)

    def test_progress_threads_are_not_bound(self) -> None:
        self._threads_are_not_bound("oriel-node")

    def test_progress_threads_of_a_node_of_one_rank_are_not_bound(self) -> None:
        alone = ("-genv", "ORIEL_FAKE_NODES", "2", "--bind-to", "core")
        self._threads_are_not_bound("oriel-network", *alone)

    def _threads_are_not_bound(self, thread: str, *arguments: str) -> None:
        run = mpiexec(*arguments, "-n", "2", LIFE, "print threads")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        found = re.findall(r"thread (\S+) has (\d+)", run.stdout)
        program = Path(LIFE).name
        threads = [int(count) for name, count in found if name == thread]
        programs = [int(count) for name, count in found if name == program]
        self.assertEqual(threads, [len(ALL)] * 2)
        self.assertEqual(len(programs), 2)
        self.assertLess(max(programs), len(ALL))


if __name__ == "__main__":
    unittest.main()
