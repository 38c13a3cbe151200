# SPDX-License-Identifier: BSD-3-Clause
"""The classes of namespace MPI, as classes.spec lists them, and which one an argument, a
name or a constant is of.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from codegen.kinds import Kind, KindClass
from codegen.language import LanguageTable
from codegen.model import Argument, Spec
from codegen.tokens import Cursor, pick, read_lines

SAME = "same"  # an object of the sort of the one that is given
LIBRARY = "MPI_"  # begins all names of the table


@dataclass(frozen=True)
class Class:
    """One class."""

    name: str
    kind: Kind
    base: Class | None
    sort: str
    prefix: str
    given: str  # the template of detail that arguments go through, or ""
    is_cloned: bool
    is_null: bool

    @property
    def root(self) -> Class:
        """The class that stands for all objects of the kind."""
        return self.base.root if self.base else self

    @property
    def is_status(self) -> bool:
        """Of statuses, which are no handles."""
        return self.kind.kind_class is KindClass.STATUS

    @property
    def c_type(self) -> str:
        """What C has for its objects."""
        return f"{LIBRARY}{self.name}" if self.is_status else self.kind.handle

    @property
    def null(self) -> str:
        """What an object is that nothing has been assigned to."""
        return self.kind.null or f"{self.c_type}()"

    def is_a(self, other: Class) -> bool:
        """It is that class, or below it."""
        return self is other or (self.base is not None and self.base.is_a(other))

    def begins(self, name: str) -> bool:
        """A name of the table, in any case of letters, begins with the class's."""
        return name.lower().startswith(f"{LIBRARY}{self.prefix}_".lower())

    def rest(self, name: str) -> str:
        """What is left of a name that begins so."""
        return name[len(f"{LIBRARY}{self.prefix}_") :]


class Classes:
    """All classes."""

    def __init__(self, path: Path, table: LanguageTable, spec: Spec) -> None:
        self._kinds = {cells[0]: spec.kinds[k] for k, cells in table.rows.items()}
        self._classes: dict[str, Class] = {}
        name = f"{path.parent.parent.name}/{path.parent.name}/{path.name}"
        for line in read_lines(path, name):
            self._add(Cursor(line))

    def _add(self, cursor: Cursor) -> None:
        cursor.expect("class", "to open a class")
        name = cursor.record = cursor.word("the class's name")
        if cursor.accept("below"):
            base = self._classes[pick(cursor, "class", tuple(self._classes))]
            kind = base.kind
        elif name in self._kinds:
            base, kind = None, self._kinds[name]
        else:
            raise cursor.lacks("no kind is spelled so in kinds.spec; add 'below CLASS'")
        words = {"sort": "", "prefix": name, "given": ""}
        flags = {"cloned": base is not None and base.is_cloned, "null": False}
        while not cursor.at_end():
            clause = pick(cursor, "clause of a class", (*words, *flags))
            if clause in flags:
                flags[clause] = True
                continue
            if clause == "given":
                cursor.expect("by", "and a template")
            words[clause] = cursor.word(f"the value of '{clause}'")
        self._classes[name] = Class(
            name=name,
            kind=kind,
            base=base,
            sort=words["sort"],
            prefix=words["prefix"],
            given=words["given"],
            is_cloned=flags["cloned"],
            is_null=flags["null"],
        )

    def __iter__(self) -> Iterator[Class]:
        return iter(self._classes.values())

    def below(self, base: Class) -> tuple[Class, ...]:
        """The classes right below one, but for that of the null handle."""
        return tuple(c for c in self if c.base is base and not c.is_null)

    def null_of(self, one: Class) -> Class | None:
        """The class of the null handle that converts to this one."""
        return next((c for c in self if c.is_null and c.root is one.root), None)

    def of_kind(self, kind: Kind) -> Class | None:
        """The class of all objects of a kind."""
        return next((c for c in self if c.kind is kind and not c.base), None)

    def of(self, argument: Argument) -> Class | None:
        """The class of an argument, by its kind and sort."""
        root = self.of_kind(argument.kind)
        alike = [c for c in self if c.root is root and c.sort == argument.sort]
        return alike[0] if argument.sort and alike else root

    def made(self, argument: Argument, owner: Class | None) -> Class | None:
        """The class of an object that a member of a class gives."""
        found = self.of(argument)
        is_own = found and owner and owner.root is found and owner.base
        return owner if is_own and argument.sort in ("", SAME) else found

    def beginning(self, name: str) -> Class | None:
        """The class whose name a name of the table begins with."""
        return next((c for c in self if c.begins(name)), None)
