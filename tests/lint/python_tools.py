# SPDX-License-Identifier: BSD-3-Clause
"""What tools for Python find in the repository: types (mypy --strict), names that are
unknown or not used (pyflakes), form (black, which writes as ruff format does).

usage: python_tools.py [TOP]      prints what they say, exits 1 if there is anything.

They are Debian's: scripts/test installs them. The form of black changes with each
year's version, so that only that of Debian 12 judges.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from lint import tracked_files

TOOLS = ("mypy", "pyflakes3", "black")
BLACK = "black, 23."
# They are modules of packages; other folders hold programs that import their neighbours.
PACKAGES = ("codegen", "bindings")
SETTINGS = Path(__file__).resolve().parents[2] / "pyproject.toml"


def _said(command: list[str], folder: Path, **environment: str) -> str:
    """What a tool says if it finds anything."""
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr if done.returncode else ""


def _types(top: Path, files: list[Path]) -> Iterator[str]:
    """Modules are checked together, other files with their neighbours."""
    mypy = ["mypy", "--config-file", str(SETTINGS), "--no-error-summary"]
    mypy += ["--python-executable", sys.executable, "--no-color-output"]
    modules = [str(f) for f in files if f.parts[0] in PACKAGES]
    if modules:
        bases = ["--namespace-packages", "--explicit-package-bases"]
        yield _said([*mypy, *bases, *modules], top, MYPYPATH=str(top))
    others = [f for f in files if str(f) not in modules]
    for folder in sorted({f.parent for f in others}):
        names = [f.name for f in others if f.parent == folder]
        path = f"{top}:{top / 'tests' / 'proofs'}:{top / 'launch' / 'trace' / 'reader'}"
        yield _said([*mypy, *names], top / folder, MYPYPATH=path)


def black_judges() -> bool:
    """The version of black is the one that the repository is written with."""
    if not shutil.which("black"):
        return False
    command = ["black", "--version"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return said.startswith(BLACK)


def _form(top: Path, files: list[Path]) -> str:
    if not black_judges():
        print(f"the form is not judged: it is that of {BLACK}*", file=sys.stderr)
        return ""
    command = ["black", "--config", str(SETTINGS), "--diff", "--check", "--quiet"]
    return _said([*command, *map(str, files)], top)


def complaints(top: Path) -> list[str]:
    """What the tools say, each text by itself."""
    absent = [tool for tool in TOOLS if not shutil.which(tool)]
    if absent:
        return [f"there is no {tool}: apt-get install {tool}" for tool in absent]
    files = [file for file in tracked_files(top) if file.suffix == ".py"]
    said = [*_types(top, files), _form(top, files)]
    said.append(_said(["pyflakes3", *map(str, files)], top))
    return [text for text in said if text]


def main() -> int:
    top = Path(sys.argv[1]) if len(sys.argv) > 1 else SETTINGS.parent
    said = complaints(top)
    for text in said:
        print(text)
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
