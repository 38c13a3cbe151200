# SPDX-License-Identifier: BSD-3-Clause
"""What is run: the benchmark programs, each with its number of processes and arguments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

NETWORK = "network_"  # before the names of groups that are measured between nodes
KINDS = ("allocated", "shared", "created", "dynamic")
FETCHING = ("fetch_and_op", "compare_and_swap")
ACCUMULATES = (
    *("accumulate_double", "accumulate_int64"),
    *("get_accumulate_double", "get_accumulate_int64"),
)
SYNCHRONIZATION = (
    *("fence", "fence_put", "post_start_put_complete_wait"),
    *("lock_exclusive", "lock_shared", "lock_put", "lock_all"),
    *("flush_idle", "flush_all_idle", "flush_local_idle", "win_sync"),
    "create_and_free",
)
BUSY = ("put", "get", "64_puts", "64_gets", "accumulate_int64", *FETCHING)
COLLECTIVES = ("barrier", "broadcast", "allgather", "alltoall", "reduce", "allreduce")
START = ("init", "resident_memory", "proportional_memory")
FLOORS = (
    *("line_round_trip", "locked_add", "locked_add_contended", "system_call"),
    *("membarrier", "malloc_and_touch"),
    *("memcpy_to_shared", "memcpy_from_shared"),
    *("process_vm_writev", "process_vm_readv", "process_vm_writev_64_spans"),
)


@dataclass(frozen=True)
class Task:
    """One run of a program, by each library."""

    group: str  # by which it is selected
    program: str
    operations: tuple[str, ...]
    ranks: int = 2
    kind: str = ""  # of window; "": it uses none, or those of the arguments
    arguments: tuple[str, ...] = ()
    has_library: bool = True  # False: it measures the machine
    is_timed: bool = False  # from start to end, by the caller
    is_between_nodes: bool = False  # by libraries that take each process for a node

    @property
    def name(self) -> str:
        words = [self.group, self.kind] if self.kind else [self.group]
        if self.ranks != 2:
            words.append(f"{self.ranks} processes")
        return " ".join(words)

    def command(self) -> list[str]:
        """The program's arguments."""
        kind = ["-k", self.kind] if self.kind else []
        return [*kind, "-o", ",".join(self.operations), *self.arguments]


def _of_windows() -> Iterator[Task]:
    moves = ("put", "get", "rput", "rget")
    stream = ("put", "get", "accumulate_double", "accumulate_int64", "fetch_and_op")
    for kind in KINDS:
        everything = (*moves, *ACCUMULATES, *FETCHING)
        yield Task("latency", "rma_latency", everything, kind=kind)
    for kind in KINDS:
        yield Task("stream", "rma_stream", stream, kind=kind)
    for kind in KINDS:
        both = (*ACCUMULATES, *FETCHING)
        yield Task("contended", "rma_latency", both, kind=kind, arguments=("-c",))
    for kind in KINDS:
        yield Task("synchronization", "synchronization", SYNCHRONIZATION, kind=kind)
    for kind in KINDS:
        yield Task("busy", "busy_target", BUSY, kind=kind)
    threads = ("put", "accumulate_int64", "fetch_and_op")
    for ranks in (2, 1):
        for kind in ("allocated", "created"):
            yield Task("threads", "threads", threads, ranks=ranks, kind=kind)


def _of_all_else() -> Iterator[Task]:
    messages = ("latency", "bandwidth")
    yield Task("message", "messages", messages)
    yield Task("collective", "collectives", COLLECTIVES)
    yield Task("start", "start", (*START, "allocate_and_touch_64_MiB"))
    yield Task("start", "start", START, ranks=16)
    for ranks in (2, 16):
        job = Task("job", "start", ("none",), ranks=ranks)
        yield replace(job, is_timed=True)


def _between_nodes() -> Iterator[Task]:
    everything = ("put", "get", *ACCUMULATES, *FETCHING)
    stream = ("put", "get", "accumulate_double", "fetch_and_op")
    tasks = (
        Task("latency", "rma_latency", everything, kind="allocated"),
        Task("stream", "rma_stream", stream, kind="allocated"),
        Task("synchronization", "synchronization", SYNCHRONIZATION, kind="allocated"),
        Task("message", "messages", ("latency", "bandwidth")),
        Task("collective", "collectives", COLLECTIVES),
    )
    for task in tasks:
        yield replace(task, group=NETWORK + task.group, is_between_nodes=True)


def all_tasks() -> list[Task]:
    floors = Task("floor", "floors", FLOORS, has_library=False)
    return [floors, *_of_windows(), *_of_all_else(), *_between_nodes()]


GROUPS = tuple(dict.fromkeys(task.group for task in all_tasks()))


@dataclass(frozen=True)
class Selection:
    """What the command line has chosen; an empty tuple is everything."""

    groups: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()
    sizes: tuple[str, ...] = ()

    def tasks(self) -> list[Task]:
        found = (self._narrowed(task) for task in all_tasks() if self._admits(task))
        return [task for task in found if task.operations]

    def _admits(self, task: Task) -> bool:
        if not task.has_library:
            return True
        of_group = not self.groups or task.group in self.groups
        return of_group and not (
            self.kinds and task.kind and task.kind not in self.kinds
        )

    def _narrowed(self, task: Task) -> Task:
        operations = task.operations
        if self.operations and task.has_library:
            operations = tuple(name for name in operations if name in self.operations)
        sizes = ("-s", ",".join(self.sizes)) if self.sizes else ()
        return replace(task, operations=operations, arguments=(*task.arguments, *sizes))
