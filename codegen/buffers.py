# SPDX-License-Identifier: BSD-3-Clause
"""What a record says of the data in its choice buffers."""

from codegen.model import Argument, Procedure

GROUP = {"rank", "member"}  # of which there is always one


def contents(
    procedure: Procedure, argument: Argument
) -> tuple[Argument, Argument] | None:
    """The count and the datatype, right behind a choice buffer, that tell what is in it,
    wherever they alone do: not of a message that is known already, nor of neighbors, of
    which there may be none."""
    arguments = procedure.arguments
    is_near = any(a.per and a.per.what not in GROUP for a in arguments)
    is_known = any(a.kind.is_message for a in arguments)
    place = arguments.index(argument)
    before, behind = arguments[:place][-1:], arguments[place + 1 :][:2]
    if is_near or is_known or len(behind) < 2 or any(a.is_choice for a in before):
        return None
    count, datatype = behind
    is_told = count.kind.is_integral and datatype.kind.is_datatype
    is_told = is_told and not (count.is_array or datatype.is_array)
    return (count, datatype) if is_told else None


def told(procedure: Procedure, buffer: Argument) -> tuple[Argument, ...]:
    """The arguments that tell what is in a choice buffer: those behind it, or behind the
    buffers that follow it."""
    behind = procedure.arguments[procedure.arguments.index(buffer) + 1 :]
    return tuple(a for a in behind if not a.is_choice)


def is_location(procedure: Procedure, argument: Argument) -> bool:
    """Any address is right: all that the procedure gives is where the choice buffer is."""
    results = [a for a in procedure.arguments if a.is_out]
    return argument.is_choice and any(a.kind.is_address for a in results)


def partner(procedure: Procedure, argument: Argument) -> Argument | None:
    """The rank behind a choice buffer that nothing moves to or from if it is
    MPI_PROC_NULL."""
    behind = procedure.arguments[procedure.arguments.index(argument) + 1 :]
    also = ((a, {c for d in a.domains for c in d.also}) for a in behind)
    return next((a for a, constants in also if "MPI_PROC_NULL" in constants), None)


def size(procedure: Procedure, argument: Argument) -> Argument | None:
    """The number of bytes in a choice buffer, right behind it where there is no
    datatype."""
    place = procedure.arguments.index(argument)
    behind = procedure.arguments[place + 1 : place + 3]
    is_typed = any(a.kind.is_datatype for a in behind)
    sizes = (a for a in behind[:1] if a.kind.is_integral and a.is_in and not a.is_array)
    return None if is_typed else next(sizes, None)
