# SPDX-License-Identifier: BSD-3-Clause
"""What is generated of the tiny table, and when."""

import os
import subprocess
import sys

from common import HERE, TOP, TreeTest

from codegen.expand import expand
from codegen.load import load
from codegen.position import SpecError
from codegen.render import render
from codegen.write import write

ARGUMENT_NAME_APPEARS_IN = [
    "bindings/c/prototypes.h",
    "bindings/f08/interfaces.f90",
    "bindings/fortran/mpif.h",
]


class Generate(TreeTest):
    """Outputs and their upkeep."""

    def run_codegen(self, *arguments: str, **environment: str) -> tuple[int, str, str]:
        """Exit code, output and complaints of the command."""
        done = subprocess.run(
            [sys.executable, "-m", "codegen", "--root", str(self.root), *arguments],
            cwd=TOP,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    def outputs(self) -> dict[str, str]:
        """What would be written now."""
        return render(self.root, expand(load(self.root / "spec")))

    def test_outputs_are_the_expected_ones(self) -> None:
        expected = HERE / "expected"
        outputs = self.outputs()
        for name, text in outputs.items():
            self.assertEqual((expected / name).read_text("utf-8"), text, name)
        self.assertEqual(
            sorted(outputs), sorted([*ARGUMENT_NAME_APPEARS_IN, "symbols.txt"])
        )

    def test_pages_are_the_expected_ones(self) -> None:
        for name in ("open", "MPI_Move", "CLOSE"):
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

    def test_output_does_not_depend_on_hash_order(self) -> None:
        texts = []
        for seed in ("0", "1", "4711"):
            folder = self.folder / seed
            code, *_ = self.run_codegen(
                "generate",
                "--output",
                str(folder),
                PYTHONHASHSEED=seed,
                TZ="Asia/Tokyo",
            )
            self.assertEqual(code, 0)
            files = sorted(path for path in folder.rglob("*") if path.is_file())
            texts.append([(p.relative_to(folder), p.read_bytes()) for p in files])
        self.assertEqual(len(texts[0]), 4)
        self.assertEqual(texts[0], texts[1])
        self.assertEqual(texts[0], texts[2])

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
        for symbol in ("MPI_Carry_c ", "PMPI_Carry ", "mpi_carry_fts_ "):
            self.assertIn(symbol, after)

    def test_kind_decides_that_there_is_a_large_procedure(self) -> None:
        self.assertIn("MPI_Move_c(", self.outputs()["bindings/c/prototypes.h"])
        self.replace("spec/procedures/all.spec", "POLYXFER_NUM_ELEM_NNI", "RANK")
        self.assertNotIn("MPI_Move_c(", self.outputs()["bindings/c/prototypes.h"])
        self.assertNotIn("large", self.outputs()["symbols.txt"])

    def test_kind_without_a_row_is_an_error_of_the_language(self) -> None:
        self.replace("bindings/c/kinds.spec", 'ASSERT                 "int"\n', "")
        with self.assertRaises(SpecError) as caught:
            self.outputs()
        message = "bindings/c/kinds.spec:1: ASSERT: has no row; add one"
        self.assertEqual(str(caught.exception), message)

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
        self.assertIn("spec/procedures/all.spec:29: MPI_Clock: ", complaint)

    def test_lists_name_outputs_and_inputs(self) -> None:
        code, text, _ = self.run_codegen("list", "--outputs", "--output", "out")
        self.assertEqual(code, 0)
        self.assertEqual(text.split(), [f"out/{name}" for name in self.outputs()])
        code, text, _ = self.run_codegen("list", "--inputs", "--output", "out")
        self.assertEqual(code, 0)
        inputs = text.split()
        for path in self.root.rglob("*"):
            if path.suffix in (".spec", ".j2"):
                self.assertIn(str(path), inputs)
        self.assertIn(str(TOP / "codegen" / "expand.py"), inputs)
