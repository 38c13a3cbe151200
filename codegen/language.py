# SPDX-License-Identifier: BSD-3-Clause
"""What a language is to the generator: a folder below bindings/ with

    language.py    a class below `Language`, named LANGUAGE
    kinds.spec     how the language spells the kinds
    symbols.spec   what its library exports besides the entries, if anything (symbol_plan.py)
    *.j2           its templates

The folders are found, and nothing here knows any of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from codegen.entries import CallbackEntry, Entry, Length
from codegen.kinds import Kind
from codegen.model import Callback, Procedure, Spec
from codegen.position import Position, SpecError, did_you_mean
from codegen.symbols import Symbol
from codegen.tokens import Cursor, read_lines


# ---- the table of kinds --------------------------------------------------------------
@dataclass(frozen=True)
class LanguageTable:
    """How one language spells the kinds.

    The line `columns NAME ...` names the columns; every other line is a kind with its
    cells in quotes. A cell left out at the end is the same as the last one given.
    """

    file: str
    columns: tuple[str, ...]
    rows: dict[str, tuple[str, ...]]

    def cell(self, kind: Kind, column: str) -> str:
        """The cell of a kind; a kind without a row is an error of the table."""
        if kind.name not in self.rows:
            raise SpecError(Position(self.file, 1), "has no row; add one", kind.name)
        return self.rows[kind.name][self.columns.index(column)]


def load_table(path: Path, name: str, spec: Spec) -> LanguageTable:
    """Read one language's table; `name` is how messages call the file."""
    columns: list[str] = []
    rows: dict[str, tuple[str, ...]] = {}
    for line in read_lines(path, name):
        cursor = Cursor(line)
        word = cursor.record = cursor.word("a kind's name")
        if not columns:
            if word != "columns":
                raise cursor.error("the first line must be 'columns NAME ...'; add it")
            while not cursor.at_end():
                columns.append(cursor.word("a column's name"))
            continue
        if word not in spec.kinds:
            remedy = did_you_mean(word, spec.kinds, "add it there or remove it")
            raise cursor.error(f"is no kind of spec/kinds.spec; {remedy}")
        if word in rows:
            raise cursor.error("has two rows; remove one")
        cells = [cursor.string("a cell in quotes") for _ in line.tokens[1:]]
        if not 1 <= len(cells) <= len(columns):
            raise cursor.lacks(f"has {len(cells)} cells; give 1 to {len(columns)}")
        rows[word] = tuple(cells + cells[-1:] * (len(columns) - len(cells)))
    return LanguageTable(name, tuple(columns), rows)


# ---- the languages -------------------------------------------------------------------
class Language:
    """What a language has of the table. A class below this one says how it differs from
    a language that declares nothing.
    """

    name = ""  # as records write it after `only`
    library = ""  # the library that exports its entries
    title = ""  # as readers call it
    usage = ""  # how a program gets it
    suffix = ""  # of the programs in it that the reference takes examples from
    calls_core = False  # its entries call the core, those of others call them
    is_weak = False  # a program may replace an entry, and call its twin

    def __init__(self, folder: Path, table: LanguageTable, spec: Spec) -> None:
        self.folder = folder
        self.table = table
        self.spec = spec

    def entries(self, procedure: Procedure) -> tuple[Entry, ...]:
        """What programs call for a record, planned or not."""
        return ()

    def undeclared(self, procedure: Procedure) -> tuple[Entry, ...]:
        """What programs can call besides without a declaration."""
        return ()

    def reserved(self, name: str) -> str:
        """What a name is that no argument may have, as a message says it; else ""."""
        return ""

    def linker_name(self, name: str) -> str:
        """The symbol of an external procedure."""
        return name

    def support_symbol(self, name: str, record: str, position: Position) -> Symbol:
        """A symbol of its library that is no entry."""
        return Symbol(
            symbol=name,
            library=self.library,
            language=self.name,
            scheme="support",
            count="-",
            binding="strong",
            signature="-",
            record=record,
            position=position,
        )

    def symbols(self, bindings: Bindings) -> Iterator[Symbol]:
        """What follows from the table besides entries."""
        return iter(())

    def names(self, bindings: Bindings) -> Mapping[str, object]:
        """What templates may use besides what all languages have."""
        return {}

    def filters(self) -> Mapping[str, Callable[..., str]]:
        """Filters of the templates."""
        return {}

    def page(self, procedure: Procedure) -> Iterator[str]:
        """The record as the standard prints it for this language: a heading, and lines
        that begin with two blanks."""
        return iter(())

    def callback_page(self, callback: Callback) -> Iterator[str]:
        """The same for a procedure that the program gives."""
        return iter(())


@dataclass(frozen=True)
class Bindings:
    """Everything that templates may use. Planned records are not in it."""

    spec: Spec
    languages: Mapping[str, Language]
    procedures: tuple[Procedure, ...]
    entries: Mapping[str, tuple[Entry, ...]]  # those that a language declares
    undeclared: Mapping[str, tuple[Entry, ...]]  # what it has besides
    core: tuple[Procedure, ...]  # those that have a core function
    callbacks: tuple[CallbackEntry, ...]
    lengths: tuple[Length, ...]


def _classes(bindings: Path) -> dict[Path, type[Language]]:
    """The class of each folder."""
    classes: dict[Path, type[Language]] = {}
    for path in sorted(bindings.glob("*/language.py")):
        found = spec_from_file_location(f"language_of_{path.parent.name}", path)
        assert found is not None and found.loader is not None, path
        module = module_from_spec(found)
        found.loader.exec_module(module)
        position = Position(f"{bindings.name}/{path.parent.name}/{path.name}", 1)
        language = getattr(module, "LANGUAGE", None)
        if language is None:
            raise SpecError(position, "has no LANGUAGE; give its class that name")
        if language.name in [other.name for other in classes.values()]:
            message = "is the name of another folder's language, too; choose another"
            raise SpecError(position, message, language.name)
        classes[path.parent] = language
    return classes


def language_names(bindings: Path) -> tuple[str, ...]:
    """What records call the languages of the folders below `bindings`."""
    return tuple(language.name for language in _classes(bindings).values())


def load_languages(bindings: Path, spec: Spec) -> dict[str, Language]:
    """The languages of the folders below `bindings` by name."""
    languages = {}
    for folder, language in _classes(bindings).items():
        name = f"{bindings.name}/{folder.name}/kinds.spec"
        table = load_table(folder / "kinds.spec", name, spec)
        languages[language.name] = language(folder, table, spec)
    return languages
