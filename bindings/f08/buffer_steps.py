# SPDX-License-Identifier: BSD-3-Clause
"""The parts of an entry point in C that Fortran calls with choice buffers: what stands
in the file, and the steps of a function besides those of fortran/steps.py.
"""

from dataclasses import dataclass
from enum import Enum

from bindings.fortran.steps import Statement
from codegen.steps import Step


# ---- what stands in the file ---------------------------------------------------------
@dataclass(frozen=True)
class Export(Step):
    """Declares an exported function."""

    head: str


@dataclass(frozen=True)
class Hidden(Step):
    """Declares a function that only others of the file call."""

    head: str


@dataclass(frozen=True)
class Alias(Step):
    """Gives a function another name, too."""

    name: str
    other: str


@dataclass(frozen=True)
class Own(Step):
    """Gives this library's procedure a name that no other one can take."""

    name: str


@dataclass(frozen=True)
class Function(Step):
    """A function whose steps are its body."""

    head: str
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class AnyFunction(Function):
    """The function for sections that are not simple: apart from the usual one, which
    saves next to no registers then."""


# ---- steps ---------------------------------------------------------------------------
class Buffer(Enum):
    """The buffer that a section becomes (bindings/f08/buffers.h)."""

    TYPED = "typed_buffer"  # one element of a datatype
    KEPT = "kept_buffer"  # a copy that the request keeps
    COPIED = "buffer"  # a copy that is there during the call


@dataclass(frozen=True)
class UseAny(Step):
    """Leaves the call to another function unless every section is simple."""

    tests: tuple[str, ...]
    call: str


@dataclass(frozen=True)
class IdentifyCall(Step):
    """Records the C procedure and the kind of the object of errors."""

    name: str
    tag: str


@dataclass(frozen=True)
class DeclareBuffer(Step):
    """Declares what a section becomes; until then only its address is known."""

    buffer: Buffer
    name: str


@dataclass(frozen=True)
class DeclareTyped(Step):
    """Declares what a section becomes that is one element of a datatype."""

    name: str


@dataclass(frozen=True)
class DeclareTypedIf(Step):
    """The same for one that is not always used, so that it has to be valid before."""

    name: str
    count: str
    datatype: str


@dataclass(frozen=True)
class BeginWell(Step):
    """Declares the error code: nothing has failed."""


@dataclass(frozen=True)
class OpenFirst(Statement):
    """Makes a buffer of the first section and declares the error code."""


@dataclass(frozen=True)
class OpenIf(Statement):
    """Makes a buffer of a section that is used while `terms` hold."""

    terms: tuple[str, ...]


@dataclass(frozen=True)
class CallIfOpen(Statement):
    """Calls C if all sections were opened, else raises the error."""

    handle: str


@dataclass(frozen=True)
class FortranNumber:
    """A variable of Fortran that is passed by address."""

    fortran_type: str
    name: str
    value: str


@dataclass(frozen=True)
class CallFortranIfOpen(CallIfOpen):
    """Calls a procedure in Fortran if all sections were opened, else raises the
    error."""

    numbers: tuple[FortranNumber, ...]


@dataclass(frozen=True)
class Close(Statement):
    """Copies a section back where it has changed, and frees what it became."""


@dataclass(frozen=True)
class GiveCode(Step):
    """Gives the program the error code; its argument is always there."""


@dataclass(frozen=True)
class GiveResults(Step):
    """Converts the results of a call that succeeded."""

    texts: tuple[str, ...]


@dataclass(frozen=True)
class TellBytes(Step):
    """Gives the program the bytes of a variable."""

    size: str
    variable: str


@dataclass(frozen=True)
class Touch(Step):
    """Does nothing with a variable: to be called is all that it is for."""

    name: str


@dataclass(frozen=True)
class Ignore(Step):
    """Does nothing with an argument."""

    name: str


@dataclass(frozen=True)
class UnlessReplaced(Step):
    """Calls the procedure without an interface if it is another's, else the own one."""

    plain: str
    call: str
    own_call: str
