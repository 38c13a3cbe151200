# SPDX-License-Identifier: BSD-3-Clause
"""The repository's C has the form of clang-format, and each file that has not is named."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path
from unittest.mock import patch

import c_format

TOP = Path(__file__).resolve().parents[2]
GOOD = "int f(int a)\n{\n    return a;\n}\n"


def said_of(files: dict[str, str]) -> list[str]:
    """What is said of a tree with these files."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            file = Path(folder) / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
        return c_format.complaints(Path(folder))


@unittest.skipUnless(c_format.judges(), "another version of clang-format")
class EachFileIsJudged(unittest.TestCase):
    def test_files_of_that_form(self) -> None:
        self.assertEqual(said_of({"core/rma/a.c": GOOD, "launch/a.h": GOOD}), [])

    def test_files_of_another_form(self) -> None:
        bad = GOOD.replace("    return", "  return")
        names = ("core/rma/a.c", "core/rma/a.h", "launch/a.c", "tests/mpi/a.c")
        said = said_of({name: bad for name in names} | {"bindings/f08/a.c": GOOD})
        self.assertEqual([line.rsplit(":", 2)[0] for line in said], sorted(names))

    def test_a_tool_that_is_not_there(self) -> None:
        with patch.object(c_format, "TOOL", "no_such_tool"):
            said = c_format.complaints(TOP)
        self.assertEqual(
            said, ["there is no no_such_tool: apt-get install no_such_tool"]
        )


class TheRepository(unittest.TestCase):
    def test_has_that_form(self) -> None:
        self.assertEqual("\n".join(c_format.complaints(TOP)), "")


if __name__ == "__main__":
    unittest.main()
