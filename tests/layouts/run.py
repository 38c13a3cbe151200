# SPDX-License-Identifier: BSD-3-Clause
"""All MPI test programs in all layouts of nodes, under all launchers.

usage: run.py BUILD [REGEX]

The programs are those that ctest runs under our mpiexec, each with the most ranks up to
four; REGEX chooses some of them. The layouts are one node, two and four pretended ones,
and two hosts: network namespaces joined by a pair of virtual interfaces, the ranks of
which also have another host name. On those a part of the programs runs once more with
late and lost packets. What cannot be had here is skipped and said.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

RANKS = 4
JOBS = os.cpu_count() or 1  # programs at a time: much of each run is waiting
TIMEOUT = 180  # seconds for one program
SKIPPED = 77
LATE = re.compile("^(rma|sync|accumulate|request_rma)")  # with late packets, too


@dataclass(frozen=True)
class Program:
    ranks: int
    command: tuple[str, ...]
    environment: tuple[str, ...]
    is_alone: bool  # it measures times

    @property
    def name(self) -> str:
        return " ".join([Path(self.command[0]).name, *self.command[1:]])


@dataclass(frozen=True)
class Layout:
    name: str
    fake_nodes: int = 1
    hosts: tuple[str, ...] = ()
    agent: str = ""
    interface: str = ""


# ---- programs


def programs_of(build: Path, chosen: re.Pattern[str]) -> list[Program]:
    """Of all tests `mpiexec -n RANKS program ...` that scripts/test runs."""
    what = ["ctest", "--test-dir", str(build), "--show-only=json-v1"]
    shown = subprocess.run(what, check=True, capture_output=True, text=True)
    found: dict[tuple[str, ...], Program] = {}
    for test in json.loads(shown.stdout)["tests"]:
        command = test.get("command", [""])
        properties = {p["name"]: p["value"] for p in test["properties"]}
        labels = set(properties.get("LABELS", []))
        is_left_out = {"large", "soak"} & labels
        if Path(command[0]).name != "mpiexec" or command[3].startswith("-"):
            continue
        if is_left_out or properties.get("PASS_REGULAR_EXPRESSION"):
            continue
        ranks, key = int(command[2]), tuple(command[3:])
        known = found.get(key)
        if ranks <= RANKS and (not known or known.ranks < ranks):
            environment = tuple(properties.get("ENVIRONMENT", []))
            found[key] = Program(ranks, key, environment, "times" in labels)
    return [p for p in found.values() if chosen.search(p.name)]


# ---- hosts


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


def make_host(host: str, interface: str) -> None:
    ip("link", "set", interface, "netns", host)
    ip("-n", host, "address", "add", f"{host}/24", "dev", interface)
    ip("-n", host, "link", "set", interface, "up")
    ip("-n", host, "link", "set", "lo", "up")


@contextmanager
def two_hosts(folder: Path) -> Iterator[Layout]:
    """Each namespace has its address as its name, so that all launchers find it."""
    number = os.getpid() % 250
    hosts = (f"10.78.{number}.1", f"10.78.{number}.2")
    ends = (f"oriel-{number}-a", f"oriel-{number}-b")
    agent = folder / "agent"
    agent.write_text(
        "#!/bin/sh\n"
        'while [ "${1#-}" != "$1" ]; do shift; done\n'  # options for ssh
        "host=$1; shift\n"
        'exec ip netns exec "$host" unshare --uts sh -c "hostname $host; $*"\n'
    )
    agent.chmod(0o755)
    try:
        for host in hosts:
            ip("netns", "add", host)
        ip("link", "add", ends[0], "type", "veth", "peer", "name", ends[1])
        for host, end in zip(hosts, ends):
            make_host(host, end)
        yield Layout("two hosts", hosts=hosts, agent=str(agent), interface=ends[0])
    finally:
        for host in hosts:
            subprocess.run(["ip", "netns", "del", host], capture_output=True)


def delay_packets(layout: Layout) -> bool:
    words = ["tc", "-n", layout.hosts[0], "qdisc", "add", "dev", layout.interface]
    words += ["root", "netem", "delay", "1ms", "loss", "1%"]
    return subprocess.run(words, capture_output=True).returncode == 0


# ---- launchers: the command before the program

Launcher = Callable[[Layout, int], list[str]]


def places(layout: Layout, ranks: int) -> str:
    first = (ranks + 1) // 2
    return f"{layout.hosts[0]}:{first},{layout.hosts[1]}:{max(ranks - first, 1)}"


def on_first(layout: Layout) -> list[str]:
    return ["ip", "netns", "exec", layout.hosts[0]] if layout.hosts else []


def ours(mpiexec: str) -> Launcher:
    def command(layout: Layout, ranks: int) -> list[str]:
        where = ["--hosts", places(layout, ranks)] if layout.hosts else []
        where += ["--launch-agent", layout.agent] if layout.hosts else []
        return [mpiexec, "-n", str(ranks), *where]

    return command


def hydra(mpiexec: str) -> Launcher:
    def command(layout: Layout, ranks: int) -> list[str]:
        where = ["-hosts", places(layout, ranks)] if layout.hosts else []
        where += ["-launcher-exec", layout.agent] if layout.hosts else []
        where += ["-iface", layout.interface] if layout.hosts else []
        return [*on_first(layout), mpiexec, "-n", str(ranks), *where]

    return command


def open_mpi(mpirun: str, folder: Path) -> Launcher:
    def command(layout: Layout, ranks: int) -> list[str]:
        where = ["--host", places(layout, ranks)] if layout.hosts else []
        where += ["--mca", "plm_rsh_agent", layout.agent] if layout.hosts else []
        # Two at a time must not make and remove the same folder.
        where += ["--mca", "orte_tmpdir_base", tempfile.mkdtemp(dir=folder)]
        return [
            *on_first(layout), mpirun, "--oversubscribe", "--allow-run-as-root",
            "-np", str(ranks), *where,
        ]  # fmt: skip

    return command


def launchers_of(build: Path, folder: Path) -> Iterator[tuple[str, Launcher]]:
    yield "mpiexec", ours(str(build / "launch" / "mpiexec"))
    makers: dict[str, Callable[[str], Launcher]] = {
        "mpiexec.hydra": hydra,
        "mpirun.openmpi": lambda path: open_mpi(path, folder),
    }
    for name, make in makers.items():
        if path := shutil.which(name):
            yield name, make(path)
        else:
            print(f"skipped: {name} is not installed")


# ---- runs


def wrong_with(program: Program, layout: Layout, launcher: Launcher) -> str:
    environment = dict(os.environ, ORIEL_FAKE_NODES=str(layout.fake_nodes))
    environment |= dict(word.split("=", 1) for word in program.environment)
    what = [*launcher(layout, program.ranks), *program.command]
    try:
        run = subprocess.run(
            what, env=environment, timeout=TIMEOUT, text=True, errors="replace",
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"{' '.join(what)}: still runs after {TIMEOUT} s"
    if run.returncode in (0, SKIPPED):
        return ""
    return f"{' '.join(what)}: exit code {run.returncode}\n{run.stdout}"


def run_all(
    programs: list[Program], layout: Layout, launchers: list[tuple[str, Launcher]]
) -> list[str]:
    """One line on each launcher; what went wrong."""
    failures = []
    for name, launcher in launchers:
        start = time.monotonic()
        failed = []
        for is_alone, jobs in ((False, JOBS), (True, 1)):
            some = [p for p in programs if p.is_alone == is_alone]
            with ThreadPoolExecutor(jobs) as pool:
                wrongs = pool.map(lambda p: wrong_with(p, layout, launcher), some)
            failed += [wrong for wrong in wrongs if wrong]
        seconds = time.monotonic() - start
        print(
            f"{layout.name}, {name}: {len(failed)} of {len(programs)} fail, "
            f"{seconds:.0f} s"
        )
        for wrong in failed:
            print(wrong)
        sys.stdout.flush()
        failures += failed
    return failures


def run_on_hosts(
    programs: list[Program], launchers: list[tuple[str, Launcher]], folder: Path
) -> list[str]:
    if os.geteuid() != 0 or not shutil.which("ip"):
        print("skipped: two hosts: only root makes namespaces, by the command ip")
        return []
    with two_hosts(folder) as layout:
        failures = run_all(programs, layout, launchers)
        if not delay_packets(layout):
            print("skipped: late packets: this kernel has no netem")
            return failures
        late = Layout("two hosts, late packets", 1, layout.hosts, layout.agent)
        some = [program for program in programs if LATE.search(program.name)]
        return failures + run_all(some, late, launchers[:1])


def main() -> None:
    build = Path(sys.argv[1])
    programs = programs_of(build, re.compile(sys.argv[2] if len(sys.argv) > 2 else ""))
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        launchers = list(launchers_of(build, Path(folder)))
        for nodes in (1, 2, 4):
            name = f"{nodes} pretended nodes" if nodes > 1 else "one node"
            failures += run_all(programs, Layout(name, nodes), launchers)
        failures += run_on_hosts(programs, launchers, Path(folder))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
