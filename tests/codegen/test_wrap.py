# SPDX-License-Identifier: BSD-3-Clause
"""Long lines of generated code break where a compiler and a person accept it."""

import unittest

import common

from bindings.c.wrap import wrap_c
from bindings.fortran.text import fortran_case
from bindings.fortran.wrap import wrap_both, wrap_fortran

_ = common  # it puts the generator on the path


class Wrap(unittest.TestCase):
    """Each language's own way to go on."""

    def test_short_line_stays(self) -> None:
        self.assertEqual(wrap_c("int f(int a);"), "int f(int a);")
        self.assertEqual(wrap_fortran("  call f(a)"), "  call f(a)")
        self.assertEqual(wrap_both("call f(a)"), "      call f(a)")

    def test_c_goes_on_below_the_first_argument(self) -> None:
        wrapped = wrap_c("int function(int first, int second, int third);", 30)
        self.assertEqual(
            wrapped,
            "int function(int first,\n             int second,\n"
            "             int third);",
        )

    def test_c_string_is_not_broken(self) -> None:
        wrapped = wrap_c('fail(1, "a text, with commas in it", 7)', 20)
        self.assertIn('"a text, with commas in it"', wrapped)

    def test_fortran_goes_on_after_an_ampersand(self) -> None:
        wrapped = wrap_fortran("    subroutine name(first, second, third)", 32)
        self.assertEqual(
            wrapped, "    subroutine name(first, &\n        second, third)"
        )

    def test_line_for_both_forms_has_its_ampersands_in_columns_73_and_6(self) -> None:
        text = "subroutine name(" + ", ".join(f"argument{i}" for i in range(12)) + ")"
        lines = wrap_both(text).splitlines()
        self.assertEqual(len(lines), 3)
        for line in lines[:-1]:
            self.assertEqual((len(line), line[72]), (73, "&"))
        for line in lines[1:]:
            self.assertEqual(line[:6], "     &")
        joined = "".join(line[6:72].strip() + " " for line in lines)
        self.assertEqual(joined.split(), text.split())

    def test_fortran_case_keeps_the_names_of_mpi(self) -> None:
        text = "INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: size"
        expected = "integer(kind=MPI_ADDRESS_KIND), intent(in) :: size"
        self.assertEqual(fortran_case(text), expected)
