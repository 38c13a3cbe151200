# SPDX-License-Identifier: BSD-3-Clause
"""Calls in Fortran: by keyword in any order each reaches its C function, exactly once, so
that a tool in C sees it. A tool that takes the place of specific procedures is entered
exactly once, too, and reaches PMPI. Calls with a wrong argument do not compile.

The tool in C defines every C function of both names and does nothing else; that for
Fortran defines every specific procedure and calls its twin.
"""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from common import Proof, table
from counting_tool import tool
from fortran_calls import Actuals, actuals, counted, wrong, wrong_actuals
from fortran_claims import OPTIONS, Specific
from passed_on import passed_on

from codegen.model import Spec

MODULES = ("mpi_f08", "mpi")
EXPECT = """\
void expect(const char *name)
{
    check(name);
}
"""
# A call of the name that begins with P does not enter the tool.
ENTERED = """\
static const char *entered;
static int entries;

static void enter(const char *name)
{
    entered = name;
    entries++;
}

void expect(const char *name)
{
    int is_twin = name[0] == 'P';
    if (entries != !is_twin || (entries && strcmp(entered, name))) {
        printf("%s has entered the tool %d times\\n", name, entries);
        exit(1);
    }
    entries = 0;
    char twin[80];
    snprintf(twin, sizeof twin, "P%s", name + is_twin);
    check(twin);
}
"""


def fortran_tool(spec: Spec, module: str, is_plain: bool = False) -> str:
    """A tool with each specific procedure of a module, or with plain names."""
    taken = passed_on(spec, module, 'enter("{}"); ', is_plain)
    return "\n".join([tool(spec), ENTERED, *taken, ""])


class Counted(Proof):
    """Every call is counted where a tool in C would see it."""

    calls: Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.calls = Path(tempfile.mkdtemp(prefix="oriel-calls-"))
        cls.addClassCleanup(shutil.rmtree, cls.calls)
        modules = f"-I{os.environ['ORIEL_MODULES']}"
        for name in MODULES:
            (cls.calls / f"{name}.f90").write_text(counted(table(), name), "utf-8")
            command = (os.environ["FC"], *OPTIONS, modules, "-c", f"{name}.f90")
            subprocess.run(command, cwd=cls.calls, check=True)

    def program(self, module: str, tool_text: str) -> Path:
        """The program with the tool in it."""
        (self.folder / "tool.c").write_text(tool_text, "utf-8")
        include = f"-I{self.generated}/bindings/c"
        self.assert_runs(os.environ["CC"], "-c", include, "tool.c", "-o", "tool.o")
        libraries = [os.environ[f"ORIEL_{x}_LIBRARY"] for x in ("FORTRAN", "C")]
        paths = [f"-Wl,-rpath,{Path(library).parent}" for library in libraries]
        objects = (self.calls / f"{module}.o", "tool.o")
        self.assert_runs(
            os.environ["FC"], *objects, *libraries, *paths, "-o", "program"
        )
        return self.folder / "program"

    def test_each_call_is_one_hit(self) -> None:
        for module in MODULES:
            with self.subTest(module):
                self.assert_runs(self.program(module, tool(self.spec) + EXPECT))

    def test_each_call_enters_a_tool_in_fortran_once(self) -> None:
        for module in MODULES:
            with self.subTest(module):
                self.assert_runs(self.program(module, fortran_tool(self.spec, module)))

    def test_each_call_enters_a_tool_of_plain_names_once(self) -> None:
        self.assert_runs(self.program("mpi", fortran_tool(self.spec, "mpi", True)))

    def test_second_entry_is_noticed(self) -> None:
        enters = 'enter("MPI_Get"); '
        text = fortran_tool(self.spec, "mpi").replace(enters, enters * 2)
        program = self.program("mpi", text)
        self.assert_refused("MPI_Get has entered the tool 2 times", program)

    def test_call_that_does_not_enter_is_noticed(self) -> None:
        text = fortran_tool(self.spec, "mpi_f08").replace(
            " mpi_put_c_f08ts_(", " other("
        )
        program = self.program("mpi_f08", text)
        self.assert_refused("MPI_Put_c has entered the tool 0 times", program)

    def test_second_hit_is_noticed(self) -> None:
        program = self.program("mpi_f08", tool(self.spec, twice="PMPI_Get_c") + EXPECT)
        self.assert_refused("PMPI_Get_c has 2 hits", program)

    def test_call_past_the_tool_is_noticed(self) -> None:
        text = tool(self.spec).replace('see("MPI_Put_c");', "") + EXPECT
        program = self.program("mpi_f08", text)
        self.assert_refused("MPI_Put_c has 0 hits", program)


class Wrong(Proof):
    """The compiler refuses each wrong call, and none that is right."""

    def accepted(
        self, module: str, faults: Callable[[Specific], Iterable[Actuals]]
    ) -> tuple[list[str], int]:
        """The calls that compile, and how many there are."""
        text, places = wrong(self.spec, module, faults)
        (self.folder / "wrong.f90").write_text(text, "utf-8")
        modules = f"-I{os.environ['ORIEL_MODULES']}"
        command = (os.environ["FC"], "-fsyntax-only", *OPTIONS, modules, "wrong.f90")
        _, said = self.run_command(*command)
        refused = {int(n) for n in re.findall(r"wrong\.f90:(\d+):", said)}
        self.assertLessEqual(refused, set(places), said)
        accepted = [line for place, line in places.items() if place not in refused]
        return accepted, len(places)

    def test_wrong_calls_do_not_compile(self) -> None:
        for module in MODULES:
            accepted, number = self.accepted(module, wrong_actuals)
            self.assertEqual(accepted, [])
            self.assertGreater(number, 5000)

    def test_right_calls_compile(self) -> None:
        for module in MODULES:
            accepted, number = self.accepted(module, lambda s: [actuals(s)])
            self.assertEqual(len(accepted), number)
