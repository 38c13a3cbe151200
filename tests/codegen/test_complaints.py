# SPDX-License-Identifier: BSD-3-Clause
"""No rule of the reader and the checker is without a table that breaks it.

Every place in the generator that makes a complaint about a table must be reached by a
file of bad/, or by a line of the tiny table that breaks off after one of its words.
"""

import ast
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any
from unittest.mock import patch

from common import HERE, TOP, TreeTest
from test_bad_specs import complaints, put

from codegen.load import load, spec_files
from codegen.position import SpecError
from codegen.tokens import read_lines

# Functions whose calls say, by what they are given, what is wrong or was expected.
COMPLAIN = (
    *("SpecError", "wrong", "error", "pick", "listed"),
    *("word", "string", "dotted", "number", "expect", "expect_end"),
)
# Complaints about what is not a table: test_forum.py, test_import.py and
# test_generate.py have theirs.
NO_TABLES = ("changes.py", "facts.py", "forum.py", "render.py")


@dataclass(frozen=True)
class Place:
    """A call that makes a complaint."""

    file: str
    first: int
    last: int

    def is_in(self, frame: FrameType) -> bool:
        """The frame is just in this call."""
        is_here = frame.f_code.co_filename == self.file
        return is_here and self.first <= frame.f_lineno <= self.last


def places() -> Iterator[Place]:
    """All of them."""
    for path in sorted((TOP / "codegen").glob("*.py")):
        if path.name in NO_TABLES:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                called = getattr(node.func, "id", getattr(node.func, "attr", ""))
                if called in COMPLAIN:
                    yield Place(str(path), node.lineno, node.end_lineno or 0)


class Reached:
    """Takes out of the places those from which errors come."""

    def __init__(self) -> None:
        self.left = set(places())
        self._make = SpecError.__init__

    def make(self, error: SpecError, *arguments: Any) -> None:
        """In place of the error's constructor."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            self.left -= {place for place in self.left if place.is_in(frame)}
            frame = frame.f_back
        self._make(error, *arguments)


class Complaints(TreeTest):
    """What is complained about, and how."""

    def cut_lines(self) -> Iterator[None]:
        """The table with one line that breaks off after one of its words."""
        for path in spec_files(self.root / "spec"):
            text = path.read_text("utf-8")
            lines = text.splitlines()
            for line in read_lines(path, path.name):
                words = [str(token).strip("'") for token in line.tokens]
                at = line.position.line - 1
                whole = lines[at]
                for end in range(1, len(words)):
                    lines[at] = "    " * line.indented + " ".join(words[:end])
                    path.write_text("\n".join(lines), "utf-8")
                    yield
                lines[at] = whole
            path.write_text(text, "utf-8")

    def test_each_is_made_of_some_bad_table(self) -> None:
        reached = Reached()
        with patch.object(SpecError, "__init__", lambda *a: reached.make(*a)):
            for _ in self.cut_lines():
                try:
                    load(self.root / "spec")
                except SpecError:
                    pass
            for bad in sorted((HERE / "bad").rglob("*.spec")):
                root = self.folder / bad.parent.name / bad.stem
                shutil.copytree(HERE / "tiny", root)
                put(bad, root)
                complaints(root)
        self.assertEqual(sorted(map(str, reached.left)), [])
