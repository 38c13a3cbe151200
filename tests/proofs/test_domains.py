# SPDX-License-Identifier: BSD-3-Clause
"""A value outside of its domain gives the recorded error class through the error handler
of the recorded object and never reaches the core; a value at the edge does reach it.
"""

from pathlib import Path

from domain_probes import by_record, domains_c
from echo_build import EchoProof


class Domains(EchoProof):
    """The transcript of calls at the edges of domains is what the table says."""

    def program(self) -> Path:
        """The program that makes the calls."""
        objects = [*self.recording_core(), self.entry_points()]
        objects.append(self.compile_text("calls.c", domains_c(self.spec)))
        return self.link("CC", "domains", objects)

    def test_values_at_the_edges_of_domains(self) -> None:
        found = by_record(self.spec).values()
        expected = [line for some in found for p in some for line in p.transcript()]
        self.assert_transcript(self.program(), expected)
