# SPDX-License-Identifier: BSD-3-Clause
"""mpiexec as a user meets it: arguments, output, input, failures, signals, exchange,
and the life of an MPI process from its first call to its last.

The variables MPIEXEC, EXCHANGE and LIFE name the launcher and two programs:
boot_exchange speaks only the boot layer, life is an MPI program.
"""

from __future__ import annotations

import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

MPIEXEC = os.environ["MPIEXEC"]
EXCHANGE = os.environ["EXCHANGE"]
LIFE = os.environ["LIFE"]
DEADLINE = 60.0


def mpiexec(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    options = {"stdin": subprocess.DEVNULL} | options
    if "input" in options:
        del options["stdin"]
    return subprocess.run(  # type: ignore[call-overload,no-any-return]
        [MPIEXEC, *arguments],
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        **options,
    )


def start(*arguments: str, **options: object) -> subprocess.Popen[str]:
    streams = {
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
    }
    return subprocess.Popen(  # type: ignore[call-overload,no-any-return]
        [MPIEXEC, *arguments], text=True, **(streams | options)
    )


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def wait_until_ended(pids: list[int]) -> bool:
    end = time.monotonic() + DEADLINE
    while any(is_running(pid) for pid in pids):
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


class Arguments(unittest.TestCase):
    def refused(self, *arguments: str) -> str:
        run = mpiexec(*arguments)
        self.assertEqual(run.returncode, 2, run)
        self.assertEqual(run.stdout, "")
        self.assertIn("usage:", run.stderr)
        return run.stderr

    def test_unknown_option_is_refused_by_name(self) -> None:
        said = self.refused("--map-bi", "core", "ls")
        self.assertIn("unknown option --map-bi", said)

    def test_number_of_processes_must_make_sense(self) -> None:
        for number in ("0", "-1", "x", "3x", "", "99999999999999999999", "65537"):
            self.assertIn(f"'{number}' processes", self.refused("-n", number, "true"))
        self.assertIn("more than", self.refused("-n", "65536", "true", ":", "true"))

    def test_missing_parts_are_named(self) -> None:
        self.assertIn("no program", self.refused())
        self.assertIn("no program", self.refused("-n", "2"))
        self.assertIn("no program", self.refused("true", ":"))
        self.assertIn("no program", self.refused(":", "true"))
        self.assertIn("-n N", self.refused("-n"))
        self.assertIn("-env NAME VALUE", self.refused("-env", "NAME"))
        self.assertIn("'A=B'", self.refused("-env", "A=B", "C", "true"))
        self.assertIn("--bind-to soc", self.refused("--bind-to", "soc", "true"))

    def test_program_that_is_not_there_is_127(self) -> None:
        for name in ("no-such-program", "./no-such-program", "/no/such/program"):
            run = mpiexec("-n", "2", name)
            self.assertEqual(run.returncode, 127)
            self.assertIn(f"program not found: {name}", run.stderr)
            self.assertEqual(run.stderr.count("\n"), 1)

    def test_file_that_is_no_program_is_126(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            plain = Path(directory, "plain")
            plain.write_text("text")
            cases = ((str(plain), "not executable"), (directory, "not a program"))
            for path, reason in cases:
                run = mpiexec(path)
                self.assertEqual(run.returncode, 126)
                self.assertIn(f"{path} is {reason}", run.stderr)

    def test_help_and_version_go_to_standard_output(self) -> None:
        text = mpiexec("--help").stdout
        for expected in ("-n N", "-env NAME VALUE", "--tag-output", "ORIEL_FAKE_NODES"):
            self.assertIn(expected, text)
        version = mpiexec("--version").stdout
        self.assertRegex(version, r"^mpiexec \(Oriel\) \d+\.\d+\.\d+$")

    def test_variables_reach_their_program_only(self) -> None:
        show = ("sh", "-c", "echo $PMI_RANK $A $B")
        run = mpiexec(
            "-genv", "A", "all", "-n", "1", "-env", "B", "first", *show,
            ":", "-np", "2", "-env", "B", "", *show,
        )  # fmt: skip
        lines = sorted(run.stdout.splitlines())
        self.assertEqual(lines, ["0 all first", "1 all", "2 all"])

    def test_heap_library_is_preloaded_before_others(self) -> None:
        show = ("sh", "-c", "echo $LD_PRELOAD")
        library = mpiexec("--share-heap", *show).stdout.strip()
        self.assertTrue(library.endswith("/liboriel_heap.so"), library)
        run = mpiexec("--share-heap", "-env", "LD_PRELOAD", "libm.so.6", *show)
        self.assertEqual(run.stdout.strip(), f"{library}:libm.so.6")
        self.assertEqual(mpiexec(*show).stdout.strip(), "")

    def test_heap_library_must_be_there(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            lonely = shutil.copy(MPIEXEC, directory)
            run = subprocess.run(
                [lonely, "--share-heap", "true"], capture_output=True, text=True
            )
            self.assertEqual(run.returncode, 2)
            self.assertIn("--share-heap: there is no library", run.stderr)

    def test_directory_is_entered_and_programs_found_from_there(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            script = Path(directory, "where")
            script.write_text("#!/bin/sh\npwd -P\n")
            script.chmod(0o755)
            run = mpiexec("-wdir", directory, "./where")
            self.assertEqual(run.stdout.strip(), os.path.realpath(directory))
            base, name = os.path.split(directory)
            run = mpiexec("--wdir", name, "./where", cwd=base)
            self.assertEqual(run.stdout.strip(), os.path.realpath(directory))
        run = mpiexec("-wdir", "/no/such/directory", "true")
        self.assertEqual(run.returncode, 127)
        self.assertIn("/no/such/directory", run.stderr)

    def test_closed_standard_files_do_no_harm(self) -> None:
        run = subprocess.run(
            ["sh", "-c", f"{MPIEXEC} -n 2 {EXCHANGE} <&- 2>&-"],
            capture_output=True, text=True, timeout=DEADLINE,
        )  # fmt: skip
        self.assertEqual(run.returncode, 0)
        self.assertEqual(len(run.stdout.splitlines()), 2)


class Output(unittest.TestCase):
    def test_lines_of_8_ranks_stay_whole_and_in_order(self) -> None:
        lines, width = 2000, 70
        program = (
            "import os\nr = os.environ['PMI_RANK']\n"
            f"for i in range({lines}): print(r, i, r * {width}, flush=i % 7 == 0)"
        )
        run = mpiexec("-n", "8", sys.executable, "-c", program)
        self.assertEqual(run.returncode, 0)
        next_line = dict.fromkeys(range(8), 0)
        for line in run.stdout.splitlines():
            rank, number, fill = line.split(" ")
            self.assertEqual(fill, rank * width)
            self.assertEqual(int(number), next_line[int(rank)])
            next_line[int(rank)] += 1
        self.assertEqual(set(next_line.values()), {lines})

    def test_long_lines_come_whole(self) -> None:
        program = "import os; print(os.environ['PMI_RANK'] * 300000)"
        run = mpiexec("-n", "3", sys.executable, "-c", program)
        self.assertEqual(
            sorted(run.stdout.splitlines()), [digit * 300000 for digit in "012"]
        )

    def test_tags_begin_each_line(self) -> None:
        program = "printf 'one\\ntwo'; echo three >&2"
        for option in ("-l", "--tag-output"):
            run = mpiexec(option, "-n", "2", "sh", "-c", program)
            for rank in "01":
                of_rank = [x for x in run.stdout.splitlines() if x[1] == rank]
                self.assertEqual(of_rank, [f"[{rank}] one", f"[{rank}] two"])
            errors = sorted(run.stderr.splitlines())
            self.assertEqual(errors, ["[0] three", "[1] three"])

    def test_bytes_are_not_changed(self) -> None:
        for text in ("", "no newline", "\n", "a\n\nb", "\x00\x7f\n"):
            program = f"import sys; sys.stdout.write({text!r})"
            self.assertEqual(mpiexec(sys.executable, "-c", program).stdout, text)

    def test_slow_reader_loses_nothing(self) -> None:
        with start("-n", "2", "sh", "-c", "seq 300000") as job:
            assert job.stdout
            first = job.stdout.readline()
            time.sleep(0.2)  # the pipes fill up
            rest = job.stdout.read()
        self.assertEqual(first, "1\n")
        self.assertEqual(1 + rest.count("\n"), 600000)

    def test_reader_that_leaves_ends_the_job(self) -> None:
        run = subprocess.run(
            ["sh", "-c", f"{MPIEXEC} -n 2 yes | head -n 1"],
            capture_output=True, text=True, timeout=DEADLINE,
        )  # fmt: skip
        self.assertEqual(run.stdout, "y\n")

    def test_output_of_a_failing_rank_comes_before_the_report(self) -> None:
        for _ in range(20):
            run = mpiexec("sh", "-c", "echo last words >&2; exit 3")
            first, second = run.stderr.splitlines()
            self.assertEqual(first, "last words")
            self.assertIn("exited with code 3", second)


class Input(unittest.TestCase):
    def test_rank_0_gets_standard_input(self) -> None:
        run = mpiexec("-l", "-n", "3", "cat", input="a\nb\n")
        self.assertEqual(run.stdout, "[0] a\n[0] b\n")

    def test_input_that_nobody_reads_is_left_to_others(self) -> None:
        run = subprocess.run(
            ["sh", "-c", f"while read x; do echo $x; {MPIEXEC} -n 2 true; done"],
            input="1\n2\n3\n", capture_output=True, text=True, timeout=DEADLINE,
        )  # fmt: skip
        self.assertEqual(run.stdout, "1\n2\n3\n")

    def test_terminal_is_forwarded_until_its_end(self) -> None:
        pid, terminal = pty.fork()
        if pid == 0:
            os.execv(MPIEXEC, [MPIEXEC, "-n", "2", "sh", "-c", "cat; echo end"])
        os.write(terminal, b"typed\n\x04")
        text = b""
        try:
            while chunk := os.read(terminal, 4096):
                text += chunk
        except OSError:  # the other side of the terminal is closed
            pass
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)
        self.assertEqual(text.count(b"typed"), 2, text)  # the echo and cat's line
        self.assertEqual(text.count(b"end"), 2, text)


class Failures(unittest.TestCase):
    def test_first_failure_gives_the_exit_code(self) -> None:
        run = mpiexec("-n", "3", "sh", "-c", "[ $PMI_RANK = 1 ] && exit 7; sleep 100")
        self.assertEqual(run.returncode, 7)
        self.assertRegex(
            run.stderr,
            r"^mpiexec: rank 1 \(pid \d+, sh\) exited with code 7; ending the job\n$",
        )

    def test_signal_is_named_and_gives_128_and_its_number(self) -> None:
        run = mpiexec("-n", "3", EXCHANGE, "crash", "2")
        self.assertEqual(run.returncode, 128 + signal.SIGSEGV)
        self.assertRegex(
            run.stderr,
            r"mpiexec: rank 2 \(pid \d+, .*boot_exchange\) was killed by signal 11 "
            r"\(Segmentation fault(, core dumped)?\); ending the job\n$",
        )

    def test_exit_without_finalize_is_a_failure(self) -> None:
        run = mpiexec("-n", "3", EXCHANGE, "leave", "0")
        self.assertEqual(run.returncode, 1)
        self.assertIn("exited with code 0 without calling MPI_Finalize", run.stderr)
        self.assertEqual(mpiexec("-n", "3", EXCHANGE, "fail", "0").returncode, 3)

    def test_abort_gives_its_code(self) -> None:
        run = mpiexec("-n", "3", EXCHANGE, "abort", "1")
        self.assertEqual(run.returncode, 42)
        self.assertRegex(run.stderr, r"rank 1 \(.*\) has aborted the job with code 42")

    def test_rank_that_ends_before_init_does_not_hang_the_others(self) -> None:
        for order in ((EXCHANGE, ":", "true"), ("true", ":", EXCHANGE)):
            run = mpiexec(*order)
            self.assertEqual(run.returncode, 1)
            self.assertIn("wait for it", run.stderr)

    def test_unknown_request_of_a_rank_is_quoted(self) -> None:
        program = (
            "import os\nos.write(int(os.environ['PMI_FD']), b'cmd=spawn nprocs=1\\n')\n"
            "os.read(int(os.environ['PMI_FD']), 1)"
        )
        run = mpiexec(sys.executable, "-c", program)
        self.assertEqual(run.returncode, 1)
        self.assertIn("'cmd=spawn nprocs=1', which it does not offer", run.stderr)

    def test_nothing_of_the_job_survives_it(self) -> None:
        program = "sleep 1000 & echo $!; [ $PMI_RANK = 0 ] && exit 1; wait"
        run = mpiexec("-n", "2", "sh", "-c", f"trap '' TERM; {program}")
        self.assertEqual(run.returncode, 1)
        self.assertTrue(wait_until_ended([int(pid) for pid in run.stdout.split()]))


class Signals(unittest.TestCase):
    def start_sleepers(self, *options: str) -> tuple[subprocess.Popen[str], list[int]]:
        """A job of two shells that wait, and the pids of all its processes."""
        program = "sleep 1000 & echo $! $$; wait"
        job = start("-n", "2", *options, "sh", "-c", program)
        assert job.stdout
        pids = [int(pid) for _ in range(2) for pid in job.stdout.readline().split()]
        return job, pids

    def test_signals_go_on_to_the_ranks(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1):
            # A shell handles a signal after the command that runs then: short ones.
            program = f"trap 'echo got it; exit 5' {int(number)}; echo ready; "
            program += "while :; do sleep 0.05; done"
            with start("-n", "2", "sh", "-c", program) as job:
                assert job.stdout
                ready = job.stdout.readline() + job.stdout.readline()
                job.send_signal(number)
                text = job.stdout.read()
            self.assertEqual(ready, "ready\nready\n")
            self.assertIn("got it", text)
            self.assertEqual(job.returncode, 5)

    def test_interrupted_job_says_nothing_and_returns_130(self) -> None:
        with start("-n", "2", EXCHANGE, "sleep") as job:
            assert job.stdout and job.stderr
            job.stdout.readline(), job.stdout.readline()
            job.send_signal(signal.SIGINT)
            self.assertEqual(job.stderr.read(), "")
        self.assertEqual(job.returncode, 130)

    def test_second_interrupt_kills(self) -> None:
        program = "trap '' INT TERM; echo ready; while :; do sleep 0.05; done"
        with start("-n", "2", "sh", "-c", program) as job:
            assert job.stdout
            job.stdout.readline(), job.stdout.readline()
            job.send_signal(signal.SIGINT)
            time.sleep(0.3)  # a repetition within 0.2 s counts as the same
            self.assertIsNone(job.poll())
            job.send_signal(signal.SIGINT)
            job.stdout.read()
        self.assertEqual(job.returncode, 128 + signal.SIGKILL)

    def test_ignored_signal_stays_ignored(self) -> None:
        program = f"trap '' HUP; exec {MPIEXEC} sh -c 'echo ready; sleep 1; echo end'"
        with subprocess.Popen(
            ["sh", "-c", program], stdout=subprocess.PIPE, text=True
        ) as job:
            assert job.stdout
            job.stdout.readline()
            job.send_signal(signal.SIGHUP)
            time.sleep(0.3)  # now a second one would kill
            job.send_signal(signal.SIGHUP)
            self.assertEqual(job.stdout.read(), "end\n")
        self.assertEqual(job.returncode, 0)

    def test_kill_9_of_mpiexec_leaves_nothing_alive(self) -> None:
        job, pids = self.start_sleepers()
        with job:
            self.assertEqual(len(pids), 4)
            self.assertTrue(all(is_running(pid) for pid in pids))
            job.kill()
        self.assertTrue(wait_until_ended(pids))

    def test_stop_and_continue_reach_the_ranks(self) -> None:
        job, pids = self.start_sleepers()
        with job:
            job.send_signal(signal.SIGTSTP)
            self.wait_for_state([job.pid, *pids], "T")
            job.send_signal(signal.SIGCONT)
            self.wait_for_state([job.pid, *pids], "S")
            job.send_signal(signal.SIGTERM)
        self.assertEqual(job.returncode, 128 + signal.SIGTERM)

    def wait_for_state(self, pids: list[int], wanted: str) -> None:
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            stats = [Path(f"/proc/{pid}/stat").read_text() for pid in pids]
            if {stat.rpartition(")")[2].split()[0] for stat in stats} == {wanted}:
                return
            time.sleep(0.01)
        self.fail(f"processes {pids} are not all in state {wanted}")


class Exchange(unittest.TestCase):
    def nodes(self, ranks: int, fake_nodes: int) -> list[int]:
        environment = os.environ | {"ORIEL_FAKE_NODES": str(fake_nodes)}
        run = mpiexec("-n", str(ranks), EXCHANGE, env=environment)
        self.assertEqual(run.returncode, 0, run.stderr)
        pattern = r"^rank (\d+) of (\d+) on node (\d+) of (\d+)"
        found = re.findall(pattern, run.stdout, re.M)
        self.assertEqual({int(size) for _, size, _, _ in found}, {ranks})
        self.assertEqual({int(n) for *_, n in found}, {min(ranks, max(fake_nodes, 1))})
        node_of = {int(rank): int(node) for rank, _, node, _ in found}
        return [node_of[rank] for rank in range(ranks)]

    def test_ranks_of_a_machine_are_one_node(self) -> None:
        self.assertEqual(self.nodes(4, 1), [0, 0, 0, 0])

    def test_fake_nodes_split_the_machine(self) -> None:
        self.assertEqual(self.nodes(4, 2), [0, 0, 1, 1])
        self.assertEqual(self.nodes(5, 3), [0, 0, 1, 1, 2])
        self.assertEqual(self.nodes(2, 9), [0, 1])

    def test_sections_are_numbered(self) -> None:
        run = mpiexec("-n", "2", EXCHANGE, ":", "-n", "1", EXCHANGE)
        apps = dict(re.findall(r"^rank (\d).*app (\d)$", run.stdout, re.M))
        self.assertEqual(apps, {"0": "0", "1": "0", "2": "1"})

    def test_64_ranks_exchange(self) -> None:
        self.assertEqual(self.nodes(64, 2), [0] * 32 + [1] * 32)


class Life(unittest.TestCase):
    def fails(self, how: str, code: int, *expected: str) -> str:
        """What it said."""
        run = mpiexec("-n", "2", LIFE, how)
        self.assertEqual(run.returncode, code, run)
        for text in expected:
            self.assertIn(text, run.stderr)
        return run.stderr

    def test_good_life_is_told_at_every_stage(self) -> None:
        for ranks in (1, 3):
            run = mpiexec("-n", str(ranks), LIFE)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            lines = ["before: 0 0"] * ranks + ["after: 1 1"] * ranks
            lines += [f"rank {rank} of {ranks}: 1 0" for rank in range(ranks)]
            self.assertEqual(sorted(run.stdout.splitlines()), sorted(lines))

    def test_process_without_launcher_is_alone(self) -> None:
        run = subprocess.run([LIFE], capture_output=True, text=True, timeout=DEADLINE)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn("rank 0 of 1", run.stdout)

    def test_second_initialization_is_an_error(self) -> None:
        self.fails("initialize twice", 16, "MPI_Init", "initialized before")

    def test_second_finalization_is_an_error(self) -> None:
        self.fails("finalize twice", 16, "MPI_Finalize", "has been finalized")

    def test_use_outside_the_life_is_an_error(self) -> None:
        self.fails("use before", 5, "MPI_Barrier", "not initialized")
        self.fails("use after", 5, "MPI_Barrier", "has been finalized")

    def test_abort_ends_the_job_with_its_code_but_never_0(self) -> None:
        self.fails("abort with 5", 5, "MPI_Abort", "error code 5")
        self.fails("abort with 0", 1, "MPI_Abort", "error code 0")

    def test_rank_that_aborts_after_a_death_is_not_the_cause(self) -> None:
        said = self.fails("follow the dying", 137, "rank 0", "was killed by signal 9")
        self.assertNotIn("has aborted", said)
        self.fails("follow the living", 58, "rank 1", "has aborted the job")

    def test_what_a_program_has_printed_is_not_lost_by_abort(self) -> None:
        run = mpiexec("-n", "2", LIFE, "abort with 5")
        self.assertIn("rank 1 of 2", run.stdout)

    def test_exit_without_finalize_is_a_failure(self) -> None:
        self.fails("leave", 1, "without calling MPI_Finalize")

    def test_failure_after_finalize_counts_but_stops_nobody(self) -> None:
        self.fails("fail after", 4, "ended with code 4 after MPI_Finalize")

    def test_bad_setting_ends_initialization_with_its_remedy(self) -> None:
        run = mpiexec("-n", "2", "-env", "ORIEL_CHECK", "ful", LIFE)
        self.assertEqual(run.returncode, 13)
        self.assertIn("ORIEL_CHECK=ful: allowed is off|basic|full", run.stderr)

    def test_verbose_report_names_what_was_chosen_and_misspelt(self) -> None:
        environment = os.environ | {"ORIEL_VERBOSE": "1", "ORIEL_CHEKC": "off"}
        run = mpiexec("-n", "2", LIFE, env=environment)
        self.assertRegex(run.stderr, r"rank 0: Oriel .*PMI-1: 2 processes on 1 node")
        self.assertEqual(run.stderr.count("ORIEL_CHEKC is not an option"), 1)

    def test_launcher_tells_program_number_and_size_of_universe(self) -> None:
        how = "print attributes"
        run = mpiexec("-n", "2", LIFE, how, ":", "-n", "1", LIFE, how)
        told = [line for line in run.stdout.splitlines() if "universe" in line]
        expected = [f"rank {rank}: app {rank // 2}, universe 3" for rank in range(3)]
        self.assertEqual(sorted(told), expected)
        run = subprocess.run([LIFE, how], capture_output=True, text=True)
        self.assertIn("rank 0: app -, universe -", run.stdout)


if __name__ == "__main__":
    unittest.main()
