# SPDX-License-Identifier: BSD-3-Clause
"""Reads a category of constants and its constants:

NAME [VALUE] clause ... "text"

A constant of the standard stands for a type of C or of Fortran; so its clauses are called.
"""

from codegen.model import Category, Constant, Form, Named
from codegen.tokens import Cursor, Line, Sort, pick, take_only

# The groups of types that MPI-4.1 6.9.2 defines operations on, and characters.
OPERANDS = (
    "c_integer",
    "fortran_integer",
    "floating",
    "logical",
    "complex",
    "byte",
    "character",
    "multi_language",
    "pair",
)


def parse_category(head: Line, languages: tuple[str, ...]) -> Category:
    """The category that a line opens."""
    cursor = Cursor(head)
    cursor.expect("constants", "to open a category of constants")
    name = cursor.record = cursor.word("the category's name")
    position = cursor.place
    form = Form(pick(cursor, "form", tuple(f.value for f in Form)))
    is_handle = form is Form.HANDLE and cursor.peek().text != "only"
    kind = cursor.take().text if is_handle and cursor.peek().sort is Sort.WORD else ""
    c_type = cursor.word("the enum's type in C") if form is Form.ENUM else ""
    only = take_only(cursor, languages)
    title = cursor.string("what the constants are, in quotes")
    cursor.expect_end()
    return Category(name, title, form, kind, c_type, only, position)


def parse_constant(
    line: Line, category: Category, languages: tuple[str, ...]
) -> Constant:
    """The constant of a line."""
    cursor = Cursor(line, category.name)
    name = cursor.record = cursor.word("the constant's name")
    position = cursor.place
    value = cursor.number("a value") if cursor.peek().sort is Sort.NUMBER else None
    types = {"c": category.c_type, "fortran": "", "with": "", "doc": ""}
    words = {"calls": "", "of": category.kind, "at": ""}
    size, external, operand, text, is_large = None, 0, "", "", False
    groups: dict[str, tuple[str, ...]] = {"on": (), "also": ()}
    names: list[Named] = []
    while not cursor.at_end():
        if cursor.peek().sort is Sort.STRING:
            text = cursor.take().text
            continue
        clauses = (*types, *words, "size", "external", "is", *groups, "large", "named")
        clause = pick(cursor, "clause of a constant", clauses)
        if clause in types:
            types[clause] = cursor.string(f"the text of '{clause}', in quotes")
        elif clause in words:
            words[clause] = cursor.word(f"the value of '{clause}'")
        elif clause == "size":
            size = cursor.number("the size in bytes")
        elif clause == "external":
            external = cursor.number("the size in bytes")
        elif clause == "is":
            operand = pick(cursor, "group of types", OPERANDS)
        elif clause == "large":
            is_large = True
        elif clause == "named":
            language = pick(cursor, "language", languages)
            own = cursor.word("its name in that language")
            names.append(Named(language, own, "", (), position))
        else:
            groups[clause] = _operands(cursor)
    return Constant(
        name=name,
        category=category,
        value=value,
        text=text,
        doc=types["doc"],
        c_type=types["c"],
        fortran_type=types["fortran"],
        index_type=types["with"],
        size=size,
        external=external,
        operand=operand,
        operands=groups["on"],
        also=groups["also"],
        ignored=words["at"],
        callback=words["calls"],
        is_large=is_large,
        kind=words["of"],
        names=tuple(names),
        position=position,
    )


def _operands(cursor: Cursor) -> tuple[str, ...]:
    if cursor.accept("any"):
        return OPERANDS
    operands = [pick(cursor, "group of types", OPERANDS)]
    while cursor.accept(","):
        operands.append(pick(cursor, "group of types", OPERANDS))
    return tuple(operands)
