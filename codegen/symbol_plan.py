# SPDX-License-Identifier: BSD-3-Clause
"""The symbol plan: one row per symbol that the libraries export.

Entries follow from the records. What else a library exports for its bindings is
declared in bindings/<language>/symbols.spec, one line each:

    symbol NAME  library LIBRARY  [weak]  "what for"
"""

from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise

from codegen.entries import Entry
from codegen.language import Bindings, Language
from codegen.position import SpecError
from codegen.symbols import Symbol
from codegen.tokens import Cursor, pick, read_lines


def _signature(entry: Entry) -> str:
    """Differs when an argument's name, kind, direction or place differs."""
    words = [entry.procedure.returns.name]
    for parameter in entry.parameters:
        argument = parameter.argument
        count = "large" if parameter.is_large else "small"
        words.append(
            f"{argument.direction.value} {argument.name} {argument.kind.name} {count}"
        )
    return sha256(";".join(words).encode()).hexdigest()[:8]


def _entry_symbols(language: Language, entry: Entry) -> Iterator[Symbol]:
    """The MPI_ symbol and its PMPI twin."""
    weak = "weak" if language.is_weak else "strong"
    for name, binding in ((entry.name, weak), (entry.pmpi_name, "strong")):
        yield Symbol(
            symbol=language.linker_name(name),
            library=language.library,
            language=language.name,
            scheme=entry.scheme,
            count="large" if entry.is_large else "small",
            binding=binding,
            signature=_signature(entry),
            record=entry.procedure.name,
            position=entry.procedure.position,
        )


def _declared(bindings: Bindings, language: Language) -> Iterator[Symbol]:
    """What the symbols.spec of a language declares."""
    path = language.folder / "symbols.spec"
    if not path.exists():
        return
    libraries = tuple({other.library: 0 for other in bindings.languages.values()})
    for line in read_lines(path, f"bindings/{language.folder.name}/symbols.spec"):
        cursor = Cursor(line)
        cursor.expect("symbol", "to declare a symbol")
        name = cursor.record = cursor.word("the symbol")
        cursor.expect("library", "and the library that exports it")
        library = pick(cursor, "library", libraries)
        binding = "weak" if cursor.accept("weak") else "strong"
        text = cursor.string("what it is for, in quotes")
        cursor.expect_end()
        position = line.position.at(name)
        symbol = language.support_symbol(name, text, position)
        yield replace(symbol, library=library, binding=binding)


def _of_language(bindings: Bindings, language: Language) -> Iterator[Symbol]:
    name = language.name
    for entry in (*bindings.entries[name], *bindings.undeclared[name]):
        yield from _entry_symbols(language, entry)
    yield from language.symbols(bindings)
    yield from _declared(bindings, language)


def symbol_plan(bindings: Bindings) -> tuple[Symbol, ...]:
    """Every exported symbol, sorted; a library has each once."""
    symbols = [
        symbol
        for language in bindings.languages.values()
        for symbol in _of_language(bindings, language)
    ]
    symbols.sort(key=lambda s: (s.library, s.symbol))
    for one, other in pairwise(symbols):
        if (one.library, one.symbol) == (other.library, other.symbol):
            message = f"is in {one.library} already, for {one.record}; remove one"
            raise SpecError(other.position, message, other.symbol)
    return tuple(symbols)
