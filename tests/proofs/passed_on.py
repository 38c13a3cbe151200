# SPDX-License-Identifier: BSD-3-Clause
"""Renders procedures in C that take the place of Fortran's specific ones, or of those that
programs call without an interface, and pass each call on to the twin for tools.

They pass what compilers pass: addresses, then the lengths of strings.
"""

from collections.abc import Iterator

from fortran_claims import Specific, specifics

from codegen.model import Procedure, Spec

# How Fortran functions give their results.
RESULTS = {"": "void", "integer": "int", "double precision": "double"}


def has_plain(record: Procedure) -> bool:
    """It has choice buffers, and addresses of them are enough for it."""
    has_choice = any(a.is_choice for a in record.arguments)
    return has_choice and ("c" in record.languages or len(record.arguments) == 1)


def _passed_on(specific: Specific, name: str, statement: str) -> list[str]:
    strings = [a for a in specific.arguments if a.kind.kind_class.value == "string"]
    taken = len(specific.arguments) + specific.has_ierror + len(strings)
    names = ", ".join(f"a{i}" for i in range(taken))
    declared = ", ".join(f"void *a{i}" for i in range(taken)) or "void"
    kind = RESULTS.get(specific.result, "MPI_Aint")
    back = "return " if specific.result else ""
    return [
        f"{kind} p{name}({declared});",
        f"{kind} {name}({declared}) {{ {statement}{back}p{name}({names}); }}",
    ]


def passed_on(
    spec: Spec, module: str, statement: str = "", is_plain: bool = False
) -> Iterator[str]:
    """All that C has, too. The statement gets the name of the C function as `{}`."""
    for specific in specifics(spec, module):
        if "c" not in specific.record.languages:
            continue
        is_other = is_plain and has_plain(specific.record)
        name = specific.record.name if is_other else specific.name
        seen = specific.record.name + ("_c" if specific.is_large else "")
        yield from _passed_on(
            specific, f"{name.lower()}_", statement.replace("{}", seen)
        )
