# SPDX-License-Identifier: BSD-3-Clause
"""The steps of an entry point that calls the core, each a record of what it reads and
writes. A language prints a step by the macro that bears the name of its class.

`raiser` is the handle whose object's error handler is raised; None while that object is
not known, and where MPI_COMM_SELF's is raised.
"""

from dataclasses import dataclass
from enum import Enum

from codegen.entries import Entry, Parameter
from codegen.model import Argument
from codegen.rules import Domain


# ---- how many ------------------------------------------------------------------------
@dataclass(frozen=True)
class NamedCount:
    """An argument or a constant says how many."""

    name: str


@dataclass(frozen=True)
class ObjectCount:
    """The object of a handle has so many of something: "ranks" of a communicator."""

    owner: Argument
    what: str


@dataclass(frozen=True)
class ToldCount:
    """The sum, or the last, of an array of counts."""

    how: str
    counts: Argument


Count = NamedCount | ObjectCount | ToldCount


# ---- conditions ----------------------------------------------------------------------
@dataclass(frozen=True)
class Unequal:
    """A value, or a member of a handle's object, is not that constant or argument."""

    argument: Argument
    other: str
    member: str = ""


@dataclass(frozen=True)
class Equal:
    """A value is that constant."""

    argument: Argument
    constant: str


@dataclass(frozen=True)
class AtRoot:
    """This process is the root of an operation."""

    communicator: Argument
    rank: Argument


@dataclass(frozen=True)
class Positive:
    """There are elements."""

    count: Count


@dataclass(frozen=True)
class HasRoom:
    """An argument that says how much of a string is written allows a character."""

    size: Argument


@dataclass(frozen=True)
class NoMemory:
    """A buffer is in the first page and its datatype has no absolute addresses."""

    buffer: Argument
    datatype: Argument


Term = Unequal | Equal | AtRoot | Positive | HasRoom | NoMemory
Terms = tuple[Term, ...]  # all of them hold; () always does


# ---- steps ---------------------------------------------------------------------------
@dataclass(frozen=True)
class Step:
    """A step of an entry point; the macro of the same name prints it."""

    @property
    def macro(self) -> str:
        """The name of its macro: "Resolve"."""
        return type(self).__name__


@dataclass(frozen=True)
class Identify(Step):
    """Records the procedure's name and the object of errors, for error handlers."""

    entry: Entry
    raised_on: Argument | None


@dataclass(frozen=True)
class Require(Step):
    """Raises an error if the address of an argument is missing while `terms` hold."""

    argument: Argument
    terms: Terms
    raiser: Argument | None


@dataclass(frozen=True)
class Validate(Step):
    """Raises an error if a handle is invalid; its object is for the core to find."""

    handle: Argument
    terms: Terms
    raiser: Argument | None


@dataclass(frozen=True)
class Resolve(Step):
    """Finds the object of a handle; raises an error if there is none."""

    handle: Argument
    raiser: Argument | None


@dataclass(frozen=True)
class ResolveIf(Step):
    """Finds the object of a handle while `terms` hold. Otherwise it stands for nothing,
    or for the object of its twin, a handle of the same value."""

    handle: Argument
    terms: Terms
    twin: Argument | None
    raiser: Argument | None


@dataclass(frozen=True)
class Activate(Step):
    """Brings the processes together if no object proves that they have met."""

    raiser: Argument | None


@dataclass(frozen=True)
class CheapChecks(Step):
    """Checks of a few instructions, made unless the program's user turns them off."""

    steps: tuple[Step, ...]


@dataclass(frozen=True)
class ThoroughChecks(Step):
    """Checks of every element of an array, which the user can turn off alone."""

    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Check(Step):
    """Raises an error if a value, or an element of an array, is not in its domain while
    `terms` hold. `group` is the handle that the rule mentions, if any; where `unless`
    is false, any value will do."""

    argument: Argument
    domain: Domain
    group: Argument | None
    unless: Unequal | None
    terms: Terms
    raiser: Argument | None


@dataclass(frozen=True)
class RefuseConstant(Step):
    """Raises an error about a buffer that is a constant for other buffers."""

    argument: Argument
    constant: str
    raiser: Argument | None


@dataclass(frozen=True)
class RefuseNull(Step):
    """Raises an error about a buffer without memory if `terms` hold: data move."""

    argument: Argument
    terms: Terms
    raiser: Argument | None


@dataclass(frozen=True)
class CheckAddress(Step):
    """Looks closer at a buffer in the first page, where constants lie."""

    argument: Argument
    terms: Terms
    steps: tuple[RefuseConstant | RefuseNull, ...]


@dataclass(frozen=True)
class ForEach(Step):
    """Takes the steps for every element of an array."""

    array: Argument
    count: Count
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class ForEachIf(ForEach):
    """Takes the steps for every element of an array that is used only while `terms`
    hold."""

    terms: Terms


@dataclass(frozen=True)
class AwaitObject(Step):
    """Makes the local that receives a new object."""

    handle: Argument


@dataclass(frozen=True)
class Widen(Step):
    """Makes the wide local that the core reads or sets instead of a narrow result."""

    argument: Argument


class Way(Enum):
    """The form in which the core gets an argument."""

    VALUE = "value"  # as it is
    NUMBERS = "numbers"  # an array and how wide its elements are
    OBJECT = "object"  # of a handle
    NEW_OBJECT = "new object"  # the address of the local for it
    CALLBACK = "callback"  # a function of whatever prototype
    WIDE = "wide"  # the address of the wide local
    NO_VALUE = "no value"  # the small procedure has no such argument
    NO_ADDRESS = "no address"  # likewise, of an array or a result


@dataclass(frozen=True)
class Passed:
    """An argument of the core's function."""

    parameter: Parameter
    way: Way


class Part(Enum):
    """Of which blocks of a buffer something is done."""

    ALL = "all"
    OTHERS = "those of the other processes"
    OWN = "the one of this process"
    FIRST = "the first, which is as long as the one of this process"


@dataclass(frozen=True)
class BufferUse:
    """What a collective call does with a choice buffer while `terms` hold: it writes to
    it, or reads it, or does what the root does while it is not the root."""

    buffer: Argument
    terms: Terms
    is_written: bool
    unless_root: AtRoot | None
    part: Part
    blocks: Count | None  # None: one
    counts: Parameter
    displacements: Parameter | None
    datatype: Argument
    communicator: Argument  # in which this process has a rank


@dataclass(frozen=True)
class UseBuffers(Step):
    """Tells what the call does with its buffers, if races are looked for. `request` is
    the handle of what goes on, if any."""

    uses: tuple[BufferUse, ...]
    request: Argument | None


@dataclass(frozen=True)
class Call(Step):
    """Calls the core and raises the error that it returns."""

    entry: Entry
    passed: tuple[Passed, ...]
    raiser: Argument | None


@dataclass(frozen=True)
class Answer(Step):
    """Calls the core for a procedure that returns the result itself."""

    entry: Entry
    passed: tuple[Passed, ...]


@dataclass(frozen=True)
class Forward(Answer):
    """Calls the core for a procedure whose arguments and errors are the core's."""


@dataclass(frozen=True)
class Convert(Step):
    """Returns an argument as another type: a handle as an integer or the reverse."""

    entry: Entry
    parameter: Parameter


@dataclass(frozen=True)
class Store(Step):
    """Gives the program the handle of a new object."""

    handle: Argument


@dataclass(frozen=True)
class Clear(Step):
    """Sets the handle of a freed object to null."""

    handle: Argument


@dataclass(frozen=True)
class Narrow(Step):
    """Stores a wide result; raises an error if it does not fit."""

    entry: Entry
    parameter: Parameter
    raiser: Argument | None


@dataclass(frozen=True)
class NarrowOr(Step):
    """Stores a wide result, or a constant if it does not fit."""

    parameter: Parameter
    constant: str


@dataclass(frozen=True)
class Succeed(Step):
    """Returns that all went well."""
