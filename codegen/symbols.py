# SPDX-License-Identifier: BSD-3-Clause
"""Symbols that the libraries export, and their rows in symbols.txt."""

from dataclasses import dataclass

from codegen.position import Position


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


def plan_text(symbols: tuple[Symbol, ...]) -> str:
    """The plan as a file."""
    columns = ("library", "lang", "scheme", "count", "binding", "signature", "record")
    head = _row("# symbol", *columns)
    return "\n".join([head, *(s.row() for s in symbols)]) + "\n"
