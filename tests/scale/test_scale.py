# SPDX-License-Identifier: BSD-3-Clause
"""What calls cost in jobs of many processes stays within limits, and in small ones is
what is counted on a network.

The environment names the program: ORIEL_SCALE.
"""

import os
import re
import unittest
from math import ceil, log2
from pathlib import Path

from scale import LIMITS, Job, bytes_of_each, run_job

NETWORK = Path(__file__).resolve().parents[2] / "docs" / "network.md"
# Rows of docs/network.md, and the calls that each is the sum of.
COUNTED = {
    "barrier": ("barrier",),
    "bcast of 8 B": ("bcast",),
    "allreduce of 8 B": ("allreduce",),
    "fence": ("fence",),
    "post, start, put of 8 B, complete, wait": ("post_start_put_complete_wait",),
    "win_allocate, win_free": ("win_allocate", "win_free"),
}


# That network chooses the keys of memory itself, so that they differ.
NETWORK_KEYS = "network-keys"


def job_of(nodes: int, node_size: int, *options: str) -> Job:
    return run_job(os.environ["ORIEL_SCALE"], nodes, node_size, *options)


class Scale(unittest.TestCase):
    """Jobs of virtual processes."""

    def test_messages_are_those_that_are_counted_on_a_network(self) -> None:
        text = NETWORK.read_text("utf-8").split("## All processes call")[1]
        rows = dict(re.findall(r"^\| ([a-z].*?) \| (\d+ .*) \|$", text, re.M))
        for nodes, column in ((2, 0), (4, 3)):
            costs = job_of(nodes, 1, NETWORK_KEYS).costs
            for row, calls in COUNTED.items():
                with self.subTest(row, nodes=nodes):
                    counted = int(rows[row].split(" | ")[column])
                    self.assertEqual(sum(costs[one].total for one in calls), counted)

    def test_messages_of_a_process_are_within_limits(self) -> None:
        for nodes, node_size in ((16, 64), (64, 16), (500, 1)):
            job = job_of(nodes, node_size)
            for name, limit in LIMITS.items():
                with self.subTest(name, nodes=nodes, node_size=node_size):
                    most = limit.per_level * ceil(log2(nodes)) + limit.more
                    self.assertLessEqual(job.costs[name].network_messages, most)

    def test_memory_of_a_process_grows_by_few_bytes_for_each_other_one(self) -> None:
        small, large = job_of(4, 64), job_of(16, 64)
        for name, limit in LIMITS.items():
            with self.subTest(name):
                own, segment = bytes_of_each(small, large, name)
                self.assertLessEqual(own, limit.own_bytes)
                self.assertLessEqual(segment, limit.segment_bytes)

    def test_members_that_differ_have_few_bytes_each(self) -> None:
        small, large = job_of(4, 64, NETWORK_KEYS), job_of(16, 64, NETWORK_KEYS)
        own, segment = bytes_of_each(small, large, "win_allocate")
        self.assertLessEqual(own, LIMITS["win_allocate"].own_bytes)
        self.assertLessEqual(segment, 8)


if __name__ == "__main__":
    unittest.main()
