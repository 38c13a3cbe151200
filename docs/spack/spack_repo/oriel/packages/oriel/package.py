# SPDX-License-Identifier: BSD-3-Clause
"""Oriel for Spack 1.0 or newer, built from the git checkout in which this file lies.

    spack repo add docs/spack/spack_repo/oriel
    spack install oriel

Tests read this recipe and compare it with the build's options; Spack itself has not run it.
"""

from pathlib import Path
from typing import Any

from spack.package import (  # type: ignore
    depends_on,
    license,
    provides,
    variant,
    version,
)
from spack_repo.builtin.build_systems.cmake import CMakePackage  # type: ignore

COMPILERS = {"mpicc": "CC", "mpicxx": "CXX", "mpifort": "FC"}


class Oriel(CMakePackage):  # type: ignore
    """MPI library for one-sided communication: by loads and stores inside a node, over
    libfabric between nodes, with the standard ABI of MPI-5.0. It has no MPI-IO, dynamic
    processes or partitioned communication."""

    git = Path(__file__).resolve().parents[6].as_uri()

    license("BSD-3-Clause")
    version("main", branch="main")

    variant("fortran", default=True, description="Build mpi_f08, mpi and mpif.h")
    variant("static", default=False, description="Build static libraries, too")

    provides("mpi@:5.0")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.20:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.11:", type="build")
    depends_on("py-jinja2@3.1:", type="build")
    depends_on("libfabric@1.17:")

    def cmake_args(self) -> list[str]:
        return [
            self.define_from_variant("ORIEL_FORTRAN", "fortran"),
            self.define_from_variant("ORIEL_STATIC", "static"),
            self.define("ORIEL_PYTHON", self.spec["python"].command.path),
        ]

    def setup_run_environment(self, env: Any) -> None:
        """libfabric is loaded at run time, by its name."""
        env.prepend_path("LD_LIBRARY_PATH", self.spec["libfabric"].prefix.lib)
        for command in COMPILERS:
            env.set(command.upper(), f"{self.prefix.bin}/{command}")

    def setup_dependent_build_environment(self, env: Any, dependent_spec: Any) -> None:
        """Oriel's wrappers call those of Spack."""
        self.setup_run_environment(env)
        module = dependent_spec.package.module
        for language in COMPILERS.values():
            wrapper = getattr(module, f"spack_{language.lower()}", None)
            if wrapper:
                env.set(f"ORIEL_{language}", wrapper)

    def setup_dependent_package(self, module: Any, dependent_spec: Any) -> None:
        """What packages ask of the MPI that they are built with."""
        folder = self.prefix.bin
        self.spec.mpicc = f"{folder}/mpicc"
        self.spec.mpicxx = f"{folder}/mpicxx"
        self.spec.mpifc = self.spec.mpif77 = f"{folder}/mpifort"
