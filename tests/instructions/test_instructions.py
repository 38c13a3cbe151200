# SPDX-License-Identifier: BSD-3-Clause
"""Calls cost no more instructions than their budgets, as callgrind counts them.

A count is that of the whole call: the program passes the arguments, the linker's table
is jumped through, everything is checked. Time is too noisy to be tested; this is exact.
"""

import os
import re
import subprocess
import tempfile
import unittest
from dataclasses import dataclass, field
from pathlib import Path
from shutil import which

CALLS = os.environ["ORIEL_CALLS"]
MPIEXEC = os.environ["ORIEL_MPIEXEC"]
CALLS_F08 = os.environ.get("ORIEL_CALLS_F08", "")
TIMES = 1000
FAR_TIMES = 100  # to another process

BUDGETS = {
    "put_8": 60,
    "get_8": 60,
    "put_attached": 75,
    "fetch_attached": 95,
    "rput_wait": 104,
    "rget_wait": 106,
    "accumulate_8": 98,
    "accumulate_256": 345,  # 66 of them are the loop itself
    "fetch_and_op": 82,
    "compare_and_swap": 82,
    "flush": 24,
    "flush_all": 28,
    "win_sync": 22,
    "lock": 90,
    "lock_shared": 100,
    "lock_all": 90,
    "put_vector": 250,
    "message_8": 1190,  # MPI_Isend, MPI_Recv and MPI_Wait
    "stream_8": 1400,  # MPI_Irecv, MPI_Isend and their part of MPI_Waitall
}
# MPI_Put to another node: what Oriel does until it calls libfabric's provider, and by how
# many functions as the compiler has left them, MPI_Put and the provider's included.
FAR_INSTRUCTIONS = 690
FAR_FUNCTIONS = 6
FAR_FUNCTIONS_F08 = 7
# An MPI_Accumulate of 8 bytes that joins others in a message to a process of the node.
UNMAPPED_INSTRUCTIONS = 720
DEPTH = 64
# What a kilobyte may cost besides the memcpy itself (decision 7).
BESIDES_COPY = 65
# What ORIEL_CHECK=races may make of a put of a loop, in hundredths.
WATCHED_PER_CENT = 550
# What calls by mpi_f08 may cost above the same ones in C (decision 7).
ABOVE_C = {
    "put_8": 60,
    "put_scalar": 60,
    "put_vector": 150,
}


def count(name: str, program: str = CALLS, checked: str = "full") -> int:
    """Instructions of one call, with this ORIEL_CHECK."""
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    command = [*valgrind, "--toggle-collect=*counted_loop*", program, name]
    environment = {**os.environ, "ORIEL_CHECK": checked}
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment
    )
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or found is None:
        raise RuntimeError(f"{' '.join(command)} failed: {done.stderr}")
    return int(found[1]) // TIMES


@dataclass
class Profile:
    """What callgrind has written: costs by object, calls by function."""

    costs: dict[str, int] = field(default_factory=dict)
    calls: dict[str, set[str]] = field(default_factory=dict)
    objects: dict[str, str] = field(default_factory=dict)  # of each function

    def functions_between(self, start: str, library: str) -> int:
        """How many functions follow on the shortest way to the library's first one."""
        known, functions = {start}, 0
        while known and not any(library in self.objects[name] for name in known):
            known = {callee for name in known for callee in self.calls.get(name, set())}
            functions += 1
        return functions if known else 0


def read_profile(text: str) -> Profile:
    """Reads callgrind's format: names are spelled once, as `(number) name`."""
    profile = Profile()
    names: dict[str, str] = {}
    place = {"ob": "", "fn": "", "cob": "", "cfn": ""}
    is_inclusive = False  # the line after `calls=`: what the callees cost
    for line in text.splitlines():
        found = re.fullmatch(r"(ob|fn|cob|cfn)=(\(\d+\))(?: (.*))?", line)
        if found:
            key = found[1][-2:] + found[2]
            names.setdefault(key, found[3] or "")
            place[found[1]] = names[key]
            if found[1] == "fn":
                place |= {"cob": ""}
                profile.objects[place["fn"]] = place["ob"]
        elif line.startswith("calls="):
            is_inclusive = True
            profile.calls.setdefault(place["fn"], set()).add(place["cfn"])
            profile.objects.setdefault(place["cfn"], place["cob"] or place["ob"])
            place["cob"] = ""
        elif re.match(r"[+\-*\d]", line):
            if not is_inclusive:
                cost = int(line.split()[1])
                profile.costs[place["ob"]] = profile.costs.get(place["ob"], 0) + cost
            is_inclusive = False
    return profile


def profile_far(name: str, program: str = CALLS, nodes: int = 2) -> Profile:
    """One call to the other process, of those that rank 0 makes."""
    with tempfile.TemporaryDirectory() as folder:
        valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/%p"]
        settings = ["-env", "ORIEL_FAKE_NODES", str(nodes)]
        settings += ["-env", "ORIEL_PROGRESS", "off"]
        command = [MPIEXEC, "-n", "2", *settings, *valgrind]
        command += ["--toggle-collect=*counted_loop*", program, name]
        subprocess.run(command, capture_output=True, text=True, check=True)
        files = sorted(Path(folder).iterdir(), key=lambda file: file.stat().st_size)
        return read_profile(files[-1].read_text())


def excess(counts: dict[str, int], budgets: dict[str, int]) -> list[str]:
    """The calls that cost too much."""
    return [
        f"{name}: {counts[name]} instructions, the budget is {budget}"
        for name, budget in budgets.items()
        if counts[name] > budget
    ]


@unittest.skipUnless(which("valgrind"), "valgrind is not installed")
class Instructions(unittest.TestCase):
    """Counts against budgets."""

    def test_calls_keep_their_budgets(self) -> None:
        counts = {name: count(name) for name in BUDGETS}
        self.assertEqual(excess(counts, BUDGETS), [])

    def test_a_put_over_the_network_keeps_its_budget(self) -> None:
        profile = profile_far("put_far")
        costs = [cost for name, cost in profile.costs.items() if "libmpi_abi" in name]
        functions = profile.functions_between("put_far", "libfabric")
        self.assertGreater(functions, 0)
        self.assertLessEqual(functions, FAR_FUNCTIONS)
        self.assertLessEqual(sum(costs) // FAR_TIMES, FAR_INSTRUCTIONS)

    def test_accumulates_on_attached_memory_join_a_message(self) -> None:
        profile = profile_far("accumulate_unmapped", nodes=1)
        costs = [cost for name, cost in profile.costs.items() if "libmpi_abi" in name]
        self.assertGreater(sum(costs), 0)
        self.assertLessEqual(sum(costs) // FAR_TIMES // DEPTH, UNMAPPED_INSTRUCTIONS)

    @unittest.skipUnless(CALLS_F08, "there is no Fortran layer")
    def test_a_put_by_fortran_over_the_network_is_one_function_more(self) -> None:
        profile = profile_far("put_far", CALLS_F08 or "")
        functions = profile.functions_between("__calls_MOD_put_far", "libfabric")
        self.assertGreater(functions, 0)
        self.assertLessEqual(functions, FAR_FUNCTIONS_F08)

    def test_puts_of_a_loop_that_are_watched_keep_their_budget(self) -> None:
        plain, watched = count("put_cells"), count("put_cells", checked="races")
        self.assertGreater(watched, plain)
        self.assertLessEqual(watched, plain * WATCHED_PER_CENT // 100)

    def test_a_kilobyte_costs_little_more_than_its_copy(self) -> None:
        self.assertLessEqual(count("put_1k") - count("copy_1k"), BESIDES_COPY)

    @unittest.skipUnless(CALLS_F08, "there is no Fortran layer")
    def test_calls_by_fortran_cost_little_more_than_in_c(self) -> None:
        in_c = {name: count(name) for name in ("put_8", "put_vector")}
        in_c["put_scalar"] = in_c["put_8"]
        above = {name: count(name, CALLS_F08 or "") - in_c[name] for name in ABOVE_C}
        self.assertEqual(excess(above, ABOVE_C), [])

    def test_a_call_above_its_budget_is_noticed(self) -> None:
        counted = {"flush": count("flush")}
        self.assertGreater(counted["flush"], count("nothing"))
        self.assertNotEqual(excess(counted, {"flush": counted["flush"] - 1}), [])


if __name__ == "__main__":
    unittest.main()
