# SPDX-License-Identifier: BSD-3-Clause
"""Renders a program that calls every member of namespace MPI, and its transcript: that of
the same calls from C, without the error codes, which C++ does not return.
"""

import samples
from common import echoed
from cxx_members import Member, class_of, is_of, member, taken
from echo_arguments import sort
from echo_numbers import Sort
from echo_programs import by_record, transcript
from samples import Call, Case

from codegen.model import Argument, Spec

CASES = (Case.PLAIN, Case.EDGE, Case.SPECIAL, Case.FAILS)
# Classes of what comes out by reference, and not where a pointer says.
REFERENCES = (
    *("integer", "mask", "address", "keyval", "logical"),
    *("pointer", "detached", "arguments"),
)
# What the program uses of echo.h, which is C.
HEAD = """\
#include <mpicxx.h>
#include <cstring>
extern "C" {
void echo_call(const char *entry, intmax_t results, int has_objects, int error);
void echo_number(const char *verb, const char *name, intmax_t value);
void echo_real(const char *verb, const char *name, double value);
void echo_text(const char *verb, const char *name, const char *text);
void echo_handle(const char *verb, const char *name, uintptr_t handle);
void echo_status(const char *verb, const char *name, const MPI_Status *status);
uintptr_t echo_handle_of(const char *kind, int number);
int *echo_column(int column);
}
"""


def cxx_calls(spec: Spec) -> list[Call]:
    """All calls, but for procedures that take functions, which tests/cxx has."""
    calls = []
    for record in echoed(spec, "c"):
        if "cxx" not in record.languages or any(a.callback for a in record.arguments):
            continue
        for is_large in (False, True)[: 1 + record.is_large]:
            for case in CASES if record.returns_error else CASES[:3]:
                calls.append(Call(spec, record, "c", case, is_large))
    return calls


def cxx_transcript(call: Call) -> list[str]:
    """What a call must leave. What a call that fails gives is not defined in C++."""
    lines = transcript(call)
    is_over = [i for i, line in enumerate(lines) if line.startswith("got error ")]
    end = is_over[0] if is_over else len(lines)
    return lines[:end] + (lines[end + 1 :] if call.succeeds else [])


# ---- one argument --------------------------------------------------------------------
def _is_flags(argument: Argument) -> bool:
    return argument.is_array and is_of(argument, "logical")


def _before(one: Sort) -> list[str]:
    """The object or the bools that C++ takes in place of a variable of C."""
    argument, name = one.argument, one.name
    if _is_flags(argument):
        copy = (
            f"for (int i = 0; i < {samples.SPACE}; i++) {name}_cxx[i] = {name}[i] != 0;"
        )
        return [f"bool {name}_cxx[{samples.SPACE}];", copy]
    if class_of(argument) and not argument.is_array and not one.constant:
        return [f"MPI::{class_of(argument)} {name}_cxx({name});"]
    return []


def _after(one: Sort) -> list[str]:
    """The variable of C as C++ has left it."""
    argument, name = one.argument, one.name
    if not one.is_out or not _before(one):
        return []
    if _is_flags(argument):
        copy = f"{name}[i] = {name}_cxx[i];"
        return [
            f"for (int i = 0; i < {samples.elements(one.call, argument)}; i++) {copy}"
        ]
    return [f"{name} = {name}_cxx;"]


def _actual(one: Sort) -> str:
    """What stands in the call; "" if it is left out."""
    argument, name = one.argument, one.name
    is_status = is_of(argument, "status")
    is_main = argument.languages == ("c",) and not argument.by_value
    if (is_status and one.constant) or (is_main and one.c_actual() == "NULL"):
        return ""
    if _before(one):
        return f"{name}_cxx"
    if class_of(argument) and argument.is_array:
        return f"reinterpret_cast<MPI::{class_of(argument)} *>({name})"
    actual = one.c_actual()
    is_reference = is_of(argument, *REFERENCES) and not argument.is_array
    return actual.removeprefix("&") if is_reference else actual


# ---- a call --------------------------------------------------------------------------
def _invocation(call: Call, found: Member) -> str:
    record = call.record
    given = [sort(call, a) for a in taken(record, found, call.is_large)]
    actuals = ", ".join(filter(None, map(_actual, given)))
    if found.receiver:
        return f"{found.receiver.name}_cxx.{found.name}({actuals});"
    return f"MPI::{found.path}({actuals});"


def _declared(one: Sort, found: Member) -> list[str]:
    """The variables of an argument."""
    lines = [f"{one.c_variable()};"] if one.c_variable() else []
    return lines if one.argument is found.result else [*lines, *_before(one)]


def cxx_block(call: Call) -> list[str]:
    """One call."""
    record, found = call.record, member(call.record, call.is_large)
    sorts = [sort(call, a) for a in record.arguments_in("c")]
    sorts = [s for s in sorts if not s.is_absent]
    lines = [line for s in sorts for line in _declared(s, found)]
    numbers = f"{call.results}, {int(call.has_objects)}, {call.error}"
    lines.append(f'echo_call("{call.label}", {numbers});')
    invocation = _invocation(call, found)
    if not record.returns_error:
        is_real = record.returns.kind_class.value == "real"
        show = "echo_real" if is_real else "echo_number"
        lines.append(f"auto outcome = {invocation}")
        lines.append(f'{show}("got", "outcome", outcome);')
        return ["{", *lines, "}"]
    lines.append(f"{found.result.name} = {invocation}" if found.result else invocation)
    others = [s for s in sorts if s.argument is not found.result]
    lines += [line for s in others for line in _after(s)]
    if call.succeeds:
        lines += [line for s in sorts if s.is_out for line in s.c_got()]
    return ["{", *lines, "}"]


def echo_cxx(spec: Spec) -> str:
    """The program."""
    lines = [HEAD]
    names = by_record(cxx_calls(spec))
    for name, calls in names.items():
        block = [line for call in calls for line in cxx_block(call)]
        lines += [f"static void calls_of_{name}()", "{", *block, "}"]
    lines += ["int main()", "{", *(f"calls_of_{name}();" for name in names)]
    return "\n".join([*lines, "}", ""])
