# SPDX-License-Identifier: BSD-3-Clause
"""Jobs under limits of the system. The variables are those of test_mpiexec; SANITIZED
is set if programs need all address space.
"""

from __future__ import annotations

import os
import resource
import subprocess
import unittest
from pathlib import Path

from test_mpiexec import LIFE, mpiexec


class Limits(unittest.TestCase):
    """What the system allows each process; two nodes need the network, too."""

    def limited(
        self, kind: int, most: int, *how: str, heap: bool = False
    ) -> list[subprocess.CompletedProcess[str]]:
        def limit() -> None:
            resource.setrlimit(kind, (most, most))

        options = ["--share-heap"] if heap else []
        return [
            mpiexec(
                *options, "-n", "2", LIFE, *how, preexec_fn=limit,
                env=os.environ | {"ORIEL_FAKE_NODES": nodes},
            )
            for nodes in ("1", "2")
        ]  # fmt: skip

    def test_job_fits_in_limits(self) -> None:
        limits = {
            resource.RLIMIT_FSIZE: 1 << 30,
            resource.RLIMIT_MEMLOCK: 0,
            resource.RLIMIT_NOFILE: 40,
        }
        if not os.environ["SANITIZED"]:  # which takes all address space
            limits[resource.RLIMIT_AS] = 600 << 20
        for kind, most in limits.items():
            for run in self.limited(kind, most, "allocate", str(1 << 20)):
                self.assertEqual((run.returncode, run.stderr), (0, ""))
                self.assertEqual(run.stdout.count("memory: enough"), 2)

    def test_shared_heap_fits_in_limits(self) -> None:
        if os.environ["SANITIZED"]:
            self.skipTest("a sanitizer takes all address space")
        limits = ((resource.RLIMIT_FSIZE, 1 << 30), (resource.RLIMIT_AS, 600 << 20))
        for kind, most in limits:
            for run in self.limited(kind, most, "allocate", str(1 << 20), heap=True):
                self.assertEqual((run.returncode, run.stderr), (0, ""))
                self.assertEqual(run.stdout.count("memory: enough"), 2)

    def test_limit_that_is_too_small_is_named(self) -> None:
        for run in self.limited(resource.RLIMIT_FSIZE, 4096):
            self.assertEqual(run.returncode, 39, run)
            self.assertIn("4096 is the most by the hard limit", run.stderr)

    def test_control_group_limits_memory(self) -> None:
        folder, name = own_memory_group()
        group = folder / f"oriel-{os.getpid()}"
        try:
            group.mkdir()
        except OSError as error:
            self.skipTest(f"no control group can be made: {error}")
        self.addCleanup(group.rmdir)
        try:
            (group / name).write_text(str(256 << 20))
        except OSError as error:
            self.skipTest(f"control groups do not limit memory here: {error}")

        def enter() -> None:
            (group / "cgroup.procs").write_text(str(os.getpid()))

        for ranks, mib, answer in (1, 64, "enough"), (1, 300, "too little"):
            program = [LIFE, "allocate", str(mib << 20)]
            run = mpiexec("-n", str(ranks), *program, preexec_fn=enter)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            self.assertIn(f"memory: {answer}", run.stdout)


def own_memory_group() -> tuple[Path, str]:
    """The folder of this process's control group, and its file with the limit."""
    groups = [
        line.split(":", 2)
        for line in Path("/proc/self/cgroup").read_text().splitlines()
    ]
    for _, controllers, path in groups:
        if "memory" in controllers.split(","):
            return Path("/sys/fs/cgroup/memory" + path), "memory.limit_in_bytes"
    return Path("/sys/fs/cgroup" + groups[-1][2]), "memory.max"


if __name__ == "__main__":
    unittest.main()
