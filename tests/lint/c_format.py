# SPDX-License-Identifier: BSD-3-Clause
"""Where C is not formed as clang-format forms it, by the .clang-format of the tree.

usage: c_format.py [TOP]      prints `file:line: what`, exits 1 if there is any.

The form changes with clang-format's version, so that only that of Debian 12 judges.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from lint import tracked_files

TOOL = "clang-format"
VERSION = "version 14."
STYLE = Path(__file__).resolve().parents[2] / ".clang-format"


def judges() -> bool:
    """The version of clang-format is the one that the repository is written with."""
    command = [TOOL, "--version"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return VERSION in said


def complaints(top: Path) -> list[str]:
    """The first line of each file that has another form, `file:line: what`."""
    if not shutil.which(TOOL):
        return [f"there is no {TOOL}: apt-get install {TOOL}"]
    if not judges():
        return []
    files = [str(f) for f in tracked_files(top) if f.suffix in {".c", ".h"}]
    command = [TOOL, f"--style=file:{STYLE}", "--dry-run", "--ferror-limit=1", *files]
    done = subprocess.run(command, cwd=top, capture_output=True, text=True, check=True)
    found = re.findall(r"^(\S+?:\d+):\d+: warning: (.*?)(?: \[|$)", done.stderr, re.M)
    first = {place.rpartition(":")[0]: (place, what) for place, what in reversed(found)}
    return sorted(f"{place}: {what}" for place, what in first.values())


def main() -> int:
    top = Path(sys.argv[1]) if len(sys.argv) > 1 else STYLE.parent
    said = complaints(top)
    print(*said, sep="\n", end="\n" if said else "")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
