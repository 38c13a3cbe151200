# SPDX-License-Identifier: BSD-3-Clause
"""mpiexec shows what the ranks wait for: at SIGQUIT, after which they go on, and when the
time of the job is over. It ends the ranks of a deadlock so that none complains of others.

MPIEXEC, PROGRAM (the executable of the corpus in C), SLOW_KILL (the library that makes
mpiexec slow to end ranks) and SLOW_YIELD (that makes yields long) come from the environment.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import unittest

COMMAND = [os.environ["MPIEXEC"], "-env", "ORIEL_STUCK", "off", "-n", "2"]
PROGRAM = [os.environ["PROGRAM"], "barriers_in_another_order", "wrong"]
LINES = [
    r"rank 0: MPI_Barrier at deadlocks\.c:\d+ \(barriers_in_another_order\) waits for "
    r"rank 1 to take part in a collective call on workers, for \d+\.\d s",
    r"rank 1: MPI_Barrier at deadlocks\.c:\d+ \(barriers_in_another_order\) waits for "
    r"rank 0 to take part in a collective call on MPI_COMM_WORLD, for \d+\.\d s",
]
# Of ranks that have not waited for long.
ARE_EARLY = re.compile("is not in a call|has not called MPI_Init|waits for the others")


class Waits(unittest.TestCase):
    def check_lines(self, said: list[str]) -> None:
        for line, pattern in zip(said, LINES, strict=True):
            self.assertRegex(line, "^mpiexec: " + pattern + "$")

    def run_until_the_time_ends(self) -> subprocess.CompletedProcess[str]:
        """With a time in which all ranks have begun to wait."""
        for seconds in (1, 4, 16):
            command = [*COMMAND, "--timeout", str(seconds), *PROGRAM]
            run = subprocess.run(command, capture_output=True, text=True, timeout=60)
            if not ARE_EARLY.search(run.stderr):
                break
        return run

    def test_the_end_of_the_time_shows_all_waits(self) -> None:
        run = self.run_until_the_time_ends()
        *said, last = run.stderr.splitlines()
        self.check_lines(said)
        self.assertIn("which is its time limit", last)
        self.assertEqual(run.returncode, 124)

    def lines_at_request(self, job: subprocess.Popen[str]) -> list[str]:
        """What SIGQUIT makes mpiexec say, once all ranks have waited for long."""
        assert job.stderr
        said: list[str] = []
        while not said or any(map(ARE_EARLY.search, said)):
            job.send_signal(signal.SIGQUIT)
            said = [job.stderr.readline().rstrip() for _ in LINES]
        return said

    def test_a_request_shows_all_waits_and_ends_nothing(self) -> None:
        command = [COMMAND[0], "-env", "ORIEL_STUCK", "0.2", "-n", "2", *PROGRAM]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as job:
            assert job.stderr
            told = [job.stderr.readline() for _ in LINES]  # once both wait
            self.assertIn("[deadlock]", told[0])
            for _ in range(2):
                self.check_lines(self.lines_at_request(job))
            job.terminate()
            self.assertNotEqual(job.wait(timeout=60), 0)

    def test_a_process_does_not_count_itself_among_those_that_may_hold_a_lock(
        self,
    ) -> None:
        command = [COMMAND[0], "-env", "ORIEL_STUCK", "0.2", "-n", "2", PROGRAM[0]]
        with subprocess.Popen(
            [*command, "locks_in_a_ring", "wrong"], stderr=subprocess.PIPE, text=True
        ) as job:
            assert job.stderr
            told = [job.stderr.readline() for _ in LINES]
            self.assertIn("[deadlock]", told[0])
            for rank, line in enumerate(self.lines_at_request(job)):
                self.assertRegex(
                    line,
                    rf"rank {rank}: MPI_Win_lock at .* waits for rank {1 - rank} to "
                    rf"release its lock of the memory of rank {1 - rank} on window "
                    rf'"halo"; holds the exclusive lock of rank {rank}',
                )
            job.terminate()

    def test_who_does_not_wait_is_named(self) -> None:
        command = [COMMAND[0], "--timeout", "1", "-n", "1", "sh", "-c", "sleep 99"]
        run = subprocess.run(command, capture_output=True, text=True, timeout=60)
        self.assertIsNone(re.search("rank 0:", run.stderr))
        self.assertEqual(run.returncode, 124)

    def run_with_slow_end(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "LD_PRELOAD": os.environ["SLOW_KILL"]}
        return subprocess.run(
            [COMMAND[0], *arguments, "wrong"],
            capture_output=True,
            text=True,
            timeout=60,
            env=environment,
        )

    def test_no_rank_reports_the_death_of_one_that_mpiexec_has_ended(self) -> None:
        stuck = ("-env", "ORIEL_STUCK", "0.2,abort")
        run = self.run_with_slow_end(
            "-n", "4", *stuck, PROGRAM[0], "window_freed_by_some"
        )
        self.assertIn("[deadlock]", run.stderr)
        self.assertNotIn("has died", run.stderr)
        self.assertEqual(run.returncode, 18)

    def test_no_rank_reports_the_death_of_one_that_has_aborted(self) -> None:
        run = self.run_with_slow_end(
            "-n", "2", PROGRAM[0], "put_of_more_memory_than_there_is"
        )
        self.assertIn("[MPI_ERR_BUFFER]", run.stderr)
        self.assertNotIn("has died", run.stderr)

    def test_deadlocks_are_found_where_yields_take_long(self) -> None:
        for name, ranks in (("barriers_in_another_order", 2), ("locks_in_a_ring", 4)):
            command = [COMMAND[0], "--timeout", "20", "-n", str(ranks)]
            command += ["-env", "ORIEL_STUCK", "0.2,abort"]
            command += ["-env", "LD_PRELOAD", os.environ["SLOW_YIELD"]]
            run = subprocess.run(
                [*command, PROGRAM[0], name, "wrong"],
                capture_output=True,
                text=True,
                timeout=60,
            )
            self.assertIn("[deadlock]", run.stderr)


if __name__ == "__main__":
    unittest.main()
