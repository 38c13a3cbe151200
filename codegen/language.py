# SPDX-License-Identifier: BSD-3-Clause
"""The kinds table of a language: bindings/<language>/kinds.spec.

The line `columns NAME ...` names the columns; every other line is a kind with its cells
in quotes. A cell left out at the end is the same as the last one given.
"""

from dataclasses import dataclass
from pathlib import Path

from codegen.kinds import Kind
from codegen.model import Spec
from codegen.position import Position, SpecError
from codegen.tokens import Cursor, read_lines

FOLDERS = {"c": "c", "f08": "f08", "f90": "fortran"}  # language: folder below bindings


@dataclass(frozen=True)
class LanguageTable:
    """How one language spells the kinds."""

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
            raise cursor.error(
                "is no kind of spec/kinds.spec; add it there or remove it"
            )
        if word in rows:
            raise cursor.error("has two rows; remove one")
        cells = [cursor.string("a cell in quotes") for _ in line.tokens[1:]]
        if not 1 <= len(cells) <= len(columns):
            raise cursor.error(f"has {len(cells)} cells; give 1 to {len(columns)}")
        rows[word] = tuple(cells + cells[-1:] * (len(columns) - len(cells)))
    return LanguageTable(name, tuple(columns), rows)


def load_tables(bindings: Path, spec: Spec) -> dict[str, LanguageTable]:
    """The tables of all languages."""
    tables = {}
    for language, folder in FOLDERS.items():
        name = f"bindings/{folder}/kinds.spec"
        tables[language] = load_table(bindings / folder / "kinds.spec", name, spec)
    return tables
