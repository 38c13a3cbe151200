# SPDX-License-Identifier: BSD-3-Clause
"""The checks of the table see its faults: a record with any one fault is refused by the
checker or differs from the MPI Forum's data. Faults are made in the text of records, by a
fixed seed. What the Forum does not say (domains, descriptors, handlers) is not changed.
"""

import json
import random
import re
import shutil
import tempfile
import unittest
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from common import TOP, table

from codegen.check import check_record
from codegen.entries import callback_entries
from codegen.facts import read_forum
from codegen.forum import compare_procedures, load_waivers
from bindings.fortran.text import F08Text
from codegen.language import load_languages
from codegen.load import load
from codegen.model import Spec
from codegen.position import SpecError

OF_EACH = 40  # mutants of each fault; some faults have fewer places
FORUM = TOP / "spec" / "forum" / "mpi-5.0-apis.facts"
ARGUMENT = re.compile(
    r"^( +)(in|out|inout)( +)(\w+)( +)(\w+)(\[\w+\])?(.*)$", re.DOTALL
)
FLAGS = ("async", "not const", "no intent", "no word", "by pointer")


@dataclass(frozen=True)
class Mutant:
    """A record with one fault."""

    record: str
    fault: str
    text: str

    @property
    def is_callback(self) -> bool:
        """It is a prototype, not a procedure."""
        return self.text.startswith("callback ")


def records(path: Path) -> Iterator[list[str]]:
    """The lines of each record of a file."""
    found: list[str] = []
    for line in path.read_text("utf-8").splitlines(keepends=True):
        if line.startswith((" ", "\n", "#")):
            found += [line] if found and line.strip() else []
            continue
        if found:
            yield found
        found = [line]
    yield found


def faults_of_line(line: str, kinds: list[str]) -> Iterator[tuple[str, str]]:
    """What can be wrong with an argument: the fault and the faulty line."""
    match = ARGUMENT.match(line)
    if match is None:
        return
    margin, direction, gap, name, space, kind, length, rest = match.groups("")
    for other in ("in", "out", "inout"):
        if other != direction:
            yield f"{other} for {direction}", line.replace(direction, other, 1)
    head = margin + direction + gap
    yield "renamed argument", f"{head}{name}x{space}{kind}{length}{rest}"
    for other in kinds:
        if other != kind:
            yield "other kind", f"{head}{name}{space}{other}{length}{rest}"
    if length:
        yield "no length", f"{head}{name}{space}{kind}{rest}"
    clauses, quote, description = rest.partition('"')
    for flag in FLAGS:
        without = f" {clauses} ".replace(f" {flag} ", "  ", 1)
        dropped = without != f" {clauses} "
        changed = without if dropped else f" {flag}{clauses}"
        fault = f"{'no ' if dropped else 'added '}'{flag}'"
        yield fault, f"{head}{name}{space}{kind}{length} {changed}{quote}{description}"
    for clause in re.findall(r" (?:lis|only|calls) \w+ ", clauses):
        text = clauses.replace(clause, "  ", 1) + quote + description
        yield f"no '{clause.split()[0]}'", f"{head}{name}{space}{kind}{length}{text}"


def faults(lines: list[str], kinds: list[str]) -> Iterator[Mutant]:
    """All mutants of a record."""
    record = lines[0].split()[1]
    for index, line in enumerate(lines):
        if ARGUMENT.match(line) is None:
            continue
        before, after = lines[:index], lines[index + 1 :]
        yield Mutant(record, "no argument", "".join(before + after))
        if after and ARGUMENT.match(after[0]):
            swapped = [*before, after[0], line, *after[1:]]
            yield Mutant(record, "other order", "".join(swapped))
        for fault, changed in faults_of_line(line, kinds):
            yield Mutant(record, fault, "".join([*before, changed, *after]))


class Mutants(unittest.TestCase):
    """Each mutant alone is put into the table and compared."""

    def setUp(self) -> None:
        self.spec = table()
        self.waivers = load_waivers(
            TOP / "spec" / "forum.waivers", "spec/forum.waivers", "forum", FORUM
        )
        self.f08 = F08Text(load_languages(TOP / "bindings", self.spec)["f08"].table)
        self.forum = read_forum(FORUM)
        self.folder = Path(tempfile.mkdtemp(prefix="oriel-mutants-"))
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "procedures").mkdir()
        shutil.copy(TOP / "spec" / "kinds.spec", self.folder)
        (self.folder / "constants.spec").touch()

    def mutated(self, mutant: Mutant) -> Spec:
        """The whole table, with the mutant in the place of its record."""
        text = {True: "", False: "", mutant.is_callback: mutant.text}
        (self.folder / "callbacks.spec").write_text(text[True], "utf-8")
        (self.folder / "procedures" / "one.spec").write_text(text[False], "utf-8")
        one = load(self.folder, self.spec.languages)
        return replace(
            self.spec,
            procedures={**self.spec.procedures, **one.procedures},
            callbacks={**self.spec.callbacks, **one.callbacks},
        )

    def is_noticed(self, mutant: Mutant) -> bool:
        """It is refused by the checker, by Fortran, or is not what the Forum says."""
        try:
            spec = self.mutated(mutant)
            if mutant.is_callback:
                for entry in callback_entries(spec.callbacks[mutant.record]):
                    self.f08.callback_declarations(entry)
        except SpecError:
            return True
        ours = mutant.record
        if mutant.is_callback:
            errors = check_record(spec, spec.callbacks[ours])
        else:
            errors = check_record(spec, spec.procedures[ours])
        if any(errors):
            return True
        only = replace(
            spec,
            constants={},
            procedures={k: v for k, v in spec.procedures.items() if k == ours},
            callbacks={k: v for k, v in spec.callbacks.items() if k == ours},
        )
        path = self.folder / "forum.json"
        path.write_text(json.dumps({ours.lower(): self.forum[ours.lower()]}), "utf-8")
        found = compare_procedures(only, path)
        own = [w for w in self.waivers if w.name == ours]
        if any(not any(w.covers(d) for d in found) for w in own):
            return True  # a waiver that is not needed is an error
        return any(not any(w.covers(d) for w in self.waivers) for d in found)

    def compared(self, path: Path) -> Iterator[list[str]]:
        """The records of a file that the Forum has: not what MPI-3.0 has removed."""
        return (r for r in records(path) if r[0].split()[1].lower() in self.forum)

    def all_mutants(self) -> list[Mutant]:
        """Every mutant of every record that the Forum has."""
        kinds = sorted(self.spec.kinds)
        files = [TOP / "spec" / "callbacks.spec"]
        files += sorted((TOP / "spec" / "procedures").glob("*.spec"))
        return [m for f in files for r in self.compared(f) for m in faults(r, kinds)]

    def test_records_without_a_fault_pass(self) -> None:
        for path in sorted((TOP / "spec" / "procedures").glob("*.spec")):
            for lines in self.compared(path):
                same = Mutant(lines[0].split()[1], "none", "".join(lines))
                self.assertFalse(self.is_noticed(same), same.record)

    def test_every_mutant_is_noticed(self) -> None:
        by_fault: dict[str, list[Mutant]] = {}
        for mutant in self.all_mutants():
            by_fault.setdefault(mutant.fault, []).append(mutant)
        chance = random.Random(41)
        chosen: list[Mutant] = []
        for mutants in by_fault.values():
            chance.shuffle(mutants)
            chosen += mutants[:OF_EACH]
        self.assertGreaterEqual(len(chosen), 300)
        left = [f"{m.record}: {m.fault}" for m in chosen if not self.is_noticed(m)]
        self.assertEqual(left, [])
