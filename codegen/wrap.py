# SPDX-License-Identifier: BSD-3-Clause
"""Breaks long lines of generated C and Fortran where a person would."""


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


def _fill(
    text: str, first: int, rest: int, after: tuple[str, ...] = ("",)
) -> list[str]:
    """Lines of at most `first`, then `rest` columns; no blanks at the breaks."""
    lines = [""]
    for piece in _pieces(text, after):
        room = first if len(lines) == 1 else rest
        if lines[-1].strip() and len(lines[-1] + piece.rstrip()) > room:
            lines.append(piece)
        else:
            lines[-1] += piece
    return [line.rstrip() for line in lines]


def wrap_c(text: str, width: int = 88) -> str:
    """Continuation lines start below the first argument; a string that was given in
    parts is one string again where its line has room for it.
    """
    if len(text.replace('" "', "")) <= width:
        return text.replace('" "', "")
    head, parenthesis, rest = text.partition("(")
    while head.lstrip().startswith("if ") and rest.partition("(")[0].isidentifier():
        more, _, rest = rest.partition("(")
        head += parenthesis + more
    column = len(head) + 1
    lines = _fill(rest, width - column, width - column, (",", "&&", "|", '"'))
    lines = [line.replace('" "', "") for line in lines]
    return head + parenthesis + ("\n" + " " * column).join(lines)


def wrap_c_lines(text: str) -> str:
    """Every line by itself."""
    return "\n".join(wrap_c(line) for line in text.split("\n"))


def wrap_fortran(text: str, width: int = 132, hang: int = 4) -> str:
    """Free form: `&` at the end of a line that goes on."""
    indent = len(text) - len(text.lstrip())
    if len(text) <= width:
        return text
    lines = _fill(text.lstrip(), width - indent - 2, width - indent - hang - 2)
    return " " * indent + (" &\n" + " " * (indent + hang)).join(lines)


def wrap_fortran_lines(text: str, width: int) -> str:
    """Every line by itself; none is a comment."""
    return "\n".join(wrap_fortran(line, width) for line in text.split("\n"))


def wrap_both(text: str) -> str:
    """Fixed and free form at once: 72 columns, `&` in column 73 and column 6."""
    lines = _fill(text.strip(), 66, 66)
    body = [f"      {line:<66}&" for line in lines[:-1]] + [f"      {lines[-1]}"]
    return "\n".join([body[0]] + [f"     &{line[6:]}" for line in body[1:]])
