# SPDX-License-Identifier: BSD-3-Clause
"""Where a table says something, and what is wrong there."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

UNQUOTED = re.compile(r'"[^"]*"|#.*')  # texts and comments, in which no word is meant


@dataclass(frozen=True)
class Position:
    """Where something was written; `column` and `width` mark the word that is meant."""

    file: str
    line: int
    text: str = ""  # the line itself
    column: int = 0  # from 1; 0 if the file or line as a whole is meant
    width: int = 0

    def __str__(self) -> str:
        column = f":{self.column}" if self.column else ""
        return f"{self.file}:{self.line}{column}"

    def at(self, words: str) -> "Position":
        """The same with the mark under these words: where they come next behind the
        present mark, else first in the line; unchanged if the line has them not."""
        code = UNQUOTED.sub(lambda found: " " * len(found[0]), self.text)
        pattern = rf"(?<!\w){re.escape(words)}(?!\w)"
        places = [found.start() + 1 for found in re.finditer(pattern, code)]
        if not places:
            return self
        column = next((p for p in places if p > self.column), places[0])
        return replace(self, column=column, width=len(words))

    @property
    def excerpt(self) -> str:
        """The line with a mark under the word, to follow a message; "" without one."""
        if not self.column:
            return ""
        blanks = re.sub(r"[^\t]", " ", self.text[: self.column - 1])
        return f"\n{self.text}\n{blanks}^{'~' * (self.width - 1)}"


class SpecError(Exception):
    """A table that cannot be used: where, which record, what is wrong, the remedy."""

    def __init__(self, position: Position, message: str, record: str = "") -> None:
        name = f"{record}: " if record else ""
        super().__init__(f"{position}: {name}{message}{position.excerpt}")


# ---- remedies ------------------------------------------------------------------------
def _distance(one: str, other: str) -> int:
    """How many letters are wrong, missing, superfluous or swapped with the next one
    (optimal string alignment)."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        last, before, row = before, row, [i]
        for j, wanted in enumerate(other, 1):
            changed = before[j - 1] + (letter != wanted)
            row.append(min(changed, before[j] + 1, row[j - 1] + 1))
            if i > 1 and j > 1 and (one[i - 2], letter) == (wanted, other[j - 2]):
                row[j] = min(row[j], last[j - 2] + 1)
    return row[-1]


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that this one was probably meant to be, whatever its case; ""
    if none is near."""
    near = [(_distance(word.lower(), other.lower()), other) for other in known]
    allowed = min(2, (len(word) + 1) // 3)
    return next((other for far, other in sorted(near) if far <= allowed), "")


def did_you_mean(word: str, known: Iterable[str], otherwise: str) -> str:
    """The remedy for a word that is not known."""
    near = nearest(word, known)
    return f"did you mean '{near}'?" if near else otherwise
