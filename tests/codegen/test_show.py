# SPDX-License-Identifier: BSD-3-Clause
"""The pages of the procedures that open windows read as in the standard."""

import unittest

from common import HERE, TOP

from codegen.language import load_languages
from codegen.load import load
from codegen.show import show


class Show(unittest.TestCase):
    """The expected pages agree with MPI-4.1 12.2.1 and 12.2.2 line by line."""

    def assert_page(self, name: str, expected: str) -> None:
        spec = load(TOP / "spec")
        page = show(spec.procedures[name], load_languages(TOP / "bindings", spec))
        bindings = page.split(f"MPI-4.1 {spec.procedures[name].section}")[0]
        self.assertEqual(bindings, (HERE / "expected" / expected).read_text("utf-8"))

    def test_win_create_is_shown_as_in_the_standard(self) -> None:
        self.assert_page("MPI_Win_create", "win_create.txt")

    def test_win_allocate_is_shown_with_its_overloaded_interface(self) -> None:
        self.assert_page("MPI_Win_allocate", "win_allocate.txt")
