# SPDX-License-Identifier: BSD-3-Clause
"""What calls cost in jobs of many processes, as the program `scale_costs` counts it.

usage: scale.py write PROGRAM     writes docs/scale.md
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, fields
from math import ceil, log2
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "scale.md"


@dataclass(frozen=True)
class Cost:
    """A line of scale_costs: the most of one process, but for the first and the last."""

    total: int  # messages to other nodes of all processes together
    messages: int
    network_messages: int
    accesses: int
    bytes: int
    nanoseconds: int
    memory: int
    peers: int
    values: int  # read from the launcher
    segment: int  # bytes of a node's segment


@dataclass(frozen=True)
class Job:
    """So many processes on each of so many nodes, and what each call costs in it."""

    nodes: int
    node_size: int
    costs: dict[str, Cost]

    @property
    def size(self) -> int:
        return self.nodes * self.node_size


@dataclass(frozen=True)
class Limit:
    """What a call may cost one process."""

    per_level: int  # messages to other nodes, times the logarithm of their number
    more: int = 0  # messages besides
    own_bytes: float = 1  # of memory afterwards, for each process of the job
    segment_bytes: float = 1  # likewise of its node's segment


LIMITS = {
    "start": Limit(0, own_bytes=0.1),
    "barrier": Limit(1),
    "bcast": Limit(1),
    "allreduce": Limit(1, 1),
    "comm_dup": Limit(2, 2),
    "comm_split": Limit(3, 1, own_bytes=0.1),
    "comm_split_by_node": Limit(3, 1, own_bytes=0.1),
    "win_allocate": Limit(1, 1, own_bytes=0.1, segment_bytes=0.1),
    "fence": Limit(1),
    "fence_put": Limit(1),
    "first_post_start_put_complete_wait": Limit(0, 4),
    "post_start_put_complete_wait": Limit(0, 4),
    "lock_all_unlock_all": Limit(0),
    "lock_all_put_unlock_all": Limit(0, 2),
    "win_free": Limit(1),
}


# What a process may read from the launcher in MPI_Init: where nodes are, the descriptor of
# its node or the first one's, and that of the next node.
VALUES_AT_START = 3
# What a window may take whose members are alike, in a process and in a node's segment.
WINDOW_PROCESS_BYTES, WINDOW_NODE_BYTES = 1024, 4096


def bytes_of_window(job: Job) -> int:
    """What a window takes on one node, in its processes and in its segment."""
    cost = job.costs["win_allocate"]
    return cost.memory * job.node_size + cost.segment


def bytes_of_each(small: Job, large: Job, name: str) -> tuple[float, float]:
    """By how much a process's memory, and its node's segment, grow with each process of
    the job, if nodes have the same size."""
    one, other = small.costs[name], large.costs[name]
    more = large.size - small.size
    return (other.memory - one.memory) / more, (other.segment - one.segment) / more


def run_job(program: str, nodes: int, node_size: int, *options: str) -> Job:
    """Runs all calls once in so many virtual processes."""
    return job_of_command([program], nodes, node_size, *options)


def job_of_command(words: list[str], nodes: int, node_size: int, *options: str) -> Job:
    """The costs that a command prints when it has such arguments."""
    command = [*words, str(nodes), str(node_size), *options]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    costs = {}
    for line in output.splitlines():
        name, *numbers = line.split()
        assert len(numbers) == len(fields(Cost)), line
        costs[name] = Cost(*(int(number) for number in numbers))
    return Job(nodes, node_size, costs)


INTRODUCTION = """\
# What calls cost in large jobs

The library's own functions, from `pt2pt/` up, run here in jobs of up to {most:,} *virtual processes* inside one real one
(`tests/scale`). Messages lie in queues, a node's segment is a piece of memory, and a clock of each process follows the LogGP
model: {node_latency} µs from one process of a node to another, {network_latency} µs between nodes. So messages and memory are
counted and not computed. Times are what the model makes of them. The layers below are played, but for the finding of
addresses: rings and connections between nodes are not counted.

The same program runs in real jobs, over a libfabric that plays [a network](network.md). The test `scale` compares: on
2 to 8 nodes, and on request (`scale_large`) with 512 processes on 64 nodes, each call sends exactly as many messages
and accesses as among virtual processes, and processes hold the same memory within 5 % and the record of one message,
which may come early.

The test `scale` fails when a call takes more than its limit. After a change, from the build folder:

```
python3 ../tests/scale/scale.py write tests/scale/scale_costs
```

Each job has {node_size} processes on each node. Puts go to the next rank, post and start name the two neighbors, and
windows have 8 bytes of each process.

## Messages

Those that one process sends to other nodes, at most. The limit holds for any number of nodes, *n*; log is the binary logarithm,
rounded up. The last column is the limit in a job of a million processes, {million_size} on each node. The first message to a process
that does not lead its node takes a question to its leader and an answer, once for a pair of nodes: here in the first post and start.
"""
VALUES = """\
## Values read from the launcher

By one process, at most. Each node has put one there. `MPI_Init` takes {start}; a leader that is first reached by a node takes one of that.
"""
MEMORY = """\
## Memory

What a process holds afterwards and did not before, in the job of {most:,} processes, and how many bytes more for each process of
the job; the same of the segment of its node, which all of the node share.
"""
TIME = """\
## Time

By the model, from the first process that calls to the last that returns.
"""
AFTERWORD = """\
## Where it is not the least possible

- **Tables of all processes.** If ranks do not lie on nodes in blocks, each node's segment has 8 bytes for each process of the job,
  and each process 8 bytes for each node of a communicator. A communicator has 4 bytes for each member only if their ranks in the
  job are not equally far apart, and then 8 bytes for each node, too.
- **Windows** have a table in each node's segment if their members differ in size, displacement unit, handle, or, over networks
  that choose them themselves, key or address: for each member as many bytes as tell these apart. It comes by an allgather.
- **MPI_Comm_split** sends 24 bytes for members of a color whose ranks are equally far apart, and their keys, too; of others, for
  each, to the leaders of all nodes that have the color, and these hold them for the time of the call.
- **Addresses** take 144 bytes of address space for each process of the job in each node's segment; pages count when they are used.
  A process has 112 bytes of address space for each other one for what the network and messages keep of it.
- **The shared buffer** of a communicator is 36 KiB of address space of each member in its node's segment; pages count when they
  are used. The communicator of a window has none, since all that its members exchange goes over that of the program. So a
  hundred windows of 8 bytes on 128 real processes of one node take 1.05 KiB of memory for each process and window.

What others say of theirs:

| library | windows | source |
| --- | --- | --- |
| foMPI | those that it allocates need no table of members, since all use one address; fence takes a logarithmic number of messages, post-start-complete-wait as many as there are neighbors, and locks a constant number | Gerstenberger, Besta, Hoefler: *Enabling Highly-Scalable Remote Memory Access Programming with MPI-3 One Sided*, SC 2013 |
| Open MPI, osc/rdma | the lowest rank of each node keeps a part of one table of all members, and a process fetches what it needs of it when it first reaches a target | [903](https://github.com/open-mpi/ompi/pull/903) and [6413](https://github.com/open-mpi/ompi/pull/6413) of its pull requests |
| MPICH, ch4:ofi | an allgather gives each process the displacement unit, the key and the base address of each member | `win_allgather` in its `src/mpid/ch4/netmod/ofi/ofi_win.c` |

So messages of synchronization grow as with foMPI. Where members differ, a table in each node is more than one that is spread over
all nodes, as with Open MPI, and less than one in each process.
"""
MILLION, MILLION_SIZE = 10**6, 128
JOBS = ((2, 128), (8, 128), (80, 128), (782, 128))


def call_text(name: str) -> str:
    return name.replace("_", " ")


def limit_text(limit: Limit) -> str:
    levels = {0: "", 1: "log n"}.get(limit.per_level, f"{limit.per_level} log n")
    if limit.more and levels:
        return f"{levels} + {limit.more}"
    return levels or str(limit.more)


def size_text(count: float) -> str:
    return f"{count:,.0f}"


def growth_text(bytes_of_each: float) -> str:
    return "0" if abs(bytes_of_each) < 0.1 else f"{bytes_of_each:.1f}"


def table(head: list[str], lines: list[list[str]]) -> str:
    rows = [head, ["---", *["---:"] * (len(head) - 1)], *lines]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def message_table(jobs: list[Job]) -> str:
    heads = [f"{job.nodes} nodes" for job in jobs]
    levels = ceil(log2(MILLION / MILLION_SIZE))
    lines = [
        [
            call_text(name),
            *(str(job.costs[name].network_messages) for job in jobs),
            limit_text(limit),
            str(limit.per_level * levels + limit.more),
        ]
        for name, limit in LIMITS.items()
    ]
    return table(["call", *heads, "limit", "million"], lines)


def value_table(jobs: list[Job]) -> str:
    heads = ["call", *(f"{job.nodes} nodes" for job in jobs)]
    lines = [
        [call_text(name), *(str(job.costs[name].values) for job in jobs)]
        for name in LIMITS
        if any(job.costs[name].values > 0 for job in jobs)
    ]
    return table(heads, lines)


def memory_table(jobs: list[Job]) -> str:
    heads = ["call", "process", "for each", "segment", "for each"]
    lines = []
    for name in LIMITS:
        cost = jobs[-1].costs[name]
        own, segment = bytes_of_each(jobs[-2], jobs[-1], name)
        if cost.memory > 0 or cost.segment > 0:
            numbers = [size_text(cost.memory), growth_text(own)]
            numbers += [size_text(cost.segment), growth_text(segment)]
            lines.append([call_text(name), *numbers])
    return table(heads, lines)


def time_table(jobs: list[Job]) -> str:
    heads = [f"{job.nodes} nodes" for job in jobs]
    lines = [
        [
            call_text(name),
            *(f"{job.costs[name].nanoseconds / 1000:,.1f} µs" for job in jobs),
        ]
        for name in LIMITS
        if name != "start"
    ]
    return table(["call", *heads], lines)


def page_text(jobs: list[Job]) -> str:
    most = jobs[-1].size
    head = INTRODUCTION.format(
        most=most,
        node_latency=0.2,
        network_latency=5,
        node_size=jobs[-1].node_size,
        million_size=MILLION_SIZE,
    )
    parts = [
        (head, message_table(jobs)),
        (VALUES.format(start=VALUES_AT_START), value_table(jobs)),
        (MEMORY.format(most=most), memory_table(jobs)),
        (TIME, time_table(jobs)),
    ]
    return "".join(f"{text}\n{rows}\n" for text, rows in parts) + AFTERWORD


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] != "write":
        sys.exit(__doc__)
    PAGE.write_text(page_text([run_job(sys.argv[2], *job) for job in JOBS]), "utf-8")
