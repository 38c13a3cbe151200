# SPDX-License-Identifier: BSD-3-Clause
"""Conversions of arguments between an entry point and the C function."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from codegen.entries import Entry, Parameter
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


class ConvertedArguments(ABC):
    """The arguments of one entry: fills the cells of their conversions."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.procedure = entry.procedure

    @property
    def converted(self) -> tuple[Parameter, ...]:
        """The arguments that have a conversion."""
        return self.entry.parameters

    @abstractmethod
    def cells(self, p: Parameter) -> Conversion:
        """An argument's row, to be filled."""

    @abstractmethod
    def fill(self, p: Parameter, cell: str) -> str:
        """A cell of an argument's row, filled."""

    def actual(self, p: Parameter) -> str:
        """The actual argument for C."""
        return self.fill(p, self.cells(p).actual)

    def filled(
        self, column: Callable[[Conversion], str], of_arrays: bool = False
    ) -> Iterator[str]:
        """The cells of a column: of all arguments, or of arrays."""
        for p in self.converted:
            cell = column(self.cells(p))
            if cell and (p.argument.is_array or not of_arrays):
                yield self.fill(p, cell)
