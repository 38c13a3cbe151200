# SPDX-License-Identifier: BSD-3-Clause
"""From records to what programs call: one `Entry` per callable of a language.

A record gives up to two C functions, two mpi_f08 specifics and two specifics of the mpi
module; each has a PMPI twin. Names follow MPI-4.1 19.1.5 and 19.2.
"""

from dataclasses import dataclass, replace
from enum import Enum

from codegen.kinds import Kind
from codegen.model import Argument, Callback, Constant, Procedure, Spec


class Scheme(Enum):
    """How an entry's linker name is formed; 1A to 2B as in MPI-4.1 table 19.1."""

    C = "C"
    F08 = "1A"  # mpi_f08 without choice buffers
    F08TS = "1B"  # mpi_f08 with TYPE(*), DIMENSION(..)
    F90 = "2A"  # mpi and mpif.h without choice buffers; with them, without an interface
    F90TS = "2B"  # mpi and mpif.h with TYPE(*), DIMENSION(..)
    CPTR = "CPTR"  # mpi and mpif.h, TYPE(C_PTR) instead of an address-sized integer


SUFFIXES = {
    Scheme.C: "",
    Scheme.F08: "_f08",
    Scheme.F08TS: "_f08ts",
    Scheme.F90: "",
    Scheme.F90TS: "_FTS",
    Scheme.CPTR: "_CPTR",
}


@dataclass(frozen=True)
class Parameter:
    """An argument as one entry takes it."""

    argument: Argument
    is_large: bool  # of a `_c` entry: the kind's wide type is meant
    is_cptr: bool  # of a CPTR entry: TYPE(C_PTR) is meant

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
    """One callable of a language: a C function or a Fortran specific procedure."""

    procedure: Procedure
    language: str
    scheme: Scheme
    is_large: bool
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
    def generic(self) -> str:
        """The name that programs write."""
        if self.language == "f90":
            return self.procedure.name.upper()
        is_named = self.language == "c" or self.procedure.is_large_by_name
        return self.procedure.name + ("_c" if self.is_large and is_named else "")

    @property
    def name(self) -> str:
        """The name of this very function or specific procedure."""
        if self.language != "f08":
            return self.generic + SUFFIXES[self.scheme]
        large = "_c" if self.is_large else ""
        return self.procedure.name + large + SUFFIXES[self.scheme]

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

    @property
    def has_ierror(self) -> bool:
        """Fortran: there is an argument ierror."""
        is_silent = self.procedure.silent or self.language == "c"
        return self.procedure.returns_error and not is_silent


def _entry(procedure: Procedure, language: str, scheme: Scheme, large: bool) -> Entry:
    is_cptr = scheme is Scheme.CPTR
    arguments = procedure.arguments_in(language)
    parameters = tuple(
        Parameter(a, large, is_cptr) for a in arguments if large or not a.is_large_only
    )
    return Entry(procedure, language, scheme, large, parameters)


def c_entries(procedure: Procedure) -> tuple[Entry, ...]:
    """The C functions of a record, planned or not."""
    if "c" not in procedure.languages:
        return ()
    sizes = (False, True) if procedure.is_large else (False,)
    return tuple(_entry(procedure, "c", Scheme.C, large) for large in sizes)


def f08_entries(procedure: Procedure) -> tuple[Entry, ...]:
    """The mpi_f08 specifics of a record, planned or not."""
    if "f08" not in procedure.languages:
        return ()
    scheme = Scheme.F08TS if procedure.has_choice else Scheme.F08
    sizes = (False, True) if procedure.is_large else (False,)
    return tuple(_entry(procedure, "f08", scheme, large) for large in sizes)


def f90_entries(procedure: Procedure) -> tuple[Entry, ...]:
    """The specifics of the mpi module and mpif.h of a record, planned or not."""
    if "f90" not in procedure.languages:
        return ()
    scheme = Scheme.F90TS if procedure.has_choice else Scheme.F90
    schemes = (scheme, Scheme.CPTR) if procedure.has_cptr else (scheme,)
    return tuple(_entry(procedure, "f90", one, False) for one in schemes)


def implicit_entries(procedure: Procedure) -> tuple[Entry, ...]:
    """What programs without an interface call where mpi and mpif.h have another specific:
    it takes addresses, so nothing that comes out may depend on what the buffer is."""
    needs_interface = "c" not in procedure.languages and not all(
        argument.is_choice for argument in procedure.arguments
    )
    is_other = "f90" in procedure.languages and procedure.has_choice
    if needs_interface or not is_other:
        return ()
    return (_entry(procedure, "f90", Scheme.F90, False),)


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
    """What the Fortran layer asks the core to copy an array of handles."""

    kind: Kind  # of the object
    what: str  # "rank"

    @property
    def name(self) -> str:
        """The function without its prefix: "communicator_ranks"."""
        return f"{self.kind.object}_{self.what}s"


@dataclass(frozen=True)
class Bindings:
    """Everything that templates may use. Planned records are not in it."""

    spec: Spec
    procedures: tuple[Procedure, ...]
    c: tuple[Entry, ...]
    f08: tuple[Entry, ...]
    f90: tuple[Entry, ...]
    implicit: tuple[Entry, ...]  # of mpi and mpif.h, too, but declared nowhere
    core: tuple[Procedure, ...]  # those that have a core function: C ones
    callbacks: tuple[CallbackEntry, ...]
    lengths: tuple[Length, ...]

    def prototype_of(self, constant: Constant) -> CallbackEntry:
        """What a predefined callback is like."""
        callback = self.spec.callbacks[constant.callback]
        return CallbackEntry(callback, constant.is_large)


def _lengths(procedures: tuple[Procedure, ...]) -> tuple[Length, ...]:
    """Each once; who copies an array, of handles or of INTEGERs, asks for it."""
    found = [
        Length(procedure.argument(a.per.argument).kind, a.per.what)
        for procedure in procedures
        for a in procedure.arguments
        if a.per
    ]
    return tuple({length.name: length for length in found}.values())


def expand(spec: Spec) -> Bindings:
    """All entries of the table, in its order."""
    done = tuple(p for p in spec.procedures.values() if not p.planned)
    return Bindings(
        spec,
        done,
        tuple(entry for p in done for entry in c_entries(p)),
        tuple(entry for p in done for entry in f08_entries(p)),
        tuple(entry for p in done for entry in f90_entries(p)),
        tuple(entry for p in done for entry in implicit_entries(p)),
        tuple(p for p in done if "c" in p.languages and not p.is_conversion),
        tuple(
            entry
            for callback in spec.callbacks.values()
            for entry in callback_entries(callback)
            if not callback.planned
        ),
        _lengths(done),
    )
