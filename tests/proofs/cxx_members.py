# SPDX-License-Identifier: BSD-3-Clause
"""Renders calls of the members of namespace MPI: which member a procedure is and what
comes back as its value, as MPI-2.2 2.6.4 and its annex A.4 have it.
"""

from dataclasses import dataclass
from functools import partial

from codegen.model import Argument, Procedure

CLASSES = {
    "COMMUNICATOR": "Comm",
    "GROUP": "Group",
    "WINDOW": "Win",
    "INFO": "Info",
    "ERRHANDLER": "Errhandler",
    "DATATYPE": "Datatype",
    "OPERATION": "Op",
    "REQUEST": "Request",
    "MESSAGE": "Message",
    "SESSION": "Session",
    "STATUS": "Status",
}
SORTS = {
    "intra": "Intracomm",
    "inter": "Intercomm",
    "cart": "Cartcomm",
    "graph": "Graphcomm",
    "dist_graph": "Distgraphcomm",
    "persistent": "Prequest",
    "generalized": "Grequest",
}
PREFIXES = {
    "Type": "Datatype",
    "Cart": "Cartcomm",
    "Graph": "Graphcomm",
    "Dist_graph": "Distgraphcomm",
    "Intercomm": "Intercomm",
    "Grequest": "Grequest",
    **{name: name for name in CLASSES.values() if name != "Datatype"},
}
# A communicator that any member can be called on, but those of intercommunicators.
USUAL = "Intracomm"


def is_of(argument: Argument, *classes: str) -> bool:
    """The argument is of one of these classes of kinds."""
    return argument.kind.kind_class.value in classes


def class_of(argument: Argument) -> str:
    """The class of an object that goes in or out, "" if it is none."""
    found = SORTS.get(argument.sort, CLASSES.get(argument.kind.name, ""))
    return USUAL if found == "Comm" else found


@dataclass(frozen=True)
class Member:
    """What a procedure is in C++."""

    path: str  # "Win::Create", "Comm::Send", "Init"
    receiver: Argument | None
    result: Argument | None

    @property
    def name(self) -> str:
        """Without the class."""
        return self.path.rpartition("::")[2]


def _prefix(record: Procedure) -> str:
    """The class that the procedure's name begins with."""
    name = record.name.removeprefix("MPI_")
    return next((p for p in PREFIXES if name.startswith(f"{p}_")), "")


def _is_object(argument: Argument) -> bool:
    return argument.is_in and not argument.is_array and class_of(argument) != ""


def _receiver(record: Procedure) -> Argument | None:
    """The object that it is called on."""
    named = record.named("cxx")
    if named and named.of:
        return record.argument(named.of)
    objects = [a for a in record.arguments if _is_object(a)]
    prefix = _prefix(record)
    if not prefix:
        first = [*filter(_is_object, filter(None, [record.raised_on])), *objects]
        arrays = [a for a in record.arguments if a.is_array and a.kind.is_handle]
        is_static = first == [] or first[0].kind.is_info or (arrays and not objects)
        return None if is_static else first[0]
    kinds = {c: k for k, c in CLASSES.items()}
    kind = kinds.get(PREFIXES[prefix], "REQUEST" if prefix == "Grequest" else "")
    alike = [a for a in objects if a.kind.name == (kind or "COMMUNICATOR")]
    return alike[0] if len(alike) == 1 else None


def _scope(record: Procedure, receiver: Argument | None) -> str:
    """The class of a static member."""
    if receiver is not None:
        return class_of(receiver)
    if _prefix(record):
        return PREFIXES[_prefix(record)]
    arrays = [a for a in record.arguments if a.is_array and a.kind.name == "REQUEST"]
    return class_of(arrays[0]) if arrays else ""


def _result(record: Procedure, receiver: Argument | None) -> Argument | None:
    """What comes out as the value."""
    out = [a for a in record.arguments if not a.is_in and a is not receiver]
    out = [a for a in out if not a.is_array and not a.is_large_only]
    flags = [a for a in out if is_of(a, "logical")]
    handles = [a for a in out if is_of(a, "handle") and not a.is_async]
    if len(flags) == 1 or len(handles) == 1:
        return (flags or handles)[0]
    if flags or handles or any(is_of(a, "string") for a in out):
        return None
    numbers = [a for a in out if is_of(a, "integer", "address", "keyval")]
    addresses = [a for a in out if is_of(a, "pointer", "detached")]
    alone = numbers or addresses
    return alone[0] if len(alone) == 1 else None


def member(record: Procedure, is_large: bool) -> Member:
    """The member of a procedure."""
    receiver, named = _receiver(record), record.named("cxx")
    short = record.name.removeprefix("MPI_").removeprefix(f"{_prefix(record)}_")
    name = named.name if named else short[0].upper() + short[1:]
    scope = _scope(record, receiver)
    result = _result(record, receiver) if record.returns_error else None
    path = "::".join(filter(None, [scope, name + ("_c" if is_large else "")]))
    return Member(path, receiver, result)


def taken(record: Procedure, found: Member, is_large: bool) -> list[Argument]:
    """The arguments in the order in which the member takes them."""
    given = [a for a in record.arguments_in("c") if is_large or not a.is_large_only]
    given = [a for a in given if a not in (found.receiver, found.result)]
    named = record.named("cxx")
    order = named.taking if named else ()
    place = partial(_place, order)
    return sorted(given, key=place) if order else given


def _place(order: tuple[str, ...], argument: Argument) -> int:
    return order.index(argument.name)
