# SPDX-License-Identifier: BSD-3-Clause
"""Each rule of the reader and the checker has a file in bad/ that breaks it.

The files of bad/kinds, bad/constants and bad/callbacks are appended to that table of
the tiny spec; those of bad/procedures stand beside its records; those of bad/table and
bad/symbols are C's; those of bad/language are the module of mpi_f08. A comment `# error: MESSAGE` marks the line that must be complained
about, and nothing else may be.
"""

from pathlib import Path

from common import HERE, TreeTest

from codegen.check import check
from codegen.expand import expand
from codegen.load import load
from codegen.position import SpecError
from codegen.render import render

PLACES = {
    "kinds": "spec/kinds.spec",
    "constants": "spec/constants.spec",
    "callbacks": "spec/callbacks.spec",
    "procedures": "spec/procedures/bad.spec",
    "table": "bindings/c/kinds.spec",
    "symbols": "bindings/c/symbols.spec",
    "language": "bindings/f08/language.py",
}
APPENDED = ("kinds", "constants", "callbacks")
MARK = "# error: "


def complaints(root: Path) -> list[str]:
    """Everything that is said about the tree."""
    try:
        spec = load(root / "spec")
        errors = check(spec)
        if errors:
            return [str(error) for error in errors]
        render(root, expand(spec, root))
    except SpecError as error:
        return [str(error)]
    return []


def put(bad: Path, root: Path) -> Path:
    """Add a bad file to the tree; what it has become part of."""
    path = root / PLACES[bad.parent.name]
    text = bad.read_text("utf-8")
    if bad.parent.name in APPENDED:
        text = path.read_text("utf-8") + text
    path.write_text(text, "utf-8")
    return path


class BadSpecs(TreeTest):
    """One test method for each file, made below."""

    def complains(self, bad: Path) -> None:
        """The file is complained about as it says, and only so."""
        lines = put(bad, self.root).read_text("utf-8").splitlines()
        expected = [
            f"{PLACES[bad.parent.name]}:{number}: {line.split(MARK)[1]}"
            for number, line in enumerate(lines, 1)
            if MARK in line
        ]
        self.assertEqual(len(expected), 1)
        self.assertEqual(complaints(self.root), expected)

    def test_the_tiny_table_is_good(self) -> None:
        self.assertEqual(complaints(self.root), [])

    def test_every_place_has_bad_files(self) -> None:
        folders = {bad.parent.name for bad in (HERE / "bad").rglob("*.spec")}
        self.assertEqual(folders, set(PLACES))


def _add_tests() -> None:
    for bad in sorted((HERE / "bad").rglob("*.spec")):

        def test(self: BadSpecs, bad: Path = bad) -> None:
            self.complains(bad)

        setattr(BadSpecs, f"test_{bad.parent.name}_{bad.stem}", test)


_add_tests()
