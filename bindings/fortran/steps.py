# SPDX-License-Identifier: BSD-3-Clause
"""The steps of an entry point that converts its arguments and calls the C function,
with their text in its own language.
"""

from dataclasses import dataclass

from codegen.steps import Step


@dataclass(frozen=True)
class Statement(Step):
    """A step that is one statement."""

    text: str


@dataclass(frozen=True)
class DeclareCode(Step):
    """Declares the local for C's error code."""


@dataclass(frozen=True)
class Declare(Statement):
    """Declares the local that C sees instead of an argument, or a procedure."""


@dataclass(frozen=True)
class CopyIn(Statement):
    """Converts an argument before the call."""


@dataclass(frozen=True)
class NumberPredefined(Step):
    """Replaces a predefined callback by its number, which C knows it by."""

    local: str
    name: str
    number: int


@dataclass(frozen=True)
class Tell(Statement):
    """Tells the core what it has to know besides because Fortran calls."""


@dataclass(frozen=True)
class CallC(Statement):
    """Calls the C function and keeps its error code."""


@dataclass(frozen=True)
class AnswerC(Statement):
    """Returns what the C function returns."""

    result: str


@dataclass(frozen=True)
class CopyOut(Statement):
    """Converts a result."""


@dataclass(frozen=True)
class GiveError(Step):
    """Gives the program the error code."""


@dataclass(frozen=True)
class GiveErrorIfAsked(Step):
    """Gives the program the error code if the argument for it is present."""


@dataclass(frozen=True)
class StopOnError(Step):
    """Leaves the procedure if the call failed: there are no results."""
