# SPDX-License-Identifier: BSD-3-Clause
"""What is generated of the tiny table, and when."""

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any
from unittest.mock import patch

from common import HERE, TOP, TreeTest

from codegen.expand import expand
from codegen.kinds import Trait
from codegen.load import load
from codegen.model import Descriptor, Form
from codegen.position import SpecError
from codegen.render import render
from codegen.rules import Rule
from codegen.write import write

ARGUMENT_NAME_APPEARS_IN = [
    "bindings/c/prototypes.h",
    "bindings/f08/interfaces.f90",
    "bindings/fortran/mpif.h",
]


class Generate(TreeTest):
    """Outputs and their upkeep."""

    def run_codegen(
        self, *arguments: str, folder: Path = TOP, **environment: str
    ) -> tuple[int, str, str]:
        """Exit code, output and complaints of the command."""
        done = subprocess.run(
            [sys.executable, "-m", "codegen", "--root", str(self.root), *arguments],
            cwd=folder,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    def outputs(self) -> dict[str, str]:
        """What would be written now."""
        return render(self.root, expand(load(self.root / "spec"), self.root))

    def assert_varied(self, entries: Sequence[Any]) -> None:
        """No field has the same value in all of them."""
        for field in fields(entries[0]):
            values = {repr(getattr(entry, field.name)) for entry in entries}
            self.assertGreater(len(values), 1, f"{type(entries[0])}: {field.name}")

    def test_the_tiny_table_uses_all_that_a_record_can_say(self) -> None:
        spec = load(self.root / "spec")
        arguments = [a for p in spec.procedures.values() for a in p.arguments]
        arguments += [a for c in spec.callbacks.values() for a in c.arguments]
        self.assert_varied([*spec.kinds.values()])
        self.assert_varied([*spec.categories.values()])
        self.assert_varied([*spec.constants.values()])
        self.assert_varied([*spec.callbacks.values()])
        self.assert_varied([*spec.procedures.values()])
        self.assert_varied(arguments)
        known = {r for r in Rule.__subclasses__() if r.__module__ == Rule.__module__}
        used = {type(d.rule) for a in arguments for d in a.domains}
        self.assertEqual(used, known)
        self.assertLessEqual(set(Descriptor), {a.descriptor for a in arguments})
        traits = {t for kind in spec.kinds.values() for t in kind.traits}
        self.assertEqual(traits, set(Trait))
        self.assertEqual({c.form for c in spec.constants.values()}, set(Form))

    def test_every_template_becomes_an_output(self) -> None:
        self.assertEqual(
            sorted(self.outputs()), sorted([*ARGUMENT_NAME_APPEARS_IN, "symbols.txt"])
        )

    def test_pages_are_the_expected_ones(self) -> None:
        for name in ("open", "MPI_Move", "CLOSE", "gather", "graph", "choose"):
            short = name.lower().removeprefix("mpi_")
            expected = HERE / "expected" / f"show_{short}.txt"
            page = self.run_codegen("show", name)
            self.assertEqual(page, (0, expected.read_text("utf-8"), ""))

    def test_planned_record_is_shown_but_not_generated(self) -> None:
        code, page, _ = self.run_codegen("show", "MPI_Later")
        self.assertEqual(code, 0)
        self.assertIn("Planned: no binding declares it yet.", page)
        for name, text in self.outputs().items():
            self.assertNotIn("later", text.lower(), name)

    def test_output_does_not_depend_on_where_and_when_it_is_made(self) -> None:
        expected = self.outputs()
        surroundings = (
            {"PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8"},
            {"PYTHONHASHSEED": "4711", "PYTHONUTF8": "0", "LC_ALL": "C"},
        )
        for environment in surroundings:
            out = self.folder / environment["PYTHONHASHSEED"]
            command = ("generate", "--output", str(out))
            environment |= {"PYTHONPATH": str(TOP), "PYTHONCOERCECLOCALE": "0"}
            code, *_ = self.run_codegen(*command, folder=self.folder, **environment)
            self.assertEqual(code, 0)
            files = [path for path in out.rglob("*") if path.is_file()]
            texts = {str(p.relative_to(out)): p.read_text("utf-8") for p in files}
            self.assertEqual(texts, expected)

    def test_output_does_not_depend_on_the_order_of_files(self) -> None:
        expected = [*self.outputs().items()]
        for name in ("glob", "rglob"):
            list_files = getattr(Path, name)

            def backwards(*arguments: Any, listed: Any = list_files) -> Any:
                return reversed([*listed(*arguments)])

            with patch.object(Path, name, backwards):
                self.assertEqual([*self.outputs().items()], expected)

    def test_unchanged_output_is_not_touched(self) -> None:
        folder = self.folder / "out"
        outputs = self.outputs()
        self.assertEqual(write(folder, outputs), list(outputs))
        self.assertEqual(write(folder, outputs), [])
        (folder / "symbols.txt").unlink()
        self.assertEqual(write(folder, outputs), ["symbols.txt"])

    def test_check_notices_an_edited_output(self) -> None:
        out = str(self.folder / "out")
        self.assertEqual(self.run_codegen("generate", "--output", out)[0], 0)
        self.assertEqual(
            self.run_codegen("generate", "--output", out, "--check"), (0, "", "")
        )
        edited = self.folder / "out" / "bindings/c/prototypes.h"
        edited.write_text(edited.read_text("utf-8") + "\n", "utf-8")
        code, text, _ = self.run_codegen("generate", "--output", out, "--check")
        self.assertEqual(code, 1)
        self.assertEqual(text.splitlines()[0].split(" ")[0], "bindings/c/prototypes.h")
        self.assertEqual(len(text.splitlines()), 1)

    def test_argument_name_reaches_every_binding_and_the_page(self) -> None:
        before = self.outputs()
        self.replace("spec/procedures/all.spec", "in  target ", "in  goal   ")
        after = self.outputs()
        for name in ARGUMENT_NAME_APPEARS_IN:
            self.assertIn("target", before[name].lower())
            self.assertNotIn("target", after[name].lower())
            self.assertIn("goal", after[name].lower())
        self.assertNotEqual(before["symbols.txt"], after["symbols.txt"])
        page = self.run_codegen("show", "move")[1]
        self.assertIn("MPI_MOVE(buffer, count, datatype, goal, assert, win)", page)

    def test_procedure_name_reaches_the_symbol_plan(self) -> None:
        before = self.outputs()["symbols.txt"]
        self.replace("spec/procedures/all.spec", "proc MPI_Move", "proc MPI_Carry")
        after = self.outputs()["symbols.txt"]
        self.assertIn("PMPI_Move_c ", before)
        self.assertNotIn("Move", after)
        for symbol in (
            "MPI_Carry_c ",
            "PMPI_Carry ",
            "mpi_carry_fts_ ",
            "\nmpi_carry_ ",
        ):
            self.assertIn(symbol, after)

    def test_kind_decides_that_there_is_a_large_procedure(self) -> None:
        self.assertIn("MPI_Move_c(", self.outputs()["bindings/c/prototypes.h"])
        self.replace("spec/procedures/all.spec", "POLYXFER_NUM_ELEM_NNI", "RANK")
        self.assertNotIn("MPI_Move_c(", self.outputs()["bindings/c/prototypes.h"])
        self.assertNotIn("MPI_Move_c", self.outputs()["symbols.txt"])

    def test_unknown_name_in_a_template_is_an_error_of_its_line(self) -> None:
        self.replace("bindings/c/prototypes.h.j2", "{{ notice }}", "{{ note }}")
        with self.assertRaises(SpecError) as caught:
            self.outputs()
        start = "bindings/c/prototypes.h.j2:2: template: 'note' is undefined"
        self.assertTrue(str(caught.exception).startswith(start), str(caught.exception))

    def test_wrong_table_writes_nothing(self) -> None:
        self.replace("spec/procedures/all.spec", "errors none", "errors comm")
        out = self.folder / "out"
        code, text, complaint = self.run_codegen("generate", "--output", str(out))
        self.assertEqual((code, text, out.exists()), (1, "", False))
        self.assertIn("spec/procedures/all.spec:29:6: MPI_Clock: ", complaint)

    def test_check_reads_the_files_of_the_reference(self) -> None:
        self.replace("spec/info_keys.spec", "key size", "kye size")
        code, _, complaint = self.run_codegen("check")
        self.assertEqual(code, 1)
        self.assertIn("'kye' found; write 'key' to open an info key", complaint)

    def test_data_of_the_forum_that_are_not_there_are_an_error(self) -> None:
        nowhere = str(self.root / "spec")
        message = f"{nowhere}:1: has no file mpi-4.1-apis; name a folder that has the"
        for command in (("check", "--forum", nowhere), ("digest", nowhere)):
            code, _, complaint = self.run_codegen(*command)
            self.assertEqual((code, complaint.startswith(message)), (1, True))

    def test_lists_name_outputs_and_inputs(self) -> None:
        code, text, _ = self.run_codegen("list", "--outputs", "--output", "out")
        self.assertEqual(code, 0)
        self.assertEqual(text.split(), [f"out/{name}" for name in self.outputs()])
        code, text, _ = self.run_codegen("list", "--inputs", "--output", "out")
        self.assertEqual(code, 0)
        inputs = text.split()
        code, text, _ = self.run_codegen("list", "--reference", "--output", "out")
        self.assertEqual(code, 0)
        besides = text.split()
        for path in self.root.rglob("*"):
            if path.suffix in (".spec", ".j2", ".c", ".f90", ".md"):
                self.assertEqual([*inputs, *besides].count(str(path)), 1, path)
        self.assertIn(str(self.root / "spec" / "kinds.spec"), inputs)
        self.assertIn(str(TOP / "codegen" / "expand.py"), inputs)
        self.assertIn(str(TOP / "reference" / "html" / "style.css"), besides)
