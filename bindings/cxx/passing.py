# SPDX-License-Identifier: BSD-3-Clause
"""How each parameter of a member reaches the C function, and what comes out of it."""

from dataclasses import dataclass

from bindings.cxx.classes import Class, Classes
from bindings.cxx.members import ADDRESSES, NUMBERS, Member
from codegen.entries import Parameter
from codegen.kinds import Kind, KindClass
from codegen.language import LanguageTable
from codegen.model import Argument, Callback, Direction


@dataclass(frozen=True)
class Passing:
    """One parameter."""

    declared: str  # as the member declares it
    actual: str  # as the C function gets it
    before: str = ""  # a statement before the call
    after: str = ""  # a statement after it
    value: str = ""  # what the member returns, if it is that
    typed: str = ""  # a parameter of the member's template


class Types:
    """The spelling of types and callbacks."""

    def __init__(self, table: LanguageTable, classes: Classes) -> None:
        self._table = table
        self.classes = classes

    def callback_name(self, name: str, owner: Class | None = None) -> str:
        """A prototype as C++ calls it: "Comm::Copy_attr_function"; without the class
        inside of it."""
        found = self.classes.beginning(name)
        rest = found.rest(name) if found else name.partition("_")[2]
        scope = f"{found.name}::" if found and found is not owner else ""
        return scope + rest[0].upper() + rest[1:]

    def callback_owner(self, callback: Callback) -> Class | None:
        """The class that declares it."""
        return self.classes.beginning(callback.name)

    def type(self, parameter: Parameter) -> str:
        """The type of a number, address or callback."""
        column = "large" if parameter.is_large else "small"
        cell = self._table.cell(parameter.kind, column)
        named = parameter.argument.callback
        return cell.format(callback=self.callback_name(named)) if named else cell

    def returned(self, kind: Kind, is_large: bool) -> str:
        """The type of a value that is no object."""
        return self._table.cell(kind, "large" if is_large else "small")

    def called(self, parameter: Parameter) -> str:
        """A parameter of a callback."""
        argument, name = parameter.argument, parameter.name
        const = "const " if argument.lis_direction is Direction.IN else ""
        one = self.classes.of(argument)
        column = "large" if parameter.is_large else "called"
        if argument.kind.kind_class is KindClass.VARIADIC:
            return "..."
        if one:
            return f"{const}{one.name} &{name}"
        cell = self._table.cell(argument.kind, column)
        is_flag = argument.kind.kind_class is KindClass.LOGICAL
        if is_flag and argument.is_out:
            return f"{cell} &{name}"
        const = const if argument.kind.is_pointer else ""
        return f"{const}{cell}{'' if cell.endswith('*') else ' '}{name}"


class Passer:
    """Decides for each parameter of a member."""

    def __init__(self, types: Types, member: Member) -> None:
        self._types = types
        self._member = member

    def passing(self, parameter: Parameter) -> Passing:
        """How it is passed."""
        member, argument = self._member, parameter.argument
        if argument is member.receiver:
            return self._receiver(argument)
        if parameter not in member.given and argument is not member.result:
            return Passing("", self._instead(argument))
        if parameter in member.callbacks:
            type_, name = self._types.type(parameter), argument.name
            return Passing(_pointer(type_, name), f"functions.in_c({name})")
        if self._types.classes.of(argument):
            return self._object(argument)
        return self._plain(parameter)

    # ---- objects ---------------------------------------------------------------------
    def _receiver(self, argument: Argument) -> Passing:
        if argument.by_pointer:
            one = self._types.classes.of(argument)
            assert one is not None, argument.name
            name = argument.name
            return Passing("", f"&{name}", before=f"{one.c_type} {name} = held;")
        is_value = argument.direction is Direction.IN and argument.kind.is_handle
        return Passing("", "held" if is_value else "&held")

    def _instead(self, argument: Argument) -> str:
        """What stands in for what is left out."""
        if argument.kind.kind_class is KindClass.STATUS:
            return "MPI_STATUSES_IGNORE" if argument.is_array else "MPI_STATUS_IGNORE"
        return argument.may_be[0] if argument.may_be else "nullptr"

    def _object(self, argument: Argument) -> Passing:
        name = argument.name
        one = self._types.classes.of(argument)
        assert one is not None, name
        if argument is self._member.result:
            return Passing(
                "", f"&{name}", f"{one.c_type} {name} = {one.null};", "", name
            )
        if argument.direction is Direction.OUT:
            one = self._types.classes.made(argument, self._member.owner) or one
        const = "const " if argument.direction is Direction.IN else ""
        if argument.is_array:
            return Passing(f"{const}{one.name} {name}[]", f"detail::in_c({name})")
        if const and one.is_status:
            return Passing(f"const {one.name} &{name}", f"{name}.c_address()")
        given = name if const else f"{name}.c_address()"
        if const and one.given:
            owner = self._member.owner
            assert owner is not None, name
            given = f"detail::{one.given}<{owner.root.name}>({name})"
        return Passing(f"{const}{one.name} &{name}", given)

    # ---- all else --------------------------------------------------------------------
    def _plain(self, parameter: Parameter) -> Passing:
        argument = parameter.argument
        match argument.kind.kind_class:
            case KindClass.CHOICE | KindClass.ATTRIBUTE | KindClass.STATE:
                return self._buffer(parameter)
            case KindClass.STRING:
                return self._text(parameter)
            case KindClass.LOGICAL:
                return self._flag(argument)
            case KindClass.ARGUMENTS:
                return self._arguments(argument)
            case KindClass.VARIADIC:
                name = argument.name
                return Passing(f"More... {name}", f"{name}...", typed="class... More")
            case kind_class if kind_class in ADDRESSES:
                return self._address(argument)
            case KindClass.LITERAL:
                return Passing(f"void *{argument.name}", argument.name)
            case KindClass.FSTATUS:
                const = "const " if argument.direction is Direction.IN else ""
                type_ = self._types.type(parameter)
                return Passing(f"{const}{type_} *{argument.name}", argument.name)
        assert argument.kind.kind_class in NUMBERS, argument.kind.name
        return self._number(parameter)

    def _text(self, parameter: Parameter) -> Passing:
        argument = parameter.argument
        const = "const " if argument.direction is Direction.IN else ""
        return Passing(
            f"{const}{self._types.type(parameter)}{argument.name}", argument.name
        )

    def _buffer(self, parameter: Parameter) -> Passing:
        """Addresses that go in are of what does not change, but for states."""
        argument, name = parameter.argument, parameter.name
        type_ = self._types.type(parameter)
        is_state = argument.kind.kind_class is KindClass.STATE
        if argument.direction is not Direction.IN or is_state:
            return Passing(f"{type_}{name}", name)
        given = name if argument.is_const else f"const_cast<{type_}>({name})"
        return Passing(f"const {type_}{name}", given)

    def _flag(self, argument: Argument) -> Passing:
        name = argument.name
        if argument is self._member.result:
            return Passing("", f"&{name}", f"int {name} = 0;", "", f"{name} != 0")
        const = "const " if argument.direction is Direction.IN else ""
        if argument.is_array:
            given = f"detail::Flags({name}, {self._count(argument)})"
            return Passing(f"{const}bool {name}[]", given)
        if const:
            return Passing(f"bool {name}", name)
        given = f"detail::Flags(&{name}, 1)"
        return Passing(f"bool &{name}", given)

    def _count(self, argument: Argument) -> str:
        """How many elements an array of flags has."""
        if argument.per is None:
            return argument.count
        function = f"oriel_{self._object_of(argument)}_{argument.per.what}s"
        return f"detail::{function}(reinterpret_cast<std::uintptr_t>(held))"

    def _object_of(self, argument: Argument) -> str:
        assert argument.per is not None
        owner = self._member.procedure.argument(argument.per.argument)
        return owner.kind.object

    def _arguments(self, argument: Argument) -> Passing:
        name = argument.name
        if argument.by_value:
            return Passing(f"char **{name}", name)
        return Passing(f"char **&{name}", f"&{name}")

    def _address(self, argument: Argument) -> Passing:
        name = argument.name
        if argument is self._member.result:
            return Passing("", f"&{name}", f"void *{name} = nullptr;", "", name)
        return Passing(
            declared=f"T *&{name}",
            actual=f"&{name}_in_c",
            before=f"void *{name}_in_c = nullptr;",
            after=f"{name} = static_cast<T *>({name}_in_c);",
            typed="class T",
        )

    def _number(self, parameter: Parameter) -> Passing:
        argument, name = parameter.argument, parameter.name
        type_ = self._types.type(parameter)
        if argument is self._member.result:
            return Passing("", f"&{name}", f"{type_} {name} = 0;", "", name)
        const = "const " if argument.direction is Direction.IN else ""
        if argument.columns:
            columns = argument.columns
            given = (
                name
                if argument.is_const
                else f"const_cast<{type_} (*)[{columns}]>({name})"
            )
            return Passing(f"{const}{type_} {name}[][{columns}]", given)
        if argument.is_array:
            return Passing(f"{const}{type_} {name}[]", name)
        if const or argument.by_value:
            return Passing(f"{type_} {name}", name)
        return Passing(f"{type_} &{name}", f"&{name}")


def _pointer(type_: str, name: str) -> str:
    return f"{type_}{name}" if type_.endswith("*") else f"{type_} {name}"
