# SPDX-License-Identifier: BSD-3-Clause
"""A language is a folder: one that only the tests have is found, and prints its table."""

import shutil

from common import HERE, TreeTest

from codegen.expand import expand
from codegen.language import load_languages
from codegen.load import load
from codegen.render import inputs, output_names, render
from codegen.show import show

TABLE = "bindings/plain/table.txt"


class NewLanguage(TreeTest):
    """The folder plain/ is put beside the bindings of the tiny table."""

    def outputs(self) -> dict[str, str]:
        """What is generated now."""
        return render(self.root, expand(load(self.root / "spec"), self.root))

    def setUp(self) -> None:
        super().setUp()
        self.before = self.outputs()
        shutil.copytree(HERE / "plain", self.root / "bindings" / "plain")

    def test_prints_the_table_and_leaves_the_others_alone(self) -> None:
        after = self.outputs()
        expected = (HERE / "expected" / "plain_table.txt").read_text("utf-8")
        self.assertEqual(after.pop(TABLE), expected)
        symbols = self.before.pop("symbols.txt").splitlines()
        self.assertLess(set(symbols), set(after.pop("symbols.txt").splitlines()))
        self.assertEqual(after, self.before)

    def test_has_symbols_pages_inputs_and_outputs(self) -> None:
        spec = load(self.root / "spec")
        languages = load_languages(self.root / "bindings", spec)
        lines = self.outputs()["symbols.txt"].splitlines()
        own = [line.split()[:4] for line in lines if " libplain " in line]
        self.assertIn(["mpi_move", "libplain", "plain", "plain"], own)
        page = show(spec.procedures["MPI_Label"], languages)
        line = "Plain text: MPI_Label win (window), name (text), length (length)"
        self.assertIn(line, page.splitlines())
        self.assertIn(TABLE, output_names(self.root))
        names = {path.name for path in inputs(self.root) if path.parent.name == "plain"}
        self.assertEqual(names, {"language.py", "kinds.spec", "table.txt.j2"})

    def test_records_can_be_its_alone(self) -> None:
        records = "spec/procedures/words.spec"
        self.replace(records, "section 3.10  only lis, c", "section 3.10  only plain")
        self.replace("bindings/plain/kinds.spec", "RANK ", 'ERROR_CODE "code"\nRANK ')
        outputs = self.outputs()
        self.assertIn("\nMPI_Set: Sets something of a tool.\n", outputs[TABLE])
        self.assertNotIn("MPI_Set", outputs["bindings/c/prototypes.h"])
