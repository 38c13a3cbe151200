# SPDX-License-Identifier: BSD-3-Clause
"""The program of properties reports every fault of a library with faults, and nothing
else: some are in the table that its entry points are made of, others in faults.c.
"""

import os
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

from common import TOP, changed
from echo_build import EchoProof

from codegen.expand import expand
from codegen.render import render
from codegen.rules import Above, Domain

FAULTY = TOP / "tests" / "proofs" / "properties" / "faults.c"
OUTPUTS = ("bindings/c/mpi.h", "core/oriel_core.h", "bindings/c/entry_points.c")
SECONDS = 60

# A procedure, one of its arguments, and what a faulty record says of that.
Fault = tuple[str, str, dict[str, Any]]
IN_TABLE: tuple[Fault, ...] = (
    ("MPI_Type_create_hindexed", "array_of_displacements", {"length": "*"}),
    ("MPI_Comm_size", "size", {"null_ok": True}),
    ("MPI_Info_delete", "key", {"null_ok": True}),
    ("MPI_Comm_split_type", "info", {"null_ok": False}),
    ("MPI_Pack", "outbuf", {"may_be": ("MPI_IN_PLACE",)}),
    ("MPI_Allgather", "sendbuf", {"may_be": ()}),
)


class Faults(EchoProof):
    """What the program says of a library with faults."""

    def faults_of_domains(self) -> list[Fault]:
        """MPI_PROC_NULL is not allowed, or a count of 0."""
        procedures = self.spec.procedures
        dest = procedures["MPI_Send"].argument("dest").domains[0]
        count = procedures["MPI_Issend"].argument("count").domains[0]

        def only(domain: Domain, **fields: Any) -> dict[str, Any]:
            return {"domains": (replace(domain, **fields),)}

        return [
            ("MPI_Send", "dest", only(dest, also=())),
            ("MPI_Issend", "count", only(count, rule=Above(0))),
        ]

    def library(self) -> Path:
        """The folder of the library with faults."""
        spec = self.spec
        for procedure, argument, fields in (*IN_TABLE, *self.faults_of_domains()):
            spec = changed(spec, procedure, argument, **fields)
        outputs = render(TOP, expand(spec, TOP), OUTPUTS)
        text = outputs["bindings/c/entry_points.c"]
        objects = [
            self.compile_text("entry_points.c", text, "-fPIC"),
            self.compile_c(FAULTY, "-fPIC"),
            *os.environ["ORIEL_CORE_OBJECTS"].split(":"),
        ]
        name = "libmpi_abi.so.1"
        self.link("CC", name, objects, "-shared", f"-Wl,-soname,{name}")
        return self.folder

    def reported(self, *variables: str) -> set[str]:
        """The procedures that the program finds faults of."""
        program, launcher = (
            os.environ[f"ORIEL_{x}"] for x in ("PROPERTIES", "MPIEXEC")
        )
        done = subprocess.run(
            [launcher, "-n", "1", *variables, program],
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        lines = [x.split(": ") for x in done.stderr.splitlines() if "rank 0: " in x]
        return {line[1] for line in lines}

    def test_faults_and_nothing_else_are_reported(self) -> None:
        known = {name for name, _, _ in (*IN_TABLE, *self.faults_of_domains())}
        lines = FAULTY.read_text("utf-8").splitlines()
        starts = [line.partition("(")[0] for line in lines]
        known |= {x.removeprefix("int ") for x in starts if x.startswith("int MPI_")}
        folder = self.library()
        self.assertEqual(self.reported(), set())
        found = self.reported("-env", "LD_LIBRARY_PATH", str(folder))
        large = {name + "_c" for name in known}
        self.assertEqual(found - large, known)
