# SPDX-License-Identifier: BSD-3-Clause
"""Every procedure of mpi_f08, mpi and mpif.h, and each that programs may call without an
interface, called with values of its own, brings exactly these to the core, and every result
of the core back to the caller. So it does where the program has a procedure of its own
under each plain name. The Fortran layer is the library as it was built.
"""

from echo_build import ECHO, FortranEcho
from echo_programs import EXTERNAL
from passed_on import passed_on


class Echo(FortranEcho):
    """The transcripts of programs over a recording core are what the table says."""

    def test_each_binding(self) -> None:
        layer = [self.compile_fortran(ECHO / "echo.f90"), *self.libraries()]
        # Of mpif.h, the other form is in test_fortran_constants.py.
        forms = {"mpi_f08": "f90", "mpi": "f90", "mpif.h": "f", EXTERNAL: "f90"}
        rest = self.assert_echo(forms, layer)
        taken = passed_on(self.spec, "mpi", is_plain=True)
        own = self.compile_text("own.c", "\n".join(["#include <mpi.h>", *taken, ""]))
        program = self.link("FC", "own.run", ["calls_mpi.f90.o", own, *rest])
        with self.subTest("own procedures of plain names"):
            self.assert_transcript(program, self.expected("mpi"))
