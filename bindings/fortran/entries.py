# SPDX-License-Identifier: BSD-3-Clause
"""The specific procedures of the mpi module and mpif.h (MPI-4.1 19.1.5)."""

from enum import StrEnum

from codegen.entries import Entry, parameters_of
from codegen.model import Procedure

LANGUAGE = "f90"


class Scheme(StrEnum):
    """How the linker name of a specific procedure is formed; 1A to 2B as in MPI-4.1
    table 19.1."""

    F08 = "1A"  # mpi_f08 without choice buffers
    F08TS = "1B"  # mpi_f08 with TYPE(*), DIMENSION(..)
    F90 = "2A"  # mpi and mpif.h without choice buffers; with them, without an interface
    F90TS = "2B"  # mpi and mpif.h with TYPE(*), DIMENSION(..)
    CPTR = "CPTR"  # mpi and mpif.h, TYPE(C_PTR) instead of an address-sized integer

    @property
    def suffix(self) -> str:
        """What the names of its procedures end in."""
        suffixes = {"1A": "_f08", "1B": "_f08ts", "2A": "", "2B": "_FTS"}
        return suffixes.get(self.value, "_CPTR")


def linker_name(name: str) -> str:
    """gfortran's and flang's mangling of an external procedure."""
    return name.lower() + "_"


def has_ierror(procedure: Procedure) -> bool:
    """There is an argument ierror."""
    return procedure.returns_error and not procedure.silent


def _entry(procedure: Procedure, scheme: Scheme) -> Entry:
    generic = procedure.name.upper()
    is_cptr = scheme is Scheme.CPTR
    return Entry(
        procedure=procedure,
        language=LANGUAGE,
        scheme=scheme,
        generic=generic,
        name=generic + scheme.suffix,
        is_large=False,
        has_ierror=has_ierror(procedure),
        parameters=parameters_of(procedure, LANGUAGE, False, is_cptr),
    )


def f90_entries(procedure: Procedure) -> tuple[Entry, ...]:
    """The specifics of a record, planned or not; what gives a pointer is overloaded with
    TYPE(C_PTR)."""
    if LANGUAGE not in procedure.languages:
        return ()
    scheme = Scheme.F90TS if procedure.has_choice else Scheme.F90
    schemes = (scheme, Scheme.CPTR) if procedure.gives_pointer else (scheme,)
    return tuple(_entry(procedure, one) for one in schemes)


def implicit_entries(procedure: Procedure) -> tuple[Entry, ...]:
    """What programs without an interface call where mpi and mpif.h have another specific:
    it takes addresses, so nothing that comes out may depend on what the buffer is."""
    needs_interface = "c" not in procedure.languages and not all(
        argument.is_choice for argument in procedure.arguments
    )
    is_other = LANGUAGE in procedure.languages and procedure.has_choice
    if needs_interface or not is_other:
        return ()
    return (_entry(procedure, Scheme.F90),)
