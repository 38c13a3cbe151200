# SPDX-License-Identifier: BSD-3-Clause
"""The options of mpiexec beyond those that docs/coming-from.md tries: where ranks are
placed, files of arguments, names that resemble others. The variables are those of
test_mpiexec."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from test_binding import ALL, masks
from test_mpiexec import DEADLINE, LIFE, MPIEXEC, mpiexec, start, wait_until_ended


class Options(unittest.TestCase):
    """Hosts are all this one: the agent only leaves the host's name out."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.folder = Path(directory.name)
        self.program("agent", 'NAME=$1; export NAME; shift; exec "$@"')

    def program(self, name: str, script: str) -> str:
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return str(path)

    def write(self, name: str, text: str) -> str:
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def refused(self, *arguments: str) -> str:
        run = mpiexec(*arguments)
        self.assertEqual((run.returncode, run.stdout), (2, ""), run)
        return run.stderr.splitlines()[0]

    def hosts_of(self, *arguments: str) -> str:
        """The host of each rank, in their order, a letter each."""
        agent = str(self.folder / "agent")
        program = ("sh", "-c", "echo $PMI_RANK $NAME")
        words = [w for a in arguments for w in (program if a == "P" else (a,))]
        run = mpiexec("--launch-agent", agent, *words)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        lines = [line.split() for line in run.stdout.splitlines()]
        return "".join(name for _, name in sorted(lines, key=lambda x: int(x[0])))

    # ---- memory -----------------------------------------------------------------------

    def test_kinds_of_memory_reach_the_programs_that_ask(self) -> None:
        one = ("-n", "1", "sh", "-c", "echo kinds: $ORIEL_MEMORY_KINDS")
        run = mpiexec("--memory-alloc-kinds", "system,mpi", *one, ":", *one)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        lines = sorted(run.stdout.split("\n"))
        self.assertEqual(lines, ["", "kinds:", "kinds: system,mpi"])

    # ---- names ------------------------------------------------------------------------

    def test_unknown_name_is_refused_with_the_nearest_one(self) -> None:
        for typed, meant in (
            ("--hostflie", "--hostfile"), ("-machine-file", "--machinefile"),
            ("--bindto", "--bind-to"), ("-evn", "-env"),
            ("--oversubscibe=1", "--oversubscribe"), ("--Timeout", "--timeout"),
        ):  # fmt: skip
            self.assertIn(f"did you mean {meant}?", self.refused(typed, "2", "true"))
        said = self.refused("--quite-different", "true")
        self.assertTrue(said.endswith("unknown option --quite-different"), said)
        self.assertIn("unknown option", self.refused("--" + "x" * 400, "true"))

    def test_dashes_and_equal_signs_are_as_people_like(self) -> None:
        for option in (["--n", "2"], ["-np=2"], ["--np=2"], ["-n", "2"]):
            self.assertEqual(mpiexec(*option, "echo", "x").stdout, "x\nx\n")
        self.assertIn("--env=A", self.refused("--env=A", "B", "true"))
        self.assertIn("-l=1", self.refused("-l=1", "true"))

    def test_every_option_is_in_the_help_and_no_name_is_there_twice(self) -> None:
        text = mpiexec("--help").stdout
        listed = mpiexec("--list-options").stdout
        names = [
            name
            for line in listed.splitlines()
            for name in line.split(" ")[0].split("|")
            if line.startswith("-")
        ]
        self.assertGreater(len(names), 40)
        for name in names:
            self.assertRegex(text, rf"[ ,]{re.escape(name)}[ ,\n]")
        options = text.split("The exit code")[0]
        shown = re.findall(r"^  --?([A-Za-z][-\w]*)", options, re.MULTILINE)
        for others in re.findall(r"also ([^\n]+)$", options, re.MULTILINE):
            shown += [name.lstrip("-") for name in others.split(", ")]
        self.assertGreater(len(shown), 100)
        self.assertEqual(sorted(set(shown)), sorted(shown))

    # ---- files of arguments -----------------------------------------------------------

    def test_file_has_the_rest_of_the_command_line(self) -> None:
        file = self.write(
            "job",
            "# two programs\n\n"
            "-n 2 sh -c \"echo \\$PMI_RANK  'two' \\\n$A\"   # the first\n"
            '  -np 1 -env B b sh -c \'echo "$PMI_RANK"" $A$B"\'',
        )
        run = mpiexec("-genv", "A", "a", "-configfile", file)
        self.assertEqual(run.stderr, "")
        self.assertEqual(
            sorted(run.stdout.splitlines()), ["0 two a", "1 two a", "2 ab"]
        )

    def test_bad_files_of_arguments_are_refused(self) -> None:
        for text, why in (
            ("", "there is no program in"), ("# nothing\n", "there is no program in"),
            ("-n 2\n", "no program to run"), ("echo 'x\n", "a quote is not closed"),
            ("-n 2 true\n-z true", "unknown option -z"),
        ):  # fmt: skip
            self.assertIn(why, self.refused("-configfile", self.write("job", text)))
        self.assertIn("cannot read", self.refused("-configfile", "/no/such/file"))
        file = self.write("job", "true")
        self.assertIn("comes last", self.refused("-configfile", file, "true"))

    # ---- hosts ------------------------------------------------------------------------

    def test_hosts_without_a_number_start_what_they_offer(self) -> None:
        self.assertEqual(self.hosts_of("--hosts", "a:2,b:2", "P"), "aabb")
        self.assertEqual(self.hosts_of("-H", "a,b", "P"), "ab")
        self.assertEqual(self.hosts_of("-ppn", "2", "-host", "a,b", "P"), "aabb")
        self.assertEqual(self.hosts_of("--pernode", "-host", "a:3,b", "P"), "ab")
        run = mpiexec("-N", "2", "echo", "x")
        self.assertEqual(run.stdout, "x\nx\n")

    def test_hosts_may_be_named_once_for_each_slot(self) -> None:
        self.assertEqual(self.hosts_of("--hosts", "a,b,a", "P"), "aab")
        file = self.write("hosts", "a slots=2 max_slots=4\n\nb:1 # one\nb\nc slots=1\n")
        self.assertEqual(self.hosts_of("--machinefile", file, "P"), "aabbc")
        self.assertEqual(self.hosts_of("-f", file, "-n", "7", "P"), "aabbcaa")

    def test_ranks_go_by_host_or_by_slot(self) -> None:
        hosts = ("--hosts", "a:2,b:3", "-n", "5")
        self.assertEqual(self.hosts_of(*hosts, "--map-by", "slot", "P"), "aabbb")
        self.assertEqual(self.hosts_of(*hosts, "--map-by", "node", "P"), "ababb")
        self.assertEqual(self.hosts_of(*hosts, "--bynode", "P"), "ababb")
        self.assertEqual(self.hosts_of(*hosts, "--map-by", "ppr:1:node", "P"), "ababa")

    def test_programs_have_hosts_of_their_own(self) -> None:
        for arguments, hosts in (
            ("--host a -n 2 P : --host b -n 1 P", "aab"),
            ("--hosts a:2 P : --hosts b,a:3 -n 3 P", "aabba"),
            ("--hosts a:2,b:2 -n 2 P : -n 2 P", "aabb"),
        ):
            self.assertEqual(self.hosts_of(*arguments.split()), hosts)

    def test_bad_hosts_are_refused(self) -> None:
        for line in ("a slots=0", "a slots=x", "slots=2", "a sockets=2", "a:2x"):
            file = self.write("hosts", line)
            self.assertIn("no list of hosts", self.refused("-f", file, "true"))
        file = self.write("hosts", "# none\n")
        self.assertIn("there is no host in", self.refused("-f", file, "true"))
        for what in ("ppr:0:node", "ppr:2:socket", "board", "node:span", "node:"):
            said = self.refused("--map-by", what, "true")
            self.assertIn("--map-by", said)
        self.assertIn("'0'", self.refused("-ppn", "0", "true"))
        self.assertIn("more than", self.refused("--hosts", "a:65536,b", "true"))

    def test_numbers_are_refused_with_what_they_stand_for(self) -> None:
        for option, what in (
            ("-n", "processes"),
            ("--timeout", "seconds"),
            ("--check-exit", "as exit code"),
        ):
            said = self.refused(option, "0", "true")
            self.assertIn(f"{option}: '0' {what}: a number from 1 to", said)

    def test_universe_is_what_was_asked_for(self) -> None:
        for arguments, universe in (
            (("-usize", "9"), "9"), (("-usize", "1"), "2"), (("-usize", "infinite"), "-"),
            (("-usize", "system", "--host", "localhost:5"), "5"), ((), "2"),
        ):  # fmt: skip
            run = mpiexec(*arguments, "-n", "2", LIFE, "print attributes")
            told = re.findall(r"universe (\S+)", run.stdout)
            self.assertEqual(told, [universe] * 2, run)

    # ---- cores ------------------------------------------------------------------------

    def test_ranks_are_bound_to_units_in_turn(self) -> None:
        threads = masks(3, "--bind-to", "hwthread")
        self.assertEqual([len(mask) for mask in threads], [1, 1, 1])
        self.assertEqual(set.union(*masks(len(ALL), "--bind-to", "hwthread")), ALL)
        for unit in ("socket", "numa"):
            name = "physical_package_id" if unit == "socket" else None
            units = masks(2, "--bind-to", unit)
            self.assertEqual(set.union(*units) | ALL, ALL)
            for mask in units if name else ():
                paths = [
                    Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/{name}")
                    for cpu in mask
                ]
                self.assertEqual(len({path.read_text() for path in paths}), 1)
        bound = masks(2, "--bind-to", "core:overload-allowed")
        self.assertEqual(bound, masks(2, "--bind-to", "core"))

    def test_binding_is_reported(self) -> None:
        agent = ("--launch-agent", str(self.folder / "agent"), "--host", "a:2")
        bound = masks(2, *agent, "--bind-to", "hwthread")
        run = mpiexec(*agent, "--bind-to", "hwthread", "--report-bindings", "true")
        wanted = [
            f"mpiexec: rank {rank} may run on processors {min(mask)}"
            for rank, mask in enumerate(bound)
        ]
        self.assertEqual(sorted(run.stderr.splitlines()), wanted)
        processors = sorted(ALL)
        if processors == list(range(len(ALL))) and len(ALL) > 1:
            run = mpiexec("--report-bindings", "true")
            self.assertIn(f"processors 0-{processors[-1]}\n", run.stderr)

    def test_batch_job_of_one_node_needs_no_note(self) -> None:
        nodes = self.write("nodes", "one\none\n")
        for name, value in (("PBS_NODEFILE", nodes), ("SLURM_JOB_NUM_NODES", "1")):
            run = mpiexec("true", env=os.environ | {name: value})
            self.assertEqual((run.returncode, run.stderr), (0, ""))
        many = os.environ | {"SLURM_JOB_NUM_NODES": "2"}
        for arguments in (("-q",), ("--host", "localhost")):
            run = mpiexec(*arguments, "true", env=many)
            self.assertEqual((run.returncode, run.stderr), (0, ""))

    # ---- the end ----------------------------------------------------------------------

    def test_time_limit_ends_all_that_the_job_has_started(self) -> None:
        begin = time.monotonic()
        program = "[ $PMI_RANK = 0 ] || trap '' TERM; sleep 99 & echo $! $$; wait; wait"
        with start("--timeout", "1", "-n", "2", "sh", "-c", program) as job:
            assert job.stdout and job.stderr
            pids = [int(word) for line in job.stdout for word in line.split()]
            self.assertIn("its time limit", job.stderr.read())
        self.assertEqual(job.returncode, 124)
        self.assertLess(time.monotonic() - begin, 20)
        self.assertTrue(wait_until_ended(pids))

    def test_time_limit_does_not_hide_an_earlier_end(self) -> None:
        limit = os.environ | {"MPIEXEC_TIMEOUT": "50"}
        self.assertEqual(mpiexec("sh", "-c", "exit 3", env=limit).returncode, 3)
        self.assertEqual(mpiexec("true", env=limit).returncode, 0)
        bad = os.environ | {"MPIEXEC_TIMEOUT": "soon"}
        run = mpiexec("true", env=bad)
        self.assertEqual(run.returncode, 2)
        self.assertIn("MPIEXEC_TIMEOUT: 'soon' seconds", run.stderr)

    # ---- notes ------------------------------------------------------------------------

    def test_notes_can_be_kept_quiet(self) -> None:
        noted = ("--mca", "btl", "tcp", "--prefix", "/x", "-x", "NO_SUCH_VARIABLE")
        run = mpiexec(*noted, "true")
        self.assertEqual(run.returncode, 0)
        self.assertEqual(run.stderr.count("is ignored: "), 2)
        self.assertIn("-x NO_SUCH_VARIABLE: the variable is not set", run.stderr)
        self.assertEqual(mpiexec(*noted, "-q", "true").stderr, "")

    def test_output_goes_to_files(self) -> None:
        program = ("sh", "-c", "echo out $PMI_RANK; printf 'error %s' $PMI_RANK >&2")
        folder = f"{self.folder}/logs"
        run = mpiexec("--output-filename", folder, "-n", "11", *program)
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "", ""))
        for rank in range(11):
            files = Path(folder, "1", f"rank.{rank:02}")
            self.assertEqual((files / "stdout").read_text(), f"out {rank}\n")
            self.assertEqual((files / "stderr").read_text(), f"error {rank}")
        both = ("-outfile-pattern", f"{folder}/%h", "-errfile-pattern", f"{folder}/%h")
        agent = ("--launch-agent", str(self.folder / "agent"), "--host", "a,b")
        run = mpiexec("--output", f"tag,dir={folder}/tagged:nojobid", *program)
        self.assertEqual((run.returncode, run.stdout), (0, ""))
        text = Path(folder, "tagged", "rank.0", "stdout").read_text()
        self.assertEqual(text, "[0] out 0\n")
        run = mpiexec("-l", *agent, *both, *program)
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "", ""))
        for rank, host in enumerate("ab"):
            lines = sorted(Path(folder, host).read_text().splitlines())
            self.assertEqual(lines, [f"[{rank}] error {rank}", f"[{rank}] out {rank}"])

    def test_files_that_cannot_be_written_are_named(self) -> None:
        run = mpiexec("-outfile-pattern", "/proc/none/%r", "true")
        self.assertEqual(run.returncode, 1)
        self.assertIn("cannot write the output to /proc/none/0: No such", run.stderr)
        run = mpiexec("-outfile-pattern", "/dev/full", "echo", "x")
        self.assertIn("cannot write a file of output: No space left", run.stderr)
        self.assertIn("nocopy", self.refused("--output-filename", "x:y", "true"))
        self.assertIn("--output xml", self.refused("--output", "tag,xml", "true"))

    def test_errors_are_merged_with_the_output(self) -> None:
        program = ("sh", "-c", "echo out; echo error >&2")
        run = mpiexec("-l", "--merge-stderr-to-stdout", *program)
        self.assertEqual(sorted(run.stdout.splitlines()), ["[0] error", "[0] out"])
        self.assertEqual(run.stderr, "")

    def test_path_finds_the_program(self) -> None:
        self.program("unusual-name", "echo found")
        path = f"/nowhere:{self.folder}"
        self.assertEqual(mpiexec("-path", path, "unusual-name").stdout, "found\n")
        run = mpiexec("-path", "/nowhere", "ls")
        self.assertEqual(run.returncode, 127)
        self.assertIn("ls is not in /nowhere", run.stderr)

    def test_interrupt_is_passed_on_while_a_time_limit_runs(self) -> None:
        with start("--timeout", "60", "sh", "-c", "echo ready; exec sleep 99") as job:
            assert job.stdout
            job.stdout.readline()
            job.send_signal(signal.SIGINT)
            self.assertEqual(job.wait(DEADLINE), 130)

    def test_program_has_another_name(self) -> None:
        mpirun = self.folder / "mpirun"
        mpirun.symlink_to(MPIEXEC)
        run = subprocess.run(
            [mpirun, "-np", "2", "echo", "x"], capture_output=True, text=True
        )
        self.assertEqual((run.returncode, run.stdout), (0, "x\nx\n"))


if __name__ == "__main__":
    unittest.main()
