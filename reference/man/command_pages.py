# SPDX-License-Identifier: BSD-3-Clause
"""Writes the man pages of commands, section 1, by what these print when they are asked for
help, so that nothing is said twice.

usage: command_pages.py FOLDER VERSION PATH...
"""

import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

WRAPPER_HELP = "--showme:help"
COMPILES = "compiles and links {} programs with Oriel"


@dataclass(frozen=True)
class Command:
    """What a page says that the help does not."""

    purpose: str
    see: tuple[str, ...]
    help_option: str = "--help"


COMMANDS = {
    "mpicc": Command(COMPILES.format("C"), ("mpiexec", "mpicxx"), WRAPPER_HELP),
    "mpicxx": Command(COMPILES.format("C++"), ("mpiCC", "mpicc"), WRAPPER_HELP),
    "mpiCC": Command(
        COMPILES.format("C++") + ", with namespace MPI", ("mpicxx",), WRAPPER_HELP
    ),
    "mpifort": Command(
        COMPILES.format("Fortran"), ("oriel-fortran", "mpiexec"), WRAPPER_HELP
    ),
    "mpiexec": Command(
        "starts the processes of an MPI program", ("oriel-info", "oriel-trace", "mpicc")
    ),
    "oriel-info": Command(
        "says what is installed of Oriel, and tests it", ("mpiexec",)
    ),
    "oriel-trace": Command(
        "sums up what a traced job has done, and waited for", ("mpiexec",)
    ),
    "oriel-fortran": Command(
        "builds Oriel's Fortran modules for one more compiler", ("mpifort",)
    ),
}
# What is the same command under another name.
ALIASES = {
    "mpic++": "mpicxx",
    "mpif77": "mpifort",
    "mpif90": "mpifort",
    "mpirun": "mpiexec",
}
# A line of help about an option or a variable: what it is, and what it does.
ENTRY = re.compile(r" {2,4}(\S(?:.*?\S)?)(?: {2,}(\S.*)|( ?)$)")
HEADING = re.compile(r"(\S.*):")
WIDTH = 78


def roff(text: str) -> str:
    """Text as man sets it as it is."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def usage(lines: list[str]) -> str:
    """The line that says how to call the command, "" if there is none."""
    found = [x.removeprefix("usage: ") for x in lines if x.startswith("usage: ")]
    return found[0] if found else ""


def paragraphs(lines: list[str]) -> Iterator[list[str]]:
    """Lines with no empty one between; a line at the margin ends a list of entries."""
    found: list[str] = []
    for line in [*lines, ""]:
        is_new = not line or (found and found[-1][:1] == " " and line[:1] != " ")
        if is_new and found:
            yield found
            found = []
        found += [line] if line else []


def body(lines: list[str]) -> Iterator[str]:
    """The help, with headings, entries and paragraphs."""
    for one in paragraphs(lines):
        heading = HEADING.fullmatch(one[0])
        if heading and one[1:] and one[1].startswith(" "):
            yield f'.SS "{roff(heading[1])}"'
            one = one[1:]
        elif not one[0].startswith(" "):
            yield ".PP"
        for line in one:
            yield from of_line(line)


def of_line(line: str) -> Iterator[str]:
    """One line: an entry, or text of what was begun before."""
    entry = ENTRY.fullmatch(line) if line.startswith(" ") else None
    if entry:
        yield from (".TP", f"\\fB{roff(entry[1])}\\fR")
        line = entry[2] or ""
    yield from map(roff, textwrap.wrap(line.strip(), WIDTH))


def without_name(name: str, line: str) -> str:
    """A line that begins with the command's name, as a sentence."""
    text = line.removeprefix(f"{name}: ")
    return line if text == line else text[0].upper() + text[1:]


def page(name: str, version: str, text: str) -> str:
    """The page of a command that prints this help."""
    command = COMMANDS[name]
    lines = text.splitlines()
    called = usage(lines) or f"{name} [option ...] [argument ...]"
    said = [line for line in lines if not line.startswith("usage: ")]
    description = [*body([without_name(name, line) for line in said])]
    rows = [
        f'.TH {roff(name.upper())} 1 "" "Oriel {version}" "Oriel"',
        ".SH NAME",
        f"{roff(name)} \\- {command.purpose}",
        ".SH SYNOPSIS",
        roff(called),
        ".SH DESCRIPTION",
        *description[description[0] == ".PP" :],
        ".SH SEE ALSO",
        ", ".join(f"\\fB{roff(other)}\\fR(1)" for other in command.see),
    ]
    return "\n".join([*rows, ""])


def write_pages(folder: Path, version: str, paths: list[Path]) -> None:
    """The pages of the commands that there are, and of their other names."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in paths:
        command = [str(path), COMMANDS[path.name].help_option]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        text = page(path.name, version, done.stdout)
        (folder / f"{path.name}.1").write_text(text, "utf-8")
        for alias in (a for a, name in ALIASES.items() if name == path.name):
            (folder / f"{alias}.1").write_text(f".so man1/{path.name}.1\n", "utf-8")


if __name__ == "__main__":
    write_pages(Path(sys.argv[1]), sys.argv[2], [Path(x) for x in sys.argv[3:]])
