# SPDX-License-Identifier: BSD-3-Clause
"""Regions of the example programs. A comment before a region names the procedures that it
shows, and one after it ends it:

    // example: MPI_X, MPI_Y
    // end of example

A program shows the language whose `suffix` its file has.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

from codegen.language import Language
from codegen.position import Position, SpecError

BEGIN = "example: "
END = "end of example"


@dataclass(frozen=True)
class Example:
    """A region of a program."""

    language: str
    title: str  # of the language
    program: str  # "windows.c"
    code: str
    procedures: tuple[str, ...]
    position: Position


def _regions(path: Path, name: str) -> Iterator[tuple[int, list[str], list[str]]]:
    """The line of each region's mark, the names in it, and the region."""
    names: list[str] = []
    lines: list[str] = []
    start = 0
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        comment = line.strip().lstrip("/!").strip()
        if comment.startswith(BEGIN):
            if names:
                message = "a region begins inside another; end that before"
                raise SpecError(Position(name, number), message)
            start, lines = number, []
            names = [n.strip() for n in comment.removeprefix(BEGIN).split(",")]
        elif comment == END:
            yield start, names, lines
            names = []
        elif names:
            lines.append(line)
    if names:
        raise SpecError(Position(name, start), f"the region has no end; add '{END}'")


def load_examples(
    folder: Path, languages: Mapping[str, Language]
) -> tuple[Example, ...]:
    """The regions of all programs of a folder, in the order of languages and files."""
    found = []
    for language in languages.values():
        if not language.suffix:
            continue
        for path in sorted(folder.glob(f"*{language.suffix}")):
            name = f"{folder.name}/{path.name}"
            for line, names, lines in _regions(path, name):
                code = dedent("\n".join(lines)).strip("\n")
                position = Position(name, line)
                found.append(
                    Example(
                        language.name,
                        language.title,
                        path.name,
                        code,
                        tuple(names),
                        position,
                    )
                )
    return tuple(found)
