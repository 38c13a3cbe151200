# SPDX-License-Identifier: BSD-3-Clause
"""mpiexec with ranks on several hosts. The variables are those of test_mpiexec."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from test_mpiexec import EXCHANGE, mpiexec, start, wait_until_ended


class Hosts(unittest.TestCase):
    """Several hosts, all of them this one: the agent only leaves the host's name out."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        agent = Path(directory.name) / "agent"
        agent.write_text('#!/bin/sh\nshift\nexec "$@"\n')
        agent.chmod(0o755)
        self.agent = ("--launch-agent", str(agent))

    def test_ranks_fill_the_slots_of_the_hosts_in_turn(self) -> None:
        show = "echo $PMI_RANK $MPI_LOCALRANKID/$MPI_LOCALNRANKS"
        run = mpiexec(*self.agent, "-n", "5", "--hosts", "a:1,b:2", "sh", "-c", show)
        self.assertEqual(run.stderr, "")
        self.assertEqual(
            sorted(run.stdout.splitlines()),
            ["0 0/2", "1 0/3", "2 1/3", "3 1/2", "4 2/3"],
        )

    def test_host_file_names_hosts(self) -> None:
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("# two of them\na:1\n\nb:1 # the second\n")
            file.flush()
            run = mpiexec(*self.agent, "-n", "2", "-f", file.name, EXCHANGE)
        self.assertIn("rank 1 of 2 on node 1 of 2", run.stdout)

    def map_of(self, *arguments: str) -> str:
        """The map of ranks to hosts that PMI-1 programs get."""
        ask = (
            "echo cmd=get kvsname=$PMI_ID key=PMI_process_mapping >&$PMI_FD; "
            'read line <&$PMI_FD; test "$PMI_RANK" != 0 || echo "$line"'
        )
        run = mpiexec(*self.agent, *arguments, "bash", "-c", ask)
        return run.stdout.split("value=")[1].split()[0]

    def test_map_has_few_groups(self) -> None:
        for hosts, expected in (
            (("--hosts", "a:2,b:2,c:2"), "(vector,(0,3,2))"),
            (("--hosts", "a:2,b:2,c:1"), "(vector,(0,2,2),(2,1,1))"),
            (("--hosts", "a:1,b:2,c:2"), "(vector,(0,1,1),(1,2,2))"),
            (("--hosts", "a,b,c", "--map-by", "node", "-n", "7"), "(vector,(0,3,1))"),
            (("--hosts", "a:4"), "(vector,(0,1,4))"),
        ):
            with self.subTest(hosts=hosts):
                self.assertEqual(self.map_of(*hosts), expected)

    def test_ranks_of_a_host_are_found_however_they_are_placed(self) -> None:
        hosts = ("--hosts", "a,b,c", "--map-by", "node", "-n", "7")
        run = mpiexec(*self.agent, *hosts, EXCHANGE)
        self.assertIn("rank 4 of 7 on node 1 of 3", run.stdout)

    def test_input_environment_and_directory_go_there(self) -> None:
        environment = os.environ | {"COLOUR": "dark blue"}
        program = ["sh", "-c", "cat; echo $COLOUR $SHAPE; pwd"]
        with tempfile.TemporaryDirectory() as directory:
            run = mpiexec(
                *self.agent, "-hosts", "a", "-env", "SHAPE", "round", *program,
                input="text\n", env=environment, cwd=directory,
            )  # fmt: skip
            self.assertEqual(run.stdout, f"text\ndark blue round\n{directory}\n")

    def test_heap_is_shared_there(self) -> None:
        show = ["sh", "-c", "echo $LD_PRELOAD"]
        run = mpiexec(*self.agent, "-hosts", "a", "--share-heap", *show)
        self.assertRegex(run.stdout, "/liboriel_heap.so$")

    def test_signals_go_there(self) -> None:
        program = "trap 'exit 5' TERM; echo ready; while :; do sleep 0.05; done"
        with start(
            *self.agent, "-n", "2", "--hosts", "a,b", "sh", "-c", program
        ) as job:
            assert job.stdout
            job.stdout.readline(), job.stdout.readline()
            job.send_signal(signal.SIGTERM)
            job.stdout.read()
        self.assertEqual(job.returncode, 5)

    def sleepers(self) -> tuple[subprocess.Popen[str], list[list[int]]]:
        """A job on two hosts, and for each rank the pids of its relay and its own."""
        program = ["sh", "-c", "echo $PPID $$; exec sleep 1000"]
        job = start(*self.agent, "-n", "2", "--hosts", "a,b", *program)
        assert job.stdout
        lines = [job.stdout.readline().split() for _ in range(2)]
        return job, [[int(word) for word in line] for line in lines]

    def test_lost_host_ends_the_job(self) -> None:
        job, pids = self.sleepers()
        with job:
            os.kill(pids[0][0], signal.SIGKILL)
            assert job.stderr
            self.assertIn("the connection to its host has ended", job.stderr.read())
        self.assertEqual(job.returncode, 1)
        self.assertTrue(wait_until_ended([pid for pair in pids for pid in pair]))

    def test_ranks_do_not_outlive_a_killed_mpiexec(self) -> None:
        job, pids = self.sleepers()
        with job:
            job.kill()
        self.assertTrue(wait_until_ended([pid for pair in pids for pid in pair]))

    def test_agent_that_fails_or_babbles_is_named(self) -> None:
        for agent, why in (
            ("false", "the connection to its host has ended"),
            ("echo hello", "something else than the relay writes"),
            ("/nowhere/agent", "cannot run /nowhere/agent to reach host a"),
        ):
            run = mpiexec("--launch-agent", agent, "--hosts", "a", "true")
            self.assertEqual(run.returncode, 1)
            self.assertIn(why, run.stderr)

    def test_bad_lists_are_refused(self) -> None:
        for hosts in ("", "a:0", "a:x", "-v"):
            run = mpiexec("--hosts", hosts, "true")
            self.assertEqual(run.returncode, 2)
            self.assertIn("is no list of hosts", run.stderr)


if __name__ == "__main__":
    unittest.main()
