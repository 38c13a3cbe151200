# SPDX-License-Identifier: BSD-3-Clause
"""Renders Fortran programs that call every specific procedure by keyword, in an order
that is not the declared one, and say each time which C function must have seen it; and
programs of wrong calls.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from common import HANDLES
from fortran_claims import INTRINSIC, Specific, callbacks, prototype, specifics

from codegen.model import Argument, Spec

Actuals = dict[str, str]


def _variable(specific: Specific, argument: Argument) -> str:
    """The declaration of a variable that fits the argument."""
    kind = specific.type(argument)
    name = argument.name
    match argument.kind.kind_class.value:
        case "choice":
            return f"real, asynchronous :: {name}(4) = 0"
        case "handle" if specific.module == "mpi_f08":
            shape = "(4)" if argument.length else ""
            return f"{kind} :: {name}{shape} = {HANDLES[argument.kind.name]}(257)"
        case "status" if specific.module == "mpi":
            columns = ", 4" if argument.length else ""
            return f"integer :: {name}(MPI_STATUS_SIZE{columns})"
        case "fstatus":
            shape = "(MPI_STATUS_SIZE)" if kind == "integer" else ""
            return f"{kind} :: {name}{shape}"
        case "detached" if specific.module == "mpi":
            return f"integer :: {name}(MPI_STATUS_SIZE, 4)"
        case "status":
            return f"type(MPI_Status) :: {name}{'(4)' if argument.length else ''}"
        case "detached":
            return f"type(c_ptr) :: {name} = c_null_ptr"
        case "string":
            length = argument.length if argument.length.isupper() else 16
            return f"character(len={length}) :: {name} = 'text'"
        case "pointer" if kind == "type(c_ptr)":
            return f"type(c_ptr) :: {name} = c_null_ptr"
        case "logical" | "literal":
            return f"logical :: {name}{'(4)' if argument.length else ''} = .false."
    extents = [n for n in (argument.columns, argument.length and "4") if n]
    shape = f"({', '.join(extents)})" if extents else ""
    return f"{kind} :: {name}{shape} = 1"


def _procedure(specific: Specific, argument: Argument) -> str:
    """What is given for a callback."""
    is_f08 = specific.module == "mpi_f08"
    kind = specific.type(argument)
    return kind.removeprefix("procedure(").removesuffix(")") if is_f08 else "nothing"


def actuals(specific: Specific) -> Actuals:
    """A fitting actual argument for each keyword, the last one first."""
    given = {"ierror": "ierror"} if specific.has_ierror else {}
    for argument in reversed(specific.arguments):
        is_callback = argument.kind.kind_class.value == "callback"
        name = argument.name
        given[name] = _procedure(specific, argument) if is_callback else name
    return given


def call(specific: Specific, given: Actuals, prefix: str = "") -> str:
    """The statement."""
    keywords = ", ".join(f"{key}={value}" for key, value in given.items())
    name = f"{prefix}{specific.generic}({keywords})"
    return f"value = {name}" if specific.result else f"call {name}"


def unit(specific: Specific, name: str, statements: list[str]) -> list[str]:
    """A subroutine with the variables and the statements."""
    variables = [a for a in specific.arguments if a.kind.kind_class.value != "callback"]
    lines = [_variable(specific, a) for a in variables]
    lines += ["integer :: ierror"] if specific.has_ierror else []
    lines += [f"{specific.result} :: value"] if specific.result else []
    return [f"subroutine {name}()", *lines, *statements, f"end subroutine {name}"]


def program(spec: Spec, module: str, units: list[list[str]]) -> str:
    """A program of these subroutines, which it calls. All are inside of it, since a
    compiler needs long to read the module."""
    lines = ["module given", INTRINSIC, f"use {module}", "implicit none", "interface"]
    lines += ["subroutine expect(name) bind(C)", "use iso_c_binding, only : c_char"]
    lines += ["character(kind=c_char) :: name(*)", "end subroutine expect"]
    lines += ["end interface", "contains", "subroutine nothing()"]
    lines += ["end subroutine nothing"]
    for callback in callbacks(spec) if module == "mpi_f08" else []:
        lines += [line for line in prototype(callback) if line != "import"]
    lines += ["end module given", "program calls"]
    lines += [INTRINSIC + ", c_null_ptr, c_null_char", f"use {module}", "use given"]
    lines += ["implicit none", "integer(1) :: small = 1"]
    lines += [unit[0].replace("subroutine", "call") for unit in units]
    lines += ["contains", *chain.from_iterable(units)]
    return "\n".join([*lines, "end program calls", ""])


def counted(spec: Spec, module: str) -> str:
    """A program that calls all that C has too, and says each time what C must see."""
    found = [s for s in specifics(spec, module) if "c" in s.record.languages]
    units = []
    for index, specific in enumerate(found):
        large = "_c" if specific.is_large else ""
        statements = []
        for prefix in ("", "P"):
            statements.append(call(specific, actuals(specific), prefix))
            name = f"{prefix}{specific.record.name}{large}"
            statements.append(f"call expect('{name}'//c_null_char)")
        units.append(unit(specific, f"call_{index}", statements))
    return program(spec, module, units)


def _as_compiled(kind: str) -> str:
    """Kinds of addresses, offsets and counts have the same value on most machines."""
    return "integer(8)" if kind.startswith("integer(") else kind


def wrong_actuals(specific: Specific) -> Iterator[Actuals]:
    """The arguments of calls with one fault each: one is missing, unknown, of another
    type or kind, or has the value of another one.
    """
    right = actuals(specific)
    checked = [a for a in specific.arguments if "type(*)" not in specific.type(a)]
    types = {a.name: _as_compiled(specific.type(a)) for a in checked}
    for name, value in right.items():
        others = {key: given for key, given in right.items() if key != name}
        if name != "ierror" or specific.module == "mpi":
            yield others
        yield {**others, f"{name}x": value}
    for argument in checked:
        name = argument.name
        yield {**right, name: "small"}
        if argument.kind.is_handle and specific.module == "mpi_f08":
            other = "MPI_INFO_NULL" if argument.kind.name != "INFO" else "MPI_COMM_NULL"
            yield {**right, name: other}
    for one, other in zip(types, list(types)[1:], strict=False):
        if types[one] != types[other]:
            yield {**right, one: right[other], other: right[one]}


def wrong(
    spec: Spec, module: str, faults: Callable[[Specific], Iterable[Actuals]]
) -> tuple[str, dict[int, str]]:
    """A program of calls with these faults, and the line of each."""
    units = []
    for index, specific in enumerate(specifics(spec, module)):
        calls = [f"{call(specific, given)} ! wrong" for given in faults(specific)]
        units.append(unit(specific, f"call_{index}", calls))
    text = program(spec, module, units)
    lines = enumerate(text.splitlines(), start=1)
    return text, {number: line for number, line in lines if line.endswith("! wrong")}
