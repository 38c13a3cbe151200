# SPDX-License-Identifier: BSD-3-Clause
"""Calls through the Fortran layer touch no memory but their arguments'. The layer is
compiled anew, with sanitizers of addresses and undefined behaviour.
"""

from echo_build import SANITIZE, FortranEcho


class Sanitized(FortranEcho):
    """The transcripts are right, and the sanitizers say nothing."""

    def test_calls_are_clean_under_sanitizers(self) -> None:
        layer = self.fortran_layer(*SANITIZE)
        self.assert_echo({"mpi_f08": "f90", "mpi": "f90"}, layer, *SANITIZE)
