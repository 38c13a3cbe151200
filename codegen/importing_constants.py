# SPDX-License-Identifier: BSD-3-Clause
"""What a new table of the standard ABI's constants adds to constants.spec, removes and
changes, and writes that there. What the table does not say is written as `?`, which the
reader refuses and asks for.

A constant that the table has no longer stays, with a waiver that says so: programs go on
to compile, and its value is not given to another one.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from codegen.changes import version_of
from codegen.edits import Lines
from codegen.facts import Json, read_forum
from codegen.forum import (
    Difference,
    compare_constants,
    load_waivers,
    own_type,
    stands_for,
)
from codegen.importing import OPEN, Imported
from codegen.model import Category, Constant, Form, Spec

CONSTANTS = "spec/constants.spec"
WAIVERS = "spec/forum.waivers"


@dataclass(frozen=True)
class ConstantChanges:
    """Everything, in the table's order or that of the records."""

    version: str  # of the standard whose table it is
    categories: tuple[Json, ...]  # the first constant of each new one
    added: tuple[Json, ...]
    behind: dict[str, str]  # which constant of its category each of the added follows
    removed: tuple[Constant, ...]
    changed: tuple[Difference, ...]

    def lines(self) -> Iterator[str]:
        """What a reader is shown."""
        yield from (f"adds constants {c['category']}" for c in self.categories)
        for c in self.added:
            yield f"adds {c['name']} {c['abi_value']} to {c['category']}"
        yield from (f"removes {constant.name}" for constant in self.removed)
        for d in self.changed:
            yield f"changes {d.name}: {d.field} from {d.ours} to {d.theirs}"


def constant_changes(spec: Spec, path: Path, waivers: Path) -> ConstantChanges:
    """What the table in `path` changes and no waiver covers."""
    theirs = {c["name"]: c for c in read_forum(path)["constants"].values()}
    known = load_waivers(waivers, WAIVERS, "abi", path)
    found = compare_constants(spec, path)
    found = [d for d in found if not any(w.covers(d) for w in known)]
    missing = [d for d in found if d.field == "missing"]
    added = [theirs[d.name] for d in missing if d.theirs == "given"]
    first = {c["category"]: c for c in reversed(added)}
    return ConstantChanges(
        version=version_of(path),
        categories=tuple(c for k, c in first.items() if k not in spec.categories),
        added=tuple(added),
        behind=_behind(spec, theirs),
        removed=tuple(spec.constants[d.name] for d in missing if d.ours == "given"),
        changed=tuple(d for d in found if d.field != "missing"),
    )


def _behind(spec: Spec, theirs: dict[str, Json]) -> dict[str, str]:
    """The last known constant before each one in the table, of the same category."""
    behind, last = {}, dict[str, str]()
    for name, one in theirs.items():
        category = one["category"]
        behind[name] = last.get(category, "")
        if name in spec.constants and spec.constants[name].category.name == category:
            last[category] = name
    return behind


# ---- new lines -----------------------------------------------------------------------
def _heading(spec: Spec, first: Json) -> str:
    """The line that opens a category, by what its constants are in C."""
    own = own_type(first)
    forms = {"int": "integer", "void *": "buffer"}
    forms |= {k.handle: f"handle {k.name}" for k in spec.kinds.values() if k.handle}
    return f"constants {first['category']}  {forms.get(own, OPEN)}  {OPEN}"


def _clauses(spec: Spec, theirs: Json, category: Category | None) -> Iterator[str]:
    """What the line of a constant says besides its value."""
    yield from (f'{word} "{text}"' for word, text in stands_for(theirs).items())
    form = category.form if category else Form.INTEGER
    kind = spec.kinds.get(category.kind) if category else None
    if form is Form.IGNORE:
        yield f'c "{own_type(theirs)}"'
    elif form is Form.FUNCTION:
        yield f"calls {own_type(theirs).removesuffix(' *')}"
    elif form is Form.HANDLE and kind is None:
        yield f"of {OPEN}"
    elif kind is not None and kind.is_datatype:
        yield f"size {OPEN}"
    elif kind is not None and kind.is_operation:
        yield f"on {OPEN}"


def _new_line(spec: Spec, theirs: Json) -> str:
    category = spec.categories.get(theirs["category"])
    value = str(theirs["abi_value"])
    is_number = re.fullmatch(r"-?\d+", value) is not None
    words = [f"    {theirs['name']}", value if is_number else OPEN]
    return "  ".join([*words, *_clauses(spec, theirs, category), OPEN])


def _question(line: str) -> str:
    """What the line of a new constant leaves open."""
    name, *words = line.split()
    asked = [one for one in ("of", "size", "on") if f" {one} {OPEN}" in line]
    asked = [*(["its value"] if words[0] == OPEN else []), *asked, "what it is"]
    return f"{name}: {', '.join(asked)}"


# ---- the file ------------------------------------------------------------------------
class ConstantImporter:
    """Makes constants.spec and the waivers anew."""

    def __init__(self, root: Path, spec: Spec, found: ConstantChanges) -> None:
        self._spec = spec
        self._found = found
        self._lines = Lines((root / CONSTANTS).read_text("utf-8"))
        self._waivers = Lines((root / WAIVERS).read_text("utf-8"))
        self._questions: list[str] = []

    def run(self) -> Imported:
        """All changes. Lines keep their numbers until all are made."""
        for difference in self._found.changed:
            self._change(difference)
        for theirs in self._found.added:
            if theirs["category"] in self._spec.categories:
                self._add(theirs)
        for first in self._found.categories:
            self._add_category(first)
        self._waive()
        files = {CONSTANTS: self._lines.text(), WAIVERS: self._waivers.text()}
        return Imported(files, self._questions)

    def _change(self, difference: Difference) -> None:
        """Another value or type in its line; what else differs is asked for."""
        constant = self._spec.constants[difference.name]
        line, theirs = constant.position.line, difference.theirs
        if difference.field == "value" and re.fullmatch(r"-?\d+", theirs):
            pattern, new = rf"^(\s+{constant.name}\s+)-?\d+", rf"\g<1>{theirs}"
        elif difference.field not in ("value", "type", "category"):
            pattern, new = rf'\b({difference.field} )"[^"]*"', rf'\g<1>"{theirs}"'
        else:
            text = f"{difference.field} is {theirs} there; change its line"
            self._questions.append(f"{constant.name}: {text}")
            return
        self._lines.change(line, re.sub(pattern, new, self._lines[line], count=1))

    def _add(self, theirs: Json) -> None:
        """A line where the table has the constant in its category."""
        before = self._found.behind[theirs["name"]]
        where = self._spec.categories[theirs["category"]].position
        if before:
            where = self._spec.constants[before].position
        line = _new_line(self._spec, theirs)
        self._lines.insert(where.line, [line])
        self._questions.append(_question(line))

    def _add_category(self, first: Json) -> None:
        """A category with its constants, at the end."""
        name = first["category"]
        own = [c for c in self._found.added if c["category"] == name]
        lines = [_new_line(self._spec, theirs) for theirs in own]
        self._lines.append(["", _heading(self._spec, first), *lines])
        self._questions.append(f"constants {name}: form, what they are")
        self._questions += map(_question, lines)

    def _waive(self) -> None:
        """What is gone there stays here."""
        version = self._found.version
        rows = [
            f'abi {version}  {constant.name}  -  missing  "removed in MPI-{version}"'
            for constant in self._found.removed
        ]
        self._waivers.append(["", *rows] if rows else [])
