# SPDX-License-Identifier: BSD-3-Clause
"""What the generator must not name: it is told by the table, spec/, and by the folders of
bindings/, whose own names are looked for here.

In codegen/ no string, module or import is the name of a procedure, a callback, a kind or a
language. In the modules and templates of bindings/, core/ and reference/ no string is one of a
procedure, a callback or a kind.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from codegen.language import language_names  # noqa: E402
from codegen.load import load  # noqa: E402

# They read what others have written: the Forum's data by the Forum's words, and which
# types of C and Fortran the standard's own constants stand for.
READS_THE_FORUM = ("facts.py", "forum.py")
READS_CONSTANTS = ("constants.py",)


def _strings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The strings of a module but for those that document it."""
    documents = [n.value for n in ast.walk(tree) if isinstance(n, ast.Expr)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if node not in documents:
                yield node.lineno, node.value


def _imports(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The packages that a module imports from."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.lineno, node.module.split(".")[0]
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, a.name.split(".")[0]) for a in node.names)


class Names:
    """The names of a tree, and where they are used although they must not be."""

    def __init__(self, top: Path) -> None:
        spec = load(top / "spec")
        self._top = top
        folders = [path.parent.name for path in top.glob("bindings/*/language.py")]
        self.languages = {*language_names(top / "bindings"), *folders}
        self.kinds = set(spec.kinds)
        self.procedures = {*spec.procedures, *spec.callbacks}

    def _forbidden(self, file: Path) -> set[str]:
        """What a module of codegen/ must not name."""
        if file.name in READS_THE_FORUM:
            return self.procedures
        own = self.procedures | self.kinds
        return own if file.name in READS_CONSTANTS else own | self.languages

    def _in_generator(self) -> Iterator[str]:
        for file in sorted(self._top.glob("codegen/**/*.py")):
            tree = ast.parse(file.read_text("utf-8"))
            name = file.relative_to(self._top)
            for line, text in _strings(tree):
                if text in self._forbidden(file):
                    yield f"{name}:{line}: '{text}' is named in the generator"
            for line, package in _imports(tree):
                if package == "bindings":
                    yield f"{name}:{line}: the generator imports a language"
            if self.languages & set(file.stem.split("_")):
                yield f"{name}:1: a module is called by a language"

    def _in_bindings(self) -> Iterator[str]:
        forbidden = self.procedures | self.kinds
        for file in sorted(self._top.glob("bindings/**/*.py")):
            for line, text in _strings(ast.parse(file.read_text("utf-8"))):
                if text in forbidden:
                    yield f"{file.relative_to(self._top)}:{line}: '{text}' is named"

    def _in_templates(self) -> Iterator[str]:
        forbidden = self.procedures | self.kinds
        roots = ("bindings", "core", "reference")
        files = [f for root in roots for f in self._top.glob(f"{root}/**/*.j2")]
        for file in sorted(files):
            for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
                found = re.findall(r"""["'](\w+)["']""", line)
                for text in (text for text in found if text in forbidden):
                    yield f"{file.relative_to(self._top)}:{number}: '{text}' is named"

    def named(self) -> list[str]:
        """Every place where something is named."""
        places = (self._in_generator(), self._in_bindings(), self._in_templates())
        return [text for found in places for text in found]
