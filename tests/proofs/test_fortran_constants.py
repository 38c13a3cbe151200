# SPDX-License-Identifier: BSD-3-Clause
"""Every constant of mpi_f08, mpi and mpif.h has the type and the value that the table
says; each variable that stands for something lies where the layer looks for it.
"""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from common import Proof
from echo_build import difference
from fortran_claims import OPTIONS
from fortran_constants import blocks_c, constants_program, shown

from codegen.model import Spec


class Constants(Proof):
    """What programs show is what the table says, and not what another one says."""

    def compile(self, spec: Spec, module: str) -> tuple[str, ...]:
        """The command that compiles the program."""
        (self.folder / "shows.f90").write_text(constants_program(spec, module), "utf-8")
        folders = (os.environ["ORIEL_MODULES"], f"{self.generated}/bindings/fortran")
        includes = [f"-I{folder}" for folder in folders]
        return (os.environ["FC"], *OPTIONS, *includes, "-c", "shows.f90")

    def shows(self, module: str) -> str:
        """What the program shows."""
        self.assert_runs(*self.compile(self.spec, module))
        return self.linked(blocks_c(self.spec))

    def linked(self, blocks: str) -> str:
        """What the program that is compiled shows with these addresses of blocks."""
        (self.folder / "blocks.c").write_text(blocks, "utf-8")
        self.assert_runs(os.environ["CC"], "-c", "blocks.c")
        libraries = [os.environ[f"ORIEL_{x}_LIBRARY"] for x in ("FORTRAN", "C")]
        paths = [f"-Wl,-rpath,{Path(library).parent}" for library in libraries]
        objects = ("shows.o", "blocks.o", *libraries)
        self.assert_runs(os.environ["FC"], *OPTIONS, *objects, *paths, "-o", "shows")
        return self.assert_runs(self.folder / "shows")

    def with_constant(self, name: str, **fields: Any) -> Spec:
        """The table with a constant changed."""
        constant = replace(self.spec.constants[name], **fields)
        return replace(self.spec, constants={**self.spec.constants, name: constant})

    def assert_constants(self, module: str) -> None:
        """The program's lines are right, and would not be with other values."""
        said = self.shows(module)
        found = difference(said, shown(self.spec, module))
        self.assertEqual(found, "", found)
        numbers = self.spec.categories["ASSORTED_CONSTANTS"]
        faults: dict[str, dict[str, Any]] = {
            "MPI_ERR_WIN": {"value": 57},
            "MPI_WIN_NULL": {"value": 273},
            "MPI_MAX_INFO_KEY": {"category": numbers},
        }
        for name, fields in faults.items():
            other = shown(self.with_constant(name, **fields), module)
            self.assertIn(f"\n-{name} ", difference(said, other))

    def test_mpi_f08(self) -> None:
        self.assert_constants("mpi_f08")

    def test_mpi(self) -> None:
        self.assert_constants("mpi")

    def test_mpif_h(self) -> None:
        self.assert_constants("mpif.h")
        blocks = blocks_c(self.spec).replace(
            "{oriel_mpi_bottom,", "{oriel_mpi_in_place,"
        )
        said = self.linked(blocks)
        self.assertIn("\n+MPI_BOTTOM -1", difference(said, shown(self.spec, "mpif.h")))

    def test_handle_of_another_type_is_noticed(self) -> None:
        faulty = self.with_constant("MPI_SUM", kind="INFO")
        self.assert_refused("MPI_SUM", *self.compile(faulty, "mpi_f08"))

    def test_number_of_another_type_is_noticed(self) -> None:
        logical = self.spec.categories["FORTRAN_SUPPORT_METHOD_CONSTANTS"]
        faulty = self.with_constant("MPI_SUM", category=logical)
        self.assert_refused("MPI_SUM", *self.compile(faulty, "mpif.h"))
