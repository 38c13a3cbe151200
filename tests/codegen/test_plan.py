# SPDX-License-Identifier: BSD-3-Clause
"""The plans of the entry points that call the core, for the real table."""

import re
import unittest
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from common import TOP

from bindings.fortran.conversion import row
from codegen.expand import expand
from codegen.load import load
from codegen.model import Argument
from codegen.plan import CorePlanner, EntryPlan
from codegen.position import SpecError
from codegen.steps import (
    AtRoot,
    Call,
    Check,
    Identify,
    NoMemory,
    ObjectCount,
    Passed,
    Require,
    Resolve,
    ResolveIf,
    Step,
    Succeed,
    Unequal,
    Way,
)

BEFORE_THE_CALL = ("Require", "Validate", "Resolve", "ResolveIf", "Activate", "Check")


def parts(value: Any) -> Iterator[Any]:
    """The steps, conditions and counts of a step, itself first."""
    if isinstance(value, tuple):
        for one in value:
            yield from parts(one)
    elif type(value).__module__ == Step.__module__ and hasattr(value, "__match_args__"):
        yield value
        for field in fields(value):
            yield from parts(getattr(value, field.name))


def object_read(part: Any) -> list[Argument | None]:
    """The handles whose objects a part of a step reads."""
    found = [getattr(part, "raiser", None)]
    if isinstance(part, AtRoot):
        found.append(part.communicator)
    elif isinstance(part, ObjectCount):
        found.append(part.owner)
    elif isinstance(part, Check):
        found.append(part.group)
    elif isinstance(part, NoMemory):
        found.append(part.datatype)
    elif isinstance(part, ResolveIf):
        found.append(part.twin)
    elif isinstance(part, Unequal) and part.member:
        found.append(part.argument)
    elif isinstance(part, Passed) and part.way is Way.OBJECT:
        found.append(part.parameter.argument)
    return found


class Plans(unittest.TestCase):
    """Rules that hold for every plan."""

    plans: list[EntryPlan]

    @classmethod
    def setUpClass(cls) -> None:
        bindings = expand(load(TOP / "spec"), TOP)
        planner = CorePlanner(bindings.spec)
        cls.plans = [planner.plan(entry) for entry in bindings.entries["c"]]

    def checked(self) -> Iterator[EntryPlan]:
        """The plans of procedures that return an error code."""
        yield from (p for p in self.plans if isinstance(p.steps[0], Identify))

    def test_an_object_is_found_before_it_is_read(self) -> None:
        for plan in self.plans:
            found: list[Argument] = []
            for step in plan.steps:
                read = [a for part in parts(step) for a in object_read(part) if a]
                for handle in read:
                    self.assertIn(handle, found, f"{plan.entry.name}: {step.macro}")
                if isinstance(step, Resolve | ResolveIf):
                    found.append(step.handle)

    def test_an_address_is_required_before_its_handle_is_resolved(self) -> None:
        for plan in self.checked():
            for before, step in zip(plan.steps, plan.steps[1:], strict=False):
                if isinstance(step, Resolve | ResolveIf) and step.handle.is_out:
                    self.assertIsInstance(before, Require, plan.entry.name)

    def test_one_call_comes_after_all_checks_and_before_success(self) -> None:
        for plan in self.checked():
            names = [part.macro for part in parts(plan.steps) if isinstance(part, Step)]
            self.assertEqual(names.count(Call.__name__), 1, plan.entry.name)
            behind = names[names.index(Call.__name__) :]
            self.assertEqual(behind[-1], Succeed.__name__, plan.entry.name)
            for name in BEFORE_THE_CALL:
                self.assertNotIn(name, behind, plan.entry.name)

    def test_each_step_is_printed_by_a_macro_and_each_macro_prints_one(self) -> None:
        text = (TOP / "bindings/c/_steps.j2").read_text("utf-8")
        macros = set(re.findall(r"\{% macro (\w+)\(", text))
        steps = {part for plan in self.plans for part in parts(plan.steps)}
        self.assertEqual(macros, {s.macro for s in steps if isinstance(s, Step)})

    def test_a_class_without_a_conversion_is_an_error_of_the_record(self) -> None:
        procedure = self.plans[0].entry.procedure
        argument = procedure.arguments[0]
        with self.assertRaises(SpecError) as caught:
            row({}, "real in", argument, procedure)
        start = f"{argument.position}: {procedure.name}: argument '{argument.name}'"
        self.assertTrue(str(caught.exception).startswith(start), caught.exception)


if __name__ == "__main__":
    unittest.main()
