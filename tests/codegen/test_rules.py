# SPDX-License-Identifier: BSD-3-Clause
"""A rule is one class: one that only this file has is read, checked, shown, generated."""

import shutil
from dataclasses import dataclass

from common import TOP, TreeTest

from codegen.check import check
from codegen.expand import expand
from codegen.kinds import Kind
from codegen.language import load_languages
from codegen.load import load
from codegen.model import Spec
from codegen.render import render
from codegen.rules import Rule, Value
from codegen.show import show
from codegen.tokens import Cursor

ENTRY_POINTS, HEADER = "bindings/c/entry_points.c", "bindings/c/mpi.h"


@dataclass(frozen=True)
class PowerOfTwo(Rule):
    """`power of two`."""

    @classmethod
    def parse(cls, cursor: Cursor) -> Rule | None:
        return cls() if cursor.accept("power", "of", "two") else None

    def suits(self, kind: Kind) -> bool:
        return kind.is_integral

    @property
    def text(self) -> str:
        return "power of two"

    @property
    def words(self) -> str:
        return "a power of two"

    def violation(self, value: Value) -> str:
        return f"!is_power_of_two({value.text})"


class NewRule(TreeTest):
    """The records of a copy of Oriel's own table get the rule."""

    def setUp(self) -> None:
        super().setUp()
        shutil.rmtree(self.root / "spec")
        shutil.copytree(TOP / "spec", self.root / "spec")
        shutil.copytree(TOP / "bindings" / "cxx", self.root / "bindings" / "cxx")

    def replaced(self, old: str, new: str) -> Spec:
        """The table with one place of a record changed."""
        self.replace("spec/procedures/07_groups_and_communicators.spec", old, new)
        return load(self.root / "spec")

    def test_is_checked_generated_and_shown(self) -> None:
        spec = self.replaced("COLOR         >= 0 or", "COLOR  power of two or")
        self.assertEqual(check(spec), [])
        outputs = render(TOP, expand(spec, TOP), (ENTRY_POINTS, HEADER))
        code = outputs[ENTRY_POINTS]
        comments = " ".join(outputs[HEADER].replace("\n *", " ").split())
        words = "a power of two or MPI_UNDEFINED"
        condition = "!is_power_of_two(color) && color != MPI_UNDEFINED"
        self.assertTrue(f"if (unlikely({condition}))\n" in code)
        self.assertTrue(f'"must be {words}");' in code)
        self.assertTrue(f"; {words} (MPI_ERR_ARG)" in comments)
        page = show(
            spec.procedures["MPI_Comm_split"], load_languages(TOP / "bindings", spec)
        )
        line = "  color: power of two or MPI_UNDEFINED, else MPI_ERR_ARG"
        self.assertIn(line, page.splitlines())

    def test_on_a_kind_that_it_does_not_suit_is_an_error(self) -> None:
        old = 'COMMUNICATOR  "communicator"\n    in  color'
        spec = self.replaced(
            old, f"COMMUNICATOR  power of two : MPI_ERR_ARG {old[13:]}"
        )
        (error,) = map(str, check(spec))
        self.assertIn("argument 'comm': this rule does not suit kind COMMU", error)
