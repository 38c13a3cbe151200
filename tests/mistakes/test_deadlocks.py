# SPDX-License-Identifier: BSD-3-Clause
"""Each deadlock of the corpus is explained within a second of its limit, on 2, 4 and 8
ranks of one node and of two, and no rank reports anything else.

MPIEXEC, PROGRAM (the executable of the corpus in C) and FABRIC (the folder of the tests'
own libfabric) come from the environment.
"""

from __future__ import annotations

import os
import subprocess
import time
import unittest
from pathlib import Path

from test_mistakes import programs_of

LIMIT, GRACE = 1.0, 1.0  # seconds
HERE = Path(__file__).resolve().parent
NAMES = [program.name for program in programs_of(HERE / "deadlocks.c")]


def seconds_of_start(command: list[str]) -> float:
    """How long a job takes whose ranks do next to nothing."""
    begin = time.monotonic()
    subprocess.run([*command, "true"], check=True)
    return time.monotonic() - begin


def explanation(command: list[str]) -> tuple[float, str]:
    """When the first line comes, and all that is said."""
    begin = time.monotonic()
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as job:
        assert job.stderr
        first = job.stderr.readline()
        return time.monotonic() - begin, first + job.stderr.read()


class Deadlocks(unittest.TestCase):
    def check_all(self, nodes: int, ranks: int) -> None:
        command = [os.environ["MPIEXEC"], "--timeout", "20", "-n", str(ranks)]
        command += ["-genv", "ORIEL_STUCK", f"{LIMIT},abort"]
        command += ["-genv", "ORIEL_FAKE_NODES", str(nodes)]
        command += ["-genv", "LD_LIBRARY_PATH", os.environ["FABRIC"]]
        start = seconds_of_start(command)
        for name in NAMES:
            with self.subTest(name, nodes=nodes, ranks=ranks):
                took, said = explanation(
                    [*command, os.environ["PROGRAM"], name, "wrong"]
                )
                self.assertIn("[deadlock]", said.partition("\n")[0])
                self.assertNotIn("has died", said)
                self.assertLess(took - start, LIMIT + GRACE)

    def test_in_one_node(self) -> None:
        for ranks in (2, 4, 8):
            self.check_all(1, ranks)

    def test_in_two_nodes(self) -> None:
        for ranks in (2, 4, 8):
            self.check_all(2, ranks)


if __name__ == "__main__":
    unittest.main()
