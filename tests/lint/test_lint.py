# SPDX-License-Identifier: BSD-3-Clause
"""The repository follows the house rules, and each rule finds what breaks it."""

from __future__ import annotations

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import lint  # noqa: E402

SPDX = "// SPDX-License-Identifier: BSD-3-Clause\n"


def rules_broken_by(name: str, text: str) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        file.parent.mkdir(parents=True)
        file.write_text(text, encoding="utf-8")
        return [finding.rule for finding in lint.lint(Path(folder))]


class EachRuleFindsWhatBreaksIt(unittest.TestCase):
    def test_an_upward_include(self) -> None:
        self.assertEqual(rules_broken_by("core/shm/a.c", SPDX + '#include "rma/rma.h"\n'), ["layer"])

    def test_a_sideways_include(self) -> None:
        self.assertEqual(rules_broken_by("core/rma/a.c", SPDX + '#include "sync/sync.h"\n'), ["layer"])

    def test_a_private_header_of_a_lower_folder(self) -> None:
        self.assertEqual(rules_broken_by("core/rma/a.c", SPDX + '#include "shm/heap.h"\n'), ["layer"])

    def test_a_condition_outside_base(self) -> None:
        self.assertEqual(rules_broken_by("core/rma/a.c", SPDX + "#ifdef X\n#endif\n"), ["condition"])

    def test_a_long_macro(self) -> None:
        text = "#define X \\\n" + "    y; \\\n" * 6 + "    z\n"
        self.assertEqual(rules_broken_by("core/rma/a.h", SPDX + text), ["macro"])

    def test_a_call_of_mpi_in_the_core(self) -> None:
        text = "int f(void)\n{\n    return MPI_Barrier(0);\n}\n"
        self.assertEqual(rules_broken_by("core/rma/a.c", SPDX + text), ["calls"])

    def test_a_procedure_named_in_a_template(self) -> None:
        self.assertEqual(rules_broken_by("bindings/c/a.h.j2", "MPI_Put\n"), ["names"])

    def test_a_procedure_named_in_the_generator(self) -> None:
        text = SPDX.replace("//", "#") + 'NAME = "MPI_Put"\n'
        self.assertEqual(rules_broken_by("codegen/a.py", text), ["names"])

    def test_a_long_function(self) -> None:
        text = "int f(void)\n{\n" + "    g();\n" * 120 + "}\n"
        self.assertIn("size", rules_broken_by("core/rma/a.c", SPDX + text))

    def test_a_long_file(self) -> None:
        self.assertEqual(rules_broken_by("core/rma/a.c", SPDX + "int a;\n" * 501), ["size"])

    def test_a_file_without_licence_line(self) -> None:
        self.assertEqual(rules_broken_by("core/rma/a.c", "int a;\n"), ["opening"])


class TheRepository(unittest.TestCase):
    def test_follows_the_rules(self) -> None:
        findings = lint.lint(Path(__file__).resolve().parents[2])
        self.assertEqual([], [str(finding) for finding in findings])


if __name__ == "__main__":
    unittest.main()
