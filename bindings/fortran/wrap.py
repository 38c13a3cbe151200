# SPDX-License-Identifier: BSD-3-Clause
"""Breaks long lines of Fortran where a person would."""

from codegen.wrap import fill


def wrap_fortran(text: str, width: int = 132, hang: int = 4) -> str:
    """Free form: `&` at the end of a line that goes on."""
    indent = len(text) - len(text.lstrip())
    if len(text) <= width:
        return text
    lines = fill(text.lstrip(), width - indent - 2, width - indent - hang - 2)
    return " " * indent + (" &\n" + " " * (indent + hang)).join(lines)


def wrap_fortran_lines(text: str, width: int) -> str:
    """Every line by itself; none is a comment."""
    return "\n".join(wrap_fortran(line, width) for line in text.split("\n"))


def wrap_both(text: str) -> str:
    """Fixed and free form at once: 72 columns, `&` in column 73 and column 6."""
    lines = fill(text.strip(), 66, 66)
    body = [f"      {line:<66}&" for line in lines[:-1]] + [f"      {lines[-1]}"]
    return "\n".join([body[0]] + [f"     &{line[6:]}" for line in body[1:]])
