# SPDX-License-Identifier: BSD-3-Clause
"""Members as text: declarations, and bodies that call C."""

from bindings.cxx.classes import Class
from bindings.cxx.members import Member
from bindings.cxx.passing import Passer, Passing, Types
from codegen.model import Direction, Procedure


class CxxText:
    """The text of members, for templates and for `show`."""

    def __init__(self, types: Types) -> None:
        self._types = types

    def comment(self, procedure: Procedure) -> str:
        """What stands above its members."""
        return f"{procedure.standard} {procedure.section}: {procedure.summary}"

    def base(self, one: Class) -> str:
        """What it is derived from."""
        return one.base.name if one.base else f"detail::Held<{one.c_type}>"

    def clone(self, one: Class) -> list[str]:
        """What a class declares that can be cloned (MPI-2.2 16.1.5)."""
        if one.base:
            head = f"{one.name} &Clone() const override"
            return [f"{head} {{ return *new {one.name}(Dup()); }}"]
        destroyed, copied, assigned = (
            f"virtual ~{one.name}() = default;",
            f"{one.name}(const {one.name} &) = default;",
            f"{one.name} &operator=(const {one.name} &) = default;",
        )
        head = f"virtual {one.name} &Clone() const"
        clone = f"{head} {{ return *new {one.name}(Dup()); }}"
        return [copied, assigned, destroyed, clone]

    def _passings(self, member: Member) -> list[Passing]:
        passer = Passer(self._types, member)
        return [passer.passing(parameter) for parameter in member.parameters]

    def _parameters(self, member: Member) -> str:
        passer = Passer(self._types, member)
        return ", ".join(passer.passing(p).declared for p in member.given)

    def result(self, member: Member) -> str:
        """The type of the value."""
        returns = member.procedure.returns
        if not returns.is_error_code:
            return self._types.returned(returns, member.is_large)
        if member.result is None:
            return "void"
        if member.result_class:
            return member.result_class.name
        return self._types.returned(member.result.kind, member.is_large)

    def _template(self, member: Member) -> str:
        typed = [p.typed for p in self._passings(member) if p.typed]
        return f"template <{', '.join(typed)}>\n" if typed else ""

    def declaration(self, member: Member) -> str:
        """As the class has it, without the semicolon. Compilers warn of calls of what is
        deprecated; the definition need not repeat that."""
        since = member.procedure.deprecation
        warning = f'[[deprecated("{since}")]]\n' if since else ""
        static = "static " if member.is_static else ""
        inline = "" if member.owner else "inline "
        const = " const" if member.is_const else ""
        start = f"{self._template(member)}{warning}"
        head = f"{start}{static}{inline}{self.result(member)}"
        return f"{head} {member.name}({self._parameters(member)}){const}"

    def head(self, member: Member) -> str:
        """As the definition begins."""
        scope = f"{member.owner.name}::" if member.owner else ""
        const = " const" if member.is_const else ""
        head = f"{self._template(member)}inline {self.result(member)}"
        return f"{head} {scope}{member.name}({self._parameters(member)}){const}"

    def body(self, member: Member) -> list[str]:
        """The statements of the definition."""
        passings = self._passings(member)
        call = f"{member.c_name}({', '.join(p.actual for p in passings)})"
        if not member.procedure.returns_error:
            back = "" if member.procedure.returns.is_nothing else "return "
            return [f"{back}{call};"]
        lines = [p.before for p in passings if p.before]
        if member.callbacks:
            names = ", ".join(p.name for p in member.callbacks)
            lines.append(f"auto functions = detail::functions({names});")
        lines.append(f"detail::check({call});")
        if member.callbacks:
            lines.append(f"functions.made({self._made(member)});")
        if calls_handler(member):
            lines.append(
                "detail::rethrow(); // the handler has been called with success"
            )
        lines += [p.after for p in passings if p.after]
        lines += [f"return {p.value};" for p in passings if p.value]
        return lines

    def _made(self, member: Member) -> str:
        """What is to call the program's functions."""
        made = [a for a in member.procedure.arguments if a.direction is Direction.OUT]
        return "held" if made[0] is member.receiver else made[0].name

    def page(self, member: Member) -> str:
        """As MPI-2.2 prints it."""
        static = "static " if member.is_static else ""
        scope = f"{member.owner.name}::" if member.owner else ""
        const = " const" if member.is_const else ""
        text = f"{static}{self.result(member)} MPI::{scope}{member.name}"
        return f"{text}({self._parameters(member)}){const}"


def calls_handler(member: Member) -> bool:
    """An error handler runs although the call succeeds: it is what is asked for."""
    procedure = member.procedure
    codes = [a for a in procedure.arguments if a.kind.is_error_code and a.is_in]
    return procedure.raised_on is not None and bool(codes)
