# SPDX-License-Identifier: BSD-3-Clause
"""The repository's Python is typed and well formed, and each tool finds what is not."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path
from unittest.mock import patch

import python_tools

TOP = Path(__file__).resolve().parents[2]
SPDX = "# SPDX-License-Identifier: BSD-3-Clause\n"


def said_of(name: str, text: str) -> list[str]:
    """What the tools say of a tree with one file."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        file.parent.mkdir(parents=True)
        file.write_text(SPDX + text, "utf-8")
        return python_tools.complaints(Path(folder))


class EachToolFindsWhatBreaksIt(unittest.TestCase):
    def assert_said(self, name: str, text: str, part: str) -> None:
        """One tool complains, about that."""
        said = said_of(name, text)
        self.assertEqual(len(said), 1, said)
        self.assertIn(part, said[0])

    def test_a_wrong_type_in_the_generator(self) -> None:
        text = "def f(a: int) -> str:\n    return a\n"
        self.assert_said("codegen/a.py", text, "codegen/a.py:3: error: Incompatible")

    def test_a_function_without_types_in_a_language(self) -> None:
        text = "def f(a):\n    return a\n"
        self.assert_said("bindings/c/a.py", text, "missing a type annotation")

    def test_a_wrong_type_in_a_test(self) -> None:
        self.assert_said("tests/one/a.py", 'A: int = "a"\n', "a.py:2: error: Incompat")

    def test_a_name_that_is_not_used(self) -> None:
        text = "import os\n"
        self.assert_said("tests/one/a.py", text, "'os' imported but unused")

    @unittest.skipUnless(python_tools.black_judges(), "another version of black")
    def test_a_line_in_another_form(self) -> None:
        self.assert_said("tests/one/a.py", "A = {1:2}\n", "+A = {1: 2}")

    def test_a_tool_that_is_not_there(self) -> None:
        with patch.object(python_tools, "TOOLS", ("no_such_tool",)):
            said = python_tools.complaints(TOP)
        self.assertEqual(
            said, ["there is no no_such_tool: apt-get install no_such_tool"]
        )


class TheRepository(unittest.TestCase):
    def test_is_typed_and_well_formed(self) -> None:
        self.assertEqual("\n".join(python_tools.complaints(TOP)), "")


if __name__ == "__main__":
    unittest.main()
