# SPDX-License-Identifier: BSD-3-Clause
"""The echo and the domain proofs see every fault in what the Forum's data do not say: the
bindings are made of a table with faults, one in each record, and every procedure with a
fault must leave another transcript than the table says, or the checker refuses it.

By default as many rounds as make MUTANTS faults, chosen by a fixed seed; all of them if
ORIEL_ALL_MUTANTS is set.
"""

import os
import random
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

import domain_probes
from common import TOP, echoed, width
from domain_probes import domains_c, is_possible
from echo_build import ECHO, EchoProof, difference
from echo_programs import (
    by_record,
    c_calls,
    echo_c,
    echo_fortran,
    fortran_calls,
    transcript,
)
from fact_mutants import FactMutant, mutants_of
from samples import tells_address, value_of

from codegen.check import check_record
from codegen.expand import expand
from codegen.model import Argument, Procedure, Spec
from codegen.render import render
from codegen.rules import Above

MUTANTS = 300
HEADERS = ("bindings/c/mpi.h", "core/oriel_core.h")
OUTPUTS = (*HEADERS, "bindings/c/entry_points.c", "bindings/f08/choice_entries.c")


def is_address(argument: Argument) -> bool:
    """A number that is an address in the small procedure and a count in the large one."""
    return width(argument.kind.name, False) == "address"


def is_met(spec: Spec, argument: Argument, constant: str) -> bool:
    """A constant that an argument may be meets the rule beside it."""
    rules = [d.rule for d in argument.domains if constant in d.also]
    value = value_of(spec, constant)
    return any(isinstance(rule, Above) and value > rule.bound for rule in rules)


def survives(spec: Spec, record: Procedure, mutant: FactMutant) -> str:
    """Why no call can show this fault, "" if one must."""
    needed = [a for a in record.handles_in if not a.null_ok]
    if mutant.fault == "anytime flipped" and (needed or not record.returns_error):
        return "it has handles, which do not exist outside of the library's life"
    if mutant.fault == "collective flipped":
        return "who else must call is for readers only"
    name, _, fault = mutant.fault.partition(": ")
    known = [a for a in record.arguments if a.name == name]
    if known and fault.startswith("not or "):
        is_said_twice = is_met(spec, known[0], fault.removeprefix("not or "))
        return "the rule allows it as well" if is_said_twice else ""
    return survives_in(record, known[0], fault) if known else ""


def survives_in(record: Procedure, argument: Argument, fault: str) -> str:
    """The same for faults of an argument."""
    if fault == "contig" and "f08" not in record.languages:
        return "only mpi_f08 has array sections"
    if "overflow" in fault and is_address(argument):
        return "addresses are as wide as counts"
    if fault == "may be flipped" and (record.is_raw or not record.returns_error):
        return "it raises no errors"
    if fault == "may be flipped" and tells_address(record):
        return "each constant has an address"
    if fault == "null ok flipped" and argument.by_value:
        return "a value is no address of a result"
    if fault == "never ignored" and not any(
        is_possible(record, condition) for condition in argument.ignored_if
    ):
        return "only a root in an intercommunicator makes it so"
    return ""


class FactMutants(EchoProof):
    """Each fault is noticed."""

    def setUp(self) -> None:
        super().setUp()
        spec = self.spec
        self.objects = self.recording_core()
        self.echo = self.compile_text("echo_calls.c", echo_c(spec))
        probes = domain_probes.by_record(spec)
        self.domains = self.compile_text("domain_calls.c", domains_c(spec, probes))
        self.expected: dict[str, dict[str, list[str]]] = {}
        self.expected["echo"] = {
            name: [line for c in calls for line in transcript(c)]
            for name, calls in by_record(c_calls(spec)).items()
        }
        self.expected["domains"] = {
            name: [line for p in some for line in p.transcript()]
            for name, some in probes.items()
        }
        self.fortran = ""
        if os.environ.get("FC"):
            self.prepare_fortran()

    def prepare_fortran(self) -> None:
        """The program in Fortran, and what it must say."""
        echo = self.compile_fortran(ECHO / "echo.f90")
        (self.folder / "calls.f90").write_text(
            echo_fortran(self.spec, "mpi_f08"), "utf-8"
        )
        self.fortran = self.compile_fortran("calls.f90", *self.includes())
        known = os.environ["ORIEL_FORTRAN_OBJECTS"].split(":")
        self.layer = [o for o in known if Path(o).name != "choice_entries.c.o"] + [echo]
        self.expected["fortran"] = {
            name: [line for c in calls for line in transcript(c)]
            for name, calls in by_record(fortran_calls(self.spec, "mpi_f08")).items()
        }

    def rounds(self) -> Iterator[list[FactMutant]]:
        """Mutants with at most one of each record."""
        chance = random.Random(41)
        columns = []
        for record in echoed(self.spec, "c"):
            mutants = [
                m
                for m in mutants_of(self.spec, record)
                if not survives(self.spec, record, m)
            ]
            chance.shuffle(mutants)
            columns.append(mutants)
        for row in zip_longest(*columns):
            yield [mutant for mutant in row if mutant]

    def build(self, spec: Spec) -> dict[str, Path]:
        """The programs over bindings that are made of this table."""
        outputs = render(TOP, expand(spec, TOP), OUTPUTS)
        folder = self.folder / "generated"
        for name in HEADERS:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(outputs[name], "utf-8")
        own = (f"-I{folder}/core", f"-I{folder}/bindings/c")
        entries = self.compile_text(
            "entry_points.c", outputs["bindings/c/entry_points.c"], *own
        )
        objects = [*self.objects, entries]
        programs = {
            "echo": self.link("CC", "echo", [*objects, self.echo]),
            "domains": self.link("CC", "domains", [*objects, self.domains]),
        }
        if self.fortran:
            text = outputs["bindings/f08/choice_entries.c"]
            layer = [*self.layer, self.compile_text("choice_entries.c", text, *own)]
            parts = [self.fortran, *objects, *layer]
            programs["fortran"] = self.link("FC", "fortran", parts)
        return programs

    def is_noticed(self, programs: dict[str, Path], name: str) -> bool:
        """A procedure's transcript is not what the table says."""
        for sort, program in programs.items():
            expected = self.expected[sort].get(name)
            if expected is None:
                continue
            done = subprocess.run(
                [program, name], capture_output=True, text=True, errors="replace"
            )
            if done.returncode != 0 or difference(done.stdout, expected):
                return True
        return False

    def is_refused(self, mutant: FactMutant) -> bool:
        """The checker does not take it."""
        known = {**self.spec.procedures, mutant.name: mutant.record}
        return any(check_record(replace(self.spec, procedures=known), mutant.record))

    def left(self, mutants: list[FactMutant]) -> list[str]:
        """Those that nothing notices."""
        records = dict(self.spec.procedures)
        hidden = [m for m in mutants if not self.is_refused(m)]
        changed = {mutant.name: mutant.record for mutant in hidden}
        programs = self.build(replace(self.spec, procedures={**records, **changed}))
        unseen = [m for m in hidden if not self.is_noticed(programs, m.name)]
        return [f"{m.name}: {m.fault}" for m in unseen]

    def assert_edges_of_domains(self, program: Path) -> None:
        """A value outside of its domain gives the recorded error class through the error
        handler of the recorded object and never reaches the core; a value at the edge
        does reach it.
        """
        known = self.expected["domains"].values()
        self.assert_transcript(program, [line for lines in known for line in lines])

    def test_faults_and_nothing_else_are_noticed(self) -> None:
        programs = self.build(self.spec)
        self.assert_edges_of_domains(programs["domains"])
        for record in echoed(self.spec, "c"):
            self.assertFalse(self.is_noticed(programs, record.name), record.name)
        most = 10**9 if os.environ.get("ORIEL_ALL_MUTANTS") else MUTANTS
        made, left = 0, []
        for mutants in self.rounds():
            if made >= most:
                break
            made += len(mutants)
            left += self.left(mutants)
        print(f"{made} mutants")
        self.assertGreaterEqual(made, MUTANTS)
        self.assertEqual(left, [])
