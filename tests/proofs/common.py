# SPDX-License-Identifier: BSD-3-Clause
"""What the proofs share: the table, where the build is, and a compiler to ask.

A proof renders what the standard demands of a binding and lets a compiler compare it with
the binding. Nothing here uses the templates, the languages' tables or codegen's text of
declarations: only the records themselves, so that a mistake there is not made twice.

The build says by environment: ORIEL_GENERATED (folder), CC, CXX, FC, ORIEL_MODULES
(folder of .mod files) and ORIEL_LIBRARIES (folders, with a colon between).
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(TOP))

from codegen.load import load  # noqa: E402
from codegen.model import Argument, Callback, Procedure, Spec  # noqa: E402

# Kinds whose type is wider in large procedures, and the rest of the integers: as the
# standard's tables of kinds say, independently of bindings/*/kinds.spec.
WIDENED = {
    "POLYXFER_NUM_ELEM_NNI": ("int", "count"),
    "POLYXFER_NUM_ELEM": ("int", "count"),
    "POLYDTYPE_NUM_ELEM_NNI": ("int", "count"),
    "POLYDTYPE_NUM_ELEM": ("int", "count"),
    "POLYDTYPE_STRIDE_BYTES": ("address", "count"),
    "POLYDISPLACEMENT_AINT_COUNT": ("address", "count"),
    "POLYRMA_DISPLACEMENT": ("int", "address"),
    "POLYDTYPE_NUM_ELEM_PI": ("int", "count"),
    "POLYDTYPE_PACK_SIZE": ("address", "count"),
    "POLYDISPLACEMENT": ("int", "address"),
    "POLYDISPLACEMENT_COUNT": ("int", "count"),
    "POLYLOCATION": ("address", "count"),
    "POLYNUM_BYTES": ("int", "count"),
    "POLYNUM_BYTES_NNI": ("int", "count"),
    "POLYNUM_PARAM_VALUES": ("int", "count"),
}
COUNT_SIZED = (
    *("XFER_NUM_ELEM", "NUM_BYTES", "GENERIC_DTYPE_COUNT"),
    *("TOOLS_TICK_COUNT", "DROPPED_COUNT"),
)
# INTEGERs in Fortran where now they are addresses
OF_MPI1 = ("EXTRA_STATE2", "ATTRIBUTE_VAL_10", "DISPLACEMENT_10")
ADDRESSES = ("DISPLACEMENT", "DISPLACEMENT_10")  # as results
ADDRESS_SIZED = (
    "LOCATION_SMALL",
    "DISPLACEMENT",
    "DISPLACEMENT_10",
    "RMA_DISPLACEMENT_NNI",
    "WINDOW_SIZE",
    "WIN_ATTACH_SIZE",
    "ALLOC_MEM_NUM_BYTES",
    "DISPLACEMENT_NNI",
)
HANDLES = {
    "COMMUNICATOR": "MPI_Comm",
    "GROUP": "MPI_Group",
    "WINDOW": "MPI_Win",
    "INFO": "MPI_Info",
    "ERRHANDLER": "MPI_Errhandler",
    "DATATYPE": "MPI_Datatype",
    "OPERATION": "MPI_Op",
    "REQUEST": "MPI_Request",
    "MESSAGE": "MPI_Message",
    "SESSION": "MPI_Session",
    "FILE": "MPI_File",
}


def width(kind: str, is_large: bool, is_fortran: bool = False) -> str:
    """How wide an integer is: "int", "address", "offset" or "count"."""
    if is_fortran and kind in OF_MPI1:
        return "int"
    if kind in WIDENED:
        return WIDENED[kind][is_large]
    if kind == "OFFSET":
        return "offset"
    if kind in COUNT_SIZED:
        return "count"
    return "address" if kind in ADDRESS_SIZED else "int"


def prototype_name(argument: Argument, is_large: bool) -> str:
    """The prototype of a callback; large procedures may have one of their own."""
    return argument.callback + ("_c" if argument.kind.is_large and is_large else "")


def sizes(record: Procedure | Callback) -> tuple[bool, ...]:
    """Small, and large if the large variant differs."""
    is_large = any(a.kind.is_large for a in record.arguments) or record.returns.is_large
    return (False, True) if is_large else (False,)


def table() -> Spec:
    """The table of this tree."""
    return load(TOP / "spec")


def taken_by(
    record: Procedure | Callback, language: str, is_large: bool
) -> list[Argument]:
    """The arguments of a procedure of a language, small or large."""
    return [
        argument
        for argument in record.arguments
        if language in argument.languages and (is_large or not argument.is_large_only)
    ]


def implemented(spec: Spec, language: str) -> list[Procedure]:
    """The procedures that the binding of a language has."""
    found = [p for p in spec.procedures.values() if language in p.languages]
    return [p for p in found if not p.planned]


def echoed(spec: Spec, language: str) -> list[Procedure]:
    """Those that carry arguments to the core and results back. Conversions between
        languages (MPI-4.1 19.3, MPI-5.0 20) do not; tests/mpi/handle_conversion.c has them.
    Where C returns errors by itself, the core sees what C gives; tests/mpi/tools.c has
        that.
    """
    found = [p for p in implemented(spec, language) if p.errors != "returned"]
    return [
        p for p in found if not (p.section.startswith("19.3.") or p.section == "20")
    ]


def changed(spec: Spec, procedure: str, argument: str, **fields: Any) -> Spec:
    """The table with some fields of one argument changed."""
    record = spec.procedures[procedure]
    arguments = tuple(
        replace(a, **fields) if a.name == argument else a for a in record.arguments
    )
    assert arguments != record.arguments, f"{procedure} is not changed"
    records = {**spec.procedures, procedure: replace(record, arguments=arguments)}
    return replace(spec, procedures=records)


class Proof(unittest.TestCase):
    """A test with a scratch folder and the compilers of the build."""

    def setUp(self) -> None:
        self.spec = table()
        self.generated = Path(os.environ["ORIEL_GENERATED"])
        self.folder = Path(tempfile.mkdtemp(prefix="oriel-proof-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def run_command(self, *command: str | Path) -> tuple[bool, str]:
        """Whether it succeeded, and all that it said."""
        done = subprocess.run(
            command, cwd=self.folder, capture_output=True, text=True, errors="replace"
        )
        return done.returncode == 0, done.stdout + done.stderr

    def assert_runs(self, *command: str | Path) -> str:
        """It succeeds; what it said is the message if not."""
        succeeded, said = self.run_command(*command)
        self.assertTrue(succeeded, said)
        return said

    def assert_refused(self, because: str, *command: str | Path) -> None:
        """It fails, and says so with these words."""
        succeeded, said = self.run_command(*command)
        self.assertFalse(succeeded, "a fault has not been noticed")
        self.assertIn(because, said)
