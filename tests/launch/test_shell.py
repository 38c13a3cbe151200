# SPDX-License-Identifier: BSD-3-Clause
"""What is installed for shells: the completion of mpiexec's options, and the file for
environment modules. The variables MPIEXEC, COMPLETION and MODULEFILE name them; the last
has the path from the prefix, too, behind a colon."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

MPIEXEC = os.environ["MPIEXEC"]
COMPLETION = os.environ["COMPLETION"]
MODULEFILE, INSTALLED_AS = os.environ["MODULEFILE"].split(":")

# Prints what the modulefile does.
READER = """
proc module-whatis {text} {}
proc conflict {args} {}
proc prepend-path {name value} { puts "$name $value" }
proc append-path {name value} {}
proc setenv {name value} { puts "$name $value" }
set ModulesCurrentModulefile [lindex $argv 0]
source $ModulesCurrentModulefile
"""


# What makes a zsh ready for a function of bash, and what its bashcompinit sets for one.
ZSH = "autoload -U compinit bashcompinit; compinit -u -D; bashcompinit; "
ZSH += "emulate sh; setopt kshglob noshglob braceexpand ksharrays; "


def completions(*words: str, shell: str = "bash", command: str = MPIEXEC) -> list[str]:
    """Of the last word."""
    script = ZSH if shell == "zsh" else ""
    script += '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
    script += '_oriel_mpiexec; printf "%s\\n" "${COMPREPLY[@]}"'
    run = subprocess.run(
        [shell, "-c", script, shell, COMPLETION, command, *words],
        capture_output=True,
        text=True,
        check=True,
    )
    return [word for word in run.stdout.splitlines() if word]


class Completion(unittest.TestCase):
    def test_every_option_of_the_table_is_completed(self) -> None:
        run = subprocess.run(
            [MPIEXEC, "--list-options"], capture_output=True, text=True
        )
        rows = [line.split(" ") for line in run.stdout.splitlines()]
        names = [name for row in rows if row[0][0] == "-" for name in row[0].split("|")]
        self.assertGreater(len(names), 40)
        self.assertEqual(sorted(completions("-")), sorted(names))
        self.assertEqual(completions("-n", "2", "--hostf"), ["--hostfile"])

    def test_values_are_completed_by_their_kind(self) -> None:
        run = subprocess.run(
            [MPIEXEC, "--list-options"], capture_output=True, text=True
        )
        for row in run.stdout.splitlines():
            name, _, values = row.partition(" ")
            if "|" in values:
                choices = values.split("|")
                self.assertEqual(completions(name.split("|")[0], ""), choices)
        self.assertEqual(completions("-env", "ORIEL_FA"), ["ORIEL_FAKE_NODES"])
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "file").touch()
            Path(folder, "folder").mkdir()
            both = sorted(f"{folder}/{name}" for name in ("file", "folder"))
            self.assertEqual(sorted(completions("-f", f"{folder}/f")), both)
            self.assertEqual(completions("-wdir", f"{folder}/f"), [f"{folder}/folder"])
            words = ("-genv", "A", "-f", "program", f"{folder}/f")
            self.assertEqual(sorted(completions(*words)), both)
            self.assertEqual(completions("program", "-x", ":", "--pern"), ["--pernode"])

    def test_programs_are_completed(self) -> None:
        self.assertIn("sleep", completions("-n", "2", "slee"))

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_completes_the_same(self) -> None:
        for words in (("-",), ("--bind-to", "")):
            found = completions(*words, shell="zsh")
            self.assertEqual(sorted(found), sorted(completions(*words)))
            self.assertTrue(found, words)

    def test_files_are_completed_for_other_launchers_of_that_name(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "file").touch()
            found = completions(f"{folder}/f", command="false")
            self.assertEqual(found, [f"{folder}/file"])

    def test_other_launchers_of_that_name_have_none(self) -> None:
        script = 'source "$1"; COMP_WORDS=(false -); COMP_CWORD=1; _oriel_mpiexec; '
        script += "echo ${#COMPREPLY[@]}"
        words = ["bash", "-c", script, "bash", COMPLETION]
        run = subprocess.run(words, capture_output=True, text=True)
        self.assertEqual((run.stdout, run.stderr), ("0\n", ""))


class Module(unittest.TestCase):
    @unittest.skipUnless(shutil.which("tclsh"), "tclsh is not installed")
    def test_paths_are_those_of_the_prefix(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            prefix = os.path.realpath(folder)
            file = Path(prefix, INSTALLED_AS)
            file.parent.mkdir(parents=True)
            shutil.copy(MODULEFILE, file)
            reader = Path(folder, "reader")
            reader.write_text(READER)
            run = subprocess.run(
                ["tclsh", str(reader), str(file)], capture_output=True, text=True
            )
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        done = dict(line.split(" ") for line in run.stdout.splitlines())
        self.assertEqual(done["PATH"], f"{prefix}/bin")
        self.assertEqual(done["MPI_HOME"], prefix)
        self.assertTrue(done["PKG_CONFIG_PATH"].startswith(f"{prefix}/lib"), done)
        self.assertIn("MANPATH", done)

    @unittest.skipUnless(shutil.which("modulecmd"), "modulecmd is not installed")
    def test_folders_of_the_system_are_searched_as_well(self) -> None:
        variables = ("MANPATH", "XDG_DATA_DIRS")
        script = 'for verb in load unload; do eval "$(modulecmd bash $verb "$1")"; '
        script += 'echo "$MANPATH,$XDG_DATA_DIRS"; done'
        with tempfile.TemporaryDirectory() as folder:
            file = Path(os.path.realpath(folder), INSTALLED_AS)
            file.parent.mkdir(parents=True)
            shutil.copy(MODULEFILE, file)
            run = subprocess.run(
                ["bash", "-c", script, "bash", str(file)],
                env={
                    name: os.environ[name]
                    for name in os.environ
                    if name not in variables
                },
                capture_output=True,
                text=True,
            )
            share = f"{os.path.realpath(folder)}/share"
        loaded = f"{share}/man:,{share}:/usr/local/share:/usr/share"
        self.assertEqual(run.stdout.splitlines(), [loaded, ","], run.stderr)


if __name__ == "__main__":
    unittest.main()
