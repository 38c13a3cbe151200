# SPDX-License-Identifier: BSD-3-Clause
"""What becomes of ten procedures in every language: golden pages in expected/procedures.

usage: golden.py      writes the pages anew; their difference shows what a change does

expected/reference has pages of the tiny table's reference. The tables of docs/hints.md are
renewed, too.

A page holds what one record adds to each output of the real templates: the entry points
in C, mpi_f08 and mpi, their declarations, the core's prototypes, the symbols. The ten
were chosen so that they need every step that an entry point can have.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path

from common import HERE, TOP

from codegen.expand import expand
from codegen.load import load
from codegen.model import Spec
from codegen.reference.outputs import reference
from codegen.render import output_names, render

PROCEDURES = (
    "MPI_Put",
    "MPI_Win_allocate",
    "MPI_Win_create",
    "MPI_Rget",
    "MPI_Alltoallw",
    "MPI_Dist_graph_create",
    "MPI_Type_get_contents",
    "MPI_Info_get_string",
    "MPI_Comm_create_keyval",
    "MPI_Status_set_elements",
)
PAGES = HERE / "expected" / "procedures"
REFERENCE = HERE / "expected" / "reference"
REFERENCE_PAGES = (
    "man/man3/MPI_Move.3",
    "man/man3/MPI_Move_c.3",
    "man/man3/MPI_Set.3",
    "html/index.html",
    "html/index.js",
    "html/keys.html",
    "html/chapters/chapter-3.html",
    "html/procedures/MPI_Move.html",
    "html/procedures/MPI_Close.html",
    "html/constants/MPI_LONG_INT.html",
    "html/errors/MPI_ERR_OP.html",
    "html/callbacks/MPI_Sum_function.html",
    "html/keys/no_wait.html",
    "reference.json",
)
HINTS = TOP / "docs" / "hints.md"
TABLE = re.compile(r"<!-- (hints of \w+) -->.*?<!-- until here -->", re.DOTALL)
# The same again: for INTEGERs of 8 bytes, and the symbols of a library.
LEFT_OUT = ("/integer8/", ".map")


def _wanted() -> list[str]:
    names = output_names(TOP)
    return [name for name in names if not any(part in name for part in LEFT_OUT)]


def _outputs(spec: Spec, names: tuple[str, ...]) -> dict[str, str]:
    """Every wanted output for a table that has these procedures alone."""
    few = replace(spec, procedures={name: spec.procedures[name] for name in names})
    return render(TOP, expand(few, TOP), _wanted())


def _added(before: str, after: str) -> Iterator[str]:
    """The lines that only `after` has; `...` stands between places."""
    old, new = before.splitlines(), after.splitlines()
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    places = [new[c:d] for tag, _, _, c, d in matcher.get_opcodes() if tag != "equal"]
    for index, place in enumerate(place for place in places if place):
        if index:
            yield "..."
        yield from place


def _page(before: dict[str, str], after: dict[str, str]) -> str:
    lines: list[str] = []
    for name, text in after.items():
        added = [*_added(before[name], text)]
        lines += [f"==== {name} ====", *added] if added else []
    return "\n".join(lines) + "\n"


def pages() -> dict[str, str]:
    """The page of each of the ten."""
    spec = load(TOP / "spec")
    before = _outputs(spec, ())
    return {name: _page(before, _outputs(spec, (name,))) for name in PROCEDURES}


def reference_pages() -> dict[str, str]:
    """Pages of the tiny table's reference; their names are those of the files."""
    tiny = HERE / "tiny"
    files = reference(tiny, expand(load(tiny / "spec"), tiny), "1.2.3")
    return {Path(name).name: files[name] for name in REFERENCE_PAGES}


def hints() -> str:
    """docs/hints.md with its tables as the reference has them."""
    text = reference(TOP, expand(load(TOP / "spec"), TOP), "0")["hints.md"]
    tables = {table[1]: table[0] for table in TABLE.finditer(text)}
    return TABLE.sub(lambda place: tables[place[1]], HINTS.read_text("utf-8"))


if __name__ == "__main__":
    PAGES.mkdir(exist_ok=True)
    for procedure, page in pages().items():
        (PAGES / f"{procedure}.txt").write_text(page, "utf-8")
    REFERENCE.mkdir(exist_ok=True)
    for name, page in reference_pages().items():
        (REFERENCE / name).write_text(page, "utf-8")
    HINTS.write_text(hints(), "utf-8")
