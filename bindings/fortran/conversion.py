# SPDX-License-Identifier: BSD-3-Clause
"""How an entry point of one language passes an argument to the C function."""

from collections.abc import Mapping
from dataclasses import dataclass

from codegen.model import Argument, Procedure
from codegen.position import SpecError


@dataclass(frozen=True)
class Conversion:
    """A class of arguments in one direction. The cells are text with {places}; "" where
    nothing is to be done."""

    actual: str = ""  # what is passed to C
    c_type: str = ""  # in an entry in Fortran: declaration of the C parameter
    fortran_type: str = ""  # in an entry in C: type of what Fortran passes
    local: str = ""  # declaration of a local c_NAME that C sees
    before: str = ""  # statement before the call
    always: str = ""  # statement after the call
    after: str = ""  # statement after a call that succeeded


def row(
    table: Mapping[str, Conversion], key: str, argument: Argument, procedure: Procedure
) -> Conversion:
    """The row of a class of arguments; an argument without one is an error of the
    record."""
    if key not in table:
        message = f"argument '{argument.name}': '{key}' has no conversion; add a row"
        raise SpecError(argument.position, message, procedure.name)
    return table[key]
