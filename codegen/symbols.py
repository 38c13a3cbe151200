# SPDX-License-Identifier: BSD-3-Clause
"""The symbol plan: one row per symbol that the libraries export.

Entries follow from the records. What else a library exports for its bindings is
declared in bindings/<language>/symbols.spec, one line each:

    symbol NAME  library LIBRARY  [weak]  "what for"
"""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

from codegen.expand import Bindings, Entry, Scheme
from codegen.language import FOLDERS
from codegen.model import Form
from codegen.position import Position, SpecError
from codegen.tokens import Cursor, pick, read_lines

LIBRARIES = {"c": "libmpi_abi", "f08": "liboriel_fortran", "f90": "liboriel_fortran"}


@dataclass(frozen=True)
class Symbol:
    """One exported symbol."""

    symbol: str
    library: str
    language: str
    scheme: str  # as in MPI-4.1 table 19.1; "support" for what is not an entry
    count: str  # small, large or -
    binding: str  # strong or weak
    signature: str  # digest of names, kinds and directions of the arguments, or -
    record: str  # procedure, or what the symbol is for
    position: Position

    def row(self) -> str:
        """Its line in symbols.txt."""
        return _row(
            self.symbol,
            self.library,
            self.language,
            self.scheme,
            self.count,
            self.binding,
            self.signature,
            self.record,
        )


def _row(*cells: str) -> str:
    widths = (48, 16, 4, 8, 6, 7, 9, 0)
    return " ".join(
        f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True)
    )


def linker_name(language: str, name: str) -> str:
    """gfortran's and flang's mangling of an external procedure; C has none."""
    return name if language == "c" else name.lower() + "_"


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


def _entry_symbols(entry: Entry) -> Iterator[Symbol]:
    """The MPI_ symbol and its PMPI twin; in C the former is a weak alias."""
    count = "large" if entry.is_large else "small"
    weak = "weak" if entry.language == "c" else "strong"
    for name, binding in ((entry.name, weak), (entry.pmpi_name, "strong")):
        yield Symbol(
            linker_name(entry.language, name),
            LIBRARIES[entry.language],
            entry.language,
            entry.scheme.value,
            count,
            binding,
            _signature(entry),
            entry.procedure.name,
            entry.procedure.position,
        )


def _predefined_symbols(bindings: Bindings) -> Iterator[Symbol]:
    """Predefined callbacks are constants in C and procedures in Fortran.

    mpi_f08 and mpi share them: a handle type has the layout of an INTEGER.
    """
    for constant in bindings.spec.constants.values():
        if constant.form is not Form.FUNCTION:
            continue
        callback = bindings.spec.callbacks[constant.callback]
        if callback.planned:
            continue
        yield Symbol(
            linker_name("f90", constant.name),
            LIBRARIES["f90"],
            "f90",
            Scheme.F90.value,
            "-",
            "strong",
            "-",
            constant.name,
            constant.position,
        )


def _address_symbols(bindings: Bindings) -> Iterator[Symbol]:
    """Variables that C programs read and the Fortran layer sets."""
    for constant in bindings.spec.constants.values():
        if constant.form is Form.ADDRESS:
            yield Symbol(
                constant.name,
                LIBRARIES["c"],
                "c",
                "support",
                "-",
                "strong",
                "-",
                f"address of {constant.ignored}",
                constant.position,
            )


def _length_symbols(bindings: Bindings) -> Iterator[Symbol]:
    """What the Fortran layer asks before it copies an array of handles."""
    for length in bindings.lengths:
        yield Symbol(
            f"oriel_{length.name}",
            LIBRARIES["c"],
            "c",
            "support",
            "-",
            "strong",
            "-",
            "lengths of arrays to be copied",
            length.kind.position,
        )


def support_symbols(bindings_folder: Path) -> Iterator[Symbol]:
    """What bindings/<language>/symbols.spec declares."""
    for language, folder in FOLDERS.items():
        path = bindings_folder / folder / "symbols.spec"
        if not path.exists():
            continue
        for line in read_lines(path, f"bindings/{folder}/symbols.spec"):
            cursor = Cursor(line)
            cursor.expect("symbol", "to declare a symbol")
            name = cursor.record = cursor.word("the symbol")
            cursor.expect("library", "and the library that exports it")
            library = pick(cursor, "library", tuple(dict.fromkeys(LIBRARIES.values())))
            binding = "weak" if cursor.accept("weak") else "strong"
            text = cursor.string("what it is for, in quotes")
            cursor.expect_end()
            yield Symbol(
                name,
                library,
                language,
                "support",
                "-",
                binding,
                "-",
                text,
                line.position,
            )


def symbol_plan(bindings: Bindings, bindings_folder: Path) -> tuple[Symbol, ...]:
    """Every exported symbol, sorted; a library has each once."""
    symbols = [
        symbol
        for entries in (bindings.c, bindings.f08, bindings.f90, bindings.implicit)
        for entry in entries
        for symbol in _entry_symbols(entry)
    ]
    symbols += _predefined_symbols(bindings)
    symbols += _address_symbols(bindings)
    symbols += _length_symbols(bindings)
    symbols += support_symbols(bindings_folder)
    symbols.sort(key=lambda s: (s.library, s.symbol))
    for one, other in pairwise(symbols):
        if (one.library, one.symbol) == (other.library, other.symbol):
            message = f"is in {one.library} already, for {one.record}; remove one"
            raise SpecError(other.position, message, other.symbol)
    return tuple(symbols)


def plan_text(symbols: tuple[Symbol, ...]) -> str:
    """The plan as a file."""
    columns = ("library", "lang", "scheme", "count", "binding", "signature", "record")
    head = _row("# symbol", *columns)
    return "\n".join([head, *(s.row() for s in symbols)]) + "\n"
