# SPDX-License-Identifier: BSD-3-Clause
"""A language that the generator has never heard of: a table for people, in plain text."""

from collections.abc import Callable, Iterator, Mapping

from codegen.entries import Entry, Parameter, parameters_of
from codegen.language import Bindings, Language
from codegen.model import Procedure


class Plain(Language):
    """A procedure is an entry without a symbol's mangling; its page is one line."""

    name = "plain"
    library = "libplain"

    def entries(self, procedure: Procedure) -> tuple[Entry, ...]:
        if self.name not in procedure.languages:
            return ()
        entry = Entry(
            procedure=procedure,
            language=self.name,
            scheme="plain",
            generic=procedure.name,
            name=procedure.name.lower(),
            is_large=False,
            has_ierror=False,
            parameters=parameters_of(procedure, self.name, False),
        )
        return (entry,)

    def type(self, parameter: Parameter) -> str:
        """What an argument is."""
        word = self.table.cell(parameter.kind, "word")
        return f"{word}s" if parameter.argument.is_array else word

    def names(self, bindings: Bindings) -> Mapping[str, object]:
        return {"plain": self, "plain_entries": bindings.entries[self.name]}

    def filters(self) -> Mapping[str, Callable[..., str]]:
        return {"in_column": lambda text, width: f"{text:<{width}}"}

    def page(self, procedure: Procedure) -> Iterator[str]:
        for entry in self.entries(procedure):
            words = [f"{p.name} ({self.type(p)})" for p in entry.parameters]
            yield f"Plain text: {entry.generic} {', '.join(words)}"


LANGUAGE = Plain
