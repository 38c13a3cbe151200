# SPDX-License-Identifier: BSD-3-Clause
"""The pages of the procedures that open windows read as in the standard."""

import subprocess
import sys
import unittest

from common import HERE, TOP, TreeTest

from codegen.language import load_languages
from codegen.load import load
from codegen.show import find, show


class Found(TreeTest):
    """A record is found by each of its names."""

    def found(self, name: str) -> str:
        """The record's name, or the complaint."""
        spec = load(self.root / "spec")
        try:
            languages = load_languages(self.root / "bindings", spec)
            return find(spec, languages, name).name
        except KeyError as error:
            return str(error.args[0])

    def test_by_what_languages_call_it(self) -> None:
        names = (
            "MPI_Move",
            "move",
            "PMPI_MOVE",
            "Move_c",
            "mpi_move_c_f08ts",
            "move_fts",
        )
        for name in names:
            self.assertEqual(self.found(name), "MPI_Move", name)

    def test_names_that_are_near_are_suggested(self) -> None:
        text = "no such procedure in the table"
        for name in ("Mvoe", "MPI_Mov", "pmpi_moved"):
            said = f"{name}: {text}; did you mean 'MPI_Move'?"
            self.assertEqual(self.found(name), said)
        self.assertEqual(self.found("xyzzy"), f"xyzzy: {text}")

    def test_needs_no_template_engine(self) -> None:
        program = "import runpy, sys; sys.modules['jinja2'] = None; "
        program += (
            "sys.argv[0] = 'codegen'; runpy.run_module('codegen', run_name='__main__')"
        )
        for command in (["show", "Win_create_c"], ["check"]):
            done = subprocess.run(
                [sys.executable, "-c", program, *command],
                cwd=TOP,
                capture_output=True,
                check=False,
            )
            self.assertEqual((done.returncode, done.stderr), (0, b""), command)


class Show(unittest.TestCase):
    """The expected pages agree with MPI-4.1 12.2.1 and 12.2.2 line by line; C++ is
    printed as MPI-2.2 does."""

    def assert_page(self, name: str, expected: str) -> None:
        spec = load(TOP / "spec")
        page = show(spec.procedures[name], load_languages(TOP / "bindings", spec))
        bindings = page.split(f"MPI-4.1 {spec.procedures[name].section}")[0]
        self.assertEqual(bindings, (HERE / "expected" / expected).read_text("utf-8"))

    def test_win_create_is_shown_as_in_the_standard(self) -> None:
        self.assert_page("MPI_Win_create", "win_create.txt")

    def test_win_allocate_is_shown_with_its_overloaded_interface(self) -> None:
        self.assert_page("MPI_Win_allocate", "win_allocate.txt")
