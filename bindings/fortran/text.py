# SPDX-License-Identifier: BSD-3-Clause
"""How Fortran declares what the table says, in the standard's spelling. The types are
in bindings/f08/kinds.spec and bindings/fortran/kinds.spec.
"""

from dataclasses import dataclass

from codegen.entries import CallbackEntry, Entry, Parameter
from codegen.kinds import Kind, KindClass
from codegen.language import LanguageTable
from codegen.model import Argument


@dataclass(frozen=True)
class Declaration:
    """One declaration statement."""

    attributes: str  # "INTEGER, INTENT(IN)"
    names: tuple[str, ...]  # with dimensions: "ranks(n)"

    def __str__(self) -> str:
        return f"{self.attributes} :: {', '.join(self.names)}"


def group(pairs: list[tuple[str, str]]) -> tuple[Declaration, ...]:
    """Declarations with equal attributes in one statement, in order of appearance."""
    names: dict[str, list[str]] = {}
    for attributes, name in pairs:
        names.setdefault(attributes, []).append(name)
    return tuple(Declaration(key, tuple(value)) for key, value in names.items())


def _fill(cell: str, argument: Argument) -> str:
    """A cell may hold {length} of a string and {callback}."""
    return cell.format(length=argument.length or "*", callback=argument.callback)


class F08Text:
    """Declarations of mpi_f08."""

    def __init__(self, table: LanguageTable) -> None:
        self._table = table

    def type(self, parameter: Parameter) -> str:
        """The type, as the standard writes it; of a POLY kind by the entry."""
        column = "large" if parameter.is_large else "small"
        return _fill(self._table.cell(parameter.kind, column), parameter.argument)

    def intent(self, argument: Argument) -> str:
        """IN, OUT, INOUT or nothing (MPI-4.1 19.1.2)."""
        kind_class = argument.kind.kind_class
        if not argument.has_intent or kind_class is KindClass.CALLBACK:
            return ""
        is_sentinel = kind_class in (KindClass.CHOICE, KindClass.STATUS)
        if (
            is_sentinel
            and argument.is_out
            and not (argument.is_in and kind_class is KindClass.STATUS)
        ):
            return ""  # the actual argument may be a sentinel
        return argument.direction.value.upper()

    def attributes(self, parameter: Parameter) -> str:
        """All that stands before the double colon."""
        argument = parameter.argument
        intent = self.intent(argument)
        parts = [
            self.type(parameter),
            f"INTENT({intent})" if intent else "",
            "ASYNCHRONOUS" if argument.is_async else "",
        ]
        return ", ".join(part for part in parts if part)

    def entity(self, argument: Argument) -> str:
        """The name with its dimensions."""
        shape = ["MPI_STATUS_SIZE"] if self._is_integers(argument) else []
        shape += [argument.columns] if argument.columns else []
        shape += [argument.length] if argument.is_array else []
        return argument.name + (f"({', '.join(shape)})" if shape else "")

    def _is_integers(self, argument: Argument) -> bool:
        """A status that is an array of INTEGERs."""
        is_status = argument.kind.kind_class is KindClass.FSTATUS
        return is_status and self._table.cell(argument.kind, "small") == "INTEGER"

    def dummies(self, entry: Entry) -> tuple[str, ...]:
        """The names in the parentheses."""
        names = tuple(p.name for p in entry.parameters)
        return names + (("ierror",) if entry.has_ierror else ())

    def declarations(self, entry: Entry) -> tuple[Declaration, ...]:
        """The declarations of the dummy arguments, ierror last."""
        pairs = [
            (self.attributes(p), self.entity(p.argument)) for p in entry.parameters
        ]
        if entry.has_ierror:
            pairs.append(("INTEGER, OPTIONAL, INTENT(OUT)", "ierror"))
        return group(pairs)

    def result(self, kind: Kind) -> str:
        """The type of a function's result."""
        return self._table.cell(kind, "small")

    def callback_dummies(self, entry: CallbackEntry) -> tuple[str, ...]:
        """The names in the parentheses of an abstract interface."""
        names = [p.name for p in entry.parameters_in("f08")]
        return tuple(names + (["ierror"] if entry.callback.returns_error else []))

    def callback_declarations(self, entry: CallbackEntry) -> tuple[Declaration, ...]:
        """The declarations of an abstract interface: no INTENT, ierror not OPTIONAL."""
        pairs = [
            (self.type(p), self.entity(p.argument)) for p in entry.parameters_in("f08")
        ]
        if entry.callback.returns_error:
            pairs.append(("INTEGER", "ierror"))
        return group(pairs)


class F90Text:
    """Declarations of the mpi module and mpif.h."""

    def __init__(self, table: LanguageTable) -> None:
        self._table = table

    def type(self, parameter: Parameter, column: str = "") -> str:
        """The type, as the standard writes it."""
        column = column or ("cptr" if parameter.is_cptr else "type")
        return _fill(self._table.cell(parameter.kind, column), parameter.argument)

    def entity(self, argument: Argument) -> str:
        """The name with its dimensions: a buffer or an array is assumed-size."""
        statuses = (KindClass.STATUS, KindClass.FSTATUS)
        is_status = argument.kind.kind_class in statuses
        is_integers = is_status and self._table.cell(argument.kind, "type") == "INTEGER"
        shape = ["MPI_STATUS_SIZE"] if is_integers else []
        shape += [argument.columns] if argument.columns else []
        is_open = argument.kind.kind_class in (KindClass.CHOICE, KindClass.DETACHED)
        shape += ["*"] if is_open or argument.is_array else []
        return argument.name.upper() + (f"({', '.join(shape)})" if shape else "")

    def dummies(self, entry: Entry) -> tuple[str, ...]:
        """The names in the parentheses."""
        names = tuple(p.name.upper() for p in entry.parameters)
        return names + (("IERROR",) if entry.has_ierror else ())

    def declarations(self, entry: Entry) -> tuple[Declaration, ...]:
        """The declarations of the dummy arguments."""
        pairs = [(self.type(p), self.entity(p.argument)) for p in entry.parameters]
        if entry.has_ierror:
            pairs.append(("INTEGER", "IERROR"))
        return group(pairs)

    def result(self, kind: Kind) -> str:
        """The type of a function's result."""
        return self._table.cell(kind, "type")


def fortran_case(text: str) -> str:
    """Lower case but for MPI's names: the house style of generated Fortran."""
    words, word = [], ""
    for letter in text + "\0":
        if letter.isalnum() or letter == "_":
            word += letter
            continue
        is_mpi = word.upper().startswith(("MPI_", "PMPI_"))
        words.append((word if is_mpi else word.lower()) + letter)
        word = ""
    return "".join(words)[:-1]
