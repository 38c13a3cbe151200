# SPDX-License-Identifier: BSD-3-Clause
"""House rules that a machine can check, over the files of the repository.

usage: lint.py [TOP]      prints `file:line: rule: what`, exits 1 if there is any.

Rules: layer (a core folder includes only itself and lower folders, and of another folder
only its one header, its inline functions and what it gives to other languages; core's own
files are above all folders), owner (one writer of each member of a struct that holds state,
see owners.py), words (names of functions, types and headers, see words.py), size (files,
functions), macro (at most six lines), condition (#if only in core/base), names (no MPI
procedure is named in the generator or a template), template (it prints and computes nothing,
see templates.py), calls (the core calls no MPI_ procedure), opening (SPDX line first),
version (it is said once, see version.py).
"""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import owners
import templates
import version
import words

# Each folder of core may include those to its right. Folders in one group do not see
# each other.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("sync",),
    ("rma", "tools"),
    ("window",),
    ("collective",),
    ("pt2pt",),
    ("races",),
    ("datatype",),
    ("object",),
    ("message",),
    ("net", "shm"),
    ("boot",),
    ("base",),
)
TEMPLATES = {"bindings", "core", "reference"}
ABOVE_ALL = -1  # core's own files
FILE_LINES = 500
FUNCTION_LINES = 100  # no function is longer ...
USUAL_LINES = 60  # ... and of all functions this share is not longer than that
USUAL_SHARE = 0.95
MACRO_LINES = 6


@dataclass(frozen=True)
class Finding:
    file: Path
    line: int
    rule: str
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.rule}: {self.text}"


@dataclass(frozen=True)
class Function:
    file: Path
    line: int
    name: str
    lines: int


def tracked_files(top: Path) -> list[Path]:
    """Files of the repository; without git all below `top` but for build folders."""
    command = ["git", "-C", str(top), "ls-files", "-co", "--exclude-standard"]
    if shutil.which("git"):
        listing = subprocess.run(command, capture_output=True, text=True, check=False)
        if listing.returncode == 0:
            names = [Path(name) for name in listing.stdout.splitlines()]
            return [name for name in names if (top / name).is_file()]
    files = [path.relative_to(top) for path in sorted(top.rglob("*")) if path.is_file()]
    return [file for file in files if not file.parts[0].startswith(("build", "."))]


def rank_of(folder: str) -> int | None:
    for rank, group in enumerate(LAYERS):
        if folder in group:
            return rank
    return None


def is_c_of_core(file: Path) -> bool:
    return file.parts[0] == "core" and file.suffix in {".c", ".h"}


def check_layers(file: Path, lines: list[str]) -> Iterator[Finding]:
    source = file.with_suffix("") if file.suffix == ".j2" else file
    if not is_c_of_core(source):
        return
    own_folder = file.parts[1] if len(file.parts) > 2 else ""
    own = rank_of(own_folder) if own_folder else ABOVE_ALL
    if own is None:
        yield Finding(file, 1, "layer", f"core/{own_folder} has no place in the layers")
        return
    for number, line in enumerate(lines, 1):
        match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        if not match:
            continue
        folder, _, header = match[1].rpartition("/")
        other = rank_of(folder) if folder else ABOVE_ALL
        if other is None:
            yield Finding(file, number, "layer", f"{match[1]} is not of a core folder")
        elif folder == own_folder:
            continue
        elif other <= own:
            yield Finding(file, number, "layer", f"{match[1]} is not below this folder")
        elif header not in {f"{folder}.h", "inline.h", "language.h"}:
            yield Finding(file, number, "layer", f"{match[1]} is private to its folder")


def check_owners(top: Path, files: dict[Path, list[str]]) -> Iterator[Finding]:
    if not (top / owners.TABLE).is_file():
        return
    table = (top / owners.TABLE).read_text(encoding="utf-8").splitlines()
    core = {file: lines for file, lines in files.items() if is_c_of_core(file)}
    for file, line, text in owners.broken_rules(core, table):
        yield Finding(file, line, "owner", text)


def check_words(top: Path, files: dict[Path, list[str]]) -> Iterator[Finding]:
    table: list[str] = []
    if (top / words.TABLE).is_file():
        table = (top / words.TABLE).read_text(encoding="utf-8").splitlines()
    for file, line, text in words.broken_rules(files, table):
        yield Finding(file, line, "words", text)


def check_version(top: Path) -> Iterator[Finding]:
    for file, line, text in version.broken_rules(top, tracked_files(top)):
        yield Finding(file, line, "version", text)


def check_preprocessor(file: Path, lines: list[str]) -> Iterator[Finding]:
    if file.suffix not in {".c", ".h"} or file.parts[0] not in {"core", "launch"}:
        return
    start = 0
    for number, line in enumerate(lines, 1):
        if re.match(r"\s*#\s*(if|ifdef|ifndef)\b", line) and file.parts[:2] != (
            "core",
            "base",
        ):
            yield Finding(file, number, "condition", "#if belongs into core/base")
        if re.match(r"\s*#\s*define\b", line):
            start = number
        if start and not line.endswith("\\"):
            if number - start + 1 > MACRO_LINES:
                yield Finding(file, start, "macro", f"longer than {MACRO_LINES} lines")
            start = 0


def check_calls(file: Path, lines: list[str]) -> Iterator[Finding]:
    if not is_c_of_core(file):
        return
    for number, line in enumerate(lines, 1):
        code = re.sub(r'"(\\.|[^"\\])*"', '""', line.split("//", 1)[0])
        match = re.search(r"\bP?MPI_[A-Z][a-z]\w*\s*\(", code)
        if match and not re.search(r"\bMPI_(Aint|Count|Offset|Fint)\s*\(", code):
            yield Finding(file, number, "calls", f"the core calls {match[0]}...)")


def check_names(file: Path, lines: list[str]) -> Iterator[Finding]:
    """Procedures are spelled in spec only; types and constants may be named."""
    is_template = file.suffix == ".j2" and file.parts[0] in TEMPLATES
    if not is_template and file.parts[0] != "codegen":
        return
    types = (
        "Aint|Count|Offset|Fint|Status|F08_status|Comm|Datatype|Errhandler|File|Group"
    )
    types += "|Info|Message|Op|Request|Session|Win|User_function"
    for number, line in enumerate(lines, 1):
        for match in re.finditer(r"\bP?MPI_[A-Z][a-z]\w*", line):
            if not re.fullmatch(rf"MPI_({types})", match[0]):
                yield Finding(
                    file, number, "names", f"{match[0]} is named outside spec"
                )


def check_opening(file: Path, lines: list[str]) -> Iterator[Finding]:
    if file.suffix not in {".c", ".h", ".py", ".f90"} or "examples" in file.parts:
        return
    if not lines or "SPDX-License-Identifier: BSD-3-Clause" not in lines[0]:
        yield Finding(file, 1, "opening", "the first line is not the SPDX line")


def c_functions(file: Path, lines: list[str]) -> Iterator[Function]:
    start = 0
    for number, line in enumerate(lines, 1):
        if line == "{":
            start = number
        elif line == "}" and start:
            head = lines[start - 2]
            name = re.match(r".*?(\w+)\(", head)
            yield Function(file, start, name[1] if name else head, number - start + 1)
            start = 0


def python_functions(file: Path, lines: list[str]) -> Iterator[Function]:
    for node in ast.walk(ast.parse("\n".join(lines))):
        if isinstance(node, ast.FunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            yield Function(file, node.lineno, node.name, length)


def check_sizes(files: dict[Path, list[str]]) -> Iterator[Finding]:
    functions: list[Function] = []
    for file, lines in files.items():
        if file.suffix not in {".c", ".h", ".py", ".j2", ".f90"}:
            continue
        if len(lines) > FILE_LINES:
            yield Finding(
                file, len(lines), "size", f"{len(lines)} lines, at most {FILE_LINES}"
            )
        if file.suffix in {".c", ".h"}:
            functions += c_functions(file, lines)
        elif file.suffix == ".py":
            functions += python_functions(file, lines)
    for function in functions:
        if function.lines > FUNCTION_LINES:
            yield Finding(
                function.file,
                function.line,
                "size",
                f"{function.name} has {function.lines} lines, at most {FUNCTION_LINES}",
            )
    long = [function for function in functions if function.lines > USUAL_LINES]
    if functions and len(long) > (1 - USUAL_SHARE) * len(functions):
        for function in long:
            text = f"{function.name} is one of too many over {USUAL_LINES} lines"
            yield Finding(function.file, function.line, "size", text)


def check_templates(file: Path, lines: list[str]) -> Iterator[Finding]:
    if file.suffix == ".j2":
        for line, text in templates.broken_rules(lines):
            yield Finding(file, line, "template", text)


RULES = (
    *(check_layers, check_preprocessor, check_calls),
    *(check_names, check_opening, check_templates),
)


def lint(top: Path) -> list[Finding]:
    files: dict[Path, list[str]] = {}
    for file in tracked_files(top):
        if (
            file.suffix in {".c", ".h", ".py", ".j2", ".f90"}
            or file.parts[0] == "codegen"
        ):
            if file.parts[:2] != ("tests", "lint") or file.name == "lint.py":
                files[file] = (top / file).read_text(encoding="utf-8").splitlines()
    findings: list[Finding] = []
    for file, lines in files.items():
        for rule in RULES:
            findings += rule(file, lines)
    findings += check_sizes(files)
    findings += check_owners(top, files)
    findings += check_words(top, files)
    findings += check_version(top)
    return findings


def main() -> int:
    top = (
        Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    )
    findings = lint(top)
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
