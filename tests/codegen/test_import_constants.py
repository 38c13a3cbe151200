# SPDX-License-Identifier: BSD-3-Clause
"""A new table of the ABI's constants becomes lines of constants.spec: that of MPI-5.0 gives
back what is taken away, and a made-up 6.0 adds, removes and changes one of everything.
"""

import copy
import re

from test_import import FORUM, ImportTest

from codegen.facts import Json, read_forum
from codegen.position import SpecError

CONSTANTS = "spec/constants.spec"
ABI = FORUM / "mpi-5.0-abi.facts"
# One between others, the last of its category, a datatype, an operation, a function.
TAKEN = (
    "MPI_T_VERBOSITY_MPIDEV_ALL",
    "MPI_COMBINER_RESIZED",
    "MPI_INT16_T",
    "MPI_BXOR",
    "MPI_WIN_DUP_FN",
)


def constant(like: Json, name: str, **fields: object) -> Json:
    """A constant like another one."""
    return {**copy.deepcopy(like), "name": name, **fields}


def made_up() -> Json:
    """The constants of 5.0 with eight changes."""
    data = read_forum(ABI)
    known = data["constants"]
    error, lock = known["mpi_err_abi"], known["mpi_lock_shared"]
    version, real = known["mpi_version"], known["mpi_real2"]
    new = [
        constant(error, "MPI_ERR_STALE", abi_value="63"),  # 1 error class
        constant(known["mpi_int8_t"], "MPI_INT128_T", abi_value="600"),  # 2 datatype
        constant(known["mpi_band"], "MPI_BNAND", abi_value="60"),  # 3 operation
        constant(
            lock, "MPI_HINT_SOON", abi_value="700", category="HINTS"
        ),  # 4 category
        constant(lock, "MPI_HINT_LATE", abi_value="701", category="HINTS"),
    ]
    new[1]["datatypes"]["c"]["type"] = "int128_t"
    known |= {one["name"].lower(): one for one in new}
    del known["mpi_combiner_vector"]  # 5 removed
    version["abi_value"] = "6"  # 6 value
    real["datatypes"]["f08"]["type"] = "REAL(2)"  # 7 type that it stands for
    known["mpi_win_null"]["category"] = "WINDOWS"  # 8 what only people can decide
    return data


EIGHT = """
adds constants HINTS
adds MPI_ERR_STALE 63 to ERROR_CLASSES
adds MPI_INT128_T 600 to PREDEFINED_DATATYPES
adds MPI_BNAND 60 to COLLECTIVE_OPS
adds MPI_HINT_SOON 700 to HINTS
removes MPI_COMBINER_VECTOR
changes MPI_VERSION: value from 5 to 6
changes MPI_REAL2: fortran from REAL*2 to REAL(2)
changes MPI_WIN_NULL: category from OTHER_HANDLES to WINDOWS
asks MPI_ERR_STALE: what it is
asks MPI_INT128_T: size, what it is
asks MPI_BNAND: on, what it is
asks MPI_WIN_NULL: category is WINDOWS there; change its line
asks constants HINTS: form, what they are
""".strip().splitlines()

ANSWERS = [
    (r"(MPI_ERR_STALE .*)\?$", r'\1"object has gone"'),
    (r"(MPI_INT128_T .*)size \?  \?$", r"\1size 16 is c_integer"),
    (r"(MPI_BNAND .*)on \?  \?$", r'\1on c_integer  "bitwise not and"'),
    (r"(MPI_HINT_\w+ .*)\?$", r'\1"when"'),
    (r"^(constants HINTS .*)\?$", r'\1"when memory is needed"'),
]


class Constants(ImportTest):
    """The table of constants."""

    def test_gives_back_what_was_written_by_hand(self) -> None:
        by_hand = (self.root / CONSTANTS).read_text("utf-8")
        lines = by_hand.splitlines()
        taken = {n: x for x in lines for n in TAKEN if re.match(rf"\s+{n}\s", x)}
        kept = [line for line in lines if line not in taken.values()]
        (self.root / CONSTANTS).write_text("\n".join(kept) + "\n", "utf-8")
        said = self.imported(ABI, "--write")
        for name in TAKEN:
            self.assertTrue(any(x.startswith(f"adds {name} ") for x in said), said)
        for name, line in taken.items():
            self.edit(CONSTANTS, rf"^\s+{name}\s.*$", line.replace("\\", r"\\"))
        self.assertEqual((self.root / CONSTANTS).read_text("utf-8"), by_hand)

    def test_a_made_up_table_is_shown_written_and_agrees(self) -> None:
        table = self.folder / "mpi-6.0-abi.json"
        self.write_table(table, made_up())
        shown = self.imported(table)
        self.assertLessEqual(set(EIGHT), set(shown))
        self.assertEqual(self.complaints(), [])  # nothing is written yet
        self.imported(table, "--write")
        with self.assertRaises(SpecError) as caught:
            self.spec()
        self.assertIn("'?' found", str(caught.exception))
        for pattern, new in ANSWERS:
            self.edit(CONSTANTS, pattern, new)
        waiver = 'abi 6.0  MPI_WIN_NULL  -  category  "it is as before"\n'
        self.edit("spec/forum.waivers", r"\Z", waiver)
        self.assertEqual(self.complaints(), [])
        self.assertEqual(self.imported(table), [])
        known = self.spec().constants
        self.assertEqual(known["MPI_VERSION"].value, 6)
        self.assertEqual(known["MPI_HINT_LATE"].category.name, "HINTS")
        self.assertIn("MPI_COMBINER_VECTOR", known)
