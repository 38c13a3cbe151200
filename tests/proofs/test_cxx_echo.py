# SPDX-License-Identifier: BSD-3-Clause
"""Every member of namespace MPI, called with values of its own, brings exactly these to
the core, and every result of the core back to the caller; and it calls the function of C
that a tool can replace.
"""

import os
import unittest

from common import TOP, changed
from cxx_programs import cxx_calls, cxx_transcript, echo_cxx
from echo_build import SANITIZE, EchoProof, difference

from codegen.model import Spec


@unittest.skipUnless(os.environ.get("CXX"), "there is no C++ compiler")
class Echo(EchoProof):
    """The transcript of a program over a recording core is what the table says."""

    def compile_cxx(self, *options: str) -> str:
        """The object of the program."""
        (self.folder / "calls.cc").write_text(echo_cxx(self.spec), "utf-8")
        folders = [self.generated / "bindings" / x for x in ("c", "cxx")]
        folders.append(TOP / "bindings" / "cxx")
        command = [os.environ["CXX"], "-std=c++17", *(f"-I{x}" for x in folders)]
        self.assert_runs(*command, *options, "-c", "calls.cc", "-o", "calls.cc.o")
        return "calls.cc.o"

    def expected(self, spec: Spec) -> list[str]:
        """The transcript."""
        return [line for call in cxx_calls(spec) for line in cxx_transcript(call)]

    def assert_replaceable(self, calls: str) -> None:
        """The program's members call the functions of C by the names of tools."""
        called = self.assert_runs("nm", "-u", calls)
        names = {line.split()[-1] for line in called.splitlines()}
        wanted = {call.c_name for call in cxx_calls(self.spec)}
        self.assertEqual(wanted - names, set())

    def test_members_bring_arguments_and_results(self) -> None:
        calls = self.compile_cxx(*SANITIZE)
        self.assert_replaceable(calls)
        objects = [calls, *self.recording_core(*SANITIZE), self.entry_points(*SANITIZE)]
        said = self.assert_runs(self.link("CXX", "echo", objects, *SANITIZE))
        found = difference(said, self.expected(self.spec))
        self.assertEqual(found, "", found)
        other = changed(self.spec, "MPI_Put", "target_disp", name="displacement")
        self.assertNotEqual(difference(said, self.expected(other)), "")
