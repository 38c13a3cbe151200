# SPDX-License-Identifier: BSD-3-Clause
"""Which test calls which procedure in which binding: docs/coverage.md.

usage: coverage.py OBJECTS [--write]

OBJECTS is a file with the paths of the object files of all test programs that run on the
real core. An object calls what it has as an undefined symbol; that of a target whose name
begins with mpif sees mpif.h, any other the mpi module. Without --write the page must say the
truth and have no blank cell; a test that it names stays as long as it calls the procedure.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(TOP))

from codegen.entries import Entry  # noqa: E402
from codegen.expand import expand  # noqa: E402
from codegen.language import Bindings  # noqa: E402
from bindings.fortran.text import F08Text  # noqa: E402
from codegen.forum import load_waivers  # noqa: E402
from codegen.load import load  # noqa: E402
from codegen.model import Procedure  # noqa: E402

PAGE = TOP / "docs" / "coverage.md"
COLUMNS = ("C", "C `_c`", "mpi_f08", "mpi_f08 large", "mpi", "mpif.h")
NONE = "–"  # the binding does not have it
INTRODUCTION = """\
# Coverage

Each procedure of the table, with a test that calls it in each binding, on the real core. A
binding that does not have a procedure has a dash, and so has mpi_f08 where nothing but the
kinds of addresses and counts, which are equal, tells the large one from the small.
`tests/proofs` calls all of them once more, over a core that only remembers what arrives.

The page is held against the test programs by the test `coverage`. To write it anew:
`python3 tests/coverage/coverage.py build/test_objects.txt --write`.
"""

Cell = tuple[str, str]  # procedure, column
Calls = dict[Cell, list[str]]  # the tests that call all of the cell's symbols


# ---- what exists ---------------------------------------------------------------------
def columns_of(entry: Entry) -> Iterator[str]:
    """Those of the page that an entry belongs to."""
    if entry.language == "f90":
        yield "mpi"
        if entry.procedure.is_in_mpif:
            yield "mpif.h"
    else:
        yield COLUMNS[2 * (entry.language == "f08") + entry.is_large]


def f08_generics(bindings: Bindings) -> Iterator[Entry]:
    """The mpi_f08 entries without the large ones that no argument tells from the small.

    Their counts are only of MPI_ADDRESS_KIND and MPI_COUNT_KIND, which are the same.
    """
    f08 = F08Text(bindings.languages["f08"].table)
    seen: set[tuple[str, ...]] = set()
    for entry in bindings.entries["f08"]:
        types = (f08.type(p).replace("COUNT", "ADDRESS") for p in entry.parameters)
        signature = (entry.procedure.name, *types)
        if signature not in seen:
            yield entry
        seen.add(signature)


def symbols_of_cells(bindings: Bindings) -> dict[Cell, set[str]]:
    """All that a test must call, so that the cell may name it."""
    cells: dict[Cell, set[str]] = defaultdict(set)
    entries = bindings.entries
    for entry in (*entries["c"], *f08_generics(bindings), *entries["f90"]):
        for column in columns_of(entry):
            symbol = bindings.languages[entry.language].linker_name(entry.name)
            cells[entry.procedure.name, column].add(symbol)
    return cells


# ---- what is called ------------------------------------------------------------------
@dataclass(frozen=True)
class Program:
    """A source of a test and the symbols that its objects need."""

    source: Path
    sees_mpif: bool  # where Fortran's two older bindings share symbols
    symbols: frozenset[str]

    @property
    def name(self) -> str:
        """The source as the page names it."""
        return str(self.source.relative_to(TOP / "tests"))

    def calls(self, cell: Cell, symbols: set[str]) -> bool:
        """All symbols of the cell, by way of its column."""
        is_mpif = cell[1] == "mpif.h"
        is_other = cell[1] in ("mpi", "mpif.h") and is_mpif != self.sees_mpif
        return symbols <= self.symbols and not is_other


def origin_of(item: Path, build: Path) -> tuple[Path, bool]:
    """.../CMakeFiles/mpif_free_O0.dir/mpif_free.f90.o -> .../mpif_free.f90, True"""
    folder, _, rest = str(item.relative_to(build)).partition("/CMakeFiles/")
    target, _, source = rest.partition(".dir/")
    return TOP / folder / source.removesuffix(".o"), target.startswith("mpif")


def programs(objects: Path) -> list[Program]:
    """The sources of all test programs."""
    paths = objects.read_text("utf-8").split()
    absent = [path for path in paths if not Path(path).exists()]
    if absent:
        sys.exit(f"{len(absent)} objects are to be built yet, such as {absent[0]}")
    command = ["nm", "-A", "-u", *paths]
    listing = subprocess.run(command, capture_output=True, text=True, check=True)
    symbols: dict[tuple[Path, bool], set[str]] = defaultdict(set)
    for line in listing.stdout.splitlines():
        path, _, symbol = line.partition(":")
        symbols[origin_of(Path(path), objects.resolve().parent)].add(symbol.split()[-1])
    return [Program(*origin, frozenset(names)) for origin, names in symbols.items()]


def calls_of_cells(cells: dict[Cell, set[str]], tests: list[Program]) -> Calls:
    """The tests of each cell; those that call least come first, as they say most."""
    callers = {
        cell: [test.name for test in tests if test.calls(cell, symbols)]
        for cell, symbols in cells.items()
    }
    size = Counter(name for names in callers.values() for name in names)
    return {
        cell: sorted(names, key=lambda name: (size[name], name))
        for cell, names in callers.items()
    }


# ---- the page ------------------------------------------------------------------------
def rows_of(page: str) -> dict[Cell, str]:
    """What the cells of a page say."""
    rows = [
        line.strip("| ").split(" | ") for line in page.splitlines() if " | " in line
    ]
    return {
        (row[0], column): cell
        for row in rows
        for column, cell in zip(COLUMNS, row[1:], strict=False)
    }


def choose(calls: Calls, kept: dict[Cell, str]) -> dict[Cell, str]:
    """A test for each cell: the one that the page names, if it does call it."""
    return {
        cell: kept[cell] if kept.get(cell) in names else names[0] if names else ""
        for cell, names in calls.items()
    }


def table(procedures: Iterable[Procedure], chosen: dict[Cell, str]) -> Iterator[str]:
    """The lines of one chapter."""
    yield f"| procedure | {' | '.join(COLUMNS)} |"
    yield "| --- " * (1 + len(COLUMNS)) + "|"
    for procedure in procedures:
        row = [chosen.get((procedure.name, column), NONE) for column in COLUMNS]
        yield f"| {' | '.join([procedure.name, *row])} |"


def lines(bindings: Bindings, chosen: dict[Cell, str]) -> Iterator[str]:
    """The page."""
    yield INTRODUCTION
    for file, procedures in groupby(bindings.procedures, lambda p: p.position.file):
        number, _, title = Path(file).stem.replace("_", " ").partition(" ")
        yield f"## {title.capitalize()} (chapter {int(number)})\n"
        yield from table(procedures, chosen)
        yield ""
    planned = [p.name for p in bindings.spec.procedures.values() if p.planned]
    if planned:
        yield "## In the table, in no binding yet\n"
        yield "\n".join(f"- {name}" for name in planned) + "\n"
    yield "## Out of scope\n"
    waivers = load_waivers(TOP / "spec/forum.waivers", "", "forum", Path("MPI-4.1"))
    for waiver in waivers:
        if waiver.field == "missing":
            yield f"- {waiver.name}: {waiver.reason}"


def main() -> int:
    """Compare or write; say what is blank."""
    bindings = expand(load(TOP / "spec"), TOP)
    calls = calls_of_cells(symbols_of_cells(bindings), programs(Path(sys.argv[1])))
    page = PAGE.read_text("utf-8") if PAGE.exists() else ""
    chosen = choose(calls, rows_of(page))
    now = "\n".join(lines(bindings, chosen)) + "\n"
    blanks = [cell for cell, name in chosen.items() if not name]
    for procedure, column in blanks:
        print(f"no test calls {procedure} in {column}")
    if "--write" in sys.argv[2:]:
        PAGE.write_text(now, "utf-8")
        return 0
    if page != now:
        print(f"docs/coverage.md is stale; run: {' '.join(sys.argv)} --write")
    return 1 if blanks or page != now else 0


if __name__ == "__main__":
    sys.exit(main())
