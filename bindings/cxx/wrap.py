# SPDX-License-Identifier: BSD-3-Clause
"""Breaks long lines of C++ where a person would."""

from codegen.wrap import fill

_WIDTH = 88


def _inner(line: str) -> int:
    """The parenthesis behind which arguments stand: the second of a call in a call."""
    outer = line.index("(")
    name, inner, _ = line[outer + 1 :].partition("(")
    return outer + 1 + len(name) if inner and name.isidentifier() else outer


def wrap_cxx(text: str, indent: int = 0) -> str:
    """A declaration or statement, so far indented; it goes on below its first parameter
    or argument."""
    if "\n" in text:
        return "\n".join(wrap_cxx(line, indent) for line in text.split("\n"))
    line = " " * indent + text
    if len(line) <= _WIDTH:
        return line
    column = _inner(line) + 1
    lines = fill(line, _WIDTH, _WIDTH - column, (",",))
    return ("\n" + " " * column).join(lines)


def wrap_cxx_comment(text: str, indent: int = 0) -> str:
    """A comment on lines of its own."""
    room = _WIDTH - indent - 3
    return "\n".join(" " * indent + "// " + line for line in fill(text, room, room))
