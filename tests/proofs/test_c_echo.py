# SPDX-License-Identifier: BSD-3-Clause
"""Every C function, called with values of its own, brings exactly these to the core, and
every result of the core back to the caller.
"""

from echo_build import SANITIZE, EchoProof
from echo_programs import c_calls, echo_c, transcript


class Echo(EchoProof):
    """The transcript of a program over a recording core is what the table says."""

    def assert_echo(self, *options: str) -> None:
        """The transcript is right if everything is compiled with these options."""
        calls = self.compile_text("calls.c", echo_c(self.spec), *options)
        objects = [calls, *self.recording_core(*options), self.entry_points(*options)]
        program = self.link("CC", "echo", objects, *options)
        expected = [line for call in c_calls(self.spec) for line in transcript(call)]
        self.assert_transcript(program, expected)

    def test_c_brings_arguments_and_results(self) -> None:
        self.assert_echo("-O1", "-Wall", "-Werror")

    def test_c_is_clean_under_sanitizers(self) -> None:
        self.assert_echo(*SANITIZE)
