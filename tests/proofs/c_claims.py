# SPDX-License-Identifier: BSD-3-Clause
"""Renders what mpi.h must declare as claims that a C11 or C++17 compiler decides, and a
main that compares the values of constants.
"""

from common import HANDLES, WIDENED, implemented, taken_by, width

from codegen.model import Argument, Callback, Constant, Form, Procedure, Spec

PRELUDE = """\
#include <mpi.h>
#include <stdio.h>
#ifdef __cplusplus
#include <type_traits>
#define FUNCTION(name, ...)                                                            \\
    static_assert(std::is_same<decltype(&name), __VA_ARGS__>::value, #name)
#define TYPE(name, ...) static_assert(std::is_same<name, __VA_ARGS__>::value, #name)
#define CONSTANT(name, ...)                                                            \\
    static_assert(std::is_same<decltype(name), __VA_ARGS__>::value, #name)
#define MEMBER(member, type)                                                           \\
    static_assert(std::is_same<decltype(member), type>::value, #member)
#define CLAIM(text, ...) static_assert(__VA_ARGS__, text)
#else
#define FUNCTION(name, ...)                                                            \\
    _Static_assert(_Generic(&name, __VA_ARGS__: 1, default: 0), #name)
#define TYPE(name, ...)                                                                \\
    _Static_assert(_Generic((name *)0, __VA_ARGS__ *: 1, default: 0), #name)
#define CONSTANT(name, ...)                                                            \\
    _Static_assert(_Generic(name, __VA_ARGS__: 1, default: 0), #name)
#define MEMBER(member, type)                                                           \\
    _Static_assert(_Generic(&member, __typeof__(type) *: 1, default: 0), #member)
#define CLAIM(text, ...) _Static_assert(__VA_ARGS__, text)
#endif

TYPE(MPI_Aint, intptr_t);
TYPE(MPI_Count, int64_t);
TYPE(MPI_Offset, int64_t);
"""
MEMBERS = {"MPI_SOURCE": 0, "MPI_TAG": 4, "MPI_ERROR": 8, "MPI_internal": 12}
MAIN = """\
static int compare(const char *name, intptr_t ours, intptr_t theirs)
{
    if (ours != theirs)
        printf("%s is %ld, not %ld\\n", name, (long)ours, (long)theirs);
    return ours != theirs;
}

int main(void)
{
    int differs = 0;
"""
WIDTHS = {
    "int": "int",
    "address": "MPI_Aint",
    "offset": "MPI_Offset",
    "count": "MPI_Count",
}
TOOLS = {
    "CVAR": "MPI_T_cvar_handle",
    "PVAR": "MPI_T_pvar_handle",
    "PVAR_SESSION": "MPI_T_pvar_session",
    "TOOLS_ENUM": "MPI_T_enum",
    "EVENT_REGISTRATION": "MPI_T_event_registration",
    "EVENT_INSTANCE": "MPI_T_event_instance",
}
ENUMS = {
    "SOURCE_ORDERING": "MPI_T_source_order",
    "CALLBACK_SAFETY": "MPI_T_cb_safety",
}
RESULTS = {
    "NOTHING": "void",
    "WALL_TIME": "double",
    "TICK_RESOLUTION": "double",
}


def pointed(argument: Argument, is_large: bool) -> str:
    """The type of the value; what is a pointer for other reasons ends in a star."""
    match argument.kind.kind_class.value:
        case "handle":
            return HANDLES[argument.kind.name]
        case "status":
            return "MPI_Status"
        case "tool":
            return TOOLS[argument.kind.name]
        case "fstatus":
            is_type = argument.kind.name == "F08_STATUS"
            return "MPI_F08_status *" if is_type else "int *"
        case "choice" | "pointer" | "detached" | "state" | "attribute" | "literal":
            return "void *"
        case "string":
            return "char *"
        case "arguments":
            return "char **" if argument.by_value else "char ***"
        case "callback":
            is_other = is_large and argument.kind.name == "POLYFUNCTION"
            return argument.callback + ("_c *" if is_other else " *")
        case _:
            name = argument.kind.name
            return ENUMS.get(name) or WIDTHS[width(name, is_large)]


def parameter(argument: Argument, is_large: bool) -> str:
    """The type of one parameter."""
    if argument.kind.name == "VARARGS":
        return "..."
    kind = pointed(argument, is_large)
    is_reference = argument.is_out or argument.by_pointer or argument.length != ""
    is_reference = is_reference and not argument.by_value
    is_reference = is_reference or kind == "MPI_Status"
    if argument.columns:
        return f"{kind} (*)[{argument.columns}]"
    star = " *" if is_reference and not kind.endswith("*") else ""
    return ("const " if argument.is_const else "") + kind + star


def result(record: Procedure | Callback, is_large: bool) -> str:
    """The type of what a function returns."""
    name = record.returns.name
    return RESULTS.get(name) or HANDLES.get(name) or WIDTHS[width(name, is_large)]


def signature(record: Procedure | Callback, is_large: bool) -> str:
    """The type of a function, as a pointer to it."""
    taken = [parameter(a, is_large) for a in taken_by(record, "c", is_large)]
    return f"{result(record, is_large)} (*)({', '.join(taken) or 'void'})"


def functions(spec: Spec) -> list[str]:
    """A claim for each function, small and large, and its twin for tools."""
    claims = []
    for record in implemented(spec, "c"):
        for is_large in (False, True)[: 1 + record.is_large]:
            name = record.name + ("_c" if is_large else "")
            kind = signature(record, is_large)
            claims += [f"FUNCTION({p}{name}, {kind});" for p in ("", "P")]
    return claims


def callbacks(spec: Spec) -> list[str]:
    """A claim for each prototype that the program's procedures must have."""
    known = [c for c in spec.callbacks.values() if "c" in c.languages and not c.planned]
    claims = [f"CONSTANT(({c.name} *)0, {signature(c, False)});" for c in known]
    large = [c for c in known if any(a.kind.name in WIDENED for a in c.arguments)]
    return claims + [f"CONSTANT(({c.name}_c *)0, {signature(c, True)});" for c in large]


def _constant_type(constant: Constant) -> str:
    match constant.form:
        case Form.HANDLE:
            return HANDLES.get(constant.kind) or TOOLS[constant.kind]
        case Form.BUFFER:
            return "void *"
        case Form.IGNORE | Form.ADDRESS:
            return constant.c_type
        case Form.FUNCTION:
            return constant.callback + " *"
        case _:
            return "int"


def _is_declared(spec: Spec, constant: Constant) -> bool:
    """C has it, and a predefined callback has a prototype."""
    is_function = constant.form is Form.FUNCTION
    is_known = not is_function or not spec.callbacks[constant.callback].planned
    return "c" in constant.category.languages and is_known


def constants(spec: Spec) -> tuple[list[str], list[str]]:
    """A claim for the type of each constant, and statements that compare values."""
    claims, tests = [], []
    for constant in spec.constants.values():
        if not _is_declared(spec, constant):
            continue
        name, kind = constant.name, _constant_type(constant)
        if constant.form is Form.ADDRESS:
            claims.append(f"extern {kind}{name};")  # another type would be an error
            continue
        if constant.form in (Form.INTEGER, Form.ENUM, Form.MACRO):
            claims.append(f'CLAIM("{name}", {name} == {constant.value});')
        if constant.form in (Form.INTEGER, Form.ENUM):  # C++ gives each enum a type
            claims.append(f"#ifndef __cplusplus\nCONSTANT({name}, int);\n#endif")
        else:
            claims.append(f"CONSTANT({name}, {kind});")
        tests.append(
            f'differs |= compare("{name}", (intptr_t){name}, {constant.value});'
        )
    return claims, tests


def status() -> list[str]:
    """Claims of the layout of MPI_Status in the ABI."""
    claims = ['CLAIM("a status has 32 bytes", sizeof(MPI_Status) == 32);']
    for name, offset in MEMBERS.items():
        claims.append(f'CLAIM("{name}", offsetof(MPI_Status, {name}) == {offset});')
        kind = "int[5]" if offset == 12 else "int"
        member = f"((MPI_Status *)0)->{name}"
        claims.append(f"MEMBER({member}, {kind});")
    return claims


def render(spec: Spec) -> str:
    """The whole program."""
    values, tests = constants(spec)
    structs = [f"TYPE({h}, struct MPI_ABI_{h[4:]} *);" for h in HANDLES.values()]
    claims = [*structs, *status(), *values, *callbacks(spec), *functions(spec)]
    body = "".join(f"    {test}\n" for test in tests)
    return (
        PRELUDE + "\n".join(claims) + "\n\n" + MAIN + body + "    return differs;\n}\n"
    )
