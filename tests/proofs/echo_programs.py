# SPDX-License-Identifier: BSD-3-Clause
"""Renders programs that call every procedure of a language, and the transcript that each
must leave. A program takes the name of one procedure; without, it calls all.
"""

from collections.abc import Iterator
from itertools import groupby

import samples
from c_claims import result
from common import echoed
from echo_arguments import sort
from echo_numbers import Sort, demand, walked_sections
from fortran_claims import (
    INTEGER_IS_WIDE,
    INTRINSIC,
    Specific,
    callbacks,
    calls_large,
    prototype,
    specifics,
)
from passed_on import has_plain
from samples import Call, Case

from codegen.model import Argument, Procedure, Spec
from bindings.fortran.wrap import wrap_both

MODULES = {"mpi_f08": "use mpi_f08", "mpi": "use mpi", "mpif.h": "include 'mpif.h'"}
# What mpi has with choice buffers, called without its interfaces: by plain names.
EXTERNAL = "external"
SECTIONS = (Case.SECTION, Case.FIRST, Case.LAST, Case.IN_PLACE)


def c_cases(record: Procedure, is_large: bool) -> Iterator[Case]:
    """The cases of calls from C."""
    yield from (Case.PLAIN, Case.EDGE, Case.SPECIAL)
    if record.returns_error:
        yield Case.FAILS
    if any(samples.is_narrow(a, is_large) for a in record.arguments):
        yield Case.WIDE


def fortran_cases(record: Procedure) -> Iterator[Case]:
    """The cases of calls from Fortran."""
    yield from (Case.PLAIN, Case.EDGE, Case.SPECIAL)
    if record.returns_error and "c" in record.languages:
        yield Case.FAILS
    buffers = [a for a in record.arguments if a.is_choice]
    if buffers:
        yield Case.SECTION
    if len(buffers) > 1 and any(samples.is_whole(a) for a in buffers):
        yield from (Case.FIRST, Case.LAST)
    if any(b.per and b.per.only_if for b in buffers):
        yield Case.IN_PLACE


def c_calls(spec: Spec) -> list[Call]:
    """All calls of the C program; those of the twins for tools are plain."""
    calls = []
    for record in echoed(spec, "c"):
        for is_large in (False, True)[: 1 + record.is_large]:
            for case in c_cases(record, is_large):
                calls.append(Call(spec, record, "c", case, is_large))
            calls.append(Call(spec, record, "c", Case.PLAIN, is_large, prefix="P"))
    return calls


def fortran_calls(spec: Spec, module: str) -> list[Call]:
    """All calls of a Fortran program; those of the twins for tools are plain."""
    calls = []
    language = "f08" if module == "mpi_f08" else "f90"
    known = echoed(spec, language)
    for one in specifics(spec, "mpi_f08" if language == "f08" else "mpi"):
        if one.record not in known or (
            module == EXTERNAL and not has_plain(one.record)
        ):
            continue
        for prefix, cases in (("", fortran_cases(one.record)), ("P", (Case.PLAIN,))):
            for case in cases:
                if module == EXTERNAL and case in SECTIONS:
                    continue
                size = one.is_large or calls_large(one.record)
                cptr = one.is_cptr
                calls.append(Call(spec, one.record, language, case, size, cptr, prefix))
    return calls


# ---- the transcript ------------------------------------------------------------------
def _raised(call: Call, error: str) -> str:
    """The line of an error handler."""
    raised_on = call.record.raised_on
    kind = raised_on.kind.tag.removeprefix("KIND_") if raised_on else "self"
    target = "nothing"
    if raised_on and not raised_on.is_raw_handle:
        target = f"{kind} {samples.object_number(call, raised_on)}"
    number = samples.value_of(call.spec, error)
    return f"raised {number} by {call.c_name} for {kind} on {target}"


def _sections(call: Call) -> tuple[list[str], list[str]]:
    """What happens to sections before and after the call: one becomes a datatype, or is
    copied; a copy that MPI may use later is kept by the request."""

    def opened(count: Argument, datatype: Argument) -> str:
        entries = samples.number(call, count)
        kind = samples.object_number(call, datatype)
        return f"section of 4 bytes, 5 by 12: {entries} of DATATYPE {kind}"

    before, after = [], []
    arguments = call.record.arguments
    requests = [a for a in arguments if a.kind.name == "REQUEST"]
    for section in walked_sections(call):
        place = arguments.index(section)
        if call.record.is_typed(section):
            before.append(opened(*arguments[place + 1 : place + 3]))
            after.append(f"closed section DATATYPE {samples.OF_SECTION}")
        else:
            before.append(f"{section.name} of 20 bytes: {demand(call, section)}")
            got = sort(call, requests[0]).got() if section.is_async else []
            after += [line.replace("got request", "kept by") for line in got]
    return before, after


def _by_class(call: Call) -> dict[str, Argument]:
    """The last argument of each class."""
    return {a.kind.kind_class.value: a for a in call.record.arguments}


def _attribute(call: Call) -> str:
    """The object and the key of an attribute."""
    sorts = _by_class(call)
    handle, key = sort(call, sorts["handle"]), sort(call, sorts["keyval"])
    kind = sorts["handle"].kind.tag.removeprefix("KIND_")
    return f"{kind} {kind} {handle.value} {key.value}"


def _announced(call: Call) -> list[str]:
    """What the core must know before Fortran calls."""
    value = _by_class(call).get("attribute")
    if value is None or value.is_out or call.language == "c":
        return []
    return [f"integer in {_attribute(call)} {sort(call, value).value}"]


def _extras(call: Call) -> list[str]:
    """What the core must know besides, when Fortran has called with success."""
    sorts = _by_class(call)
    if "callback" in sorts and "keyval" in sorts:
        return [f"invokers of {sort(call, sorts['keyval']).result}"]
    if "callback" in sorts:
        handle = sort(call, sorts["handle"])
        return [handle.got()[0].replace(f"got {handle.name}", "invoker of")]
    if call.record.sized and calls_large(call.record):
        made = sort(call, sorts["handle"])
        return [made.got()[0].replace(f"got {made.name}", "small is")]
    if "attribute" not in sorts or not sorts["attribute"].is_out:
        return []
    value = sort(call, sorts["attribute"])
    text = f"integer of {_attribute(call)} {value.result}"
    return [text] if call.has_objects else []


def _results(call: Call, arguments: list[Argument]) -> tuple[str, list[str], list[str]]:
    """The error code, what is raised meanwhile and what the caller has then."""
    outs = [a for a in arguments if a.is_out]
    if not call.succeeds:
        error = "MPI_ERR_OTHER"
        kept = [line for a in outs for line in sort(call, a).kept()]
        return error, [_raised(call, error)], kept
    got: list[str] = []
    raised: list[str] = []
    error = "MPI_SUCCESS"
    for argument in outs:
        one = sort(call, argument)
        is_lost = call.case is Case.WIDE and samples.is_narrow(argument, call.is_large)
        if is_lost and not argument.overflow and not raised:
            error = "MPI_ERR_VALUE_TOO_LARGE"
            raised = [f"bad {argument.name} {one.result}", _raised(call, error)]
        is_stored_last = is_lost or argument.kind.is_handle
        got += one.kept() if raised and is_stored_last else one.got()
    return error, raised, got


def _value(call: Call) -> str:
    """What a function returns."""
    number = call.results + 90
    is_real = call.record.returns.kind_class.value == "real"
    return f"got outcome {number:g}" if is_real else f"got outcome {number}"


def has_ierror(call: Call) -> bool:
    """The call says where the error code goes."""
    is_omitted = call.language == "f08" and call.case is Case.EDGE
    return call.record.returns_error and not (is_omitted or call.record.silent)


def core_lines(call: Call, seen: list[Sort]) -> list[str]:
    """What the core must see."""
    lines = [f"core {call.record.core}", *(line for s in seen for line in s.saw())]
    sized = [f"saw is_large {int(call.is_large)}"]
    return lines + sized if call.record.sized else lines


def _answers(call: Call) -> list[str]:
    """What Fortran gets without C: of what is bytes, those of an element of a buffer.
    Constants for buffers are INTEGERs."""
    has_constant = any(sort(call, a).constant for a in call.record.arguments)
    count = 8 if INTEGER_IS_WIDE and has_constant else 4
    sizes = [a.name for a in call.record.arguments if a.kind.name == "NUM_BYTES_SMALL"]
    lines = ["got ierror 0"] if has_ierror(call) else []
    return lines + [f"got {name} {count}" for name in sizes]


def transcript(call: Call) -> list[str]:
    """The lines that the call must leave."""
    record, lines = call.record, [f"call {call.label}"]
    if "c" not in record.languages:
        return lines + _answers(call)
    before, after = _sections(call)
    arguments = list(record.arguments)
    lines += before + _announced(call)
    lines += core_lines(call, [sort(call, a) for a in record.arguments_in("c")])
    if not record.returns_error:
        return [*lines, _value(call)]
    shown = [a for a in arguments if call.language in a.languages]
    error, raised, got = _results(call, shown)
    lines += [*raised, *after]
    code = samples.value_of(call.spec, error)
    if call.language == "c":
        return [*lines, f"got error {code}", *got]
    if error == "MPI_SUCCESS":
        lines += _extras(call)
    lines += [f"got ierror {code}"] if has_ierror(call) else []
    return lines + (got if error == "MPI_SUCCESS" else [])


def by_record(calls: list[Call]) -> dict[str, list[Call]]:
    """The calls of each procedure."""
    return {k: list(v) for k, v in groupby(calls, lambda c: c.record.name)}


# ---- C -------------------------------------------------------------------------------
def _begin(call: Call) -> str:
    """The arguments of echo_call."""
    return f"{call.results}, {int(call.has_objects)}, {call.error}"


def c_sorts(call: Call) -> list[Sort]:
    """The arguments of a call from C."""
    return [sort(call, a) for a in call.record.arguments_in("c")]


def c_block(call: Call, taken: list[Sort]) -> list[str]:
    """One call from C with these arguments."""
    taken = [s for s in taken if not s.is_absent]
    there = [s for s in taken if not s.is_missing]
    lines = [f"{s.c_variable()};" for s in there if s.c_variable()]
    lines.append(f'echo_call("{call.label}", {_begin(call)});')
    actuals = ", ".join("NULL" if s.is_missing else s.c_actual() for s in taken)
    name = call.prefix + call.c_name
    kind = result(call.record, call.is_large)
    outcome = "error" if call.record.returns_error else "outcome"
    lines.append(f"{kind} {outcome} = {name}({actuals});")
    show = "echo_real" if kind == "double" else "echo_number"
    lines.append(f'{show}("got", "{outcome}", {outcome});')
    lines += [line for s in there if s.is_out for line in s.c_got()]
    return ["{", *(f"    {line}" for line in lines), "}"]


def c_own_functions(spec: Spec) -> list[str]:
    """The program's own procedures; nobody calls them."""
    names = samples.own_procedures(spec)
    return [f"static void own_{name}(void) {{}}" for name in names]


def c_program(spec: Spec, blocks: dict[str, list[str]]) -> str:
    """A program with a function for each record."""
    lines = ['#include "echo.h"', "#include <string.h>", *c_own_functions(spec)]
    for name, block in blocks.items():
        lines += [f"static void calls_of_{name}(void)", "{", *block, "}"]
    lines += ["int main(int argc, char **argv)", "{"]
    for number, name in enumerate(samples.own_procedures(spec)):
        lines.append(f"echo_own_function({number}, (generic_function *)own_{name});")
    for name in blocks:
        lines.append(f'if (argc < 2 || !strcmp(argv[1], "{name}")) calls_of_{name}();')
    return "\n".join([*lines, "return 0;", "}", ""])


def echo_c(spec: Spec) -> str:
    """The program that calls all C functions."""
    calls = by_record(c_calls(spec))
    blocks = {
        n: [line for c in found for line in c_block(c, c_sorts(c))]
        for n, found in calls.items()
    }
    return c_program(spec, blocks)


# ---- Fortran -------------------------------------------------------------------------
def _actuals(call: Call, module: str) -> str:
    """Arguments by position or, in another order, by keyword."""
    specific = Specific(call.record, module, call.is_large, call.is_cptr)
    given = [(a.name, sort(call, a).f_actual()) for a in specific.arguments]
    if has_ierror(call):
        given.append(("ierror", "ierror"))
    if module in ("mpif.h", EXTERNAL) or call.case is Case.PLAIN:
        return ", ".join(actual for _, actual in given)
    turn = 0 if call.case is Case.EDGE else 1
    given = [*given[turn:], *given[:turn]][::-1]
    return ", ".join(f"{name}={actual}" for name, actual in given)


def fortran_unit(call: Call, module: str, name: str) -> list[str]:
    """A subroutine with one call."""
    specific = Specific(call.record, module, call.is_large, call.is_cptr)
    taken = [sort(call, a) for a in specific.arguments]
    lines = [s.f_variable() for s in taken if s.f_variable()]
    if module == EXTERNAL:  # in the place of what the program has from mpi
        lines.append(f"external :: {call.prefix}{specific.generic}")
    lines += ["integer :: ierror"] if has_ierror(call) else []
    lines += [f"{specific.result} :: outcome"] if specific.result else []
    lines += [line for s in taken for line in s.f_given()]
    numbers = f"{call.results}_int64, {int(call.has_objects)}, {call.error}"
    lines.append(f"call called('{call.label}', {numbers})")
    # The blank lets a long line of mpif.h be broken.
    invocation = f"{call.prefix}{specific.generic}( {_actuals(call, module)})"
    lines.append(f"outcome = {invocation}" if specific.result else f"call {invocation}")
    lines += ["call got('ierror', ierror)"] if has_ierror(call) else []
    lines += ["call got('outcome', outcome)"] if specific.result else []
    if call.succeeds:
        lines += [line for s in taken if s.is_out for line in s.f_got()]
    return [f"subroutine {name}()", *lines, f"end subroutine {name}"]


def _own_procedures(spec: Spec, module: str) -> list[str]:
    """A module of the program's own procedures; nobody calls them."""
    lines = ["module own", INTRINSIC, *(["use mpi_f08"] if module == "mpi_f08" else [])]
    lines += ["implicit none", "contains"]
    known = {c.name: prototype(c) for c in callbacks(spec)}
    for own in samples.own_procedures(spec):
        name = f"own_{own}"
        text = [f"subroutine {name}()", f"end subroutine {name}"]
        if module == "mpi_f08" and own in known:
            typed = [line for line in known[own] if line != "import"]
            text = [line.replace(f"oriel_{own}", name) for line in typed]
        lines += text
    return [*lines, "end module own"]


def echo_fortran(spec: Spec, module: str) -> str:
    """The program that calls all that a module or mpif.h has."""
    source = MODULES["mpi" if module == EXTERNAL else module]
    head = ["program echoes", "use, intrinsic :: iso_c_binding"]
    head += ["use, intrinsic :: iso_fortran_env, only : int64", "use echo"]
    uses, includes = ([source], []) if source.startswith("use") else ([], [source])
    lines = [*_own_procedures(spec, module), *head, *uses, "use own"]
    lines += ["implicit none", *includes]
    for number, name in enumerate(samples.own_procedures(spec)):
        lines.append(f"call own_function({number}, c_funloc(own_{name}))")
    units: list[list[str]] = []
    for name, calls in by_record(fortran_calls(spec, module)).items():
        names = [f"call_{len(units) + i}" for i in range(len(calls))]
        units += [fortran_unit(c, module, n) for c, n in zip(calls, names, strict=True)]
        lines.append(f"if (wanted('{name}')) then")
        lines += [*(f"call {n}()" for n in names), "end if"]
    lines += ["contains", *(line for unit in units for line in unit)]
    return "\n".join(
        [*(wrap_both(line) for line in lines), "      end program echoes", ""]
    )
