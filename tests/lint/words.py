# SPDX-License-Identifier: BSD-3-Clause
"""Names in core/ and launch/ are made of the words of docs/words.md.

The last column of its tables has what is not used: words that are no part of an identifier,
in singular or plural, and tags of structs and enums. A static function has a name of two
words at least, its noun and its verb, and no other file has a static function of that name.
A header has the name of its subject, so that none is called private.h.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TABLE = Path("docs/words.md")
Sources = dict[Path, list[str]]

TEXT = re.compile(r'//.*|"(?:\\.|[^"\\])*"')
ATTRIBUTE = re.compile(r"__attribute__\(\((?:[^()]|\([^()]*\))*\)\)|_Alignas\([^()]*\)")
ATOMIC = re.compile(r"_Atomic\(([^()]*)\)")
STATIC = re.compile(r"^static\b[^;={}()]*?\b(\w+)\(", re.MULTILINE)


@dataclass(frozen=True)
class Table:
    """What docs/words.md says is not used."""

    words: frozenset[str]
    tags: frozenset[str]  # "struct order"


def read_table(lines: list[str]) -> Table:
    unused: set[str] = set()
    for line in lines:
        if line.startswith("| ") and line.count(" |") == 3:
            unused |= set(re.findall(r"`([^`]+)`", line.split("|")[3]))
    tags = {entry for entry in unused if entry.startswith(("struct ", "enum "))}
    return Table(frozenset(unused - tags), frozenset(tags))


def is_checked(file: Path) -> bool:
    return file.parts[0] in {"core", "launch"} and file.suffix in {".c", ".h"}


def code_of(lines: list[str]) -> list[str]:
    return [TEXT.sub("", line) for line in lines]


def broken_words(table: Table, lines: list[str]) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(code_of(lines), 1):
        for name in re.findall(r"[A-Za-z_]\w*", line):
            parts = {part.removesuffix("s") for part in name.lower().split("_")}
            for word in sorted((parts | set(name.lower().split("_"))) & table.words):
                yield number, f"{name}: docs/words.md has another word for {word}"
        for tag in re.findall(r"\b(?:struct|enum) \w+", line):
            if tag in table.tags:
                yield number, f"docs/words.md has another word for {tag}"


def static_functions(lines: list[str]) -> Iterator[tuple[int, str]]:
    code = ATOMIC.sub(r"\1", ATTRIBUTE.sub("", "\n".join(code_of(lines))))
    for match in STATIC.finditer(code):
        yield code.count("\n", 0, match.start(1)) + 1, match[1]


def broken_functions(sources: Sources) -> Iterator[tuple[Path, int, str]]:
    files: dict[str, set[Path]] = {}
    for file, lines in sources.items():
        for _, name in static_functions(lines):
            files.setdefault(name, set()).add(file)
    for file, lines in sources.items():
        for line, name in static_functions(lines):
            if "_" not in name:
                yield file, line, f"static {name}: the name has no noun"
            elif len(files[name]) > 1:
                others = ", ".join(str(other) for other in sorted(files[name] - {file}))
                yield file, line, f"static {name}: the name is also that of one in {others}"


def broken_rules(sources: Sources, table: list[str]) -> Iterator[tuple[Path, int, str]]:
    unused = read_table(table)
    checked = {file: lines for file, lines in sources.items() if is_checked(file)}
    for file, lines in checked.items():
        if file.name == "private.h":
            yield file, 1, "a header is called by its subject"
        for line, text in broken_words(unused, lines):
            yield file, line, text
    yield from broken_functions(checked)
