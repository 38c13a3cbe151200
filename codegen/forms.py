# SPDX-License-Identifier: BSD-3-Clause
"""The forms of collective operations. All forms of one take what its plan takes; the
nonblocking ones give a request besides, and the persistent ones take an info.
"""

from collections.abc import Iterable

from codegen.model import Argument, Procedure


def taken(procedure: Procedure) -> tuple[Argument, ...]:
    """The arguments of a form that its plan takes, too."""
    arguments = procedure.arguments
    return tuple(a for a in arguments if not (a.kind.is_request or a.kind.is_info))


def planned(procedures: Iterable[Procedure]) -> tuple[Procedure, ...]:
    """One form of each operation: the first."""
    first: dict[str, Procedure] = {}
    for procedure in procedures:
        if procedure.plan:
            first.setdefault(procedure.plan, procedure)
    return tuple(first.values())


def run(procedure: Procedure) -> str:
    """The call that runs the schedule, begins it as a request, or keeps it."""
    kinds = [argument.kind for argument in procedure.arguments]
    if not any(kind.is_request for kind in kinds):
        return "schedule_run(schedule)"
    is_kept = any(kind.is_info for kind in kinds)
    return f"schedule_{'keep' if is_kept else 'start'}(schedule, request)"
