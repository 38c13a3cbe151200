# SPDX-License-Identifier: BSD-3-Clause
"""Every procedure of mpi_f08, mpi and mpif.h, called with values of its own, brings
exactly these to the core, and every result of the core back to the caller. The Fortran
layer is the library as it was built.
"""

from echo_build import ECHO, FortranEcho


class Echo(FortranEcho):
    """The transcripts of programs over a recording core are what the table says."""

    def assert_form(self, module: str, suffix: str = "f90") -> None:
        """The transcript of the program in this form is right."""
        echo = self.compile_fortran(ECHO / "echo.f90")
        self.assert_echo(module, suffix, [echo, *self.libraries()])

    def test_mpi_f08(self) -> None:
        self.assert_form("mpi_f08")

    def test_mpi(self) -> None:
        self.assert_form("mpi")

    def test_mpif_h_in_free_form(self) -> None:
        self.assert_form("mpif.h")

    def test_mpif_h_in_fixed_form(self) -> None:
        self.assert_form("mpif.h", "f")
