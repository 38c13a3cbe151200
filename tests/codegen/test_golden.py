# SPDX-License-Identifier: BSD-3-Clause
"""Ten procedures become in every language what their golden pages say."""

import unittest

import golden


class Golden(unittest.TestCase):
    """A change of what is generated is seen, and is to be meant."""

    maxDiff = None

    def test_ten_procedures_become_what_their_pages_say(self) -> None:
        for name, page in golden.pages().items():
            with self.subTest(name):
                expected = (golden.PAGES / f"{name}.txt").read_text("utf-8")
                remedy = "is it meant? python3 tests/codegen/golden.py renews the page"
                self.assertEqual(expected, page, remedy)

    def test_the_reference_of_the_tiny_table_is_what_its_pages_say(self) -> None:
        pages = golden.reference_pages()
        self.assertEqual({p.name for p in golden.REFERENCE.iterdir()}, set(pages))
        for name, page in pages.items():
            with self.subTest(name):
                expected = (golden.REFERENCE / name).read_text("utf-8")
                remedy = "is it meant? python3 tests/codegen/golden.py renews the page"
                self.assertEqual(expected, page, remedy)

    def test_the_tables_of_hints_are_those_of_the_records(self) -> None:
        remedy = "python3 tests/codegen/golden.py renews docs/hints.md"
        self.assertEqual(golden.HINTS.read_text("utf-8"), golden.hints(), remedy)

    def test_every_page_is_of_one_of_the_ten(self) -> None:
        files = {path.stem for path in golden.PAGES.iterdir()}
        self.assertEqual(files, set(golden.PROCEDURES))
