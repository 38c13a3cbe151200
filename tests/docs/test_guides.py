# SPDX-License-Identifier: BSD-3-Clause
"""A guide shows programs as they are: behind a comment with the name of a file stands its
text.

usage: test_guides.py            compares
       test_guides.py write      writes the texts of the files into the guides
"""

import re
import sys
import unittest
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
DOCS = TOP / "docs"
SHOWN = re.compile(r"<!-- (examples/[\w.]+) -->\n(?:\n```\w+\n.*?^```\n)?", re.M | re.S)
OPTION = re.compile(r"\b(?:option\((ORIEL_\w+)|set\((ORIEL_\w+) [^)]*?\bCACHE\b)", re.S)
LANGUAGES = {".c": "c", ".f90": "fortran"}


def renewed(guide: Path) -> str:
    """The guide with the texts of the files that it shows."""

    def text(found: re.Match[str]) -> str:
        path = DOCS / found[1]
        fence = f"```{LANGUAGES[path.suffix]}\n{path.read_text('utf-8')}```\n"
        return f"<!-- {found[1]} -->\n\n{fence}"

    return SHOWN.sub(text, guide.read_text("utf-8"))


class Guides(unittest.TestCase):
    """All of docs/."""

    def test_programs_are_shown_as_they_are(self) -> None:
        remedy = "python3 tests/docs/test_guides.py write renews the guides"
        for guide in sorted(DOCS.glob("*.md")):
            with self.subTest(guide.name):
                self.assertEqual(guide.read_text("utf-8"), renewed(guide), remedy)

    def test_the_tutorial_shows_programs(self) -> None:
        shown = SHOWN.findall((DOCS / "tutorial.md").read_text("utf-8"))
        self.assertGreaterEqual(len(shown), 4)

    def test_all_options_of_the_build_are_described(self) -> None:
        """A row of docs/building.md for each, and none without one."""
        files = [TOP / "CMakeLists.txt", *(TOP / "cmake").glob("*.cmake")]
        for folder in ("bindings", "core", "launch", "tests"):
            files += (TOP / folder).rglob("CMakeLists.txt")
            files += (TOP / folder).rglob("*.cmake")
        options = {
            name
            for file in files
            for found in OPTION.findall(file.read_text("utf-8"))
            for name in found
            if name
        }
        page = (DOCS / "building.md").read_text("utf-8")
        self.assertEqual(options, set(re.findall(r"^\| `(ORIEL_\w+)`", page, re.M)))


if __name__ == "__main__":
    if sys.argv[1:] == ["write"]:
        for path in sorted(DOCS.glob("*.md")):
            path.write_text(renewed(path), "utf-8")
    else:
        unittest.main()
