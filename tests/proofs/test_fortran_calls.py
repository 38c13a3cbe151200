# SPDX-License-Identifier: BSD-3-Clause
"""Calls in Fortran: by keyword in any order each reaches its C function, exactly once, so
that a tool in C sees it.

The tool defines every C function of both names and does nothing else.
"""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from c_claims import parameter, result
from common import Proof, implemented, table, taken_by
from fortran_calls import counted
from fortran_claims import OPTIONS

from codegen.model import Spec

MODULES = ("mpi_f08", "mpi")
COUNTER = """\
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *seen[64];
static int count;

static void see(const char *name)
{
    seen[count++ % 64] = name;
}

void expect(const char *name);
void expect(const char *name)
{
    int hits = 0, others = 0;
    for (int i = 0; i < count; i++) {
        hits += !strcmp(seen[i], name);
        others += seen[i][0] == 'M' && strcmp(seen[i], name);
    }
    if (hits != 1 || others) {
        printf("%s has %d hits, other functions %d\\n", name, hits, others);
        exit(1);
    }
    count = 0;
}
"""


def named(kind: str, name: str) -> str:
    """A parameter of that type; that of arrays has the name inside."""
    if kind == "...":
        return kind
    return kind.replace("(*)", f"(*{name})") if "(*)" in kind else f"{kind} {name}"


def tool(spec: Spec, prefixes: tuple[str, ...] = ("", "P"), twice: str = "") -> str:
    """Definitions of every C function; `twice` counts its calls wrong."""
    lines = [COUNTER]
    for record in implemented(spec, "c"):
        for is_large in (False, True)[: 1 + record.is_large]:
            taken = [parameter(a, is_large) for a in taken_by(record, "c", is_large)]
            names = ", ".join(named(kind, f"a{i}") for i, kind in enumerate(taken))
            kind = result(record, is_large)
            for prefix in prefixes:
                name = prefix + record.name + ("_c" if is_large else "")
                sees = f'see("{name}"); ' * (2 if name == twice else 1)
                back = "return 0; " if kind != "void" else ""
                lines.append(f"{kind} {name}({names or 'void'}) {{ {sees}{back}}}")
    return "\n".join([*lines, ""])


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
                self.assert_runs(self.program(module, tool(self.spec)))

    def test_second_hit_is_noticed(self) -> None:
        program = self.program("mpi_f08", tool(self.spec, twice="PMPI_Get_c"))
        self.assert_refused("PMPI_Get_c has 2 hits", program)

    def test_call_past_the_tool_is_noticed(self) -> None:
        text = tool(self.spec).replace('see("MPI_Put_c");', "")
        program = self.program("mpi_f08", text)
        self.assert_refused("MPI_Put_c has 0 hits", program)
