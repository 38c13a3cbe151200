# SPDX-License-Identifier: BSD-3-Clause
"""What stands in the header, in its order."""

from itertools import groupby

from bindings.cxx.classes import Class, Classes
from bindings.cxx.members import LANGUAGE, Member, Members
from bindings.cxx.passing import Types
from codegen.entries import CallbackEntry
from codegen.language import Bindings
from codegen.model import Procedure


class Page:
    """The classes, each with its prototypes and members, and the functions."""

    def __init__(
        self, classes: Classes, members: Members, types: Types, bindings: Bindings
    ) -> None:
        self._types = types
        self._callbacks = [
            e for e in bindings.callbacks if LANGUAGE in e.callback.languages
        ]
        self.classes = tuple(classes)
        self.members = tuple(m for p in bindings.procedures for m in members.of(p))

    def nulls_of(self, one: Class) -> tuple[Class, ...]:
        """The class of the null handle that converts to this one below the root."""
        alike = (c for c in self.classes if c.is_null and c.root is one.root)
        return tuple(c for c in alike if one.base and c is not one)

    def members_of(
        self, one: Class | None
    ) -> tuple[tuple[Procedure, tuple[Member, ...]], ...]:
        """The members of a class, or the functions of the namespace, by record."""
        found = [member for member in self.members if member.owner is one]
        groups = groupby(found, lambda member: member.procedure)
        return tuple((procedure, tuple(members)) for procedure, members in groups)

    def callbacks_of(self, one: Class | None) -> tuple[str, ...]:
        """The prototypes that a class declares, or the namespace."""
        found = [
            e for e in self._callbacks if self._types.callback_owner(e.callback) is one
        ]
        return tuple(self._prototype(entry, one) for entry in found)

    def _prototype(self, entry: CallbackEntry, one: Class | None) -> str:
        """Without the semicolon."""
        taken = map(self._types.called, entry.parameters_in("c"))
        returns = self._types.returned(entry.callback.returns, False)
        name = self._types.callback_name(entry.name, one)
        return f"typedef {returns} {name}({', '.join(taken)})"
