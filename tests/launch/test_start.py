# SPDX-License-Identifier: BSD-3-Clause
"""What a job says of its start. The variables are those of test_mpiexec."""

from __future__ import annotations

import os
import re
import tempfile
import unittest

from test_mpiexec import LIFE, mpiexec


class Start(unittest.TestCase):
    """Times of the steps, in milliseconds."""

    def times(self, nodes: str) -> tuple[float, float, dict[str, float]]:
        """Of rank 0: the whole start, libfabric's part, the steps."""
        settings = {"ORIEL_VERBOSE": "1", "ORIEL_FAKE_NODES": nodes}
        run = mpiexec("-n", "2", LIFE, env=os.environ | settings)
        found = re.search(
            r"rank 0: start: ([\d.]+) ms, of libfabric ([\d.]+) ms:(.*)", run.stderr
        )
        assert found, run.stderr
        steps = [step.rsplit(" ", 1) for step in found[3].split(",")]
        named = {name.strip(): float(time) for name, time in steps}
        return float(found[1]), float(found[2]), named

    def test_times_of_steps_add_up(self) -> None:
        for nodes in ("1", "2"):
            whole, _, steps = self.times(nodes)
            self.assertAlmostEqual(whole, sum(steps.values()), delta=0.1)
            self.assertIn("upper layers", steps)

    def test_libfabric_takes_no_time_in_one_node(self) -> None:
        _, libfabric, steps = self.times("1")
        self.assertEqual(libfabric, 0)
        self.assertNotIn("providers", steps)

    def test_time_of_libfabric_is_apart(self) -> None:
        _, libfabric, steps = self.times("2")
        self.assertGreater(libfabric, 1)
        alone = steps["providers"] + steps["endpoint"]
        self.assertAlmostEqual(libfabric, alone, delta=0.1)


class FirstContact(unittest.TestCase):
    """Of processes that do not lead their nodes, while another one waits outside of MPI."""

    def meets(self, who_waits: str, progress: str) -> None:
        for provider in ("tcp", "tcp;ofi_rxm"):
            settings = {"ORIEL_FAKE_NODES": "2", "ORIEL_PROVIDER": provider}
            settings["ORIEL_PROGRESS"] = progress
            with self.subTest(provider), tempfile.TemporaryDirectory() as folder:
                program = (os.environ["FIRST_CONTACT"], who_waits, folder)
                run = mpiexec("-n", "4", *program, env=os.environ | settings)
                self.assertEqual(run.returncode, 0, run)

    def test_leader_of_the_receiver_waits(self) -> None:
        self.meets("leader", "thread")

    def test_first_one_to_ask_waits(self) -> None:
        self.meets("asker", "off")


if __name__ == "__main__":
    unittest.main()
