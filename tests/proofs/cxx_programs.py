# SPDX-License-Identifier: BSD-3-Clause
"""Renders a program that calls every member of namespace MPI, and its transcript: that of
the same calls from C, without the error codes, which C++ does not return.
"""

from collections.abc import Iterable, Iterator

import samples
from common import echoed
from cxx_members import Member, class_of, is_of, member, taken
from echo_numbers import Sort
from echo_programs import c_sorts, transcript
from samples import Call, Case

from codegen.model import Argument, Procedure, Spec

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


def _records(spec: Spec, takes_functions: bool) -> Iterator[Procedure]:
    """The procedures that have members."""
    for record in echoed(spec, "c"):
        has_functions = any(a.callback for a in record.arguments)
        if "cxx" in record.languages and has_functions == takes_functions:
            yield record


def cxx_calls(spec: Spec) -> list[Call]:
    """All calls, but for procedures that take functions, which tests/cxx has."""
    calls = []
    for record in _records(spec, False):
        for is_large in (False, True)[: 1 + record.is_large]:
            for case in CASES if record.returns_error else CASES[:3]:
                calls.append(Call(spec, record, "c", case, is_large))
    return calls


def with_functions(spec: Spec) -> list[Call]:
    """Calls of procedures that take functions, small and large."""
    return [
        Call(spec, record, "c", Case.PLAIN, is_large)
        for record in _records(spec, True)
        for is_large in (False, True)[: 1 + record.is_large]
    ]


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
    if one.is_missing:
        return []
    if _is_flags(argument):
        copy = (
            f"for (int i = 0; i < {samples.SPACE}; i++) {name}_cxx[i] = {name}[i] != 0;"
        )
        return [f"bool {name}_cxx[{samples.SPACE}];", copy]
    if class_of(argument) and not argument.is_array and one.c_variable():
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
    if one.is_missing:
        return "nullptr"
    if _before(one):
        return f"{name}_cxx"
    if class_of(argument) and argument.is_array:
        return f"reinterpret_cast<MPI::{class_of(argument)} *>({name})"
    actual = one.c_actual()
    is_reference = is_of(argument, *REFERENCES) and not argument.is_array
    return actual.removeprefix("&") if is_reference else actual


# ---- a call --------------------------------------------------------------------------
def _invocation(call: Call, found: Member, sorts: list[Sort]) -> str:
    by_name = {s.name: s for s in sorts}
    given = [by_name[a.name] for a in taken(call.record, found, call.is_large)]
    actuals = ", ".join(filter(None, map(_actual, given)))
    if found.receiver:
        return f"{found.receiver.name}_cxx.{found.name}({actuals});"
    return f"MPI::{found.path}({actuals});"


def _declared(one: Sort, found: Member) -> list[str]:
    """The variables of an argument."""
    lines = [f"{one.c_variable()};"] if one.c_variable() else []
    return lines if one.argument is found.result else [*lines, *_before(one)]


def cxx_block(call: Call, arguments: list[Sort], succeeds: bool) -> list[str]:
    """One call with these arguments, and what it gives if it succeeds."""
    record, found = call.record, member(call.record, call.is_large)
    sorts = [s for s in arguments if not s.is_absent]
    there = [s for s in sorts if not s.is_missing]
    lines = [line for s in there for line in _declared(s, found)]
    numbers = f"{call.results}, {int(call.has_objects)}, {call.error}"
    lines.append(f'echo_call("{call.label}", {numbers});')
    invocation = _invocation(call, found, sorts)
    if not record.returns_error:
        is_real = record.returns.kind_class.value == "real"
        show = "echo_real" if is_real else "echo_number"
        lines.append(f"auto outcome = {invocation}")
        lines.append(f'{show}("got", "outcome", outcome);')
        return ["{", *lines, "}"]
    lines.append(f"{found.result.name} = {invocation}" if found.result else invocation)
    if succeeds:
        others = [s for s in there if s.argument is not found.result]
        lines += [line for s in others for line in _after(s)]
        lines += [line for s in there if s.is_out for line in s.c_got()]
    return ["{", *lines, "}"]


def cxx_program(blocks: dict[str, list[str]], extra: Iterable[str] = ()) -> str:
    """A program with a function for each record; it calls those of `extra` only if it has
    an argument."""
    lines = [HEAD]
    for name, block in blocks.items():
        lines += [f"static void calls_of_{name}()", "{", *block, "}"]
    always = [name for name in blocks if name not in extra]
    lines += ["int main(int argc, char **)", "{"]
    lines += [f"calls_of_{name}();" for name in always]
    lines += ["if (argc > 1) {", *(f"calls_of_{name}();" for name in extra), "}"]
    return "\n".join([*lines, "}", ""])


def echo_cxx(spec: Spec) -> str:
    """The program that calls all members. Those that take functions are for tools: the
    core would see functions of the header's."""
    blocks: dict[str, list[str]] = {}
    for call in cxx_calls(spec):
        lines = cxx_block(call, c_sorts(call), call.succeeds)
        blocks.setdefault(call.record.name, []).extend(lines)
    extra = {
        call.record.name: _without_functions(call) for call in with_functions(spec)
    }
    return cxx_program(blocks | extra, extra)


def _without_functions(call: Call) -> list[str]:
    """One call of a member that takes functions, without any."""
    sorts = c_sorts(call)
    for one in sorts:
        one.is_missing = bool(one.argument.callback)
    return cxx_block(call, sorts, False)
