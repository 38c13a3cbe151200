# SPDX-License-Identifier: BSD-3-Clause
"""Every member of namespace MPI, called with values of its own, brings exactly these to
the core, and every result of the core back to the caller; a value outside of its domain is
refused as it is from C; and a tool in C sees each call exactly once.
"""

import os
import unittest
from pathlib import Path

from common import TOP, changed
from counting_tool import tool
from cxx_domains import cxx_probes, domains_cxx, probe_transcript
from cxx_programs import cxx_calls, cxx_transcript, echo_cxx
from echo_build import SANITIZE, EchoProof, difference

from codegen.model import Spec

# Each call is announced by its label, "c MPI_Put plain": what it is to enter.
EACH_CALL = """
static char expected[80];

static __attribute__((destructor)) void check_last(void)
{
    if (*expected)
        check(expected);
}

void echo_call(const char *label)
{
    check_last();
    sscanf(label, "c %79s", expected);
}
"""


def transcript_of(spec: Spec) -> list[str]:
    """What the program must say over the recording core."""
    return [line for call in cxx_calls(spec) for line in cxx_transcript(call)]


@unittest.skipUnless(os.environ.get("CXX"), "there is no C++ compiler")
class Echo(EchoProof):
    """The program does over a recording core, and over a tool, what the table says."""

    def compile_cxx(self, source: str, text: str, *options: str) -> str:
        """The object of a program."""
        (self.folder / source).write_text(text, "utf-8")
        folders = [self.generated / "bindings" / x for x in ("c", "cxx")]
        folders.append(TOP / "bindings" / "cxx")
        command = [os.environ["CXX"], "-std=c++17", *(f"-I{x}" for x in folders)]
        self.assert_runs(*command, *options, "-c", source, "-o", f"{source}.o")
        return f"{source}.o"

    def assert_members_bring_all(self, calls: str, core: list[str]) -> None:
        """Arguments and results arrive as they are."""
        said = self.assert_runs(self.link("CXX", "echo", [calls, *core], *SANITIZE))
        self.assertEqual(difference(said, transcript_of(self.spec)), "")
        other = changed(self.spec, "MPI_Put", "target_disp", name="displacement")
        self.assertNotEqual(difference(said, transcript_of(other)), "")

    def assert_values_outside_are_refused(self, core: list[str]) -> None:
        """What is outside of a domain raises the error and goes no further."""
        found = cxx_probes(self.spec)
        is_large = [probe.call.is_large for probe in found]
        self.assertGreater(is_large.count(False), 1000)
        self.assertGreater(is_large.count(True), 500)
        calls = self.compile_cxx("domains.cc", domains_cxx(found))
        expected = [line for probe in found for line in probe_transcript(probe)]
        program = self.link("CXX", "domains", [calls, *core], *SANITIZE)
        self.assert_transcript(program, expected)

    def with_tool(self, calls: str, twice: str = "") -> Path:
        """The program with a tool in the place of the library, which counts the calls of
        one function twice; all else that the program needs does nothing."""
        undefined = self.assert_runs("nm", "-u", calls).split()
        others = [x for x in undefined if x.startswith(("echo_", "oriel_"))]
        rest = [f"long {name}(void) {{ return 0; }}" for name in others]
        rest.remove("long echo_call(void) { return 0; }")
        text = "\n".join([tool(self.spec, twice=twice), EACH_CALL, *rest, ""])
        (self.folder / "tool.c").write_text(text, "utf-8")
        include = f"-I{self.generated}/bindings/c"
        self.assert_runs(os.environ["CC"], include, "-c", "tool.c", "-o", "tool.o")
        return self.link("CXX", "tooled", [calls, "tool.o"], *SANITIZE)

    def assert_tools_see_each_call_once(self, calls: str) -> None:
        """So do those of members that take functions. A second call is noticed."""
        self.assert_runs(self.with_tool(calls), "all")
        for name in ("MPI_Get_c", "MPI_Grequest_start"):
            program = self.with_tool(calls, name)
            self.assert_refused(f"{name} has 2 hits", program, "all")

    def test_members_do_as_functions_of_c(self) -> None:
        calls = self.compile_cxx("calls.cc", echo_cxx(self.spec), *SANITIZE)
        core = [*self.recording_core(*SANITIZE), self.entry_points(*SANITIZE)]
        self.assert_members_bring_all(calls, core)
        self.assert_values_outside_are_refused(core)
        self.assert_tools_see_each_call_once(calls)
