# SPDX-License-Identifier: BSD-3-Clause
"""oriel-info says what is there, as text and as JSON, and tests it. The variables INFO and
MPIEXEC name the commands."""

from __future__ import annotations

import json
import os
import subprocess
import unittest
from functools import cache
from typing import Any

INFO = os.environ["INFO"]
MPIEXEC = os.environ["MPIEXEC"]
PLAIN = {k: v for k, v in os.environ.items() if not k.startswith("ORIEL_")}


def info(*arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [INFO, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        env=PLAIN | settings,
    )


@cache
def report(*arguments: str, **settings: str) -> Any:
    return json.loads(info("--json", *arguments, **settings).stdout)


class Info(unittest.TestCase):
    def test_settings_are_those_of_the_library(self) -> None:
        run = subprocess.run(
            [MPIEXEC, "--list-options"], capture_output=True, text=True
        )
        rows = [line for line in run.stdout.splitlines() if line.startswith("ORIEL_")]
        allowed = dict(row.split("=") for row in rows)
        settings = report()["settings"]
        self.assertGreater(len(allowed), 5)
        self.assertEqual({k: v["allowed"] for k, v in settings.items()}, allowed)
        for row in settings.values():
            self.assertEqual(row["value"], row["default"])
            self.assertNotEqual(row["meaning"], "")

    def test_values_and_mistakes_are_those_of_the_environment(self) -> None:
        found = report(
            ORIEL_SPIN="7", ORIEL_CHEKC="off", ORIEL_NAME='a"\\b\n', ORIEL_CC="x"
        )
        self.assertEqual(found["settings"]["ORIEL_SPIN"]["value"], "7")
        self.assertEqual(found["settings"]["ORIEL_SPIN"]["default"], "50")
        self.assertEqual(set(found["mistakes"]), {"ORIEL_CHEKC", "ORIEL_NAME"})
        found = report(ORIEL_CHECK='"\\\n')
        self.assertEqual(found["settings"]["ORIEL_CHECK"]["value"], '"\\\n')
        self.assertIn("allowed is off|basic|full", found["mistakes"]["setting"])
        self.assertEqual(report()["mistakes"], {})

    def test_text_has_what_json_has(self) -> None:
        text = info().stdout
        found = report()
        for section, values in found.items():
            self.assertRegex(text, f"(?m)^{section.capitalize()}$")
            for name, value in values.items():
                self.assertIn(name, text)
                for part in value.values() if isinstance(value, dict) else [value]:
                    self.assertIn(part, text)
        self.assertRegex(text, r"(?m)^Mistakes\n  none$")

    def test_machine_is_described(self) -> None:
        found = report()
        self.assertIn(f"Oriel {found['oriel']['version']}", found["oriel"]["library"])
        cores = str(len(os.sched_getaffinity(0)))
        self.assertEqual(found["limits"]["processors"], cores)
        self.assertIn(os.uname().release, found["limits"]["system"])
        names = {"tcp", "tcp;ofi_rxm", "sockets"}
        self.assertTrue(names & set(found["providers"]), found["providers"])
        limited = subprocess.run(
            ["sh", "-c", f"ulimit -l 64; ulimit -n 99; {INFO} --json"],
            capture_output=True,
            env=PLAIN,
        )
        limits = json.loads(limited.stdout)["limits"]
        self.assertEqual(limits["locked memory"], "64.0 KiB")
        self.assertTrue(limits["open files"].startswith("99,"))

    def test_self_test_runs_jobs(self) -> None:
        found = report("--test")["self-test"]
        self.assertRegex(found["one node"], r"^works, \d+ ms$")
        self.assertRegex(found["two nodes"], r"^works, \d+ ms, network: \S+ on ")

    def test_self_test_fails_where_jobs_do(self) -> None:
        run = info("--test", ORIEL_PROVIDER="shm")
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stdout, r"one node +works")
        self.assertRegex(run.stdout, r"two nodes +failed: mpiexec: rank ")

    def test_unknown_option_is_refused(self) -> None:
        run = info("--jsno")
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        self.assertIn("unknown option --jsno", run.stderr)
        self.assertIn("--json", info("--help").stdout)
        version = info("--version").stdout
        self.assertRegex(version, r"^oriel-info \(Oriel\) \d+\.\d+\.\d+\n$")


if __name__ == "__main__":
    unittest.main()
