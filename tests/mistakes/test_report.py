# SPDX-License-Identifier: BSD-3-Clause
"""The report of a job: lines of JSON or a log of SARIF, mpiexec's exit code, and colors.

MPIEXEC and PROGRAM (the executable of the corpus in C) come from the environment.
"""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

# What SARIF 2.1.0 says of the objects that are used: by the section of the standard, the
# members that must be there and those that may.
NOTHING: set[str] = set()
OBJECTS: dict[str, tuple[set[str], set[str]]] = {
    "log": ({"version", "runs"}, {"$schema"}),  # 3.13
    "run": ({"tool"}, {"results"}),  # 3.14
    "tool": ({"driver"}, NOTHING),  # 3.18
    "driver": ({"name"}, {"version", "rules"}),  # 3.19
    "rule": ({"id"}, {"shortDescription", "defaultConfiguration"}),  # 3.49
    "result": (
        {"message"},
        {"ruleId", "level", "locations", "relatedLocations", "properties"},
    ),  # 3.27
    "location": (
        NOTHING,
        {"physicalLocation", "logicalLocations", "message", "properties"},
    ),  # 3.28
    "physical": ({"artifactLocation"}, {"region"}),  # 3.29
    "artifact": ({"uri"}, NOTHING),  # 3.4
    "region": ({"startLine"}, NOTHING),  # 3.30
    "logical": ({"name"}, {"kind"}),  # 3.33
    "message": ({"text"}, NOTHING),  # 3.11
    "configuration": ({"level"}, NOTHING),  # 3.50
}
LEVELS = {"none", "note", "warning", "error"}
URI = re.compile(r"(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-F]{2})+")


def check(kind: str, value: dict[str, Any]) -> None:
    """Has an object the members of its kind, and no others?"""
    must, may = OBJECTS[kind]
    missing, extra = must - value.keys(), value.keys() - must - may
    assert not missing and not extra, f"{kind}: {missing} missing, {extra} too much"


def check_location(location: dict[str, Any]) -> None:
    check("location", location)
    check("message", location["message"])
    for logical in location.get("logicalLocations", []):
        check("logical", logical)
    if physical := location.get("physicalLocation"):
        check("physical", physical)
        check("artifact", physical["artifactLocation"])
        check("region", physical["region"])
        assert physical["region"]["startLine"] >= 1
        assert URI.fullmatch(physical["artifactLocation"]["uri"])


def check_result(result: dict[str, Any], rules: set[str]) -> None:
    check("result", result)
    check("message", result["message"])
    assert result["level"] in LEVELS
    assert result["ruleId"] in rules or result["ruleId"].startswith("MPI_ERR_")
    for name in ("locations", "relatedLocations"):
        for location in result.get(name, []):
            check_location(location)


def check_log(log: dict[str, Any]) -> list[dict[str, Any]]:
    """Holds a log against the standard; returns its results."""
    check("log", log)
    assert log["version"] == "2.1.0" and len(log["runs"]) == 1
    run = log["runs"][0]
    check("run", run)
    check("tool", run["tool"])
    driver = run["tool"]["driver"]
    check("driver", driver)
    for rule in driver["rules"]:
        check("rule", rule)
        check("message", rule["shortDescription"])
        check("configuration", rule["defaultConfiguration"])
        assert rule["defaultConfiguration"]["level"] in LEVELS
    names = [rule["id"] for rule in driver["rules"]]
    assert len(set(names)) == len(names)
    results: list[dict[str, Any]] = run["results"]
    for result in results:
        check_result(result, set(names))
    return results


class Report(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_program(
        self, name: str, way: str, report: str, *options: str
    ) -> subprocess.CompletedProcess[str]:
        leaks = ["-env", "ORIEL_CHECK", "leaks"]
        command = [os.environ["MPIEXEC"], *options, "--report", report, "-n", "3"]
        command += [*leaks, os.environ["PROGRAM"], name, way]
        return subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=self.folder
        )

    def results(self, name: str, way: str) -> list[dict[str, Any]]:
        self.run_program(name, way, "a.sarif")
        text = (self.folder / "a.sarif").read_text("utf-8")
        self.assertEqual([path.name for path in self.folder.iterdir()], ["a.sarif"])
        return check_log(json.loads(text))

    def test_findings_are_results_of_sarif(self) -> None:
        results = self.results("window_left_open", "wrong")
        self.assertEqual({one["ruleId"] for one in results}, {"left-open"})
        self.assertEqual(
            sorted(one["properties"]["rank"] for one in results), [0, 1, 2]
        )

    def test_an_error_is_one_too(self) -> None:
        results = self.results("put_without_an_epoch", "wrong")
        self.assertEqual({one["ruleId"] for one in results}, {"MPI_ERR_RMA_SYNC"})

    def test_a_right_program_has_a_log_without_results(self) -> None:
        self.assertEqual(self.results("window_left_open", "right"), [])

    def test_another_file_gets_lines(self) -> None:
        self.run_program("window_left_open", "wrong", "lines")
        lines = (self.folder / "lines").read_text("utf-8").splitlines()
        self.assertEqual(len([json.loads(line) for line in lines]), 3)

    def test_exit_code_says_that_something_was_found(self) -> None:
        for way, options, code in (
            ("wrong", ("--check-exit=7",), 7),
            ("right", ("--check-exit=7",), 0),
            ("wrong", (), 0),
        ):
            done = self.run_program("window_left_open", way, "lines", *options)
            self.assertEqual(done.returncode, code)

    def test_an_error_keeps_its_exit_code(self) -> None:
        done = self.run_program("put_without_an_epoch", "wrong", "a", "--check-exit=7")
        self.assertNotIn(done.returncode, (0, 7))

    def test_a_file_that_cannot_be_written_is_refused(self) -> None:
        done = self.run_program("window_left_open", "right", "no/such/folder")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--report", done.stderr)


class Colors(unittest.TestCase):
    """What a terminal gets; COLORED has the colors of what a warning consists of."""

    COLORED = re.compile(
        r"\x1b\[1moriel: rank 0:\x1b\[0m .* \x1b\[1;35m\[left-open\]\x1b\[0m "
        r"at \x1b\[36mleft_open\.c:\d+ \(window_left_open\)\x1b\[0m"
    )

    def shown(self, *command: str, **environment: str) -> str:
        """What the command writes to a terminal as its standard error."""
        terminal, own = pty.openpty()
        surroundings = {**os.environ, "ORIEL_CHECK": "leaks", "TERM": "xterm"}
        surroundings.pop("NO_COLOR", None)
        with subprocess.Popen(
            command, stderr=own, env=surroundings | environment
        ) as job:
            os.close(own)
            text = b""
            try:
                while part := os.read(terminal, 4096):
                    text += part
            except OSError:  # as a terminal ends
                pass
            os.close(terminal)
            self.assertEqual(job.wait(), 0)
        return text.decode()

    def setUp(self) -> None:
        self.alone = (os.environ["PROGRAM"], "window_left_open", "wrong")
        self.job = (os.environ["MPIEXEC"], "-n", "1", *self.alone)

    def test_a_terminal_shows_them(self) -> None:
        self.assertRegex(self.shown(*self.job), self.COLORED)
        self.assertRegex(self.shown(*self.alone), self.COLORED)

    def test_who_refuses_them_has_none(self) -> None:
        for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
            for command in (self.job, self.alone):
                said = self.shown(*command, **{name: value})
                self.assertIn("[left-open]", said)
                self.assertNotIn("\x1b", said)

    def test_files_and_pipes_have_none(self) -> None:
        run = subprocess.run(
            ["env", "ORIEL_CHECK=leaks", *self.job], capture_output=True, text=True
        )
        said = [run.stderr]
        with tempfile.TemporaryDirectory() as folder:
            errors = Path(folder) / "errors"
            for way in (f"2> {errors}", f"2>&1 | cat > {errors}"):
                program = f"{' '.join(self.alone)} {way}"
                self.shown(os.environ["MPIEXEC"], "-n", "1", "sh", "-c", program)
                said.append(errors.read_text("utf-8"))
        for text in said:
            self.assertIn("[left-open]", text)
            self.assertNotIn("\x1b", text)


if __name__ == "__main__":
    unittest.main()
