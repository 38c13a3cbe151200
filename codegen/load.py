# SPDX-License-Identifier: BSD-3-Clause
"""Reads `spec/` into a `Spec`. What can be said of one line alone is checked here; what
needs the rest of the table is checked in check.py.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from codegen.arguments import parse_argument
from codegen.constants import parse_category, parse_constant
from codegen.kinds import Kind, KindClass, Trait
from codegen.language import language_names
from codegen.model import (
    INDEPENDENT,
    Argument,
    Callback,
    Category,
    Constant,
    Named,
    Procedure,
    Spec,
    Texts,
)
from codegen.position import SpecError, did_you_mean
from codegen.tokens import Cursor, Line, Sort, pick, read_lines, take_only

DIRECTIONS = ("in", "out", "inout")
Entry = TypeVar("Entry", Kind, Category, Constant, Callback, Procedure)


@dataclass(frozen=True)
class Record:
    """A line at the margin and the indented lines below it."""

    head: Line
    body: tuple[Line, ...]


def _records(lines: list[Line]) -> Iterator[Record]:
    start = 0
    for index in range(1, len(lines) + 1):
        if index == len(lines) or not lines[index].indented:
            if lines[start].indented:
                raise Cursor(lines[start]).error(
                    "this line is indented but no record is open; unindent it"
                )
            yield Record(lines[start], tuple(lines[start + 1 : index]))
            start = index


def _add(table: dict[str, Entry], entry: Entry) -> None:
    if entry.name in table:
        other = table[entry.name].position
        message = (
            f"was already given at {other.file}:{other.line}; remove one of the two"
        )
        raise SpecError(entry.position, message, entry.name)
    table[entry.name] = entry


# ---- kinds ---------------------------------------------------------------------------
def _kind(record: Record) -> Kind:
    cursor = Cursor(record.head)
    cursor.expect("kind", "to open a kind")
    name = cursor.record = cursor.word("the kind's name")
    position = cursor.place
    classes = tuple(c.value for c in KindClass)
    kind_class = KindClass(pick(cursor, "kind class", classes))
    word = cursor.string("the word for it in argument lists, in quotes")
    cells = {"errors": "", "type": "", "object": "", "tag": "", "null": ""}
    lists: dict[str, tuple[str, ...]] = {"fields": (), "sorts": ()}
    traits: frozenset[Trait] = frozenset()
    while not cursor.at_end():
        clause = pick(cursor, "clause of a kind", (*cells, *lists, "traits"))
        if clause in lists:
            lists[clause] = cursor.listed(",", f"a word of '{clause}'")
        elif clause == "traits":
            traits = _traits(cursor)
        else:
            cells[clause] = cursor.word(f"the value of '{clause}'")
    for line in record.body:
        raise Cursor(line, name).error(
            "a kind is one line; unindent or remove this one"
        )
    return Kind(
        name,
        kind_class,
        word,
        cells["errors"],
        cells["type"],
        cells["object"],
        cells["tag"],
        cells["null"],
        lists["fields"],
        lists["sorts"],
        traits,
        position,
    )


def _traits(cursor: Cursor) -> frozenset[Trait]:
    known = tuple(trait.value for trait in Trait)
    traits = [Trait(pick(cursor, "trait", known))]
    while cursor.accept(","):
        traits.append(Trait(pick(cursor, "trait", known)))
    return frozenset(traits)


# ---- callbacks and procedures --------------------------------------------------------
@dataclass
class _Head:
    """What the line that opens a procedure or callback says after the name."""

    languages: tuple[str, ...]
    since: str = ""
    section: str = ""
    deprecated: str = ""
    successor: str = ""
    returns: str = ""
    planned: bool = False
    anytime: bool = False
    sized: bool = False
    quick: bool = False
    again: bool = False
    silent: bool = False


CALLBACK_CLAUSES = ("since", "section", "returns", "only", "planned", "deprecated")
FLAGS = ("anytime", "sized", "quick", "again", "silent")
PROCEDURE_CLAUSES = (*CALLBACK_CLAUSES, *FLAGS, "for")


def _head(
    cursor: Cursor,
    kinds: dict[str, Kind],
    languages: tuple[str, ...],
    clauses: tuple[str, ...],
) -> _Head:
    codes = [kind.name for kind in kinds.values() if kind.is_error_code]
    head = _Head(languages, returns=codes[0] if codes else "")
    while not cursor.at_end():
        if cursor.peek().text == "only":
            head.languages = take_only(cursor, languages)
            continue
        match pick(cursor, "clause of a record", clauses):
            case "since":
                head.since = _version(cursor)
            case "section":
                head.section = _section(cursor)
            case "deprecated":
                head.deprecated = _version(cursor)
            case "for":
                head.successor = cursor.word("the procedure that replaces it")
            case "returns":
                head.returns = _returned(cursor, kinds)
            case "planned":
                head.planned = True
            case "anytime":
                head.anytime = True
            case "sized":
                head.sized = True
            case "quick":
                head.quick = True
            case "again":
                head.again = True
            case "silent":
                head.silent = True
    if head.returns not in kinds:
        raise cursor.lacks("no kind has 'traits code'; add 'returns KIND'")
    if not head.since or not head.section:
        raise cursor.lacks("'since' or 'section' is missing; add it to this line")
    return head


def _returned(cursor: Cursor, kinds: dict[str, Kind]) -> str:
    name = cursor.word("a kind")
    if name not in kinds:
        remedy = did_you_mean(name, kinds, "add it to kinds.spec")
        raise cursor.error(f"unknown kind '{name}'; {remedy}")
    return name


def _version(cursor: Cursor) -> str:
    """The version of a standard: two numbers."""
    text = cursor.dotted("a version")
    if not re.fullmatch(r"[1-9]\d*\.\d", text):
        raise cursor.error(f"'{text}' is no version; write it like 4.1")
    return text


def _section(cursor: Cursor) -> str:
    """The number of a chapter or of a section below it."""
    text = cursor.dotted("a section's number")
    if not re.fullmatch(r"[1-9]\d*(\.[1-9]\d*)*", text):
        raise cursor.error(f"'{text}' is no section; write it like 12 or 12.2.1")
    return text


@dataclass
class _Body:
    """What the indented lines of a procedure say."""

    summary: str = ""
    collective: str | None = None
    errors: str = ""
    core: str = ""
    plan: str = ""
    doc: tuple[str, ...] = ()
    texts: Texts = field(default_factory=Texts)
    names: tuple[Named, ...] = ()


PROPERTIES = (
    "summary",
    "doc",
    "collective",
    "local",
    "errors",
    "core",
    "plan",
    "named",
)
TEXTS = ("completes", "fails", "note", "counted", "see")


def _text(cursor: Cursor, clause: str, texts: Texts) -> Texts:
    """A property for the reference alone."""
    if clause == "completes" and cursor.peek().sort is Sort.STRING:
        return replace(texts, completes=cursor.take().text)
    if clause == "completes":
        return replace(texts, completion=cursor.word("a text, or the name of one"))
    if clause == "fails":
        return replace(texts, fails=cursor.listed(",", "an error class"))
    if clause == "note":
        paragraph = cursor.string("one paragraph, in quotes")
        return replace(texts, notes=(*texts.notes, paragraph))
    if clause == "see":
        return replace(texts, see=cursor.listed(",", "a procedure"))
    rows = [cursor.string("a row of docs/network.md, in quotes")]
    while cursor.accept(","):
        rows.append(cursor.string("a row of docs/network.md, in quotes"))
    return replace(texts, counted=tuple(rows))


def _named(cursor: Cursor, languages: tuple[str, ...]) -> Named:
    language = pick(cursor, "language", languages)
    name = cursor.word("its name in that language")
    of = cursor.word("the argument it is called on") if cursor.accept("of") else ""
    taking = cursor.listed(",", "an argument") if cursor.accept("taking") else ()
    return Named(language, name, of, taking, cursor.position)


def _properties(cursor: Cursor, body: _Body, languages: tuple[str, ...]) -> None:
    while not cursor.at_end():
        clause = pick(cursor, "property", (*PROPERTIES, *TEXTS, *DIRECTIONS))
        if clause in TEXTS:
            body.texts = _text(cursor, clause, body.texts)
        elif clause == "summary":
            body.summary = cursor.string("one sentence, in quotes")
        elif clause == "doc":
            body.doc = (*body.doc, cursor.string("one paragraph, in quotes"))
        elif clause == "collective":
            body.collective = cursor.word("the argument whose group calls it, or all")
        elif clause == "local":
            body.collective = ""
        elif clause == "errors":
            body.errors = cursor.word(
                "the argument whose handler is raised, self or none"
            )
        elif clause == "core":
            body.core = cursor.word("the core function")
        elif clause == "plan":
            body.plan = cursor.word("the collective operation")
        elif clause == "named":
            body.names += (_named(cursor, languages),)
        else:
            raise cursor.error("an argument stands alone on its line; start a new line")


def _procedure(
    record: Record, kinds: dict[str, Kind], languages: tuple[str, ...]
) -> Procedure:
    cursor = Cursor(record.head)
    cursor.expect("proc", "to open a procedure, or indent what belongs to one")
    name = cursor.record = cursor.word("the procedure's name")
    position = cursor.place
    head = _head(cursor, kinds, (INDEPENDENT, *languages), PROCEDURE_CLAUSES)
    body = _Body()
    arguments: list[Argument] = []
    lines = []
    for line in record.body:
        below = Cursor(line, name)
        if below.peek().text in DIRECTIONS:
            arguments.append(parse_argument(below, kinds, head.languages))
        else:
            lines.append(line.position)
            _properties(below, body, languages)
    missing = [
        clause
        for clause, given in (
            ("summary", body.summary),
            ("collective or local", body.collective is not None),
            ("errors", body.errors),
        )
        if not given
    ]
    if missing:
        raise cursor.lacks(f"'{missing[0]}' is missing; add it below this line")
    return Procedure(
        name,
        head.since,
        head.section,
        body.summary,
        body.doc,
        tuple(arguments),
        kinds[head.returns],
        body.collective or "",
        body.errors,
        body.core or name.removeprefix("MPI_").lower(),
        head.planned,
        head.anytime,
        head.sized,
        head.quick,
        head.again,
        head.silent,
        head.deprecated,
        head.successor,
        head.languages,
        position,
        body.plan,
        body.texts,
        body.names,
        tuple(lines),
    )


def _callback(
    record: Record, kinds: dict[str, Kind], languages: tuple[str, ...]
) -> Callback:
    cursor = Cursor(record.head)
    cursor.expect("callback", "to open a callback, or indent what belongs to one")
    name = cursor.record = cursor.word("the prototype's name")
    position = cursor.place
    head = _head(cursor, kinds, languages, CALLBACK_CLAUSES)
    arguments = tuple(
        parse_argument(Cursor(line, name), kinds, head.languages)
        for line in record.body
    )
    return Callback(
        name,
        head.since,
        head.section,
        arguments,
        kinds[head.returns],
        head.planned,
        head.deprecated,
        head.languages,
        position,
    )


# ---- files ---------------------------------------------------------------------------
def spec_files(root: Path) -> list[Path]:
    """Every file that the table is read from."""
    names = ("kinds.spec", "constants.spec", "callbacks.spec")
    return [root / name for name in names] + sorted(
        (root / "procedures").glob("*.spec")
    )


def read_records(root: Path, path: Path) -> Iterator[Record]:
    """The records of a file below `root`."""
    lines = read_lines(path, f"{root.name}/{path.relative_to(root).as_posix()}")
    return _records(lines) if lines else iter(())


def load(root: Path, languages: tuple[str, ...] = ()) -> Spec:
    """The table below `root`, for these languages or those of the folder bindings beside
    it; the first mistake is raised as SpecError."""

    known = languages or language_names(root.parent / "bindings")
    spec = Spec(known, {}, {}, {}, {}, {})
    kinds, constants, callbacks, *procedures = spec_files(root)
    for record in read_records(root, kinds):
        _add(spec.kinds, _kind(record))
    for record in read_records(root, constants):
        category = parse_category(record.head, spec.languages)
        _add(spec.categories, category)
        for line in record.body:
            _add(spec.constants, parse_constant(line, category, spec.languages))
    _load_all(spec, spec.callbacks, read_records(root, callbacks), _callback)
    for path in procedures:
        _load_all(spec, spec.procedures, read_records(root, path), _procedure)
    return spec


def _load_all(
    spec: Spec,
    table: dict[str, Entry],
    records: Iterator[Record],
    parse: Callable[[Record, dict[str, Kind], tuple[str, ...]], Entry],
) -> None:
    for record in records:
        _add(table, parse(record, spec.kinds, spec.languages))
