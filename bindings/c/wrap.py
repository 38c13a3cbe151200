# SPDX-License-Identifier: BSD-3-Clause
"""Breaks long lines of C where a person would."""

from codegen.wrap import fill


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
    lines = fill(rest, width - column, width - column, (",", "&&", "|", '"'))
    lines = [line.replace('" "', "") for line in lines]
    return head + parenthesis + ("\n" + " " * column).join(lines)


def wrap_c_lines(text: str) -> str:
    """Every line by itself."""
    return "\n".join(wrap_c(line) for line in text.split("\n"))
