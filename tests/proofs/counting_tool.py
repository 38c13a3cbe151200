# SPDX-License-Identifier: BSD-3-Clause
"""Renders a tool in C that defines every C function of both names, counts their calls and
does nothing else.
"""

from c_claims import parameter, result
from common import implemented, taken_by

from codegen.model import Argument, Spec

COUNTER = """\
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *seen[64];
static int count;

static void see(const char *name)
{
    seen[count++ % 64] = name;
}

static void check(const char *name)
{
    int hits = 0, others = 0;
    for (int i = 0; i < count; i++) {
        hits += !strcmp(seen[i], name);
        others += seen[i][0] == 'M' && strcmp(seen[i], name);
    }
    if (hits != 1 || others) {
        printf("%s has %d hits, other functions %d\\n", name, hits, others);
        exit(1);
    }
    count = 0;
}
"""


def named(kind: str, name: str) -> str:
    """A parameter of that type; that of arrays has the name inside."""
    if kind == "...":
        return kind
    return kind.replace("(*)", f"(*{name})") if "(*)" in kind else f"{kind} {name}"


def is_flag(argument: Argument) -> bool:
    """A truth value that comes out alone."""
    is_logical = argument.kind.kind_class.value == "logical"
    return is_logical and argument.is_out and not argument.is_array


def tool(spec: Spec, prefixes: tuple[str, ...] = ("", "P"), twice: str = "") -> str:
    """Definitions of every C function; `twice` counts its calls wrong.

    Results stay as they are, but that there is something to be found is denied.
    """
    lines = [COUNTER]
    for record in implemented(spec, "c"):
        for is_large in (False, True)[: 1 + record.is_large]:
            arguments = taken_by(record, "c", is_large)
            taken = [parameter(a, is_large) for a in arguments]
            denied = "".join(
                f"*a{i} = 0; " for i, a in enumerate(arguments) if is_flag(a)
            )
            names = ", ".join(named(kind, f"a{i}") for i, kind in enumerate(taken))
            kind = result(record, is_large)
            for prefix in prefixes:
                name = prefix + record.name + ("_c" if is_large else "")
                sees = f'see("{name}"); ' * (2 if name == twice else 1)
                back = "return 0; " if kind != "void" else ""
                lines.append(
                    f"{kind} {name}({names or 'void'}) {{ {sees}{denied}{back}}}"
                )
    return "\n".join([*lines, ""])
