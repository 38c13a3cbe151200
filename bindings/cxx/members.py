# SPDX-License-Identifier: BSD-3-Clause
"""Which members of which classes a record gives, by the rules of MPI-2.2 16.1 and 2.6.4:

A procedure is a member of the class that its name begins with, else of that of the object
on which it raises errors, else of that of its first object; else it is a function of the
namespace. Its name is without that of the class. It is called on the one argument of the
class; if there is none, or more than one, it is static. What comes out is returned where it
is one thing, else it goes where references say. What is often left out can be left out.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from bindings.c.entries import LANGUAGE as C
from bindings.cxx.classes import LIBRARY, SAME, Class, Classes
from codegen.entries import Parameter, parameters_of
from codegen.kinds import KindClass
from codegen.model import Argument, Direction, Form, Procedure, Spec

LANGUAGE = "cxx"
NUMBERS = (KindClass.INTEGER, KindClass.MASK, KindClass.ADDRESS, KindClass.KEYVAL)
ADDRESSES = (KindClass.POINTER, KindClass.DETACHED)


@dataclass(frozen=True)
class Member:
    """A member function, or a function of the namespace."""

    procedure: Procedure
    owner: Class | None
    name: str
    is_large: bool
    is_short: bool  # without what can be left out
    receiver: Argument | None  # the argument that is the object it is called on
    result: Argument | None  # what comes out as its value
    result_class: Class | None  # of an object
    parameters: tuple[Parameter, ...]  # all that C takes
    given: tuple[Parameter, ...]  # those of them that C++ takes

    @property
    def is_static(self) -> bool:
        """It is called on no object."""
        return self.owner is not None and self.receiver is None

    @property
    def is_const(self) -> bool:
        """The object keeps its handle."""
        receiver = self.receiver
        return receiver is not None and receiver.direction is Direction.IN

    @property
    def callbacks(self) -> tuple[Parameter, ...]:
        """The program's functions, and their state."""
        sorts = (KindClass.CALLBACK, KindClass.STATE)
        found = tuple(p for p in self.parameters if p.kind.kind_class in sorts)
        return found if any(p.kind.is_callback for p in found) else ()

    @property
    def c_name(self) -> str:
        """The C function that does the work."""
        return self.procedure.name + ("_c" if self.is_large else "")


class Members:
    """The members of a table."""

    def __init__(self, classes: Classes, spec: Spec) -> None:
        self._classes = classes
        self._spec = spec

    # ---- the class -------------------------------------------------------------------
    def owner(self, procedure: Procedure) -> Class | None:
        """The class that has the procedure."""
        named = procedure.named(LANGUAGE)
        if named and named.of:
            return self._classes.of(procedure.argument(named.of))
        found = self._classes.beginning(procedure.name)
        if found:
            return self._sorted(procedure, found)
        taken = [a for a in procedure.arguments if a.is_in and not a.kind.is_info]
        if procedure.raised_on:
            taken.insert(0, procedure.raised_on)
        return next(filter(None, map(self._classes.of, taken)), None)

    def _objects(self, procedure: Procedure, of: Class) -> list[Argument]:
        """The arguments that are objects of a class or of one below."""
        found = [a for a in procedure.arguments if a.is_in and not a.is_array]
        classes = [(a, self._classes.of(a)) for a in found]
        return [a for a, one in classes if one and one.is_a(of)]

    def _sorted(self, procedure: Procedure, found: Class) -> Class:
        """The class, or one below it if the object must be of that."""
        objects = self._objects(procedure, found)
        only = self._classes.of(objects[0]) if len(objects) == 1 else None
        return only or found

    def _receiver(self, procedure: Procedure, owner: Class | None) -> Argument | None:
        named = procedure.named(LANGUAGE)
        if owner is None:
            return None
        if named and named.of:
            return procedure.argument(named.of)
        found = self._objects(procedure, owner)
        return found[0] if len(found) == 1 else None

    def owners(self, procedure: Procedure) -> tuple[Class | None, ...]:
        """The classes that have a member each: all, if it gives an object of the same
        one; those below, if it gives one of another kind than the one of all."""
        owner = self.owner(procedure)
        receiver = self._receiver(procedure, owner)
        if owner is None or receiver is None or owner.base:
            return (owner,)
        made = [a for a in procedure.arguments if a.direction is Direction.OUT]
        alike = [a for a in made if a.kind is receiver.kind and not a.is_array]
        if not alike or not self._classes.below(owner):
            return (owner,)
        if alike[0].sort == SAME:
            return tuple(c for c in self._classes if c.root is owner and not c.is_null)
        return (owner,) if alike[0].sort else self._classes.below(owner)

    # ---- its name and arguments ------------------------------------------------------
    def name(self, procedure: Procedure) -> str:
        """The member's name."""
        named = procedure.named(LANGUAGE)
        if named:
            return named.name
        found = self._classes.beginning(procedure.name)
        rest = found.rest(procedure.name) if found else ""
        rest = rest or procedure.name.removeprefix(LIBRARY)
        return rest[0].upper() + rest[1:]

    def is_left_out(self, argument: Argument) -> bool:
        """There is a member without it: a status, main's arguments, or an array that a
        constant stands in for."""
        kind_class = argument.kind.kind_class
        if kind_class is KindClass.STATUS:
            return argument.direction is Direction.OUT
        if argument.is_array and argument.may_be:
            return self._spec.constants[argument.may_be[0]].form is Form.IGNORE
        is_main = argument.kind.is_integral or kind_class is KindClass.ARGUMENTS
        return is_main and argument.null_ok and not argument.by_value

    def _result(self, procedure: Procedure, out: list[Argument]) -> Argument | None:
        """The argument that comes out as the value: a flag, else an object, else a
        number, else an address, if there is one of them."""

        def of(*sorts: KindClass) -> list[Argument]:
            return [a for a in out if a.kind.kind_class in sorts and not a.is_array]

        objects = [a for a in of(KindClass.HANDLE) if not a.is_async]
        for found in (of(KindClass.LOGICAL), objects):
            if len(found) == 1:
                return found[0]
        if of(KindClass.STRING, KindClass.LOGICAL, KindClass.HANDLE):
            return None
        numbers, addresses = of(*NUMBERS), of(*ADDRESSES)
        alone = numbers or addresses
        return alone[0] if len(alone) == 1 else None

    def _ordered(
        self, procedure: Procedure, parameters: list[Parameter]
    ) -> list[Parameter]:
        """In the order that the record says; arguments it does not name follow."""
        named = procedure.named(LANGUAGE)
        order = named.taking if named else ()
        place = {name: i for i, name in enumerate(order)}
        return sorted(parameters, key=lambda p: place.get(p.name, len(order)))

    def _member(
        self, procedure: Procedure, owner: Class | None, is_large: bool, is_short: bool
    ) -> Member:
        parameters = parameters_of(procedure, C, is_large)
        receiver = self._receiver(procedure, owner and self.owner(procedure))
        taken = [p for p in parameters if p.argument is not receiver]
        out = [p.argument for p in taken if p.argument.direction is Direction.OUT]
        result = self._result(procedure, out) if procedure.returns_error else None
        given = self._ordered(procedure, [p for p in taken if p.argument is not result])
        if is_short:
            given = [p for p in given if not self.is_left_out(p.argument)]
        return Member(
            procedure=procedure,
            owner=owner,
            name=self.name(procedure) + ("_c" if is_large else ""),
            is_large=is_large,
            is_short=is_short,
            receiver=receiver,
            result=result,
            result_class=self._classes.made(result, owner) if result else None,
            parameters=parameters,
            given=tuple(given),
        )

    def of(self, procedure: Procedure) -> Iterator[Member]:
        """The members of a record, planned or not."""
        if LANGUAGE not in procedure.languages or C not in procedure.languages:
            return
        can_be_short = any(self.is_left_out(a) for a in procedure.arguments_in(C))
        for owner in self.owners(procedure):
            for is_large in (False, True)[: 1 + procedure.is_large]:
                for is_short in (False, True)[: 1 + can_be_short]:
                    yield self._member(procedure, owner, is_large, is_short)
