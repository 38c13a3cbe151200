# SPDX-License-Identifier: BSD-3-Clause
"""Breaks long lines of generated code where a person would."""


def _pieces(text: str, after: tuple[str, ...]) -> list[str]:
    """The text cut at every blank outside of quotes that follows one of `after`."""
    pieces, start, quote = [], 0, ""
    for index, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        elif letter == " " and text[:index].strip() and text[:index].endswith(after):
            pieces.append(text[start : index + 1])
            start = index + 1
    return [*pieces, text[start:]]


def fill(text: str, first: int, rest: int, after: tuple[str, ...] = ("",)) -> list[str]:
    """Lines of at most `first`, then `rest` columns; no blanks at the breaks."""
    lines = [""]
    for piece in _pieces(text, after):
        room = first if len(lines) == 1 else rest
        if lines[-1].strip() and len(lines[-1] + piece.rstrip()) > room:
            lines.append(piece)
        else:
            lines[-1] += piece
    return [line.rstrip() for line in lines]
