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

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"
SHOWN = re.compile(r"<!-- (examples/[\w.]+) -->\n(?:\n```\w+\n.*?^```\n)?", re.M | re.S)
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


if __name__ == "__main__":
    if sys.argv[1:] == ["write"]:
        for path in sorted(DOCS.glob("*.md")):
            path.write_text(renewed(path), "utf-8")
    else:
        unittest.main()
