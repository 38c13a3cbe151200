# SPDX-License-Identifier: BSD-3-Clause
"""Reads what the reference alone wants to know: spec/reference.spec and
spec/info_keys.spec. spec/README.md says what their records look like.
"""

from dataclasses import dataclass, field
from pathlib import Path

from codegen.load import Record, read_records
from codegen.model import Procedure, Spec
from codegen.position import Position, SpecError, did_you_mean
from codegen.tokens import Cursor, pick


@dataclass(frozen=True)
class Section:
    """A section of the standard that groups procedures: "12.2"."""

    number: str
    title: str


@dataclass(frozen=True)
class Chapter:
    """A chapter of the standard."""

    number: str
    title: str
    doc: tuple[str, ...]
    sections: tuple[Section, ...]
    position: Position

    @property
    def name(self) -> str:
        """What its page is called."""
        return f"chapter-{self.number}"


@dataclass(frozen=True)
class InfoKey:
    """A key of an info object."""

    name: str
    section: str
    is_hint: bool  # a program gives it; else the library does
    of: str  # of what: "all windows"
    procedures: tuple[str, ...]  # that take it, or give it
    default: str  # in use unless given, "" if none
    is_changeable: bool  # after the object has been made
    values: str  # what it can be
    effect: str  # sentences, the first of which is the summary
    position: Position

    @property
    def summary(self) -> str:
        """What to show in a list."""
        kind = "Hint for" if self.is_hint else "Key of"
        return f"{kind} {self.of}."


@dataclass(frozen=True)
class Records:
    """Everything that these files say."""

    dates: dict[str, str] = field(default_factory=dict)  # version of MPI: its date
    chapters: dict[str, Chapter] = field(default_factory=dict)
    completions: dict[str, str] = field(default_factory=dict)  # name: text
    keys: dict[str, InfoKey] = field(default_factory=dict)

    def chapter_of(self, section: str) -> Chapter:
        """The chapter that a section is in."""
        return self.chapters[section.split(".")[0]]


# ---- reading -------------------------------------------------------------------------
def _chapter(cursor: Cursor, record: Record) -> Chapter:
    number = cursor.record = cursor.dotted("the chapter's number")
    title = cursor.string("its title, in quotes")
    cursor.expect_end()
    doc: list[str] = []
    sections: list[Section] = []
    for line in record.body:
        below = Cursor(line, number)
        if pick(below, "clause of a chapter", ("doc", "section")) == "doc":
            doc.append(below.string("one paragraph, in quotes"))
        else:
            section = below.dotted("the section's number")
            sections.append(Section(section, below.string("its title, in quotes")))
        below.expect_end()
    return Chapter(number, title, tuple(doc), tuple(sections), cursor.position)


def _key(record: Record) -> InfoKey:
    cursor = Cursor(record.head)
    cursor.expect("key", "to open an info key")
    name = cursor.record = cursor.word("the key")
    form = pick(cursor, "form of a key", ("hint", "shown"))
    section, texts = "", {"of": "", "default": "", "values": "", "effect": ""}
    procedures: tuple[str, ...] = ()
    is_changeable = False
    for line in (None, *record.body):
        cursor = Cursor(line, name) if line else cursor
        while not cursor.at_end():
            clauses = ("section", "procedures", "changeable", *texts)
            clause = pick(cursor, "clause of a key", clauses)
            if clause == "section":
                section = cursor.dotted("a section's number")
            elif clause == "procedures":
                procedures = cursor.listed(",", "a procedure")
            elif clause == "changeable":
                is_changeable = True
            else:
                texts[clause] = cursor.string(f"the text of '{clause}', in quotes")
    for clause in ("of", "values", "effect"):
        if not texts[clause]:
            raise cursor.error(f"'{clause}' is missing; add it to this record")
    return InfoKey(
        name,
        section,
        form == "hint",
        texts["of"],
        procedures,
        texts["default"],
        is_changeable,
        texts["values"],
        texts["effect"],
        record.head.position,
    )


def _add(records: Records, record: Record) -> None:
    cursor = Cursor(record.head)
    word = pick(cursor, "record", ("standard", "chapter", "completion"))
    if word == "chapter":
        chapter = _chapter(cursor, record)
        records.chapters[chapter.number] = chapter
        return
    if word == "standard":
        version = cursor.dotted("a version")
        records.dates[version] = cursor.string("the day it is of, in quotes")
    else:
        name = cursor.word("the text's name")
        records.completions[name] = cursor.string("a paragraph, in quotes")
    cursor.expect_end()


def reference_files(root: Path) -> tuple[Path, Path]:
    """The files that the reference alone reads, below the folder of the table."""
    return root / "reference.spec", root / "info_keys.spec"


def load_reference(root: Path, spec: Spec) -> Records:
    """What the files say; the first mistake is raised as SpecError."""
    records = Records()
    general, keys = reference_files(root)
    for record in read_records(root, general):
        _add(records, record)
    for record in read_records(root, keys):
        key = _key(record)
        records.keys[key.name] = key
    for procedure in spec.procedures.values():
        _check_procedure(records, procedure)
    for key in records.keys.values():
        _check_key(spec, key)
    return records


# ---- checking ------------------------------------------------------------------------
def _check_procedure(records: Records, procedure: Procedure) -> None:
    def wrong(message: str) -> SpecError:
        return SpecError(procedure.position, message, procedure.name)

    number = procedure.section.split(".")[0]
    if number not in records.chapters:
        raise wrong(f"chapter {number} has no title; add it to reference.spec")
    if procedure.standard.removeprefix("MPI-") not in records.dates:
        raise wrong(f"{procedure.standard} has no date; add it to reference.spec")
    completion = procedure.texts.completion
    if completion and completion not in records.completions:
        raise wrong(f"unknown text '{completion}'; add it to reference.spec")


def _check_key(spec: Spec, key: InfoKey) -> None:
    for name in key.procedures:
        if name not in spec.procedures:
            remedy = did_you_mean(name, spec.procedures, "correct 'procedures'")
            message = f"unknown procedure '{name}'; {remedy}"
            raise SpecError(key.position, message, key.name)
