# SPDX-License-Identifier: BSD-3-Clause
"""The proofs of tests/proofs for one procedure alone, which the environment names as
PROCEDURE: how it is declared, and what its calls bring to the core and back.
"""

import os
import unittest
from dataclasses import replace

import domain_probes
from c_claims import render
from echo_build import ECHO, EchoProof
from echo_programs import c_calls, echo_c, echo_fortran, fortran_calls, transcript
from fortran_claims import OPTIONS, characteristics

FORMS = (("mpi_f08", "f90"), ("mpi", "f90"), ("mpif.h", "f90"), ("mpif.h", "f"))


class One(EchoProof):
    """The procedure is in all languages what the table says."""

    def setUp(self) -> None:
        super().setUp()
        name = os.environ["PROCEDURE"]
        records = {name: self.spec.procedures[name]}
        self.alone = replace(self.spec, procedures=records)

    def test_declarations(self) -> None:
        claims = self.compile_text("claims.c", render(self.alone))
        self.link("CC", "claims", [claims, os.environ["ORIEL_C_LIBRARY"]])
        for module in ("mpi_f08", "mpi"):
            text = characteristics(self.alone, module)
            self.assertIn(os.environ["PROCEDURE"].lower(), text.lower())
            (self.folder / "claims.f90").write_text(text, "utf-8")
            self.compile_fortran("claims.f90", *OPTIONS, *self.includes())

    def test_calls(self) -> None:
        core = [*self.recording_core(), self.entry_points()]
        calls = c_calls(self.alone)
        objects = [self.compile_text("calls.c", echo_c(self.alone)), *core]
        expected = [line for call in calls for line in transcript(call)]
        self.assertNotEqual(expected, [])
        self.assert_transcript(self.link("CC", "calls", objects), expected)
        probes = domain_probes.by_record(self.alone)
        text = domain_probes.domains_c(self.alone, probes)
        objects = [self.compile_text("probes.c", text), *core]
        found = [probe for some in probes.values() for probe in some]
        expected = [line for probe in found for line in probe.transcript()]
        self.assertNotEqual(expected, [])
        self.assert_transcript(self.link("CC", "probes", objects), expected)
        echo = self.compile_fortran(ECHO / "echo.f90")
        for module, suffix in FORMS:
            name = f"calls.{suffix}"
            text = echo_fortran(self.alone, module)
            (self.folder / name).write_text(text, "utf-8")
            program = self.compile_fortran(name, *self.includes())
            objects = [program, *core, echo, *self.libraries()]
            known = fortran_calls(self.alone, module)
            expected = [line for call in known for line in transcript(call)]
            self.assertNotEqual(expected, [])
            self.assert_transcript(self.link("FC", "calls_f", objects), expected)


if __name__ == "__main__":
    unittest.main()
