# SPDX-License-Identifier: BSD-3-Clause
"""Calls cost no more instructions than their budgets, as callgrind counts them.

A count is that of the whole call: the program passes the arguments, the linker's table
is jumped through, everything is checked. Time is too noisy to be tested; this is exact.
"""

import os
import re
import subprocess
import unittest
from shutil import which

CALLS = os.environ["ORIEL_CALLS"]
CALLS_F08 = os.environ.get("ORIEL_CALLS_F08")
TIMES = 1000

BUDGETS = {
    "put_8": 60,
    "get_8": 60,
    "accumulate_8": 90,
    "fetch_and_op": 74,
    "compare_and_swap": 74,
    "flush": 24,
    "lock": 90,
    "lock_shared": 100,
    "lock_all": 90,
    "put_vector": 250,
}
# What a kilobyte may cost besides the memcpy itself (decision 7).
BESIDES_COPY = 65
# What calls by mpi_f08 may cost above the same ones in C (decision 7).
ABOVE_C = {
    "put_8": 60,
    "put_scalar": 60,
    "put_vector": 150,
}


def count(name: str, program: str = CALLS) -> int:
    """Instructions of one call."""
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    command = [*valgrind, "--toggle-collect=*counted_loop*", program, name]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or found is None:
        raise RuntimeError(f"{' '.join(command)} failed: {done.stderr}")
    return int(found[1]) // TIMES


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

    def test_a_kilobyte_costs_little_more_than_its_copy(self) -> None:
        self.assertLessEqual(count("put_1k") - count("copy_1k"), BESIDES_COPY)

    @unittest.skipUnless(CALLS_F08, "there is no Fortran layer")
    def test_calls_by_fortran_cost_little_more_than_in_c(self) -> None:
        in_c = {name: count(name) for name in ("put_8", "put_vector")}
        in_c["put_scalar"] = in_c["put_8"]
        above = {name: count(name, CALLS_F08) - in_c[name] for name in ABOVE_C}
        self.assertEqual(excess(above, ABOVE_C), [])

    def test_a_call_above_its_budget_is_noticed(self) -> None:
        counted = {"flush": count("flush")}
        self.assertGreater(counted["flush"], count("nothing"))
        self.assertNotEqual(excess(counted, {"flush": counted["flush"] - 1}), [])


if __name__ == "__main__":
    unittest.main()
