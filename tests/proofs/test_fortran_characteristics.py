# SPDX-License-Identifier: BSD-3-Clause
"""Every specific procedure of mpi_f08 and mpi, and its twin for tools, has the
characteristics that the table says: it can be assigned to a procedure pointer of an
interface that other code has rendered.

A compiler sees kinds only by their values, and on most machines those of addresses,
offsets and counts are equal. So the modules are read in a copy where they all differ.
"""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

from common import TOP, Proof, changed
from fortran_claims import INTEGER_IS_WIDE, OPTIONS, WIDE, characteristics

from codegen.model import Direction, Spec

DISTINCT = {
    "MPI_ADDRESS_KIND = c_intptr_t": "MPI_ADDRESS_KIND = 2",
    "MPI_OFFSET_KIND = c_int64_t": "MPI_OFFSET_KIND = 1",
}
LARGE = "f08/oriel_f08_large.f90"  # empty, and not generated, if INTEGER is wide
SOURCES = (
    "fortran/oriel_types.f90",
    "fortran/oriel_constants.f90",
    "f08/oriel_f08_callbacks.f90",
    LARGE,
    "f08/mpi_f08.f90",
    "fortran/mpi.f90",
)


class Characteristics(Proof):
    """The assignments compile, and each sort of them fails when the table differs."""

    modules: Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.modules = Path(tempfile.mkdtemp(prefix="oriel-modules-"))
        cls.addClassCleanup(shutil.rmtree, cls.modules)
        for name in SOURCES:
            path = Path(os.environ["ORIEL_GENERATED"]) / "bindings" / name
            if INTEGER_IS_WIDE and name == LARGE:
                path = TOP / "bindings" / "f08" / "integer8" / path.name
            text = path.read_text("utf-8")
            for ours, distinct in DISTINCT.items():
                is_types = name == "fortran/oriel_types.f90"
                assert text.count(ours) == is_types, f"{ours} in {name}"
                text = text.replace(ours, distinct)
            (cls.modules / "module.f90").write_text(text, "utf-8")
            command = (os.environ["FC"], *WIDE, "-fsyntax-only", "module.f90")
            subprocess.run(command, cwd=cls.modules, check=True)

    def compile(self, spec: Spec, module: str) -> tuple[str, ...]:
        """The command that compiles the assignments."""
        path = self.folder / "claims.f90"
        path.write_text(characteristics(spec, module), "utf-8")
        include = f"-I{self.modules}"
        return (os.environ["FC"], "-fsyntax-only", include, *OPTIONS, str(path))

    def test_module_mpi_f08_is_the_table(self) -> None:
        self.assert_runs(*self.compile(self.spec, "mpi_f08"))

    def test_module_mpi_is_the_table(self) -> None:
        self.assert_runs(*self.compile(self.spec, "mpi"))

    def noticed(self, specific: str, argument: str, **fields: Any) -> None:
        """The specific does not fit a table with this argument changed."""
        module = "mpi_f08" if "_f08" in specific else "mpi"
        name = specific.removesuffix("_FTS").removesuffix("_CPTR").split("_f08")[0]
        known = {n.upper(): n for n in self.spec.procedures}
        record = known[name.upper().removesuffix("_C")]
        faulty = changed(self.spec, record, argument, **fields)
        self.assert_refused(f"> P{specific}\n", *self.compile(faulty, module))

    def test_int_for_an_address_is_noticed(self) -> None:
        rank = self.spec.kinds["RANK"]
        self.noticed("MPI_Put_f08ts", "target_disp", kind=rank)
        self.noticed("MPI_PUT_FTS", "target_disp", kind=rank)

    @unittest.skipIf(INTEGER_IS_WIDE, "there are no large specifics")
    def test_address_for_a_count_is_noticed(self) -> None:
        address = self.spec.kinds["DISPLACEMENT"]
        self.noticed("MPI_Put_c_f08ts", "origin_count", kind=address)

    def test_missing_asynchronous_is_noticed(self) -> None:
        self.noticed("MPI_Get_f08ts", "origin_addr", is_async=False)
        self.noticed("MPI_GET_FTS", "origin_addr", is_async=False)

    def test_missing_intent_is_noticed(self) -> None:
        self.noticed("MPI_Win_lock_f08", "rank", has_intent=False)

    def test_other_intent_is_noticed(self) -> None:
        self.noticed("MPI_Win_free_f08", "win", direction=Direction.OUT)

    def test_buffer_with_the_intent_of_another_is_noticed(self) -> None:
        self.noticed("MPI_Put_f08ts", "origin_addr", direction=Direction.OUT)

    def test_other_handle_is_noticed(self) -> None:
        self.noticed("MPI_Barrier_f08", "comm", kind=self.spec.kinds["INFO"])

    def test_other_callback_is_noticed(self) -> None:
        prototype = "MPI_Win_delete_attr_function"
        name = "MPI_Win_create_keyval_f08"
        self.noticed(name, "win_copy_attr_fn", callback=prototype)

    def test_logical_as_integer_is_noticed(self) -> None:
        self.noticed("MPI_Initialized_f08", "flag", kind=self.spec.kinds["RANK"])
        self.noticed("MPI_INITIALIZED", "flag", kind=self.spec.kinds["RANK"])
