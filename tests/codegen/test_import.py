# SPDX-License-Identifier: BSD-3-Clause
"""A new table of the Forum becomes records: that of MPI-5.0 makes of records of 4.1 what
was written by hand, and a made-up 6.0 changes one of everything.
"""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from common import TOP, TreeTest

from codegen.changes import changes, version_of
from codegen.check import check
from codegen.check_languages import check_languages
from codegen.expand import expand
from codegen.facts import Json, read_forum
from codegen.forum import compare
from codegen.importing import Importer
from codegen.language import load_languages
from codegen.load import load
from codegen.model import Procedure, Spec
from codegen.position import SpecError
from codegen.render import ROOTS, render
from codegen.show import domain_text, show

ABI = "spec/procedures/20_abi.spec"
FORUM = TOP / "spec" / "forum"


class ImportTest(TreeTest):
    """A test with a copy of the real table and its templates in `self.root`."""

    def setUp(self) -> None:
        super().setUp()
        self.root = self.folder / "real"
        shutil.copytree(TOP / "spec", self.root / "spec")
        for top in ROOTS:
            for pattern in ("*.j2", "*.spec", "*.py"):
                for path in (TOP / top).rglob(pattern):
                    copy = self.root / path.relative_to(TOP)
                    copy.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(path, copy)

    def edit(self, name: str, pattern: str, new: str) -> None:
        """Change every place of a file of the tree that matches."""
        path = self.root / name
        text, count = re.subn(pattern, new, path.read_text("utf-8"), flags=re.M)
        self.assertGreater(count, 0, f"{pattern} in {name}")
        path.write_text(text, "utf-8")

    def imported(self, table: Path, *options: str) -> list[str]:
        """What the command says, line by line."""
        command = [sys.executable, "-m", "codegen", "--root", str(self.root), "import"]
        done = subprocess.run(
            [*command, "--forum", str(table), *options],
            cwd=TOP,
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def spec(self) -> Spec:
        return load(self.root / "spec")

    def complaints(self) -> list[str]:
        """All that check says of the tree."""
        spec = self.spec()
        languages = load_languages(self.root / "bindings", spec)
        errors = [*check(spec), *check_languages(spec, languages)]
        folder, waivers = self.root / "spec" / "forum", self.root / "spec/forum.waivers"
        errors += compare(spec, folder, waivers, "spec/forum.waivers")
        return [str(error) for error in errors]

    def outputs(self) -> dict[str, str]:
        return render(self.root, expand(self.spec(), self.root))

    def table(self, version: str, data: Json) -> Path:
        """A table of the Forum in a file."""
        return self.write_table(self.folder / f"mpi-{version}-apis.json", data)

    def write_table(self, path: Path, data: Json) -> Path:
        """The same with any name."""
        path.write_text(json.dumps(data), "utf-8")
        return path


# ---- 4.1 to 5.0 ----------------------------------------------------------------------
def without(text: str, names: Iterable[str]) -> str:
    """The records of a file but for some."""
    records = re.split(r"\n(?=\w+ MPI_)", text)
    kept = [r for r in records if r.split()[1:2] not in [[name] for name in names]]
    return "\n".join(kept).rstrip() + "\n"


def answers(record: Procedure) -> dict[str, str]:
    """What people answer of a record: as those have who wrote it by hand."""
    found = {a.name: f'"{a.description}"' for a in record.arguments}
    for argument in record.arguments:
        for domain in argument.domains:
            rule = f"{domain_text(domain)} : {domain.error}"
            found[f"{argument.name} domain"] = rule
    return found


def answered(line: str, record: Procedure) -> str:
    """A line of an imported record with its questions answered."""
    if line.startswith("proc"):
        anytime = "  anytime" if record.anytime else ""
        return line.replace("section ?", f"section {record.section}").replace(
            "  planned", anytime
        )
    if "summary" in line:
        return line.replace("?", f'"{record.summary}"')
    if "errors" in line:
        where = f"collective {record.collective}" if record.collective else "local"
        return f"    {where}  errors {record.errors}"
    known = answers(record)
    name = line.split()[1] if line else ""
    line = line.replace("  ? : ?", "  " + known.get(f"{name} domain", ""))
    return re.sub(r"\?$", lambda _: known[name], line)


class FromOneStandardToTheNext(ImportTest):
    """Without what is new in 5.0 the tree is one of 4.1."""

    def setUp(self) -> None:
        super().setUp()
        self.by_hand = self.outputs()
        self.records = self.spec().procedures
        self.new = [r.name for r in self.records.values() if r.since == "5.0"]
        for path in (self.root / "spec" / "procedures").glob("*.spec"):
            path.write_text(without(path.read_text("utf-8"), self.new), "utf-8")
        self.edit(
            "spec/procedures/03_point_to_point.spec",
            r"^(proc MPI_Status_get_\w+ (?!.*elements).*(?:\n .*)*?\n    in  ?status +STATUS)",
            r"\1  not const",
        )
        self.edit("spec/forum.waivers", r"^forum (4.1 +MPI_Status_get|5.0).*\n", "")
        (self.root / "spec/forum/mpi-5.0-apis.facts").unlink()

    def test_gives_the_outputs_of_records_written_by_hand(self) -> None:
        self.assertEqual(self.complaints(), [])
        said = self.imported(FORUM / "mpi-5.0-apis.facts", "--into", ABI, "--write")
        self.assertIn("adds MPI_Comm_toint(in comm COMMUNICATOR)", said)
        change = "changes MPI_Status_get_tag, argument status: const from False to True"
        self.assertIn(change, said)
        asked = [line for line in said if line.startswith("asks MPI_Abi_get_version")]
        self.assertEqual(len(asked), 3)
        self.assertIn("section, summary, collective or local, errors", asked[0])
        with self.assertRaises(SpecError) as caught:
            self.spec()
        self.assertIn("'?' found; write a section's number here", str(caught.exception))
        self.answer()
        self.assertEqual(self.complaints(), [])
        after = self.outputs()
        for name, text in self.by_hand.items():
            self.assertEqual(after[name], text, name)

    def answer(self) -> None:
        """Write what is asked for."""
        path = self.root / ABI
        lines = []
        record = next(iter(self.records.values()))
        for line in path.read_text("utf-8").splitlines():
            if line.startswith("proc"):
                record = self.records[line.split()[1]]
            lines.append(answered(line, record))
        path.write_text("\n".join(lines) + "\n", "utf-8")


# ---- 5.0 to a made-up 6.0 ------------------------------------------------------------
def argument(name: str, kind: str, direction: str = "in", **more: object) -> Json:
    """An argument as the Forum writes it."""
    plain: Json = dict.fromkeys(("constant", "asynchronous", "root_only", "large_only"))
    plain = {key: False for key in plain}
    plain |= {"name": name, "kind": kind, "param_direction": direction}
    plain |= {"lis_direction": direction, "length": None, "func_type": ""}
    return plain | {"pointer": None, "array_type": "", "suppress": ""} | more


def made_up() -> Json:
    """The table of 5.0 with twelve changes."""
    data = read_forum(FORUM / "mpi-5.0-apis.facts")

    def of(name: str, parameter: str) -> Json:
        return next(p for p in data[name]["parameters"] if p["name"] == parameter)

    def record(like: str, name: str, parameters: list[Json]) -> None:
        data[name.lower()] = {**data[like], "name": name, "parameters": parameters}

    of("mpi_win_lock", "assert")["name"] = "assertion"  # 1 renamed argument
    alignment = argument("alignment", "RMA_DISPLACEMENT_NNI", large_only=True)
    data["mpi_win_create"]["parameters"].insert(3, alignment)  # 2 only the _c form
    record(  # 3 procedure with a new kind
        "mpi_win_flush_all",
        "MPI_Win_prefetch",
        [argument("how", "PREFETCH_HINT"), argument("win", "WINDOW")],
    )
    del data["mpi_dims_create"]  # 4 removed procedure
    of("mpi_waitall", "count")["kind"] = "POLYXFER_NUM_ELEM_NNI"  # 5 wider count
    synchronize = data.pop("mpi_win_sync")["parameters"]
    record("mpi_win_flush_all", "MPI_Win_synchronize", synchronize)  # 6 renamed
    of("mpi_win_lock_all", "win")["lis_direction"] = "inout"  # 7 direction
    of("mpi_put", "origin_addr")["constant"] = False  # 8 no const any more
    of("mpi_bcast", "buffer")["asynchronous"] = True  # 9 asynchronous
    of("mpi_error_string", "string")["length"] = "MPI_MAX_OBJECT_NAME"  # 10 length
    record(  # 11 callback
        "mpi_win_delete_attr_function",
        "MPI_Win_watch_function",
        [argument("win", "WINDOW")],
    )
    data["mpi_comm_get_info"]["attributes"]["f90_expressible"] = False  # 12 language
    return data


TWELVE = """
adds MPI_Win_prefetch(in how PREFETCH_HINT, in win WINDOW)
adds MPI_Win_watch_function(in win WINDOW)
adds kind PREFETCH_HINT
removes MPI_Dims_create
renames MPI_Win_sync to MPI_Win_synchronize
changes MPI_Error_string, argument string: length from MPI_MAX_ERROR_STRING to MPI_MAX_OBJECT_NAME
changes MPI_Comm_get_info: languages from lis c f08 f90 to lis c f08
changes MPI_Put, argument origin_addr: const from True to False
changes MPI_Bcast, argument buffer: async from False to True
changes MPI_Win_lock_all, argument win: lis_direction from in to inout
""".strip().splitlines()

ANSWERS = {
    "spec/procedures/99_new.spec": [
        (r"section \?  planned", "section 12.5"),
        (r"summary \?", 'summary "Fetches memory before it is used."'),
        (r"    \?  errors \?", "    local  errors win"),
        (r"(how .*)\?$", r'\1"how soon"'),
        (r"(win .*)\?$", r'\1"window"'),
    ],
    "spec/callbacks.spec": [
        (r"section \?  planned", "section 12.5"),
        (r"(win .*)\?$", r'\1"window"'),
    ],
    "spec/procedures/12_one_sided.spec": [
        (r"(alignment .*?)  \? : \?  \?$", r'\1  >= 0 : MPI_ERR_ARG  "alignment"'),
    ],
    "spec/kinds.spec": [(r'HINT  \?  "\?"', 'HINT  integer  "integer"')],
    "bindings/c/kinds.spec": [(r"^PREFETCH_HINT \?", 'PREFETCH_HINT "int"')],
    "bindings/f08/kinds.spec": [(r"^PREFETCH_HINT \?", 'PREFETCH_HINT "INTEGER"')],
    "bindings/cxx/kinds.spec": [(r"^PREFETCH_HINT \?", 'PREFETCH_HINT "int"')],
    "bindings/fortran/kinds.spec": [(r"^PREFETCH_HINT \?", 'PREFETCH_HINT "INTEGER"')],
}


class ToAMadeUpStandard(ImportTest):
    """Twelve changes, each of another sort."""

    def test_twelve_changes_are_shown_written_and_agree(self) -> None:
        table = self.table("6.0", made_up())
        shown = self.imported(table)
        self.assertLessEqual(set(TWELVE), set(shown))
        self.assertEqual(self.complaints(), [])  # nothing is written yet
        self.imported(table, "--write")
        for name, replacements in ANSWERS.items():
            for pattern, new in replacements:
                self.edit(name, pattern, new)
        self.assertEqual(self.complaints(), [])
        self.assertEqual(self.imported(table), [])
        self.check_header()
        spec = self.spec()
        languages = load_languages(self.root / "bindings", spec)
        page = show(spec.procedures["MPI_Win_sync"], languages)
        self.assertIn("Deprecated since MPI-6.0, use MPI_Win_synchronize.", page)

    def check_header(self) -> None:
        """What programs see."""
        name = "bindings/c/mpi.h"
        header = render(self.root, expand(self.spec(), self.root), {name})[name]
        for text in (
            "int MPI_Win_prefetch(int how, MPI_Win win);",
            "int MPI_Put(void *origin_addr,",
            "int assertion, MPI_Win win);",
            "int MPI_Waitall_c(MPI_Count count,",
            "int MPI_Win_synchronize(MPI_Win win);",
            'ORIEL_DEPRECATED("since MPI-6.0, use MPI_Win_synchronize")',
            "typedef int MPI_Win_watch_function(MPI_Win win);",
        ):
            self.assertIn(text, header)
        small = re.search(r"int MPI_Win_create\([^)]*\)", header)
        large = re.search(r"int MPI_Win_create_c\([^)]*\)", header)
        assert small is not None and large is not None
        self.assertNotIn("alignment", small[0])
        self.assertIn("MPI_Aint alignment", large[0])

    def test_a_table_without_a_version_is_refused(self) -> None:
        path = self.folder / "apis.json"
        path.write_text("{}", "utf-8")
        with self.assertRaises(SpecError) as caught:
            version_of(path)
        self.assertIn("has no version in its name", str(caught.exception))

    def test_what_no_clause_says_is_asked_for(self) -> None:
        data = read_forum(FORUM / "mpi-5.0-apis.facts")
        data["mpi_put"]["parameters"][1]["array_type"] = "hidden"
        waivers = self.root / "spec" / "forum.waivers"
        spec = self.spec()
        found = changes(spec, self.table("6.0", data), waivers, "waivers")
        self.assertEqual(len(found.changed), 1)
        asked = Importer(self.root, spec, found, ABI).run().questions
        text = "MPI_Put: array_type is hidden there, which no clause says"
        self.assertEqual(asked, [text])
