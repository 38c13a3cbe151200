# SPDX-License-Identifier: BSD-3-Clause
"""Rules for templates: they print what Python has computed.

A template has no `do`, no `set` of what has to be computed, no macro over MACRO_LINES
lines, and no if inside an if.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jinja2 import Environment, nodes

MACRO_LINES = 15

# Parsed with `do` known, so that it is found and not a syntax error.
_PARSER = Environment(extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols"])


def _is_constant(expression: nodes.Node) -> bool:
    if not isinstance(expression, nodes.Expr):
        return False
    try:
        expression.as_const()
    except nodes.Impossible:
        return False
    return True


def _computing(tree: nodes.Template) -> Iterator[tuple[int, str]]:
    for statement in tree.find_all(nodes.ExprStmt):
        yield statement.lineno, "'do' computes; a property or a step holds the result"
    for block in tree.find_all(nodes.AssignBlock):
        yield block.lineno, "'set' computes; a property or a step holds the result"
    for assignment in tree.find_all(nodes.Assign):
        if not _is_constant(assignment.node):
            text = "'set' computes; a property or a step holds the result"
            yield assignment.lineno, text


def _branches(condition: nodes.If) -> Iterator[nodes.Node]:
    """The bodies of an if, of its elif branches and its else, without conditions."""
    yield from condition.body
    yield from condition.else_
    for other in condition.elif_:
        yield from other.body


def _inner_ifs(tree: nodes.Template) -> Iterator[tuple[int, str]]:
    for condition in tree.find_all(nodes.If):
        for node in _branches(condition):
            inner = [node] if isinstance(node, nodes.If) else []
            inner += node.find_all(nodes.If)
            yield from ((found.lineno, "an if inside an if") for found in inner)
    for choice in tree.find_all(nodes.CondExpr):
        for inner_choice in choice.find_all(nodes.CondExpr):
            yield inner_choice.lineno, "an if inside an if"


def _long_macros(lines: list[str]) -> Iterator[tuple[int, str]]:
    start = 0
    for number, line in enumerate(lines, 1):
        if re.match(r"\s*\{%-?\s*macro\b", line):
            start = number
        if re.search(r"\{%-?\s*endmacro\b", line) and number - start + 1 > MACRO_LINES:
            yield start, f"a macro of {number - start + 1} lines, at most {MACRO_LINES}"


def broken_rules(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Line and text of each place where a template computes or is too deep."""
    tree = _PARSER.parse("\n".join(lines))
    yield from _computing(tree)
    yield from sorted(set(_inner_ifs(tree)))
    yield from _long_macros(lines)
