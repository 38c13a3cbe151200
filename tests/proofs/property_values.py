# SPDX-License-Identifier: BSD-3-Clause
"""Valid C values for the arguments of a call on the real library: objects and memory of
properties/objects.h, and numbers that follow from kinds and domains.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from c_claims import ENUMS, TOOLS, WIDTHS
from common import HANDLES, prototype_name, taken_by, width

from codegen.model import Argument, Procedure, Spec
from codegen.rules import (
    Above,
    AtLeast,
    Mask,
    NotPredefined,
    OneOf,
    Predefined,
    RankOf,
    RootOf,
)

# How much data moves, or how much memory there is: with 0 in all of them a call moves
# nothing. Those of the second group count bytes.
AMOUNTS = (
    "POLYXFER_NUM_ELEM_NNI",
    "POLYXFER_NUM_ELEM",
    "POLYDTYPE_NUM_ELEM_NNI",
    "POLYDTYPE_NUM_ELEM",
)
ROOMS = (
    "POLYNUM_BYTES_NNI",
    "POLYDTYPE_PACK_SIZE",
    "WINDOW_SIZE",
    "WIN_ATTACH_SIZE",
    "ALLOC_MEM_NUM_BYTES",
    "STRING_LENGTH",
    "INFO_VALUE_LENGTH",
)
PLACES = ("POLYDISPLACEMENT_COUNT", "POLYLOCATION")  # in packed data
ROOM = 64
ELEMENTS = 8  # of an array: at least as many as any object here asks for

OBJECTS = {
    "COMMUNICATOR": "the_comm",
    "GROUP": "the_group",
    "WINDOW": "the_win",
    "INFO": "the_info",
    "ERRHANDLER": "MPI_ERRORS_RETURN",
    "OPERATION": "MPI_SUM",
    "REQUEST": "MPI_REQUEST_NULL",
    "MESSAGE": "MPI_MESSAGE_NO_PROC",
    "SESSION": "the_session",
}


@dataclass(frozen=True)
class Use:
    """A procedure, small or large, of which calls are written."""

    spec: Spec
    record: Procedure
    is_large: bool

    @property
    def name(self) -> str:
        """The C function."""
        return self.record.name + ("_c" if self.is_large else "")

    @property
    def arguments(self) -> list[Argument]:
        """What C gives."""
        taken = taken_by(self.record, "c", self.is_large)
        return [a for a in taken if a.kind.kind_class.value != "variadic"]

    def call(self, given: Mapping[str, str]) -> str:
        """The call with these values and valid ones for the others."""
        values = [given.get(a.name) or plain(self, a) for a in self.arguments]
        return f"{self.name}({', '.join(values)})"


def place(use: Use, argument: Argument) -> int:
    """Its number among the arguments: results and buffers have memory of their own."""
    return [a.name for a in use.arguments].index(argument.name)


def slot(use: Use, argument: Argument) -> str:
    """The memory of a result."""
    return f"slot[{place(use, argument)}]"


def buffer(use: Use, argument: Argument) -> str:
    """The memory of a choice buffer."""
    buffers = [a.name for a in use.arguments if a.is_choice]
    return f"buffer[{buffers.index(argument.name)}]"


def has_rule(argument: Argument, rule: type) -> bool:
    """One of its domains is of that sort."""
    return any(isinstance(d.rule, rule) for d in argument.domains)


def allows(argument: Argument, constant: str) -> bool:
    """One of its domains lists the constant."""
    return any(constant in d.also for d in argument.domains)


def takes_null(use: Use, argument: Argument) -> bool:
    """NULL is one of the values that the argument may have in C: some predefined
    callbacks are null pointers."""
    known = use.spec.constants.values()
    functions = [c for c in known if c.callback and c.callback == argument.callback]
    is_null_ok = argument.null_ok and not argument.kind.is_handle
    is_ignorable = argument.kind.kind_class.value == "status" and argument.is_ignorable
    return is_null_ok or is_ignorable or any(c.value == 0 for c in functions)


# ---- numbers -------------------------------------------------------------------------
def _of_rule(argument: Argument) -> str:
    match argument.domains[0].rule:
        case RankOf():
            is_free = allows(argument, "MPI_PROC_NULL") and not argument.is_array
            return "MPI_PROC_NULL" if is_free else "0" if argument.is_array else "me"
        case RootOf():
            return "0"
        case OneOf(values):
            return values[0]
        case Mask():
            return "0"
        case AtLeast(minimum):
            return str(max(minimum, 1))
        case Above(bound):
            return str(bound + 1)
    raise AssertionError(f"no value for {argument.name}")


def number(argument: Argument) -> str:
    """A valid integer."""
    kind = argument.kind.name
    if kind in ROOMS:
        return str(ROOM)
    if kind in PLACES or kind == "ARGUMENT_COUNT":
        return "0"
    if kind == "KEYVAL":
        return "MPI_TAG_UB"
    if kind == "TAG":
        return "TAG"
    if kind == "RMA_DISPLACEMENT_NNI":
        return "0"
    if argument.domains:
        return _of_rule(argument)
    return "0" if argument.is_array else "1"


def c_type(argument: Argument, is_large: bool) -> str:
    """The type of an integer, or of the elements of an array."""
    kind = argument.kind
    if kind.is_handle:
        return HANDLES[kind.name]
    if kind.kind_class.value == "tool":
        return TOOLS[kind.name]
    return ENUMS.get(kind.name) or WIDTHS[width(kind.name, is_large)]


def numbers(use: Use, argument: Argument, value: str) -> str:
    """An array of equal elements; for the number of an argument, its address."""
    count = ELEMENTS if argument.is_array else 1
    values = ", ".join([value] * count)
    element = c_type(argument, use.is_large)
    columns = int(argument.columns or 0)
    if columns:
        return f"({element}[{count}][{columns}]){{{{{value}}}}}"
    return f"({element}[]){{{values}}}"


# ---- arguments -----------------------------------------------------------------------
def handle(use: Use, argument: Argument) -> str:
    """An object that fits; a datatype that somebody made where none is demanded."""
    if argument.kind.name != "DATATYPE":
        return OBJECTS[argument.kind.name]
    is_own = not argument.domains or has_rule(argument, NotPredefined)
    is_own = is_own and not has_rule(argument, Predefined)
    return "the_type" if is_own else "MPI_INT"


def plain(use: Use, argument: Argument) -> str:
    """A valid value."""
    kind = argument.kind
    way = kind.kind_class.value
    is_value = not (argument.is_out or argument.by_pointer or argument.is_array)
    match way:
        case "handle" if argument.is_in:
            one = handle(use, argument)
            return one if is_value else numbers(use, argument, one)
        case "tool" if argument.is_in:
            one = f"the_{kind.name.lower()}"
            return one if is_value else numbers(use, argument, one)
        case "integer" | "mask" | "keyval" | "logical" | "address" if argument.is_in:
            one = "1" if way == "logical" else number(argument)
            is_value = is_value or argument.by_value
            return one if is_value else numbers(use, argument, one)
        case "string" if argument.is_in:
            return '"external32"' if argument.length == "*" else '"text"'
        case "status" if argument.is_in:
            return "&the_status"
        case "choice":
            return buffer(use, argument)
        case "callback":
            name = prototype_name(argument, use.is_large)
            return f"({name} *)callback"
        case "state" | "attribute" | "arguments" if argument.is_in:
            return "NULL"
    return f"(void *){slot(use, argument)}"
