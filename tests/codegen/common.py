# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the generator share: a tiny table that they copy and change."""

import shutil
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
sys.path.insert(0, str(TOP))


class TreeTest(unittest.TestCase):
    """A test with a copy of the tiny table in `self.root`."""

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="oriel-codegen-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.root = self.folder / "tree"
        shutil.copytree(HERE / "tiny", self.root)

    def replace(self, name: str, old: str, new: str) -> None:
        """Change one place of a file of the tree."""
        path = self.root / name
        text = path.read_text("utf-8")
        self.assertEqual(text.count(old), 1, f"{old!r} in {name}")
        path.write_text(text.replace(old, new), "utf-8")
