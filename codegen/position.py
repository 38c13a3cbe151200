# SPDX-License-Identifier: BSD-3-Clause
"""Where a table says something, and what is wrong there."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Position:
    """Where something was written."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class SpecError(Exception):
    """A table that cannot be used: where, which record, what is wrong, the remedy."""

    def __init__(self, position: Position, message: str, record: str = "") -> None:
        name = f"{record}: " if record else ""
        super().__init__(f"{position}: {name}{message}")
