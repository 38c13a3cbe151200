# SPDX-License-Identifier: BSD-3-Clause
"""Renders the recording core: every function of oriel_core.h says what it was given and
gives results that tell their places.
"""

from c_claims import WIDTHS, result
from common import implemented, width

from codegen.model import Argument, Procedure, Spec


def _is_number(argument: Argument) -> bool:
    return argument.kind.is_integral or argument.kind.kind_class.value == "logical"


def parameter(argument: Argument) -> str:
    """A parameter: numbers are wide, handles are objects."""
    name, kind = argument.name, argument.kind
    const = "const " if argument.is_const else ""
    star = "*" if argument.is_out else ""
    match kind.kind_class.value:
        case "handle":
            star = "" if argument.is_in else "*"
            return f"struct {kind.object} *{star}{name}"
        case "string":
            return f"{const}char *{name}"
        case "choice" | "pointer" | "state" | "attribute":
            return f"{const}void *{name}"
        case "callback":
            return f"generic_function *{name}"
        case "arguments":
            return f"char ***{name}"
    assert _is_number(argument), f"the recording core does not know a {kind.kind_class}"
    number = WIDTHS[width(kind.name, True)]
    if argument.is_array:
        return f"{const}{number} {name}[]"
    return f"{number} {star}{name}"


def _saw(argument: Argument) -> str:
    """The statement that shows what came in."""
    name = argument.name
    if argument.languages == ("c",):
        return f'echo_number("saw", "{name}", {name} != NULL);'
    match argument.kind.kind_class.value:
        case "choice":
            changes = "true" if argument.is_out else "false"
            return f'echo_buffer("{name}", {name}, {changes}, {{position}});'
        case _ if not argument.is_in:
            return ""
        case "handle":
            return f'echo_object("{name}", {name});'
        case "string":
            return f'echo_text("saw", "{name}", {name});'
        case "callback":
            return f'echo_function("{name}", {name});'
        case "state" | "attribute":
            return f'echo_number("saw", "{name}", (intptr_t){name});'
    if argument.is_array:
        loop = f"for (MPI_Count i = 0; i < {argument.length}; i++) "
        return loop + f'echo_number("saw", "{name}", {name}[i]);'
    star = "*" if argument.is_out else ""
    return f'echo_number("saw", "{name}", {star}{name});'


def _gives(argument: Argument, room: str) -> str:
    """The statement that stores a result."""
    name = argument.name
    if argument.languages == ("c",) or not argument.is_out or argument.is_choice:
        return ""
    match argument.kind.kind_class.value:
        case "handle":
            kind = argument.kind.tag
            given = f"*{name} = echo_result_object({kind}, {{position}});"
            return "" if argument.is_in else given
        case "logical":
            return f"*{name} = echo_has_objects();"
        case "string":
            condition = f"if ({room}) " if room else ""
            return f"{condition}echo_string({name}, {{position}});"
        case "pointer" | "attribute":
            return f"*(void **){name} = (void *)echo_result({{position}});"
    number = WIDTHS[width(argument.kind.name, True)]
    if argument.is_array:
        loop = f"for (MPI_Count i = 0; i < {argument.length}; i++) "
        return loop + f"{name}[i] = ({number})echo_result({{position}}) + ({number})i;"
    return f"*{name} = ({number})echo_result({{position}});"


def _room(record: Procedure) -> str:
    """The condition under which a string may be written."""
    rooms = [a for a in record.arguments if a.kind.name == "INFO_VALUE_LENGTH"]
    return f"*{rooms[0].name} > 0" if rooms else ""


def function(record: Procedure) -> str:
    """One core function; strings first, since their room may change."""
    room = _room(record)
    arguments = [(i, a) for i, a in enumerate(record.arguments) if "c" in a.languages]
    lines = [f'echo_core("{record.core}");']
    lines += [_saw(a).format(position=i) for i, a in arguments]
    lines += ['echo_number("saw", "is_large", is_large);'] if record.sized else []
    if record.returns.name == "ERROR_CODE":
        lines.append("if (echo_error()) return echo_error();")
    arguments.sort(key=lambda pair: pair[1].kind.kind_class.value != "string")
    lines += [_gives(a, room).format(position=i) for i, a in arguments]
    is_code = record.returns.name in ("ERROR_CODE", "NOTHING")
    kind = result(record, True)
    lines.append("return 0;" if is_code else f"return ({kind})echo_result(9);")
    body = "".join(f"    {line}\n" for line in lines if line)
    taken = [parameter(a) for a in record.arguments_in("c")]
    taken += ["_Bool is_large"] if record.sized else []
    declared = ", ".join(taken) or "void"
    return f"{kind} oriel_{record.core}({declared})\n{{\n{body}}}\n"


def recording_core(spec: Spec) -> str:
    """All core functions."""
    records = implemented(spec, "c")
    return "\n".join(['#include "echo.h"', "", *(function(r) for r in records)])
