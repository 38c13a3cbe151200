# SPDX-License-Identifier: BSD-3-Clause
"""The MPI libraries that are compared: how programs are compiled and started with each."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

BROUGHT = frozenset({"created", "dynamic"})  # kinds of windows on the program's memory


@dataclass(frozen=True)
class Library:
    """One column of the comparison. Several may be one library with other settings."""

    label: str
    compiler: tuple[str, ...]
    launcher: tuple[str, ...]
    bound: tuple[str, ...] = ()  # options that give each process a core of its own
    free: tuple[str, ...] = ()  # and those that let them run where they like
    is_own: bool = False  # Oriel, whose settings are not compared as others
    kinds: frozenset[str] | None = None  # of the only windows that it differs for
    is_between_nodes: bool = False  # takes each of two processes for a node

    def command(self, ranks: int, program: list[str]) -> list[str]:
        cores = len(os.sched_getaffinity(0))
        options = self.bound if 1 < ranks <= cores else self.free
        return [*self.launcher, *options, "-n", str(ranks), *program]

    def version(self) -> str:
        """What the launcher says of its version."""
        command = [*self.launcher, "--version"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        found = re.search(r"\d+\.\d+\S*", done.stdout)
        return found[0] if found else ""


def oriel(prefix: Path) -> list[Library]:
    """Oriel as it is installed below a prefix, and with the settings by which the memory
    that programs bring themselves is shared: as a window is made, or from the start."""
    launcher = (str(prefix / "bin" / "mpiexec"),)
    usual = Library(
        label="Oriel",
        compiler=(str(prefix / "bin" / "mpicc"),),
        launcher=launcher,
        bound=("--bind-to", "core"),
        free=("--bind-to", "none"),
        is_own=True,
    )
    pages = replace(
        usual,
        label="Oriel share-pages",
        launcher=("env", "ORIEL_SHARE_PAGES=windows", *launcher),
        kinds=BROUGHT,
    )
    heap = replace(
        usual,
        label="Oriel share-heap",
        launcher=(*launcher, "--share-heap"),
        kinds=BROUGHT,
    )
    nodes = replace(
        usual,
        launcher=("env", "ORIEL_FAKE_NODES=2", *launcher),
        is_between_nodes=True,
    )
    return [usual, pages, heap, nodes]


def mpich() -> list[Library]:
    if not shutil.which("mpicc.mpich") or not shutil.which("mpiexec.mpich"):
        return []
    bound, free = ("-bind-to", "core"), ("-bind-to", "none")
    usual = Library("MPICH", ("mpicc.mpich",), ("mpiexec.mpich",), bound, free)
    over_tcp = ("env", "MPIR_CVAR_NOLOCAL=1", "UCX_TLS=tcp,self")
    nodes = replace(usual, launcher=(*over_tcp, *usual.launcher), is_between_nodes=True)
    return [usual, nodes]


def open_mpi() -> list[Library]:
    """Open MPI with both ways of its one-sided operations: memory that it shares and
    messages (osc/sm, osc/pt2pt), or osc/rdma, which has no shared windows; between nodes
    by messages over TCP."""
    if not shutil.which("mpicc.openmpi") or not shutil.which("mpiexec.openmpi"):
        return []
    root = ("--allow-run-as-root",) if os.geteuid() == 0 else ()
    launcher = ("mpiexec.openmpi", *root, "--mca", "osc")
    usual = Library(
        label="Open MPI sm",
        compiler=("mpicc.openmpi",),
        launcher=(*launcher, "sm,pt2pt"),
        bound=("--bind-to", "core"),
        free=("--oversubscribe", "--bind-to", "none"),
    )
    rdma = replace(
        usual,
        label="Open MPI rdma",
        launcher=(*launcher, "rdma"),
        kinds=frozenset({"allocated", "created", "dynamic"}),
    )
    over_tcp = ("--mca", "btl", "tcp,self", "--mca", "pml", "ob1")
    nodes = replace(
        usual,
        label="Open MPI tcp",
        launcher=(*launcher, "pt2pt", *over_tcp),
        is_between_nodes=True,
    )
    return [usual, rdma, nodes]


def described(text: str) -> Library:
    """LABEL=MPICC,MPIEXEC; MPIEXEC may hold options and begin with `env NAME=VALUE`."""
    label, equals, rest = text.partition("=")
    compiler, comma, launcher = rest.partition(",")
    if not label or not equals or not comma:
        raise ValueError(f"{text}: expected LABEL=MPICC,MPIEXEC")
    return Library(label, tuple(shlex.split(compiler)), tuple(shlex.split(launcher)))
