# SPDX-License-Identifier: BSD-3-Clause
"""What calls cost in jobs of many processes stays within limits, and in small ones is
what is counted on a network.

The environment names the programs: ORIEL_SCALE and, for real jobs, ORIEL_COUNTED, MPIEXEC
and FABRIC, the folder of the libfabric that plays a network.
"""

import os
import re
import unittest
from math import ceil, log2
from pathlib import Path

from scale import (
    LIMITS,
    VALUES_AT_START,
    WINDOW_NODE_BYTES,
    WINDOW_PROCESS_BYTES,
    Cost,
    Job,
    bytes_of_each,
    bytes_of_window,
    job_of_command,
    run_job,
)

NETWORK = Path(__file__).resolve().parents[2] / "docs" / "network.md"
# Of 1,000 to 10,000 processes; on request, of 100,000, which take 5 GiB.
JOBS = [(16, 64), (64, 16), (500, 1), (80, 128)]
# Real processes have met by barriers before. A call may hold a record of a message more or
# fewer, by when that has come, so that memory is compared of all calls together. At the start
# the layers below take memory, too.
HOLDING = [name for name in LIMITS if name not in ("start", "barrier")]
REAL_JOBS = [(2, 1), (2, 4), (5, 3), (8, 4)]
if "ORIEL_SCALE_LARGE" in os.environ:
    JOBS = [(782, 128)]
    REAL_JOBS = [(64, 8)]
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


def messages_of(cost: Cost) -> tuple[int, ...]:
    """What is the same, however long messages take."""
    return cost.total, cost.messages, cost.network_messages, cost.accesses


def real_job_of(nodes: int, node_size: int) -> Job:
    """A real job over the tests' own libfabric."""
    command = [os.environ["MPIEXEC"], "-n", str(nodes * node_size)]
    for name, value in (
        ("LD_LIBRARY_PATH", os.environ["FABRIC"]),
        ("ORIEL_FAKE_NODES", str(nodes)),
    ):
        command += ["-env", name, value]
    return job_of_command([*command, os.environ["ORIEL_COUNTED"]], nodes, node_size)


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

    def test_real_processes_use_what_virtual_ones_do(self) -> None:
        for nodes, node_size in REAL_JOBS:
            model = job_of(nodes, node_size, NETWORK_KEYS).costs
            real = real_job_of(nodes, node_size).costs
            for name in LIMITS:
                with self.subTest(name, nodes=nodes, node_size=node_size):
                    self.assertEqual(messages_of(model[name]), messages_of(real[name]))
            with self.subTest("values", nodes=nodes, node_size=node_size):
                self.assertEqual(model["start"].values, real["start"].values)
            with self.subTest("together", nodes=nodes, node_size=node_size):
                held = sum(model[name].memory for name in HOLDING)
                really = sum(real[name].memory for name in HOLDING)
                # A message that comes early leaves the memory of one record.
                self.assertAlmostEqual(really, held, delta=0.05 * held + 1400)
                self.assertEqual(model["comm_dup"].segment, real["comm_dup"].segment)

    def test_messages_of_a_process_are_within_limits(self) -> None:
        for nodes, node_size in JOBS:
            job = job_of(nodes, node_size)
            for name, limit in LIMITS.items():
                with self.subTest(name, nodes=nodes, node_size=node_size):
                    most = limit.per_level * ceil(log2(nodes)) + limit.more
                    self.assertLessEqual(job.costs[name].network_messages, most)

    def test_processes_read_few_values_from_the_launcher(self) -> None:
        for nodes, node_size in JOBS:
            job = job_of(nodes, node_size)
            for name, limit in LIMITS.items():
                with self.subTest(name, nodes=nodes, node_size=node_size):
                    most = limit.per_level * ceil(log2(nodes)) + limit.more
                    most = VALUES_AT_START if name == "start" else most
                    self.assertLessEqual(job.costs[name].values, most)

    def test_memory_of_a_process_grows_by_few_bytes_for_each_other_one(self) -> None:
        small, large = job_of(4, 64), job_of(16, 64)
        for name, limit in LIMITS.items():
            with self.subTest(name):
                own, segment = bytes_of_each(small, large, name)
                self.assertLessEqual(own, limit.own_bytes)
                self.assertLessEqual(segment, limit.segment_bytes)

    def test_a_window_takes_little_memory(self) -> None:
        for nodes, node_size in JOBS:
            with self.subTest(nodes=nodes, node_size=node_size):
                most = WINDOW_PROCESS_BYTES * node_size + WINDOW_NODE_BYTES
                used = bytes_of_window(job_of(nodes, node_size))
                self.assertLessEqual(used, most)

    def test_members_that_differ_have_few_bytes_each(self) -> None:
        small, large = job_of(4, 64, NETWORK_KEYS), job_of(16, 64, NETWORK_KEYS)
        own, segment = bytes_of_each(small, large, "win_allocate")
        self.assertLessEqual(own, LIMITS["win_allocate"].own_bytes)
        self.assertLessEqual(segment, 8)


if __name__ == "__main__":
    unittest.main()
