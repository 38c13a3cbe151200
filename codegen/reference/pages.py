# SPDX-License-Identifier: BSD-3-Clause
"""Pages as immutable records: everything that an output says, in no output's syntax. Texts
may hold names of MPI and `words` between back quotes (markup.py).
"""

from dataclasses import dataclass

from codegen.model import Callback, Constant, Procedure
from codegen.reference.costs import Cost
from codegen.reference.examples import Example
from codegen.reference.records import Chapter, InfoKey, Section

ERROR_CLASSES = "ERROR_CLASSES"


@dataclass(frozen=True)
class Binding:
    """What programs in one language write."""

    language: str
    title: str
    usage: str
    code: str


@dataclass(frozen=True)
class Failure:
    """An error class, and what is wrong then; the class's own text if nothing is said."""

    error: str
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class ArgumentRow:
    """What a reader is told of an argument."""

    name: str
    direction: str
    kind: str  # "non-negative integer"
    description: str
    demands: tuple[str, ...]  # "must be >= 0"
    languages: tuple[str, ...]  # titles of those that have it; () if all


@dataclass(frozen=True)
class ProcedurePage:
    """The page of a procedure."""

    procedure: Procedure
    chapter: Chapter
    others: tuple[str, ...]  # more names of it: those of large counts
    bindings: tuple[Binding, ...]
    arguments: tuple[ArgumentRow, ...]
    doc: tuple[str, ...]  # paragraphs
    facts: tuple[str, ...]  # sentences: who calls it, whose error handler is raised
    completes: str
    failures: tuple[Failure, ...]
    keys: tuple[InfoKey, ...]
    costs: tuple[Cost, ...]
    examples: tuple[Example, ...]
    see_also: tuple[str, ...]

    @property
    def cost_tables(self) -> tuple[tuple[tuple[str, ...], tuple[Cost, ...]], ...]:
        """The rows of its costs by the columns that they have."""
        tables: dict[tuple[str, ...], tuple[Cost, ...]] = {}
        for cost in self.costs:
            tables[cost.columns] = (*tables.get(cost.columns, ()), cost)
        return tuple(tables.items())

    @property
    def names(self) -> tuple[str, ...]:
        """All names of it."""
        return (self.name, *self.others)

    @property
    def has_notes(self) -> bool:
        """This library is worth a note."""
        return bool(self.procedure.texts.notes or self.keys or self.costs)

    @property
    def name(self) -> str:
        """The procedure's."""
        return self.procedure.name

    @property
    def summary(self) -> str:
        """The procedure's."""
        return self.procedure.summary


@dataclass(frozen=True)
class ConstantPage:
    """The page of a constant or of an error class."""

    constant: Constant
    users: tuple[str, ...]  # procedures that take it or, of an error class, give it

    @property
    def name(self) -> str:
        """The constant's."""
        return self.constant.name

    @property
    def is_error(self) -> bool:
        """It is an error class."""
        return self.constant.category.name == ERROR_CLASSES

    @property
    def summary(self) -> str:
        """What to show in a list."""
        constant = self.constant
        types = [_literal(t) for t in (constant.c_type, constant.fortran_type) if t]
        stands_for = f"datatype of {' and '.join(types)}" if constant.size else ""
        return sentence(
            constant.text or stands_for or f"one of: {constant.category.title}"
        )

    @property
    def is_plain(self) -> bool:
        """It says what it is."""
        return bool(self.constant.text or self.constant.size)

    @property
    def rows(self) -> tuple[tuple[str, str], ...]:
        """What its record says, for a table."""
        constant = self.constant
        value = "" if constant.value is None else str(constant.value)
        size = "" if constant.size is None else f"{constant.size} bytes"
        pairs = (
            ("Value", value),
            ("C type", _literal(constant.c_type)),
            ("Type of the index", _literal(constant.index_type)),
            ("Fortran", _literal(constant.fortran_type)),
            ("Size of the data", size),
            ("Defined on types of", _listed(constant.operands)),
            ("Also takes types of", _listed(constant.also)),
            ("Prototype", constant.callback),
            ("One of", constant.category.title),
        )
        return tuple((name, text) for name, text in pairs if text)


@dataclass(frozen=True)
class CallbackPage:
    """The page of the prototype of a procedure that a program gives."""

    callback: Callback
    bindings: tuple[Binding, ...]
    arguments: tuple[ArgumentRow, ...]
    users: tuple[str, ...]

    @property
    def name(self) -> str:
        """The prototype's."""
        return self.callback.name

    @property
    def summary(self) -> str:
        """What to show in a list."""
        return f"Prototype of a procedure that is given to {self.users[0]}."


@dataclass(frozen=True)
class ChapterPage:
    """The page of a chapter: its procedures by section."""

    chapter: Chapter
    sections: tuple[tuple[Section, tuple[ProcedurePage, ...]], ...]

    @property
    def count(self) -> int:
        """How many procedures it has."""
        return sum(len(procedures) for _, procedures in self.sections)


def sentence(text: str) -> str:
    """With a capital letter and a full stop; nothing stays nothing."""
    stop = "" if not text or text.endswith(".") else "."
    return text[:1].upper() + text[1:] + stop


def _literal(text: str) -> str:
    return f"`{text}`" if text else ""


def _listed(words: tuple[str, ...]) -> str:
    return ", ".join(word.replace("_", " ") for word in words)
