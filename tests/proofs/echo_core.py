# SPDX-License-Identifier: BSD-3-Clause
"""Renders the recording core: every function of oriel_core.h says what it was given and
gives results that tell their places.
"""

import re

import samples
from c_claims import WIDTHS, result
from common import HANDLES, echoed, implemented, width

from codegen.model import Argument, Procedure, Spec


def _is_number(argument: Argument) -> bool:
    return argument.kind.is_integral or argument.kind.kind_class.value == "logical"


def parameter(argument: Argument) -> str:
    """A parameter: numbers are wide, handles are objects unless the core changes them."""
    name, kind = argument.name, argument.kind
    const = "const " if argument.is_const else ""
    is_status = kind.kind_class.value == "status"
    declarator = f"{name}[]" if argument.is_array else f"*{name}"
    is_address = argument.is_out and not argument.by_value
    if not (is_address or argument.is_array or is_status):
        declarator = name
    match kind.kind_class.value:
        case "status":
            return f"{const}MPI_Status {declarator}"
        case "handle" if argument.is_raw_handle:
            return f"{const}{HANDLES[kind.name]} {declarator}"
        case "handle":
            star = "" if argument.is_in else "*"
            return f"struct {kind.object} *{star}{name}"
        case "string":
            return f"{const}char *{name}"
        case "choice" | "pointer" | "detached" | "state" | "attribute" | "literal":
            return f"{const}void *{name}"
        case "callback":
            return f"generic_function *{name}"
        case "arguments":
            return f"char **{'' if argument.by_value else '*'}{name}"
    assert _is_number(argument), f"the recording core does not know a {kind.kind_class}"
    if argument.is_numbers:
        return f"struct numbers {name}"
    if argument.columns:
        declarator = f"{name}[][{argument.columns}]"
    return f"{const}{WIDTHS[width(kind.name, True)]} {declarator}"


# In statements, ITEM is a value or an element, AT its address, PLACE where the argument
# stands in the record and INDEX that of the element.
def _of_each(record: Procedure, argument: Argument, statement: str) -> str:
    """A statement about an argument or, if it is an array, about each element."""
    name = argument.name
    index, item, address = "0", name, name
    if argument.is_numbers:
        index, item = "i", f"number_at({name}, i)"
    elif argument.columns:
        columns = argument.columns
        index, item = "i", f"{name}[i / {columns}][i % {columns}]"
    elif argument.is_array:
        index, item, address = "i", f"{name}[i]", f"&{name}[i]"
    elif argument.is_out:
        item = f"*{name}"
    for word, text in (("ITEM", item), ("AT", address), ("INDEX", index)):
        statement = re.sub(rf"\b{word}\b", text, statement)
    if not argument.is_array:
        return statement
    loop = f"for (MPI_Count i = 0; i < {_count(record, argument)}; i++) {statement}"
    is_status = argument.kind.kind_class.value == "status"
    if argument.may_be:
        return f"if ((uintptr_t){name} >= 16) {loop}"
    is_guarded = is_status or argument.ignored_if
    pointer = f"{name}.at" if argument.is_numbers else name
    return f"if ({pointer}) {loop}" if is_guarded else loop


def _count(record: Procedure, argument: Argument) -> str:
    """How many elements the core looks at."""
    if argument.per:
        return f"communicator_{argument.per.what}s({argument.per.argument})"
    many = samples.counter_of(record, argument) or str(samples.LENGTH)
    return f"{many} * {argument.columns}" if argument.columns else many


def _saw(record: Procedure, argument: Argument) -> list[str]:
    """The statements that show what came in."""
    name = argument.name
    if argument.languages == ("c",):
        is_number = argument.kind.is_integral and argument.by_value
        value = name if is_number else f"{name} != NULL"
        return [f'echo_number("saw", "{name}", {value});']
    special = []
    if argument.may_be:
        show = f'echo_number("saw", "{name} address", (intptr_t){name});'
        special = [f"if ({name} && (uintptr_t){name} < 16) {show}"]
    match argument.kind.kind_class.value:
        case "choice":
            changes = "true" if argument.is_out else "false"
            return [f'echo_buffer("{name}", {name}, {changes}, PLACE);']
        case "status":
            nothing = f'if (!{name}) echo_object("{name}", NULL);'
            show = _of_each(record, argument, f'echo_status("saw", "{name}", AT);')
            return [nothing, show]
        case _ if not argument.is_in:
            return special
        case "handle" if argument.is_raw_handle:
            show = f'echo_handle("saw", "{name}", (uintptr_t)ITEM);'
        case "handle":
            show = f'echo_object("{name}", {name});'
        case "string":
            show = f'echo_text("saw", "{name}", {name});'
        case "callback":
            show = f'echo_function("{name}", {name});'
        case "state" | "attribute":
            show = f'echo_number("saw", "{name}", (intptr_t){name});'
        case "literal":
            show = f'echo_number("saw", "{name}", *(const int *){name});'
        case _:
            show = f'echo_number("saw", "{name}", ITEM);'
    return [*special, _of_each(record, argument, show)]


def _gives(record: Procedure, argument: Argument) -> str:
    """The statement that stores a result."""
    name = argument.name
    if argument.languages == ("c",) or not argument.is_out or argument.is_choice:
        return ""
    array = samples.array_counted_by(record, argument)
    if array:
        return f"*{name} = {array.count};"
    match argument.kind.kind_class.value:
        case "status":
            give = "echo_give_status(AT, PLACE, INDEX);"
        case "handle" if argument.is_raw_handle:
            handle, kind = HANDLES[argument.kind.name], argument.kind
            given = f"({handle})echo_result_handle({kind.tag}, PLACE + INDEX)"
            give = f"ITEM = echo_has_objects() ? {given} : {kind.null};"
        case "handle" if argument.is_in:
            return ""
        case "handle":
            give = f"ITEM = echo_result_object({argument.kind.tag}, PLACE);"
        case "logical":
            give = "ITEM = echo_has_objects();"
        case "literal":
            return f"*(int *){name} = echo_has_objects();"
        case "string":
            room = samples.room_of(record, argument)
            star = "*" if room and room.is_out else ""
            condition = f"if ({star}{room.name} > 0) " if room else ""
            return f"{condition}echo_string({name}, PLACE);"
        case "pointer" | "detached" | "attribute":
            return f"*(void **){name} = (void *)echo_result(PLACE);"
        case _:
            number = WIDTHS[width(argument.kind.name, True)]
            give = f"ITEM = ({number})(echo_result(PLACE) + INDEX);"
    there = f"if ({name}) " if argument.is_large_only else ""
    return there + _of_each(record, argument, give)


def passed(record: Procedure) -> list[Argument]:
    """The arguments that the core gets: C's, but for what is variadic."""
    taken = record.arguments_in("c")
    return [a for a in taken if a.kind.kind_class.value != "variadic"]


def function(record: Procedure) -> str:
    """One core function; strings first, since their room may change."""
    arguments = [(i, a) for i, a in enumerate(record.arguments) if a in passed(record)]
    lines = [f'echo_core("{record.core}");']
    lines += [x.replace("PLACE", str(i)) for i, a in arguments for x in _saw(record, a)]
    lines += ['echo_number("saw", "is_large", is_large);'] if record.sized else []
    if record.returns.name == "ERROR_CODE":
        lines.append("if (echo_error()) return echo_error();")
    arguments.sort(key=lambda pair: pair[1].kind.kind_class.value != "string")
    lines += [_gives(record, a).replace("PLACE", str(i)) for i, a in arguments]
    is_code = record.returns.name in ("ERROR_CODE", "NOTHING")
    kind = result(record, True)
    lines.append("return 0;" if is_code else f"return ({kind})echo_result(9);")
    body = "".join(f"    {line}\n" for line in lines if line)
    taken = [parameter(a) for a in passed(record)]
    taken += ["_Bool is_large"] if record.sized else []
    declared = ", ".join(taken) or "void"
    return f"{kind} oriel_{record.core}({declared})\n{{\n{body}}}\n"


def recording_core(spec: Spec) -> str:
    """All core functions; records may share one."""
    records = {r.core: r for r in echoed(spec, "c")}.values()
    return "\n".join(['#include "echo.h"', "", *(function(r) for r in records)])


def rest_of_core(spec: Spec) -> str:
    """What entry points that are not echoed call, so that programs can be linked."""
    records = [r for r in implemented(spec, "c") if r not in echoed(spec, "c")]
    names = sorted({f"oriel_{record.core}" for record in records})
    return "\n".join(f"int {name}(void) {{ return 0; }}" for name in names) + "\n"
