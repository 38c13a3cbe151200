# SPDX-License-Identifier: BSD-3-Clause
"""Source lines of addresses, by addr2line of binutils."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from files import Mapped, Process

TRANSPARENT = ("mpicxx.h",)  # files whose functions are inline in what calls them


def _first_line(lines: list[tuple[str, str]]) -> str:
    """Of a call and those that it is inline in, the first in the program."""
    for function, place in lines:
        name = Path(place.split(" (")[0]).name
        if name.startswith("??"):
            continue
        if not name.startswith(TRANSPARENT):
            known = "" if function == "??" else f" ({function})"
            return name + known
    return ""


def _ask(path: str, addresses: list[int]) -> list[str]:
    """The line of each address in a file, "" where it is not known."""
    tool = shutil.which("addr2line")
    if not tool or not Path(path).is_file():
        return [""] * len(addresses)
    # A call's return address lies behind it.
    words = "".join(f"{address - 1:#x}\n" for address in addresses)
    command = [tool, "-a", "-f", "-C", "-i", "-e", path]
    run = subprocess.run(command, input=words, capture_output=True, text=True)
    found: list[list[str]] = []
    for line in run.stdout.splitlines():
        if line.startswith("0x"):
            found.append([])
        elif found:
            found[-1].append(line)
    if len(found) != len(addresses):
        return [""] * len(addresses)
    return [_first_line([*zip(lines[::2], lines[1::2])]) for lines in found]


class Places:
    """The places of a job's calls: each text once, found by its number."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._numbers: dict[str, int] = {}

    def _number(self, text: str) -> int:
        if text not in self._numbers:
            self._numbers[text] = len(self.texts)
            self.texts.append(text)
        return self._numbers[text]

    def of_process(self, process: Process, sites: Iterable[int]) -> dict[int, int]:
        """The number of the place of each site."""
        by_file: dict[Mapped, list[int]] = {}
        numbers = {}
        for site in sites:
            mapped = next((m for m in process.mapped if m.begin <= site < m.end), None)
            if mapped:
                by_file.setdefault(mapped, []).append(site)
            else:
                numbers[site] = self._number(f"{site:#x}")
        for mapped, inside in by_file.items():
            addresses = [site - mapped.bias for site in inside]
            for site, text in zip(inside, self._lines(mapped.path, addresses)):
                numbers[site] = self._number(text)
        return numbers

    _known: dict[tuple[str, int], str] = {}

    def _lines(self, path: str, addresses: list[int]) -> list[str]:
        asked = [a for a in addresses if (path, a) not in self._known]
        for address, text in zip(asked, _ask(path, asked) if asked else []):
            self._known[path, address] = text or f"{Path(path).name}+{address:#x}"
        return [self._known[path, address] for address in addresses]
