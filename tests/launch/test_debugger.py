# SPDX-License-Identifier: BSD-3-Clause
"""A debugger finds the ranks by the MPIR names of mpiexec, whether it has started mpiexec
or attaches to it. The variables are those of test_mpiexec; skipped without gdb."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from test_mpiexec import DEADLINE, LIFE, MPIEXEC, start

GDB = ("gdb", "-batch", "-nx", "-iex", "set debuginfod enabled off")
SHOW = (
    "print MPIR_debug_state",
    "print MPIR_proctable_size",
    "print MPIR_proctable[0]",
    "print MPIR_proctable[1]",
)


def gdb(commands: tuple[str, ...], *arguments: str) -> str:
    options = [word for command in commands for word in ("-ex", command)]
    run = subprocess.run(
        [*GDB, *options, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=DEADLINE,
    )
    return run.stdout


class Debugger(unittest.TestCase):
    def check_table(self, said: str, executable: str) -> list[int]:
        """The pids of the ranks."""
        self.assertRegex(said, r"\$\d = 1\n\$\d = 2\n", said)
        entry = (
            r'host_name = \S+ "([^"]+)", executable_name = \S+ "([^"]+)", pid = (\d+)'
        )
        found = re.findall(entry, said)
        self.assertEqual(len(found), 2, said)
        self.assertEqual({path for _, path, _ in found}, {str(executable)})
        return [int(pid) for *_, pid in found]

    def test_debugger_that_starts_mpiexec_stops_when_all_ranks_are_there(self) -> None:
        commands = ("break MPIR_Breakpoint", "run", *SHOW, "continue")
        said = gdb(commands, "--args", MPIEXEC, "-n", "2", LIFE)
        self.check_table(said, str(Path(LIFE).resolve()))
        before, _, after = said.partition("$4 = ")
        self.assertNotIn("of 2: 1 0", before)  # ranks wait in MPI_Init
        self.assertEqual(after.count("of 2: 1 0"), 2)
        self.assertIn("exited normally", after)

    def test_debugger_learns_of_an_early_end(self) -> None:
        commands = (
            "break MPIR_Breakpoint", "run", "set var MPIR_being_debugged = 1", "continue",
            "print MPIR_debug_state", "print MPIR_debug_abort_string", "continue",
        )  # fmt: skip
        said = gdb(commands, "--args", MPIEXEC, "-n", "2", "sh", "-c", "exit 7")
        self.assertRegex(said, r"\$1 = 2\n\$2 = 0x\S+ \"exited with code 7\"")

    def test_debugger_that_attaches_finds_the_ranks(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            agent = Path(folder, "agent")
            agent.write_text('#!/bin/sh\nshift\nexec "$@"\n')
            agent.chmod(0o755)
            hosts = ("--launch-agent", str(agent), "--hosts", "one,two")
            show = ("sh", "-c", "echo $$; exec sleep 99")
            with start("-n", "2", *hosts, *show) as job:
                assert job.stdout
                pids = {int(job.stdout.readline()) for _ in range(2)}
                said = gdb(SHOW, "-p", str(job.pid))
                job.send_signal(signal.SIGTERM)
        if "ptrace: Operation not permitted" in said:
            self.skipTest("nobody may attach here")
        self.assertEqual(set(self.check_table(said, shutil.which("sh") or "")), pids)
        self.assertEqual(re.findall('host_name = \\S+ "(.*?)"', said), ["one", "two"])


if __name__ == "__main__":
    if not shutil.which("gdb"):
        print("gdb is not installed")
        sys.exit(77)
    unittest.main()
