# SPDX-License-Identifier: BSD-3-Clause
"""The functions of C: a small and perhaps a large one (MPI-4.1 19.2)."""

from codegen.entries import Entry, parameters_of
from codegen.model import Procedure

LANGUAGE = "c"


def _entry(procedure: Procedure, is_large: bool) -> Entry:
    name = procedure.name + ("_c" if is_large else "")
    return Entry(
        procedure=procedure,
        language=LANGUAGE,
        scheme="C",
        generic=name,
        name=name,
        is_large=is_large,
        has_ierror=False,
        parameters=parameters_of(procedure, LANGUAGE, is_large),
    )


def c_entries(procedure: Procedure) -> tuple[Entry, ...]:
    """The C functions of a record, planned or not."""
    if LANGUAGE not in procedure.languages:
        return ()
    sizes = (False, True) if procedure.is_large else (False,)
    return tuple(_entry(procedure, is_large) for is_large in sizes)
