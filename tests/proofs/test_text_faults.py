# SPDX-License-Identifier: BSD-3-Clause
"""The echo proofs see faults in the text of generated bindings, which no fault of the
table makes: each is put into the entry point of one procedure, and the transcript of that
procedure, and of no other, is not what the table says.
"""

import os
import subprocess
from dataclasses import replace
from pathlib import Path

from echo_build import ECHO, EchoProof, difference
from echo_programs import (
    by_record,
    c_calls,
    echo_c,
    echo_fortran,
    fortran_calls,
    transcript,
)

from codegen.model import Spec

Faults = dict[str, dict[str, str]]
IN_C: Faults = {
    # Two arguments are swapped.
    "MPI_Type_create_resized": {"_object, lb, extent": "_object, extent, lb"},
    # A result that does not fit is cut off.
    "MPI_Type_size": {"*size = MPI_UNDEFINED;": "*size = (int)size_wide;"},
    # The error handler of nothing is raised.
    "MPI_Win_set_info": {"raise_error(&call, win_object": "raise_error(&call, NULL"},
}
IN_FORTRAN: Faults = {
    # Two arguments are swapped.
    "MPI_Win_lock": {"(lock_type, rank, assert, int": "(rank, lock_type, assert, int"},
    # The address of MPI_STATUS_IGNORE is not converted.
    "MPI_Wait": {
        "type(c_ptr), value :: status": "type(MPI_Status) :: status",
        "address_unless_ignored(status)": "status",
    },
    # The null handle does not come back.
    "MPI_Win_free": {"win%MPI_VAL = int(c_win)": ""},
    # Errors get lost.
    "MPI_Win_sync": {"ierror = code": "ierror = 0"},
}
SOUND = "MPI_Win_test"  # has no fault


def unit_of(text: str, first: str, last: str) -> str:
    """The text from one line to another."""
    start = text.index(f"\n{first}") + 1
    return text[start : text.index(f"\n{last}\n", start) + len(last) + 2]


def changed_unit(unit: str, changes: dict[str, str]) -> str:
    """An entry point with a fault."""
    for right, wrong in changes.items():
        assert unit.count(right) == 1, f"{right} is in\n{unit}"
        unit = unit.replace(right, wrong)
    return unit


class TextFaults(EchoProof):
    """Each fault is noticed where it is."""

    def part(self, faults: Faults) -> Spec:
        """The table of the procedures that are called."""
        names = (*faults, SOUND)
        known = {name: self.spec.procedures[name] for name in names}
        return replace(self.spec, procedures=known)

    def assert_noticed(self, program: Path, expected: dict[str, list[str]]) -> None:
        """Only the transcript of what is sound is right."""
        for name, lines in expected.items():
            with self.subTest(name):
                done = subprocess.run([program, name], capture_output=True, text=True)
                found = difference(done.stdout, lines)
                self.assertEqual(found == "", name == SOUND, found)

    def test_faults_in_c_are_noticed(self) -> None:
        text = (self.generated / "bindings/c/entry_points.c").read_text("utf-8")
        for name, changes in IN_C.items():
            unit = unit_of(text, f"int P{name}(", "}")
            text = text.replace(unit, changed_unit(unit, changes))
        part = self.part(IN_C)
        calls = self.compile_text("calls.c", echo_c(part))
        entries = self.compile_text("entry_points.c", text)
        program = self.link("CC", "echo", [calls, entries, *self.recording_core()])
        known = by_record(c_calls(part)).items()
        expected = {n: [x for c in some for x in transcript(c)] for n, some in known}
        self.assert_noticed(program, expected)

    def test_faults_in_fortran_are_noticed(self) -> None:
        if not os.environ.get("FC"):
            self.skipTest("there is no Fortran")
        folder = self.generated / "bindings" / "f08"
        text = (folder / "mpi_f08_entries.f90").read_text("utf-8")
        units = []
        for name, changes in IN_FORTRAN.items():
            unit = unit_of(
                text, f"subroutine {name}_f08(", f"end subroutine {name}_f08"
            )
            units.append(changed_unit(unit, changes))
        part = self.part(IN_FORTRAN)
        for name, source in (
            ("units.f90", "\n".join(units)),
            ("calls.f90", echo_fortran(part, "mpi_f08")),
        ):
            (self.folder / name).write_text(source, "utf-8")
        sources: list[Path | str] = ["units.f90", ECHO / "echo.f90", "calls.f90"]
        objects = [self.compile_fortran(path, *self.includes()) for path in sources]
        objects += [*self.recording_core(), self.entry_points(), *self.libraries()]
        program = self.link("FC", "echo", objects)
        known = by_record(fortran_calls(part, "mpi_f08")).items()
        expected = {n: [x for c in some for x in transcript(c)] for n, some in known}
        self.assert_noticed(program, expected)
