# SPDX-License-Identifier: BSD-3-Clause
"""The version is said once, by project() in CMakeLists.txt; the build derives the rest.

What people write of a release names it, too, and has to name the same one: CHANGELOG.md and
debian/changelog, in their newest entry. docs/benchmarks.md says what was measured when it
was written. No other file of text has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

PLACE = Path("CMakeLists.txt")
PROJECT = re.compile(r"^project\(\w+ VERSION ([\d.]+)", re.MULTILINE)
MEASURED = Path("docs/benchmarks.md")
# The newest entry of each is its first.
RELEASES = {
    Path("CHANGELOG.md"): re.compile(r"^## ([\d.]+)", re.MULTILINE),
    Path("debian/changelog"): re.compile(r"^oriel \(([\d.]+)-", re.MULTILINE),
}


def broken_rules(top: Path, files: Iterable[Path]) -> Iterator[tuple[Path, int, str]]:
    """Names file, line and what is wrong there; `files` are those of the repository."""
    place = top / PLACE
    project = PROJECT.search(place.read_text("utf-8")) if place.is_file() else None
    if not project:
        return
    version = project[1]
    anywhere = re.compile(rf"(?<![\w.]){re.escape(version)}(?!\.?\w)")
    for file in files:
        try:
            text = (top / file).read_text("utf-8")
        except UnicodeDecodeError:
            continue
        if file in RELEASES:
            entry = RELEASES[file].search(text)
            if not entry or entry[1] != version:
                yield file, 1, f"the newest entry is not that of {version}"
        elif file not in (PLACE, MEASURED):
            for found in anywhere.finditer(text):
                line = text.count("\n", 0, found.start()) + 1
                yield file, line, f"{version} is said in {PLACE} alone"
