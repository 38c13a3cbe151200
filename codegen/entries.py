# SPDX-License-Identifier: BSD-3-Clause
"""What programs call: one `Entry` per callable of a language.

Which entries a record gives is for its languages to say (language.py); each entry has a
PMPI twin.
"""

from dataclasses import dataclass, replace

from codegen.kinds import Kind
from codegen.model import Argument, Callback, Procedure


@dataclass(frozen=True)
class Parameter:
    """An argument as one entry takes it."""

    argument: Argument
    is_large: bool  # of a `_c` entry: the kind's wide type is meant
    is_cptr: bool  # of an entry that is overloaded so: TYPE(C_PTR) is meant

    @property
    def name(self) -> str:
        """The argument's name."""
        return self.argument.name

    @property
    def kind(self) -> Kind:
        """The argument's kind."""
        return self.argument.kind


@dataclass(frozen=True)
class Entry:
    """One callable of a language: a function or a specific procedure."""

    procedure: Procedure
    language: str
    scheme: str  # how its linker name is formed, as MPI-4.1 table 19.1 calls it
    generic: str  # the name that programs write
    name: str  # of this very function or specific procedure
    is_large: bool
    has_ierror: bool  # there is an argument ierror besides
    parameters: tuple[Parameter, ...]
    calls_large: bool = False  # a small one that calls the large C function

    @property
    def widened(self) -> "Entry":
        """The same where INTEGER is as wide as what large procedures take."""
        procedure = self.procedure
        is_other = procedure.is_large_by_name or any(
            argument.is_large_only for argument in procedure.arguments
        )
        if self.is_large or is_other or not procedure.is_large:
            return self
        parameters = tuple(replace(p, is_large=True) for p in self.parameters)
        return replace(self, parameters=parameters, calls_large=True)

    @property
    def pmpi_name(self) -> str:
        """The name of its twin for tools."""
        return "P" + self.name

    @property
    def c_name(self) -> str:
        """The C function that does the same."""
        large = "_c" if self.is_large or self.calls_large else ""
        return self.procedure.name + large

    @property
    def core_name(self) -> str:
        """The core function that does the work."""
        return "oriel_" + self.procedure.core

    @property
    def is_function(self) -> bool:
        """It returns a value other than an error code or nothing."""
        return self.procedure.is_function


def parameters_of(
    procedure: Procedure, language: str, is_large: bool, is_cptr: bool = False
) -> tuple[Parameter, ...]:
    """The arguments of an entry in a language."""
    arguments = procedure.arguments_in(language)
    taken = (a for a in arguments if is_large or not a.is_large_only)
    return tuple(Parameter(a, is_large, is_cptr) for a in taken)


@dataclass(frozen=True)
class CallbackEntry:
    """A prototype, small or large."""

    callback: Callback
    is_large: bool

    @property
    def name(self) -> str:
        """The prototype's name."""
        return self.callback.name + ("_c" if self.is_large else "")

    def parameters_in(self, language: str) -> tuple[Parameter, ...]:
        """Its arguments in a language; without ierror."""
        arguments = self.callback.arguments_in(language)
        return tuple(Parameter(a, self.is_large, False) for a in arguments)


def callback_entries(callback: Callback) -> tuple[CallbackEntry, ...]:
    """The prototypes of a record."""
    sizes = (False, True) if callback.is_large else (False,)
    return tuple(CallbackEntry(callback, large) for large in sizes)


@dataclass(frozen=True)
class Length:
    """What the layer of another language asks the core to copy an array of handles."""

    kind: Kind  # of the object
    what: str  # "rank"

    @property
    def name(self) -> str:
        """The function without its prefix: "communicator_ranks"."""
        return f"{self.kind.object}_{self.what}s"
