# SPDX-License-Identifier: BSD-3-Clause
"""Each rule has a row in docs/checking.md with what it is checked by, and a pair of
programs that breaks it; neither names a rule that does not exist."""

from __future__ import annotations

import re
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
RULE = re.compile(r'\[RULE_\w+\] =\s*\{"([\w-]+)"')
ROW = re.compile(r"^\| `([\w-]+)` \|", re.MULTILINE)
MISTAKE = re.compile(r"mistake: ([a-z][\w-]*)")


def rules_of_table() -> set[str]:
    """The names in core/base/rule.c."""
    return set(RULE.findall((TOP / "core/base/rule.c").read_text("utf-8")))


def rules_of_page() -> set[str]:
    """The rules that docs/checking.md explains."""
    return set(ROW.findall((TOP / "docs/checking.md").read_text("utf-8")))


def rules_of_programs() -> set[str]:
    """The rules that programs of the corpus break."""
    paths = [*HERE.glob("*.c"), *HERE.glob("*.f90")]
    found = "\n".join(path.read_text("utf-8") for path in paths)
    return set(MISTAKE.findall(found))


class Rules(unittest.TestCase):
    """The table of rules, the page and the corpus."""

    def test_are_found(self) -> None:
        header = (TOP / "core/base/rule.h").read_text("utf-8")
        self.assertEqual(
            len(rules_of_table()), len(re.findall(r"^    RULE_", header, re.M))
        )

    def test_have_a_row_each(self) -> None:
        self.assertEqual(rules_of_table(), rules_of_page())

    def test_have_a_pair_each(self) -> None:
        self.assertEqual(rules_of_table(), rules_of_programs())


if __name__ == "__main__":
    unittest.main()
