# SPDX-License-Identifier: BSD-3-Clause
"""The generator names no procedure, kind or language, and what does is found."""

from __future__ import annotations

import shutil
import tempfile
import unittest
from pathlib import Path

from names import Names

TOP = Path(__file__).resolve().parents[2]


class TheGenerator(unittest.TestCase):
    def test_names_none(self) -> None:
        self.assertEqual(Names(TOP).named(), [])


class EachNameIsFound(unittest.TestCase):
    """The tree is the tiny one of tests/codegen, with a generator of one module."""

    def setUp(self) -> None:
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        self.top = Path(folder) / "tree"
        shutil.copytree(TOP / "tests" / "codegen" / "tiny", self.top)

    def found_in(self, name: str, text: str) -> list[str]:
        """The complaints once a file is there, without the places."""
        path = self.top / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
        return [complaint.split(": ")[1] for complaint in Names(self.top).named()]

    def test_a_procedure(self) -> None:
        found = self.found_in("codegen/a.py", 'if name == "MPI_Move":\n    pass\n')
        self.assertEqual(found, ["'MPI_Move' is named in the generator"])

    def test_a_kind(self) -> None:
        found = self.found_in("codegen/a.py", 'MAIN = ("BUFFER", "b")\n')
        self.assertEqual(found, ["'BUFFER' is named in the generator"])

    def test_a_language(self) -> None:
        found = self.found_in("codegen/a.py", 'LIBRARIES = {"f90": "one"}\n')
        self.assertEqual(found, ["'f90' is named in the generator"])

    def test_the_folder_of_a_language(self) -> None:
        found = self.found_in("codegen/a.py", 'FOLDER = "fortran"\n')
        self.assertEqual(found, ["'fortran' is named in the generator"])

    def test_an_import_of_a_language(self) -> None:
        found = self.found_in("codegen/a.py", "from bindings.c.text import CText\n")
        self.assertEqual(found, ["the generator imports a language"])

    def test_a_module_called_by_a_language(self) -> None:
        found = self.found_in("codegen/c_text.py", "")
        self.assertEqual(found, ["a module is called by a language"])

    def test_a_kind_in_a_language(self) -> None:
        found = self.found_in("bindings/c/own.py", 'WIDE = ["RANK"]\n')
        self.assertEqual(found, ["'RANK' is named"])

    def test_a_kind_in_a_template(self) -> None:
        text = '{% if p.kind.name == "RANK" %}\n{% endif %}\n'
        self.assertEqual(self.found_in("bindings/c/_own.j2", text), ["'RANK' is named"])

    def test_what_a_docstring_says_is_no_name(self) -> None:
        self.assertEqual(self.found_in("codegen/a.py", '"""c"""\n'), [])


if __name__ == "__main__":
    unittest.main()
