# SPDX-License-Identifier: BSD-3-Clause
"""Which operations are defined on which datatypes: docs/operations.md.

usage: operations.py measure FACTS MPICC MPIEXEC [OPTION ...]
       operations.py pairs HEADER
       operations.py check|write MPIEXEC [OPTION ...] PROGRAM

`measure` asks another MPI library and keeps the answers in a file of this folder.
`pairs` writes what probe.c, built for Oriel as PROGRAM, includes. `check` asks that: its
answers must be those of the table in spec/, and the page must follow from all answers;
`write` writes it.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
sys.path.insert(0, str(TOP))

from codegen.load import load  # noqa: E402
from codegen.model import Constant, Spec  # noqa: E402

PAGE = TOP / "docs" / "operations.md"
CATEGORIES = (
    "PREDEFINED_DATATYPES",
    "OPT_DATATYPES_FORTRAN",
    "REDUCTION_FUNC_DATATYPES_C",
    "REDUCTION_FUNC_DATATYPES_FORTRAN",
)
MOVES = ("MPI_REPLACE", "MPI_NO_OP")  # of accumulates only
OTHERS = ("mpich-4.0.2.facts", "openmpi-4.1.4.facts")
LETTERS = "SMPO"
SECONDS = 60
INTRODUCTION = """\
# Operations and the datatypes that they take

Predefined datatypes that reductions (MPI-4.1 6.9.2) and accumulates (12.3.4) take. A letter in a cell says that

- `S` the standard lists the datatype for the operation,
- `M` MPICH 4.0.2 takes it,
- `P` Open MPI 4.1.4 takes it,
- `O` Oriel takes it;

a dot, that it is not so, and a question mark, that the library does not have the datatype. Nobody takes in a reduction
`MPI_REPLACE` and `MPI_NO_OP`, which are of accumulates only.

Beyond the standard Oriel takes what both others take for all datatypes of a group of 6.9.2, and nothing else: programs
that run with both run with Oriel. So characters, which the standard has in no group, are signed bytes here, in
`MPI_Compare_and_swap` too; and the logical operations take `MPI_AINT`, `MPI_COUNT` and `MPI_OFFSET`. They do not take
integers of Fortran, since Open MPI refuses `MPI_INTEGER`.

The cells are measured. Those of the others are kept in `tests/operations`; those of Oriel the test `operations` asks for
anew, and holds them against `spec/constants.spec` (`on` is what the standard lists, `also` what Oriel adds) and against
this page.

"""

Pair = tuple[str, str]  # datatype, operation
Answer = tuple[bool, bool]  # taken by reductions, by accumulates
Answers = dict[Pair, Answer]


def types_of(spec: Spec) -> list[Constant]:
    """All datatypes that have data."""
    constants = (c for name in CATEGORIES for c in spec.constants_in(name))
    return [c for c in constants if c.size]


def ops_of(spec: Spec) -> list[Constant]:
    """All operations but the null handle."""
    return [c for c in spec.constants_in("COLLECTIVE_OPS") if c.operands]


# ---- asking a library ----------------------------------------------------------------
def pairs_header(spec: Spec) -> str:
    """What the program probes, as far as the library knows the datatype."""
    lines = []
    for datatype in types_of(spec):
        lines.append(f"#ifdef {datatype.name}")
        lines += [f"PROBE({datatype.name}, {op.name});" for op in ops_of(spec)]
        lines.append("#endif")
    return "\n".join(lines) + "\n"


def ask(command: list[str], *options: str) -> Answers:
    """What the library of a program takes; not a pair that ends the program."""
    answers: Answers = {}
    while True:
        run = subprocess.run(
            [*command, str(len(answers)), *options],
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        before = len(answers)
        answers |= dict(answers_in(run.stdout))
        if run.returncode == 0:
            return answers
        if len(answers) == before:
            raise SystemExit(f"{' '.join(command)}: {run.stderr}")


def answers_in(text: str) -> Iterator[tuple[Pair, Answer]]:
    """The answers of a program's lines or of a file."""
    for line in text.splitlines():
        words = line.split()
        if len(words) >= 2 and words[0].startswith("MPI_"):
            taken = [word == "1" for word in [*words[2:], "0", "0"][:2]]
            yield (words[0], words[1]), (taken[0], taken[1])


def measure(name: str, mpicc: str, *start: str) -> int:
    """Ask another library and keep what it says."""
    with tempfile.TemporaryDirectory(prefix="oriel-operations-") as folder:
        header, program = Path(folder) / "pairs.h", Path(folder) / "probe"
        header.write_text(pairs_header(load(TOP / "spec")), "utf-8")
        compiler = [mpicc, f"-I{folder}", str(HERE / "probe.c"), "-o", str(program)]
        subprocess.run(compiler, check=True)
        answers = ask([*start, str(program)])
    lines = [
        "# SPDX-License-Identifier: BSD-3-Clause",
        "# Measured by tests/operations/operations.py: datatype, operation, whether",
        "# reductions take them, whether accumulates do.",
    ]
    lines += [f"{a} {b} {r:d} {m:d}" for (a, b), (r, m) in answers.items()]
    (HERE / name).write_text("\n".join(lines) + "\n", "utf-8")
    return 0


# ---- the page ------------------------------------------------------------------------
def is_taken(answers: Answers, pair: Pair) -> bool | None:
    """By all calls that there are for the operation; None for an unknown datatype."""
    if pair not in answers:
        return None
    by_reduction, by_accumulate = answers[pair]
    return by_accumulate and (by_reduction or pair[1] in MOVES)


def cell(datatype: Constant, op: Constant, libraries: list[Answers]) -> str:
    """One letter each for the standard and the libraries."""
    pair = datatype.name, op.name
    listed = op.name in MOVES or datatype.operand in op.operands
    taken = [listed, *(is_taken(answers, pair) for answers in libraries)]
    marks = {None: "?", False: "."}
    text = "".join(marks.get(t, mark) for mark, t in zip(LETTERS, taken, strict=True))
    return f"`{text}`"


def page(spec: Spec, libraries: list[Answers]) -> str:
    """Datatypes with equal rows share one, and so do operations with equal columns."""
    types, ops = types_of(spec), ops_of(spec)
    rows = {d.name: tuple(cell(d, op, libraries) for op in ops) for d in types}
    columns: dict[tuple[str, ...], list[int]] = {}
    for index in range(len(ops)):
        columns.setdefault(tuple(row[index] for row in rows.values()), []).append(index)
    merged: dict[tuple[str, ...], list[str]] = {}
    for name, row in rows.items():
        merged.setdefault(row, []).append(name.removeprefix("MPI_"))
    names = [op.name.removeprefix("MPI_") for op in ops]
    heads = [", ".join(names[i] for i in column) for column in columns.values()]
    lines = [f"| datatypes | {' | '.join(heads)} |", "| --- |" + " --- |" * len(heads)]
    for row, datatypes in merged.items():
        cells = " | ".join(row[column[0]] for column in columns.values())
        lines.append(f"| {', '.join(datatypes)} | {cells} |")
    return INTRODUCTION + "\n".join(lines) + "\n"


def wrong_answers(spec: Spec, answers: Answers) -> Iterator[str]:
    """Where a library does not do as the table in spec/ says."""
    for datatype in types_of(spec):
        for op in ops_of(spec):
            is_move = op.name in MOVES
            takes = op.takes(datatype) and not is_move
            wanted = (takes, takes or is_move)
            found = answers.get((datatype.name, op.name))
            if found != wanted:
                yield f"{datatype.name} {op.name}: {found}, but spec/ says {wanted}"


def check(write: bool, *command: str) -> int:
    """Compare Oriel with the table, and the page with both; or write the page."""
    spec = load(TOP / "spec")
    own = ask(list(command), "all")
    wrong = list(wrong_answers(spec, own))
    print(*wrong, sep="\n")
    facts = [dict(answers_in((HERE / f).read_text("utf-8"))) for f in OTHERS]
    now = page(spec, [*facts, own])
    if write:
        PAGE.write_text(now, "utf-8")
    is_stale = not PAGE.exists() or PAGE.read_text("utf-8") != now
    if is_stale:
        print("docs/operations.md is stale; run this with write in place of check")
    return 1 if wrong or is_stale else 0


def main() -> int:
    """See above."""
    what, *arguments = sys.argv[1:]
    if what == "pairs":
        Path(arguments[0]).write_text(pairs_header(load(TOP / "spec")), "utf-8")
        return 0
    if what == "measure":
        return measure(*arguments)
    return check(what == "write", *arguments)


if __name__ == "__main__":
    sys.exit(main())
