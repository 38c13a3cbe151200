# SPDX-License-Identifier: BSD-3-Clause
"""Each rule of the reader and the checker has a file in bad/ that breaks it.

The files of bad/kinds, bad/constants and bad/callbacks are appended to that table of
the tiny spec; those of bad/procedures stand beside its records; those of bad/table and
bad/symbols are C's; those of bad/language are the module of mpi_f08. A comment
`# error at WORD: MESSAGE` marks the line that must be complained about, with the mark
under WORD, and nothing else may be; `# error: MESSAGE` is about no word.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from common import HERE, TreeTest

from codegen.check import check
from codegen.check_languages import check_languages
from codegen.expand import expand
from codegen.language import load_languages
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
WORDS = {None: "", "QUOTE": '"'}  # what cannot be said in the file
EXPECTED = re.compile(r"# error(?: at (.*?))?: (.*)")
MARKED = re.compile(r"(.*?):(\d+)(?::(\d+))?: (.*)")


@dataclass(frozen=True)
class Complaint:
    """One complaint; `word` is what its mark is under, "" if it has none."""

    file: str
    line: int
    word: str
    message: str

    @classmethod
    def parse(cls, text: str) -> "Complaint":
        """Out of what is printed: the message, the line and the mark."""
        message, *excerpt = text.splitlines()
        found = MARKED.fullmatch(message)
        assert found is not None, text
        file, line, column, said = found.groups()
        word = ""
        if excerpt:
            row, mark = excerpt
            start = mark.index("^")
            assert int(column) == start + 1, text
            word = row[start : len(mark)].strip()
        return cls(file, int(line), word, said)


def complaints(root: Path) -> list[str]:
    """Everything that is said about the tree."""
    try:
        spec = load(root / "spec")
        languages = load_languages(root / "bindings", spec)
        errors = [*check(spec), *check_languages(spec, languages)]
        if errors:
            return [str(error) for error in errors]
        render(root, expand(spec, root))
    except SpecError as error:
        return [str(error)]
    return []


def put(bad: Path, root: Path) -> Path:
    """Add a bad file to the tree; what it has become part of."""
    path = root / PLACES[bad.parent.name]
    data = bad.read_bytes()
    if bad.parent.name in APPENDED:
        data = path.read_bytes() + data
    path.write_bytes(data)
    return path


class BadSpecs(TreeTest):
    """One test method for each file, made below."""

    def complains(self, bad: Path) -> None:
        """The file is complained about as it says, and only so."""
        lines = put(bad, self.root).read_text("utf-8", "replace").splitlines()
        file = PLACES[bad.parent.name]
        expected = [
            Complaint(file, number, WORDS.get(found[1], found[1]), found[2])
            for number, line in enumerate(lines, 1)
            if (found := EXPECTED.search(line))
        ]
        self.assertEqual(len(expected), 1)
        said = [Complaint.parse(text) for text in complaints(self.root)]
        self.assertEqual(said, expected)

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
