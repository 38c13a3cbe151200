# SPDX-License-Identifier: BSD-3-Clause
"""What values an argument may have, and when it does not matter."""

from dataclasses import dataclass

from codegen.position import Position


@dataclass(frozen=True)
class Condition:
    """`win.flavor == MPI_X` (a member of the object) or `sendbuf == MPI_X`."""

    argument: str
    member: str  # "" compares the argument itself
    constant: str


@dataclass(frozen=True)
class AtLeast:
    """`>= N`."""

    minimum: int


@dataclass(frozen=True)
class Above:
    """`> N`."""

    bound: int


@dataclass(frozen=True)
class RankOf:
    """`rank of comm`: a rank of the group of the handle argument."""

    argument: str


@dataclass(frozen=True)
class RootOf:
    """`root of comm`: a rank, or what else a root is between two groups."""

    argument: str


@dataclass(frozen=True)
class Mask:
    """`mask MPI_A | MPI_B`: a union of some of these, possibly empty."""

    bits: tuple[str, ...]


@dataclass(frozen=True)
class OneOf:
    """`one of MPI_A, MPI_B`."""

    values: tuple[str, ...]


@dataclass(frozen=True)
class Committed:
    """`committed`: the datatype has been committed."""


@dataclass(frozen=True)
class NotPredefined:
    """`not predefined`: the handle is not one that MPI provides."""


@dataclass(frozen=True)
class Predefined:
    """`predefined`: the handle is one that MPI provides."""


Rule = (
    AtLeast
    | Above
    | RankOf
    | RootOf
    | Mask
    | OneOf
    | Committed
    | NotPredefined
    | Predefined
)


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

    @property
    def sort(self) -> str:
        """Name of the rule's type, for templates: "AtLeast", "RankOf" ..."""
        return type(self.rule).__name__
