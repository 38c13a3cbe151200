# SPDX-License-Identifier: BSD-3-Clause
"""docs/coming-from.md is true: each command of its tables gives what its row says, and
all names of mpiexec's options are there. Likewise the exit codes of docs/running.md.

The variables MPIEXEC, LIFE and WRAPPERS name the launcher, an MPI program and the folder
of mpicc.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from dataclasses import dataclass
from pathlib import Path

MPIEXEC = Path(os.environ["MPIEXEC"])
WRAPPERS = os.environ["WRAPPERS"]
DOCS = Path(__file__).resolve().parents[2] / "docs"
FILES = {
    "hosts": "localhost slots=3\n",
    "nodes": "one\none\ntwo\n",
    "job": "-n 2 echo two\n-n 1 echo one\n",
}
SETTINGS = re.compile("ORIEL_|MPICH_|OMPI_|MPIEXEC_|PMI|PBS_|SLURM_")


@dataclass(frozen=True)
class Row:
    place: str  # file and line
    command: str
    lines: tuple[str, ...]  # in which … stands for anything, alone for more lines
    code: int


def cells_of(line: str) -> list[str]:
    bare = line.strip().removeprefix("|").removesuffix("|")
    return [c.strip().replace(r"\|", "|") for c in re.split(r"(?<!\\)\|", bare)]


def spans_of(cell: str) -> list[str]:
    """What stands between backquotes, one or two."""
    return [two.strip() or one for two, one in re.findall(r"``(.+?)``|`(.+?)`", cell)]


def rows_of(page: Path) -> list[Row]:
    """Of its tables whose last columns are `tried` and `gives`."""
    rows = []
    head: list[str] = []
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if not line.startswith("|"):
            head = []
        elif not head:
            head = cells_of(line)
        elif head[-2:] == ["tried", "gives"] and not line.startswith("| ---"):
            *_, tried, gives = cells_of(line)
            code = re.search(r"exit (\d+)$", gives)
            rows.append(
                Row(
                    f"{page.name}:{number}",
                    spans_of(tried)[0],
                    tuple(spans_of(gives)),
                    int(code[1]) if code else 0,
                )
            )
    return rows


def matches(line: str, wanted: str) -> bool:
    return re.fullmatch(re.escape(wanted).replace("…", ".*"), line) is not None


class Tables(unittest.TestCase):
    maxDiff = None

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for name, text in FILES.items():
            Path(self.folder, name).write_text(text)
        tools = Path(self.folder, "tools")
        tools.mkdir()
        for name in ("mpiexec", "mpirun"):
            (tools / name).symlink_to(MPIEXEC)
        shutil.copy(Path(WRAPPERS, "mpicc"), tools)
        (tools / "mpicc").chmod(0o755)
        Path(self.folder, "program").symlink_to(os.environ["LIFE"])
        kept = {k: v for k, v in os.environ.items() if not SETTINGS.match(k)}
        path = f"{tools}:{os.environ['PATH']}"
        self.environment = kept | {"PATH": path}

    def complaint(self, row: Row) -> str:
        """How the command gives something else than its row says."""
        run = subprocess.run(
            ["sh", "-c", row.command],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
        )
        lines = run.stdout.splitlines()
        lines = [x for x in lines if not re.match("usage: | +mpiexec --help", x)]
        wanted = [w for w in row.lines if w != "…"]
        for line in list(lines):
            found = [w for w in wanted if matches(line, w)]
            if found:
                lines.remove(line)
                wanted.remove(found[0])
        if "…" in row.lines:
            lines = []
        if lines or wanted or run.returncode != row.code:
            return (
                f"{row.place}: {row.command}: code {run.returncode}, not {row.code}; "
                f"missing {wanted}; more than wanted {lines}"
            )
        return ""

    def check(self, name: str, least: int) -> None:
        rows = rows_of(DOCS / name)
        self.assertGreaterEqual(len(rows), least)
        complaints = [complaint for row in rows if (complaint := self.complaint(row))]
        self.assertEqual("\n".join(complaints), "")

    def test_rows_for_other_launchers_hold(self) -> None:
        self.check("coming-from.md", 90)

    def test_exit_codes_hold(self) -> None:
        self.check("running.md", 10)

    def test_every_name_of_an_option_is_on_the_page(self) -> None:
        page = (DOCS / "coming-from.md").read_text()
        run = subprocess.run([MPIEXEC, "--help"], capture_output=True, text=True)
        options = run.stdout.split("The exit code")[0]
        firsts = re.findall(r"^  (--?[A-Za-z][-\w]*)", options, re.MULTILINE)
        others = re.findall(r"also ([^\n]+)$", options, re.MULTILINE)
        names = {*firsts, *(name for line in others for name in line.split(", "))}
        self.assertGreater(len(names), 100)
        ours = {"--share-heap", "--keep-job", "--list-options", "--check-exit"}
        ours |= {"--report", "--trace", "--summary"}
        missing = [n for n in names - ours if not re.search(rf"`[^`]*{n}\b", page)]
        self.assertEqual(missing, [])


if __name__ == "__main__":
    unittest.main()
