# SPDX-License-Identifier: BSD-3-Clause
"""The specific procedures of mpi_f08 (MPI-4.1 19.1.5 and 19.2)."""

from collections.abc import Iterable, Iterator

from bindings.fortran.entries import LANGUAGE as OLDER
from bindings.fortran.entries import Scheme, has_ierror
from codegen.entries import Entry, parameters_of
from codegen.model import Procedure

LANGUAGE = "f08"


def _entry(
    procedure: Procedure, scheme: Scheme, is_large: bool, language: str = LANGUAGE
) -> Entry:
    large = "_c" if is_large else ""
    return Entry(
        procedure=procedure,
        language=language,
        scheme=scheme,
        generic=procedure.name + (large if procedure.is_large_by_name else ""),
        name=procedure.name + large + scheme.suffix,
        is_large=is_large,
        has_ierror=has_ierror(procedure),
        parameters=parameters_of(procedure, language, is_large),
    )


def f08_entries(procedure: Procedure) -> tuple[Entry, ...]:
    """The specifics of a record, planned or not."""
    if LANGUAGE not in procedure.languages:
        return ()
    scheme = Scheme.F08TS if procedure.has_choice else Scheme.F08
    sizes = (False, True) if procedure.is_large else (False,)
    return tuple(_entry(procedure, scheme, is_large) for is_large in sizes)


def choice_entries(procedures: Iterable[Procedure]) -> Iterator[Entry]:
    """The specifics with choice buffers, and those that only mpi and mpif.h have, in the
    same form."""
    for procedure in procedures:
        if not procedure.has_choice:
            continue
        if LANGUAGE in procedure.languages:
            yield from f08_entries(procedure)
        elif OLDER in procedure.languages:
            yield _entry(procedure, Scheme.F08TS, False, OLDER)
