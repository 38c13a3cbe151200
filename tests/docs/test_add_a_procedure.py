# SPDX-License-Identifier: BSD-3-Clause
"""docs/add-a-procedure.md says all that is to be done: whoever follows it, block by block
in a copy of the tree, has a procedure that works and that the proofs know.

A block of the page is run if it is marked `sh`; any other goes to the end of the file that
the words before it name last.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

TOP = Path(__file__).resolve().parent.parent.parent
PAGE = "docs/add-a-procedure.md"
PARTS = (
    *("bindings", "cmake", "codegen", "core", "docs", "launch"),
    *("reference", "spec", "tests"),
)
FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```\n", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """One block of the page."""

    language: str
    text: str
    file: str  # the last that is named before


def blocks(page: str) -> Iterator[Block]:
    """The blocks in their order."""
    start = 0
    for fence in FENCE.finditer(page):
        named = re.findall(r"`([\w/.]+)`", page[start : fence.start()])
        yield Block(fence[1], dedent(fence[2]), named[-1] if named else "")
        start = fence.end()


def environment(tree: Path) -> dict[str, str]:
    """What makes the build quick; the page need not say it."""
    folders = (str(Path(sys.executable).parent), os.environ["PATH"])
    quick = {"PATH": os.pathsep.join(folders), "CMAKE_BUILD_TYPE": "None"}
    quick |= {"CMAKE_BUILD_PARALLEL_LEVEL": "2", "PYTHONDONTWRITEBYTECODE": "1"}
    if shutil.which("ccache"):
        quick |= {"CMAKE_C_COMPILER_LAUNCHER": "ccache", "CCACHE_NOHASHDIR": "1"}
        quick |= {"CCACHE_BASEDIR": str(tree)}
    return {**os.environ, **quick}


class AddAProcedure(unittest.TestCase):
    """The page is followed."""

    def setUp(self) -> None:
        folder = Path(tempfile.mkdtemp(prefix="oriel-docs-"))
        self.addCleanup(shutil.rmtree, folder)
        self.tree = folder / "tree"
        for part in PARTS:
            shutil.copytree(TOP / part, self.tree / part)
        shutil.copy(TOP / "CMakeLists.txt", self.tree)
        self.environment = environment(self.tree)

    def run_command(self, *command: str, **more: str) -> None:
        """It succeeds; what it said is the message if not."""
        done = subprocess.run(
            command,
            cwd=self.tree,
            env={**self.environment, **more},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        self.assertEqual(done.returncode, 0, done.stdout)

    def follow(self, block: Block) -> None:
        """Do what a block says."""
        if block.language == "sh":
            self.run_command("sh", "-ec", block.text)
            return
        file = self.tree / block.file
        before = file.read_text("utf-8") + "\n" if file.exists() else ""
        file.write_text(before + block.text, "utf-8")

    def test_procedure_of_the_page_works_and_is_proved(self) -> None:
        page = (self.tree / PAGE).read_text("utf-8")
        for block in blocks(page):
            self.follow(block)
        build = self.tree / "build"
        layer = build / "bindings" / "fortran"
        self.run_command(
            sys.executable,
            str(self.tree / "tests" / "docs" / "prove_one.py"),
            PYTHONPATH=str(self.tree / "tests" / "proofs"),
            PROCEDURE=re.findall(r"proc (\w+)", page)[0],
            ORIEL_GENERATED=str(build / "generated"),
            ORIEL_MODULES=str(layer / "modules"),
            ORIEL_C_LIBRARY=str(build / "bindings" / "c" / "libmpi_abi.so"),
            ORIEL_FORTRAN_LIBRARY=str(layer / "liboriel_fortran.so"),
        )


if __name__ == "__main__":
    unittest.main()
