# SPDX-License-Identifier: BSD-3-Clause
"""What values an argument may have, and when it does not matter.

A rule is one class below `Rule`: how a record writes it, which kinds it suits, its words
for a reader, its condition for the compiler. Nothing else knows that there is such a rule.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from codegen.kinds import Kind
from codegen.position import Position
from codegen.tokens import Cursor


@dataclass(frozen=True)
class Condition:
    """`win.flavor == MPI_X` (a member of the object) or `sendbuf == MPI_X`."""

    argument: str
    member: str  # "" compares the argument itself
    constant: str


@dataclass(frozen=True)
class Value:
    """A value to be checked, as the core's language spells it."""

    text: str  # "count", "*win", "ranks[i]"
    struct: str  # type of the object below: "communicator"; "" for a number by itself
    object: str  # of the handle that the rule names, or else of the value: "comm_object"


# ---- rules ---------------------------------------------------------------------------
class Rule(ABC):
    """Decides which values are good. Every class below this one is known by being there."""

    @classmethod
    @abstractmethod
    def parse(cls, cursor: Cursor) -> "Rule | None":
        """The rule, if it starts here."""

    @abstractmethod
    def suits(self, kind: Kind) -> bool:
        """Values of this kind can have the rule."""

    @property
    @abstractmethod
    def text(self) -> str:
        """The rule as a record writes it."""

    @property
    def words(self) -> str:
        """What a good value is, to follow "must be"."""
        return self.text

    @property
    def group(self) -> str:
        """The argument whose object has the ranks that the rule is about, or ""."""
        return ""

    @property
    def constants(self) -> tuple[str, ...]:
        """The constants that the rule names."""
        return ()

    @abstractmethod
    def violation(self, value: Value) -> str:
        """The condition that a bad value fulfils."""

    def detail(self, value: Value) -> tuple[str, str]:
        """What only the running program knows of the good values: a format to follow the
        words, and the number to print; nothing unless the rule says so."""
        return "", ""


@dataclass(frozen=True)
class AtLeast(Rule):
    """`>= N`."""

    minimum: int

    @classmethod
    def parse(cls, cursor: Cursor) -> "Rule | None":
        return cls(cursor.number("the least value")) if cursor.accept(">=") else None

    def suits(self, kind: Kind) -> bool:
        return kind.is_integral

    @property
    def text(self) -> str:
        return f">= {self.minimum}"

    def violation(self, value: Value) -> str:
        return f"{value.text} < {self.minimum}"


@dataclass(frozen=True)
class Above(Rule):
    """`> N`."""

    bound: int

    @classmethod
    def parse(cls, cursor: Cursor) -> "Rule | None":
        return cls(cursor.number("the bound")) if cursor.accept(">") else None

    def suits(self, kind: Kind) -> bool:
        return kind.is_integral

    @property
    def text(self) -> str:
        return f"> {self.bound}"

    def violation(self, value: Value) -> str:
        return f"{value.text} <= {self.bound}"


@dataclass(frozen=True)
class RankOf(Rule):
    """`rank of comm`: a rank of the group of the handle argument."""

    argument: str

    @classmethod
    def parse(cls, cursor: Cursor) -> "Rule | None":
        if not cursor.accept("rank", "of"):
            return None
        return cls(cursor.word("the argument whose group it is"))

    def suits(self, kind: Kind) -> bool:
        return kind.is_integral

    @property
    def text(self) -> str:
        return f"rank of {self.argument}"

    @property
    def words(self) -> str:
        return f"a rank in {self.argument}"

    @property
    def group(self) -> str:
        return self.argument

    def violation(self, value: Value) -> str:
        return f"!is_rank({value.text}, {_ranks(value)})"

    def detail(self, value: Value) -> tuple[str, str]:
        return " (0..%d)", f"{_ranks(value)} - 1"


@dataclass(frozen=True)
class RootOf(Rule):
    """`root of comm`: a rank, or what else a root is between two groups."""

    argument: str

    @classmethod
    def parse(cls, cursor: Cursor) -> "Rule | None":
        if not cursor.accept("root", "of"):
            return None
        return cls(cursor.word("the communicator"))

    def suits(self, kind: Kind) -> bool:
        return kind.is_integral

    @property
    def text(self) -> str:
        return f"root of {self.argument}"

    @property
    def words(self) -> str:
        return f"a root in {self.argument}"

    @property
    def group(self) -> str:
        return self.argument

    def violation(self, value: Value) -> str:
        return f"!{value.struct}_has_root({value.object}, {value.text})"

    def detail(self, value: Value) -> tuple[str, str]:
        return " (0..%d)", f"{_ranks(value)} - 1"


def _ranks(value: Value) -> str:
    """How many ranks the object has."""
    return f"{value.struct}_ranks({value.object})"


@dataclass(frozen=True)
class Mask(Rule):
    """`mask MPI_A | MPI_B`: a union of some of these, possibly empty."""

    bits: tuple[str, ...]

    @classmethod
    def parse(cls, cursor: Cursor) -> "Rule | None":
        return cls(cursor.listed("|", "a constant")) if cursor.accept("mask") else None

    def suits(self, kind: Kind) -> bool:
        return kind.is_mask

    @property
    def text(self) -> str:
        return f"mask {' | '.join(self.bits)}"

    @property
    def words(self) -> str:
        return f"a union of {', '.join(self.bits)}"

    @property
    def constants(self) -> tuple[str, ...]:
        return self.bits

    def violation(self, value: Value) -> str:
        return f"({value.text} & ~({' | '.join(self.bits)})) != 0"


@dataclass(frozen=True)
class OneOf(Rule):
    """`one of MPI_A, MPI_B`."""

    values: tuple[str, ...]

    @classmethod
    def parse(cls, cursor: Cursor) -> "Rule | None":
        if not cursor.accept("one", "of"):
            return None
        return cls(cursor.listed(",", "a constant"))

    def suits(self, kind: Kind) -> bool:
        return kind.is_integral

    @property
    def text(self) -> str:
        return f"one of {', '.join(self.values)}"

    @property
    def words(self) -> str:
        return " or ".join(self.values)

    @property
    def constants(self) -> tuple[str, ...]:
        return self.values

    def violation(self, value: Value) -> str:
        return " && ".join(f"{value.text} != {constant}" for constant in self.values)


@dataclass(frozen=True)
class Committed(Rule):
    """`committed`: the datatype has been committed."""

    @classmethod
    def parse(cls, cursor: Cursor) -> "Rule | None":
        return cls() if cursor.accept("committed") else None

    def suits(self, kind: Kind) -> bool:
        return kind.is_datatype

    @property
    def text(self) -> str:
        return "committed"

    def violation(self, value: Value) -> str:
        return f"!{value.object}->is_committed"


@dataclass(frozen=True)
class Predefined(Rule):
    """`predefined`: the handle is one that MPI provides."""

    @classmethod
    def parse(cls, cursor: Cursor) -> "Rule | None":
        return cls() if cursor.accept("predefined") else None

    def suits(self, kind: Kind) -> bool:
        return kind.is_handle

    @property
    def text(self) -> str:
        return "predefined"

    def violation(self, value: Value) -> str:
        return f"!{value.object}->object.is_predefined"


@dataclass(frozen=True)
class NotPredefined(Rule):
    """`not predefined`: the handle is not one that MPI provides."""

    @classmethod
    def parse(cls, cursor: Cursor) -> "Rule | None":
        return cls() if cursor.accept("not", "predefined") else None

    def suits(self, kind: Kind) -> bool:
        return kind.is_handle

    @property
    def text(self) -> str:
        return "not predefined"

    @property
    def words(self) -> str:
        return "other than a predefined one"

    def violation(self, value: Value) -> str:
        return f"{value.object}->object.is_predefined"


def parse_rule(cursor: Cursor) -> Rule | None:
    """The rule that starts here, if one does."""
    for rule in Rule.__subclasses__():
        found = rule.parse(cursor)
        if found is not None:
            return found
    return None


# ---- domains -------------------------------------------------------------------------
@dataclass(frozen=True)
class Domain:
    """What values an argument may have; for an array, each element.

    `also` are constants allowed besides; with `unless` true there is no rule.
    """

    rule: Rule
    also: tuple[str, ...]
    unless: Condition | None
    error: str
    position: Position

    def words(self, detail: str = "") -> str:
        """ ">= 0 or MPI_UNDEFINED"; `detail` follows the words of the rule."""
        return " or ".join([self.rule.words + detail, *self.also])
