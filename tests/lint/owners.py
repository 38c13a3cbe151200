# SPDX-License-Identifier: BSD-3-Clause
"""Each member of a struct that holds state has one writer: a file or a folder of core/.

The table owners.spec says which. A write is an assignment, ++, -- or an atomic operation on
`variable->member`. The type of a variable is that of its last declaration above, and that of
a member is found in its struct, so that names need not be unique. What a pointer to a member
is used for is not seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TABLE = Path("tests/lint/owners.spec")
Sources = dict[Path, list[str]]
# By struct and member: the struct that the member is or points to, or "". A struct without
# a name is called "outer.member".
Structs = dict[str, dict[str, str]]

WORD = r"[A-Za-z_]\w*"
FIRST = rf"(?:{WORD}|\(\*{WORD}\))"
INDEX = r"(?:\[(?:[^\[\]]|\[[^\[\]]*\])*\])?"
PATH = rf"({FIRST}{INDEX}(?:(?:->|\.){WORD}{INDEX})+)"
WRITES = (
    re.compile(rf"{PATH}\s*(?:[-+*/|&^%]|<<|>>)?=(?!=)"),
    re.compile(rf"{PATH}(?:\+\+|--)"),
    re.compile(rf"(?:\+\+|--){PATH}"),
    re.compile(
        rf"\batomic_(?:store|exchange|compare_exchange|fetch)\w*\(\s*&{PATH}\s*[,)]"
    ),
)
VARIABLE = re.compile(rf"\bstruct ({WORD})\s+(?:\*+\s*(?:const )?)*({WORD})\b(?!\s*{{)")
GLOBAL = re.compile(rf"^extern struct ({WORD}) ({WORD});", re.MULTILINE)
GLOBAL_DEFINED = re.compile(
    rf"^extern struct ({WORD}) {{[^}}]*}} ({WORD});", re.MULTILINE
)


@dataclass(frozen=True)
class Rule:
    """A row of the table."""

    line: int
    writer: Path
    struct: str
    members: tuple[str, ...]  # (): all that no other row names


@dataclass(frozen=True)
class Write:
    line: int
    struct: str
    member: str


# ---- structs


def code_of(lines: list[str]) -> str:
    """The text without comments and strings; its lines stay where they are."""
    text = re.sub(r"//[^\n]*", "", "\n".join(lines))
    return re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)


def closing_brace(text: str, start: int) -> int:
    depth = 0
    for at in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return at
    return len(text)


def member_name(declarator: str) -> str | None:
    function = re.search(rf"\(\s*\*({WORD})\)", declarator)
    name = re.search(rf"({WORD})\s*(?:\[[^\]]*\]\s*)*(?::\s*\d+\s*)?$", declarator)
    found = function or name
    return found[1] if found else None


def read_members(structs: Structs, name: str, body: str) -> None:
    members = structs[name] = {}
    while nested := re.search(rf"\bstruct\s+({WORD})?\s*{{", body):
        end = closing_brace(body, nested.end() - 1)
        stop = body.index(";", end)
        for declarator in body[end + 1 : stop].split(","):
            if member := member_name(declarator.strip()):
                members[member] = nested[1] or f"{name}.{member}"
                read_members(structs, members[member], body[nested.end() : end])
        body = body[: nested.start()] + body[stop + 1 :]
    for statement in re.sub(r"_(?:Atomic|Alignas)\(([^()]*)\)", r"\1 ", body).split(
        ";"
    ):
        of = re.search(rf"\bstruct ({WORD})", statement)
        is_function = re.search(rf"\(\s*\*{WORD}\)", statement)
        for declarator in [statement] if is_function else statement.split(","):
            if member := member_name(declarator.strip()):
                members[member] = of[1] if of and not is_function else ""


def read_structs(sources: Sources) -> Structs:
    structs: Structs = {}
    for lines in sources.values():
        text = code_of(lines)
        for match in re.finditer(
            rf"^(?:extern )?struct ({WORD}) {{", text, re.MULTILINE
        ):
            end = closing_brace(text, match.end() - 1)
            read_members(structs, match[1], text[match.end() : end])
    return structs


def read_globals(sources: Sources) -> dict[str, str]:
    """The struct of each variable that several files see."""
    found: dict[str, str] = {}
    for file, lines in sources.items():
        if file.suffix == ".h":
            text = code_of(lines)
            for pattern in (GLOBAL, GLOBAL_DEFINED):
                found.update({name: struct for struct, name in pattern.findall(text)})
    return found


# ---- writes


def written(structs: Structs, struct: str, path: list[str]) -> tuple[str, str] | None:
    """The struct with a name, and its member, in which the end of the path lies."""
    found = None
    for member in path:
        if member not in structs.get(struct, {}):
            return None
        if "." not in struct:
            found = (struct, member)
        struct = structs[struct][member]
    return found


def writes(
    lines: list[str], structs: Structs, types: dict[str, str]
) -> Iterator[Write]:
    text = code_of(lines)
    matches = [
        match for pattern in (VARIABLE, *WRITES) for match in pattern.finditer(text)
    ]
    types = dict(types)
    for match in sorted(matches, key=lambda match: match.start()):
        if match.re is VARIABLE:
            types[match[2]] = match[1]
            continue
        first, *path = re.findall(WORD, re.sub(INDEX, "", match[1]))
        found = written(structs, types.get(first, ""), path)
        if found is not None:
            yield Write(text.count("\n", 0, match.start(1)) + 1, *found)


# ---- the table


def read_table(lines: list[str]) -> list[Rule]:
    rows = [
        (number, line.split("#", 1)[0].split()) for number, line in enumerate(lines, 1)
    ]
    return [
        Rule(number, Path(words[0]), words[1], tuple(words[2:]))
        for number, words in rows
        if len(words) > 1
    ]


def table_errors(
    table: list[Rule], structs: Structs, sources: Sources
) -> Iterator[tuple[int, str]]:
    """Line and text: rows that name what is not there, members that no row names."""
    places = {place for file in sources for place in (file, *file.parents)}
    for rule in table:
        if rule.writer not in places:
            yield rule.line, f"{rule.writer} does not exist"
        for member in rule.members:
            if member not in structs.get(rule.struct, {}):
                yield rule.line, f"struct {rule.struct} has no member {member}"
    for struct in {rule.struct: None for rule in table}:
        rows = [rule for rule in table if rule.struct == struct]
        named = [member for rule in rows for member in rule.members]
        if struct not in structs:
            yield rows[0].line, f"there is no struct {struct}"
        for member in sorted({member for member in named if named.count(member) > 1}):
            yield rows[0].line, f"{struct}.{member} has two writers"
        if all(rule.members for rule in rows):
            for member in sorted(set(structs.get(struct, {})) - set(named)):
                yield rows[0].line, f"{struct}.{member} has no writer"


def writer_of(table: list[Rule], struct: str, member: str) -> Path | None:
    rows = [rule for rule in table if rule.struct == struct]
    named = [rule for rule in rows if member in rule.members]
    others = [rule for rule in rows if not rule.members]
    found = named or others
    return found[0].writer if found else None


def broken_rules(
    sources: Sources, table_lines: list[str]
) -> Iterator[tuple[Path, int, str]]:
    """File, line and text of each breach, in the table or in a source."""
    structs, types = read_structs(sources), read_globals(sources)
    table = read_table(table_lines)
    for line, text in table_errors(table, structs, sources):
        yield TABLE, line, text
    for file, lines in sources.items():
        for write in writes(lines, structs, types):
            writer = writer_of(table, write.struct, write.member)
            if writer is not None and writer not in (file, *file.parents):
                text = f"{write.struct}.{write.member} is written by {writer} alone"
                yield file, write.line, text
