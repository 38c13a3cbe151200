# SPDX-License-Identifier: BSD-3-Clause
"""Builds programs over the recording core: the real entry points and the real Fortran
layer, compiled anew so that options and faults can be put in.
"""

import os
from collections.abc import Iterable
from difflib import unified_diff
from pathlib import Path

from common import TOP, Proof
from echo_core import recording_core, rest_of_core
from echo_programs import EXTERNAL, echo_fortran, fortran_calls, transcript
from fortran_claims import WIDE

ECHO = TOP / "tests" / "proofs" / "echo"
SANITIZE = (
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=all",
    "-fno-omit-frame-pointer",
    "-g",
)
# Calls without an interface differ in what they give for a buffer.
LOOSE = tuple(os.environ.get("ORIEL_LOOSE", "").split())
# Sources of the Fortran layer, modules first.
MODULE_SOURCES = (
    "fortran/oriel_types.f90",
    "fortran/oriel_constants.f90",
    "f08/oriel_f08_callbacks.f90",
    "f08/oriel_f08_large.f90",
    "f08/mpi_f08.f90",
    "fortran/mpi.f90",
)
ENTRY_SOURCES = ("f08/mpi_f08_entries.f90", "fortran/mpi_entries.f90")


class EchoProof(Proof):
    """A proof that builds and runs echo programs in its folder."""

    def c_options(self) -> list[str]:
        """How C is compiled."""
        folders = [
            ECHO,
            TOP / "tests" / "bindings",
            TOP / "core",
            TOP / "bindings" / "f08",
            TOP / "bindings" / "f08" / "integer4",
            *filter(None, os.environ.get("ORIEL_DESCRIPTOR", "").split(":")),
        ]
        folders += [self.generated / "core"]
        folders += [self.generated / "bindings" / name for name in ("c", "f08")]
        return [
            "-std=c11",
            "-D_GNU_SOURCE",
            "-DNDEBUG",  # assertions look at more of the core than is recorded
            "-Wno-missing-braces",
            "-Wno-deprecated-declarations",  # all are called
            *(f"-I{folder}" for folder in folders),
        ]

    def compile_c(self, source: Path | str, *options: str) -> str:
        """An object of a C source."""
        name = f"{Path(source).name}.o"
        command = [os.environ["CC"], *self.c_options(), *options, "-c", str(source)]
        self.assert_runs(*command, "-o", name)
        return name

    def compile_text(self, name: str, text: str, *options: str) -> str:
        """An object of C text."""
        (self.folder / name).write_text(text, "utf-8")
        return self.compile_c(name, *options)

    def compile_fortran(self, source: Path | str, *options: str) -> str:
        """An object of a Fortran source; its modules go to the folder."""
        name = f"{Path(source).name}.o"
        command = [os.environ["FC"], *WIDE, "-fPIC", *options, "-c", str(source)]
        self.assert_runs(*command, "-o", name)
        return name

    def recording_core(self, *options: str) -> list[str]:
        """The objects of the recording core."""
        core = self.compile_text("core.c", recording_core(self.spec), *options)
        rest = self.compile_text("rest.c", rest_of_core(self.spec), *options)
        return [core, rest, self.compile_c(ECHO / "echo.c", *options)]

    def entry_points(self, *options: str) -> str:
        """The object of the C entry points as they were generated."""
        return self.compile_c(
            self.generated / "bindings" / "c" / "entry_points.c", *options
        )

    def fortran_layer(self, *options: str) -> list[str]:
        """Objects of the Fortran layer."""
        bindings = self.generated / "bindings"
        own = TOP / "bindings"
        modules = [bindings / name for name in MODULE_SOURCES]
        modules += [own / "fortran" / "oriel_support.f90", ECHO / "echo.f90"]
        objects = [self.compile_fortran(path, *options) for path in modules]
        entries = [bindings / name for name in ENTRY_SOURCES]
        objects += [self.compile_fortran(path, *options) for path in entries]
        sources = [bindings / "f08" / "choice_entries.c", own / "f08" / "sections.c"]
        return objects + [self.compile_c(path, *options) for path in sources]

    def includes(self) -> list[str]:
        """Where Fortran finds mpif.h and modules, those of the folder first."""
        modules = os.environ["ORIEL_MODULES"]
        return ["-I.", f"-I{self.generated}/bindings/fortran", f"-I{modules}"]

    def libraries(self) -> list[str]:
        """The Fortran layer as it was built. The program's own definitions take the
        place of the C library's."""
        paths = [Path(os.environ[f"ORIEL_{x}_LIBRARY"]) for x in ("FORTRAN", "C")]
        return [f"-Wl,-rpath,{p.parent}" for p in paths] + [str(p) for p in paths]

    def link(
        self, compiler: str, name: str, objects: Iterable[str], *options: str
    ) -> Path:
        """A program."""
        self.assert_runs(os.environ[compiler], *options, *objects, "-o", name)
        return self.folder / name

    def assert_transcript(self, program: Path, expected: Iterable[str]) -> None:
        """The program leaves exactly these lines."""
        said = self.assert_runs(program)
        found = difference(said, expected)
        self.assertEqual(found, "", found)


class FortranEcho(EchoProof):
    """A proof of the Fortran layer."""

    def assert_echo(
        self, forms: dict[str, str], layer: list[str], *options: str
    ) -> list[str]:
        """The transcripts of programs are right; `layer` has the Fortran bindings,
        `forms` say which and what the source's name ends in. Returns what the programs
        have besides their calls."""
        core = [*self.recording_core(*options), self.entry_points(*options)]
        for module, suffix in forms.items():
            name = f"calls_{module.removesuffix('.h')}.{suffix}"
            (self.folder / name).write_text(echo_fortran(self.spec, module), "utf-8")
            loose = LOOSE if module == EXTERNAL else ()
            calls = self.compile_fortran(name, *self.includes(), *loose, *options)
            program = self.link("FC", f"{name}.run", [calls, *core, *layer], *options)
            with self.subTest(module):
                self.assert_transcript(program, self.expected(module))
        return [*core, *layer]

    def expected(self, module: str) -> list[str]:
        """The transcript of a binding's program."""
        known = fortran_calls(self.spec, module)
        return [line for call in known for line in transcript(call)]


def difference(said: str, expected: Iterable[str]) -> str:
    """Where what was said differs, "" if nowhere."""
    lines = unified_diff(list(expected), said.splitlines(), "table", "bindings", n=4)
    return "\n".join(line.rstrip() for line in lines)
