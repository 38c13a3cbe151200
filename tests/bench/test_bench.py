# SPDX-License-Identifier: BSD-3-Clause
"""What scripts/bench computes from figures, and a short run of it with Oriel alone.

The environment names Oriel as ORIEL_BENCH: LABEL=MPICC,MPIEXEC.
"""

import contextlib
import io
import json
import os
import shutil
import subprocess
import tempfile
import unittest
import unittest.mock
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import bench
from curves import Curve, chart
from distance import FAR, MIXED, NEAR, chosen, distances, keep
from figures import (
    Line,
    Row,
    against_allocated,
    behind,
    compared,
    quantity,
    rate,
    read_lines,
    rows_of,
    size_text,
)
from libraries import Library, described, oriel
from markdown import BEGIN, END, document, publish
from page import Page
from report import Report, read_report, write_report
from run import MOST_RUNS, Pace, Programs, Run, Runner
from tasks import Selection, Task, all_tasks

HERE = Path(__file__).resolve().parent
WARNINGS = ("-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Wstrict-prototypes")
# Two runs of each library: Oriel leads with 8 bytes and is behind with 64.
FASTER = (
    Line("latency.created.put", 8, 0.5, "us"),
    Line("message.bandwidth", 8, 90, "MB/s"),
)
SLOWER = (
    Line("latency.created.put", 8, 1.0, "us"),
    Line("message.bandwidth", 8, 120, "MB/s"),
)


def a_run(label: str, *trips: float, task: str = "latency", error: str = "") -> Run:
    lines = FASTER if label == "Oriel" else SLOWER
    return Run(task, label, trips, lines, error=error)


def a_report(*runs: Run) -> Report:
    versions = {"Oriel": "1.0", "Other <&>": "2.0"}
    return Report("a machine", versions, ("Oriel",), runs)


class Figures(unittest.TestCase):
    """Lines, medians and ratios."""

    def test_other_output_is_left_out(self) -> None:
        text = "warning: a b c\nlatency.put 8 1.5 us\nx.y eight 1 us\nlatency.put 8\n"
        self.assertEqual(read_lines(text), [Line("latency.put", 8, 1.5, "us")])

    def test_runs_make_one_median(self) -> None:
        runs = [("A", [Line("a.put", 8, value, "us")]) for value in (9.0, 1.0, 2.0)]
        (row,) = rows_of(runs)
        self.assertEqual(row.value("A"), 2.0)
        self.assertIsNone(row.value("B"))

    def test_names_have_a_kind_or_none(self) -> None:
        windows, messages = Row("stream.shared.get", 8, "MB/s"), Row(
            "message.latency", 8, "us"
        )
        self.assertEqual(
            (windows.group, windows.kind, windows.operation),
            ("stream", "shared", "get"),
        )
        self.assertEqual((messages.kind, messages.operation), ("", "latency"))

    def test_a_ratio_above_one_is_better_in_each_unit(self) -> None:
        time = Row("a.put", 8, "us", {"A": [1.0], "B": [4.0]})
        bandwidth = Row("b.put", 8, "MB/s", {"A": [4.0], "B": [1.0]})
        for row in (time, bandwidth):
            self.assertEqual(row.ratio("A", "B"), 4.0)
            self.assertEqual(row.best(["A", "B"]), "A")
            self.assertIsNone(row.ratio("A", "C"))

    def test_quantities_have_the_unit_that_suits_them(self) -> None:
        self.assertEqual(quantity(0.0077, "us"), "7.70 ns")
        self.assertEqual(quantity(1556.0, "us"), "1.56 ms")
        self.assertEqual(quantity(999.7, "us"), "1.00 ms")
        self.assertEqual(quantity(11425.0, "MB/s"), "11.4 GB/s")
        self.assertEqual(quantity(None, "us"), "–")
        self.assertEqual(rate(1328.0, 8), "166 M/s")
        self.assertEqual(
            [size_text(n) for n in (8, 1 << 10, 4 << 20)], ["8 B", "1 KiB", "4 MiB"]
        )


class BehindTable(unittest.TestCase):
    """Where a library is behind the best of the others."""

    ROWS = [
        Row("a.put", 8, "us", {"A": [2.0], "B": [1.0], "C": [3.0]}),
        Row("a.get", 8, "us", {"A": [1.0], "B": [2.0]}),
        Row("b.put", 8, "MB/s", {"A": [10.0], "B": [90.0], "C": [100.0]}),
        Row("c.put", 8, "us", {"A": [1.01], "B": [1.0]}),
        Row("d.put", 8, "us", {"A": [9.0]}),
        Row("e.put", 8, "us", {"B": [9.0]}),
    ]

    def test_the_worst_is_first_and_noise_is_left_out(self) -> None:
        found = behind(self.ROWS, "A", ["B", "C"])
        self.assertEqual(
            [(b.row.name, b.other) for b in found], [("b.put", "C"), ("a.put", "B")]
        )
        self.assertEqual([one.ratio for one in found], [0.1, 0.5])

    def test_figures_without_a_partner_do_not_count(self) -> None:
        self.assertEqual(compared(self.ROWS, "A", ["B", "C"]), 4)
        self.assertEqual(behind(self.ROWS, "A", []), [])

    def test_windows_are_held_against_the_allocated_one(self) -> None:
        rows = [
            Row("latency.allocated.put", 8, "us", {"A": [1.0], "A pages": [7.0]}),
            Row("latency.created.put", 8, "us", {"A": [9.0], "A pages": [1.5]}),
            Row("stream.allocated.put", 8, "MB/s", {"A": [100.0]}),
            Row("stream.dynamic.put", 8, "MB/s", {"A pages": [50.0]}),
            Row("stream.dynamic.get", 8, "MB/s", {"A pages": [50.0]}),
        ]
        found = against_allocated(rows, "A", "A pages")
        self.assertEqual(
            [(one.row.name, one.times) for one in found],
            [("stream.dynamic.put", 2.0), ("latency.created.put", 1.5)],
        )


class Distances(unittest.TestCase):
    """Only runs with the same distance of cores are compared."""

    def test_cores_that_stay_lose_no_run(self) -> None:
        runs = [a_run("Oriel", 105, 125), a_run("Other", 190, 110)]
        self.assertEqual(keep(runs), [True, True])
        self.assertEqual(keep([a_run("Oriel"), a_run("Other")]), [True, True])

    def test_cores_that_move_are_found(self) -> None:
        runs = [
            a_run("Oriel", 105, 120),
            a_run("Oriel", 110, 500),
            a_run("Oriel", 490, 510),
        ]
        self.assertEqual(distances(runs), [NEAR, MIXED, FAR])
        self.assertEqual(keep(runs), [True, False, False])

    def test_one_short_round_trip_by_chance_moves_nothing(self) -> None:
        usual = [a_run("Oriel", 110, 112) for _ in range(10)]
        self.assertEqual(set(distances([*usual, a_run("Oriel", 40, 111)])), {NEAR})

    def test_a_task_takes_the_distance_that_all_libraries_have(self) -> None:
        runs = [
            a_run("Oriel", 110, 110),
            a_run("Oriel", 500, 500),
            a_run("Other", 500, 500),
            a_run("Oriel", 110, 110, task="fence"),
            a_run("Other", 110, 110, task="fence"),
        ]
        self.assertEqual(chosen(runs), {"latency": FAR, "fence": NEAR})
        self.assertEqual(keep(runs), [False, True, True, True, True])

    def test_what_is_dropped_runs_again(self) -> None:
        task = Task("latency", "rma_latency", ("put",))
        libraries = [
            Library(label, ("cc",), ("mpiexec",)) for label in ("Oriel", "Other")
        ]
        runner = Runner(libraries, Programs(Path("unused")), Pace(1, 1.0, runs=1))
        self.assertEqual(len(list(runner.lacking([task]))), 2)
        runner.runs += [a_run("Oriel", 110, 110), a_run("Other", 110, 500)]
        self.assertEqual([one.label for _, one in runner.lacking([task])], ["Other"])
        runner.runs += [a_run("Other", 110, 110)]
        self.assertEqual(list(runner.lacking([task])), [])

    def test_what_fails_is_tried_twice(self) -> None:
        task = Task("latency", "rma_latency", ("put",))
        libraries = [Library("Oriel", ("cc",), ("mpiexec",))]
        runner = Runner(libraries, Programs(Path("unused")), Pace(1, 1.0, runs=3))
        for wanted in (1, 1, 0):
            self.assertEqual(len(list(runner.lacking([task]))), wanted)
            runner.runs.append(a_run("Oriel", 110, 110, error="signal 11"))

    def test_what_never_fits_runs_a_few_times_only(self) -> None:
        task = Task("latency", "rma_latency", ("put",))
        libraries = [Library("Oriel", ("cc",), ("mpiexec",))]
        runner = Runner(libraries, Programs(Path("unused")), Pace(1, 1.0, runs=1))
        runner.runs += [a_run("Oriel", 110, 500) for _ in range(MOST_RUNS)]
        self.assertEqual(list(runner.lacking([task])), [])


class Selections(unittest.TestCase):
    """What the command line chooses."""

    def test_everything_by_default(self) -> None:
        self.assertEqual(Selection().tasks(), all_tasks())
        names = [task.name for task in all_tasks()]
        self.assertEqual(len(names), len(set(names)))

    def test_a_choice_narrows_tasks(self) -> None:
        chosen_tasks = Selection(
            groups=("latency", "message"),
            kinds=("created",),
            operations=("put",),
            sizes=("8",),
        ).tasks()
        latency = [task for task in chosen_tasks if task.has_library]
        self.assertEqual([task.name for task in latency], ["latency created"])
        self.assertEqual(
            latency[0].command(), ["-k", "created", "-o", "put", "-s", "8"]
        )

    def test_settings_of_oriel_run_only_where_they_make_a_difference(self) -> None:
        libraries = oriel(Path("/prefix"))
        runner = Runner(libraries, Programs(Path("unused")), Pace(1, 1.0, runs=1))
        labels = [one.label for one in libraries if not one.is_between_nodes]
        created = Task("latency", "rma_latency", ("put",), kind="created")
        message = Task("message", "messages", ("latency",))
        self.assertEqual([one.label for one in runner.libraries_of(created)], labels)
        self.assertEqual([one.label for one in runner.libraries_of(message)], ["Oriel"])
        (nodes,) = Selection(("network_message",)).tasks()[1:]
        (library,) = runner.libraries_of(nodes)
        self.assertIn("ORIEL_FAKE_NODES=2", library.launcher)

    def test_libraries_are_described_in_words(self) -> None:
        library = described("mine=cc -I x,env A=B mpiexec --fast")
        self.assertEqual(library.compiler, ("cc", "-I", "x"))
        command = library.command(2, ["program"])
        self.assertEqual(command[:4], ["env", "A=B", "mpiexec", "--fast"])
        self.assertEqual(command[-3:], ["-n", "2", "program"][-3:])
        for wrong in ("mine", "mine=cc", "=cc,mpiexec"):
            with self.assertRaises(ValueError):
                described(wrong)


class Pages(unittest.TestCase):
    """What is written."""

    REPORT = a_report(
        a_run("Oriel", 110, 110),
        a_run("Other <&>", 110, 110),
        a_run("Other <&>", 110, 110, task="fence", error="it said <no>"),
    )

    def test_the_page_is_well_formed_and_shows_where_oriel_is_behind(self) -> None:
        page = Page(self.REPORT).text()
        text = "".join(ElementTree.fromstring(page).itertext())
        self.assertIn("1 of 2 figures", text)
        self.assertIn("it said <no>", text)
        self.assertIn("0.75", text)

    def test_the_page_needs_nothing_from_elsewhere(self) -> None:
        page = Page(self.REPORT).text()
        for word in ("<script", "http:", "https:", "src=", "href=", "@import", "url("):
            self.assertNotIn(word, page)

    def test_curves_join_the_sizes(self) -> None:
        curve = Curve("Oriel", "s0", ((8, 0.01), (1024, 0.1), (65536, 1.5)))
        drawing = ElementTree.fromstring(chart("put", [curve], "us"))
        self.assertEqual(len(drawing.findall("g/circle")), 3)
        self.assertEqual(drawing.findtext("g/circle/title"), "Oriel, 8 B: 10.0 ns")
        self.assertEqual(chart("put", [Curve("Oriel", "s0", ((8, 1.0),))], "us"), "")

    def test_figures_can_be_read_again_in_parts(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            parts = [Path(folder) / name for name in ("a.json", "b.json")]
            write_report(a_report(*self.REPORT.runs[:2]), parts[0])
            write_report(a_report(*self.REPORT.runs[2:]), parts[1])
            self.assertEqual(read_report(parts), self.REPORT)

    def test_pages_get_their_tables_between_marks(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            top = Path(folder)
            (top / "docs").mkdir()
            pages = [top / "README.md", top / "docs" / "choosing.md"]
            for one in pages:
                one.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n", "utf-8")
            publish(self.REPORT, top)
            rows = (
                "| put + flush, 8 B, created window | 500 ns | 1.00 µs | 2.00 |",
                "| put, 8 B | – | 500 ns | – | – |",
            )
            for one, row in zip(pages, rows, strict=True):
                text = one.read_text("utf-8")
                self.assertTrue(
                    text.startswith("before\n") and text.endswith("after\n")
                )
                self.assertIn(row, text)
                self.assertNotIn("old", text)
            page = (top / "docs" / "benchmarks.md").read_text("utf-8")
            self.assertEqual(page, document(self.REPORT))
            pages[0].write_text("without marks", "utf-8")
            with self.assertRaises(ValueError):
                publish(self.REPORT, top)


class Together(unittest.TestCase):
    """The programs, and a short run from beginning to end."""

    def test_programs_compile_without_warnings_for_each_library(self) -> None:
        for compiler in ("mpicc.mpich", "mpicc.openmpi"):
            if not shutil.which(compiler):
                continue
            options = [
                *WARNINGS,
                "-Werror",
                "-std=c11",
                "-O2",
                "-c",
                "-o",
                "/dev/null",
            ]
            for program in sorted(HERE.glob("*.c")):
                with self.subTest(compiler=compiler, program=program.name):
                    subprocess.run([compiler, *options, str(program)], check=True)

    def run_bench(self, folder: str, *options: str) -> None:
        """Keeps all runs: on a loaded machine the cores may move in each of them."""
        alone = ["--alone", "--quick", "--output", folder, *options]
        with contextlib.ExitStack() as stack:
            for name in ("run.keep", "report.keep"):
                all_kept = unittest.mock.patch(name, lambda runs: [True] * len(runs))
                stack.enter_context(all_kept)
            stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
            self.assertEqual(bench.main([os.environ["ORIEL_BENCH"], *alone]), 0)

    def test_oriel_alone_makes_its_pages(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            choice = ["--groups", "latency,synchronization,busy,message,job,start"]
            choice += ["--kinds", "created", "--sizes", "8,64"]
            self.run_bench(
                folder, *choice, "--operations", "put,64_gets,fence,latency,init,none"
            )
            results = json.loads(Path(folder, "results.json").read_text("utf-8"))
            rows = {(row["name"], row["size"]): row for row in results["rows"]}
            names = ("latency.created.put", "message.latency", "floor.memcpy_to_shared")
            wanted = [(name, size) for name in names for size in (8, 64)]
            wanted += [("synchronization.created.fence", 8)]
            wanted += [("busy.created.64_gets", 8)]
            wanted += [("start.init", 2), ("start.job", 16)]
            if len(os.sched_getaffinity(0)) == 1:  # where no floor is measured
                wanted = [key for key in wanted if "floor" not in key[0]]
            for key in wanted:
                self.assertGreater(*(max(rows[key]["medians"].values()), 0), str(key))
            self.assertEqual(
                [run["error"] for run in results["runs"] if run["error"]], []
            )
            page = Path(folder, "index.html").read_text("utf-8")
            self.assertTrue(ElementTree.fromstring(page).findall(".//svg"))
            self.assertIn("message", Path(folder, "benchmarks.md").read_text("utf-8"))


if __name__ == "__main__":
    unittest.main()
