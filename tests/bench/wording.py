# SPDX-License-Identifier: BSD-3-Clause
"""How groups, operations and floors are called on the pages."""

from __future__ import annotations

from figures import Row

GROUPS = {
    "latency": "One-sided: an operation and its flush",
    "stream": "One-sided: 64 operations and a flush, bandwidth",
    "contended": "One-sided: two origins update one target, time of one operation",
    "synchronization": "Synchronization",
    "busy": "One-sided: the target computes outside MPI",
    "threads": "MPI_THREAD_MULTIPLE: an operation of 8 bytes and its flush",
    "message": "Messages",
    "collective": "Collective operations",
    "start": "Start and memory",
    "network_latency": "Between nodes over TCP: an operation and its flush",
    "network_stream": "Between nodes over TCP: 64 operations and a flush, bandwidth",
    "network_synchronization": "Between nodes over TCP: synchronization",
    "network_message": "Between nodes over TCP: messages",
    "network_collective": "Between nodes over TCP: collective operations",
}

# The floor that is drawn beside the curves of an operation, by kind of window.
MAPPED = ("allocated", "shared")
FLOORS = {
    "put": ("memcpy_to_shared", "process_vm_writev"),
    "rput": ("memcpy_to_shared", "process_vm_writev"),
    "get": ("memcpy_from_shared", "process_vm_readv"),
    "rget": ("memcpy_from_shared", "process_vm_readv"),
}


def floor_of(row: Row) -> str:
    """The floor of a latency, or "" if none is measured for it."""
    if row.group != "latency" or row.operation not in FLOORS:
        return ""
    mapped, brought = FLOORS[row.operation]
    return mapped if row.kind in MAPPED else brought


def operation_text(operation: str) -> str:
    return operation.replace("_", " ")


def title(row: Row) -> str:
    """A row's operation with the kind of its window."""
    words = operation_text(row.operation)
    return f"{words}, {row.kind}" if row.kind else words
