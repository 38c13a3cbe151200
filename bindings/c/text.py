# SPDX-License-Identifier: BSD-3-Clause
"""Declarations in C. The types are in bindings/c/kinds.spec."""

from codegen.entries import CallbackEntry, Entry, Parameter
from codegen.kinds import KindClass
from codegen.language import LanguageTable
from codegen.model import Argument, Procedure


def _is_address(argument: Argument) -> bool:
    """C gets its address."""
    is_reference = argument.by_pointer or argument.kind.is_by_reference
    return (argument.is_out or is_reference) and not argument.by_value


def _declare(argument: Argument, kind_type: str) -> str:
    """A declarator; a type that is a pointer already gets no further star."""
    if argument.kind.kind_class is KindClass.VARIADIC:
        return "..."
    const = "const " if argument.is_const else ""
    if argument.columns:
        return f"{const}{kind_type} {argument.name}[][{argument.columns}]"
    if kind_type.endswith("*"):
        value = kind_type.removesuffix("*") if argument.by_value else kind_type
        return f"{const}{value}{argument.name}"
    # Compilers take [] as a promise of an element, and constants have none.
    if argument.is_array and not argument.may_be:
        return f"{const}{kind_type} {argument.name}[]"
    star = "*" if argument.is_array or _is_address(argument) else ""
    return f"{const}{kind_type} {star}{argument.name}"


class CText:
    """Declarations in C, for templates and for `show`."""

    def __init__(self, table: LanguageTable) -> None:
        self._table = table

    def type(self, parameter: Parameter) -> str:
        """The type of a parameter's value: "MPI_Aint"; of a POLY kind by the entry."""
        column = "large" if parameter.is_large else "small"
        cell = self._table.cell(parameter.kind, column)
        return cell.format(callback=parameter.argument.callback)

    def declare(self, parameter: Parameter) -> str:
        """A parameter: "const void *origin_addr"."""
        argument = parameter.argument
        return _declare(argument, self.type(parameter))

    def parameters(self, parameters: tuple[Parameter, ...]) -> str:
        """The parameters of a prototype, between its parentheses."""
        return ", ".join(self.declare(p) for p in parameters) or "void"

    def returns(self, entry: Entry) -> str:
        """The result's type."""
        returns = entry.procedure.returns
        return self._table.cell(returns, "large" if entry.is_large else "small")

    def prototype(self, entry: Entry, name: str = "") -> str:
        """A function's prototype on one line, without the semicolon."""
        parameters = self.parameters(entry.parameters)
        return f"{self.returns(entry)} {name or entry.name}({parameters})"

    def callback(self, entry: CallbackEntry) -> str:
        """A callback's prototype on one line, without typedef and semicolon."""
        parameters = self.parameters(entry.parameters_in("c"))
        returns = self._table.cell(entry.callback.returns, "small")
        return f"{returns} {entry.name}({parameters})"

    def core_type(self, argument: Argument) -> str:
        """The type that the core takes for a value: wide, an object for a handle."""
        if argument.kind.is_handle and not argument.is_raw_handle:
            return f"struct {argument.kind.object} *"
        return self._table.cell(argument.kind, "large")

    def core_declare(self, argument: Argument) -> str:
        """A parameter of a core function."""
        if argument.kind.is_callback:
            return f"generic_function *{argument.name}"
        if argument.is_numbers:
            return f"struct numbers {argument.name}"
        if argument.kind.is_handle and not argument.is_raw_handle:
            # An inout handle is resolved like an in one: the entry point nulls it.
            star = "*" if not argument.is_in else ""
            return f"{self.core_type(argument)}{star}{argument.name}"
        return _declare(argument, self.core_type(argument))

    def core_declarations(self, arguments: tuple[Argument, ...]) -> str:
        """Parameters of a core function."""
        return ", ".join(map(self.core_declare, arguments))

    def core_prototype(self, procedure: Procedure) -> str:
        """A core function's prototype on one line, without the semicolon."""
        arguments = procedure.arguments_in("c")
        given = [a for a in arguments if a.kind.kind_class is not KindClass.VARIADIC]
        declared = [self.core_declare(a) for a in given]
        if procedure.is_raw:
            declared = [self.declare(Parameter(a, False, False)) for a in given]
        if procedure.sized:
            declared.append("_Bool is_large")
        parameters = ", ".join(declared) or "void"
        returns = self._table.cell(procedure.returns, "large")
        return f"{returns} oriel_{procedure.core}({parameters})"
