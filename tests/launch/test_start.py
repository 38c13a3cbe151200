# SPDX-License-Identifier: BSD-3-Clause
"""What a job says of its start. The variables are those of test_mpiexec."""

from __future__ import annotations

import os
import re
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


if __name__ == "__main__":
    unittest.main()
