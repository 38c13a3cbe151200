# SPDX-License-Identifier: BSD-3-Clause
"""Every procedure of mpi_f08, mpi and mpif.h, called with values of its own, brings
exactly these to the core, and every result of the core back to the caller. The Fortran
layer is the library as it was built.
"""

from echo_build import ECHO, FortranEcho


class Echo(FortranEcho):
    """The transcripts of programs over a recording core are what the table says."""

    def test_each_binding(self) -> None:
        layer = [self.compile_fortran(ECHO / "echo.f90"), *self.libraries()]
        # Of mpif.h, the other form is in test_fortran_constants.py.
        forms = {"mpi_f08": "f90", "mpi": "f90", "mpif.h": "f"}
        self.assert_echo(forms, layer)
