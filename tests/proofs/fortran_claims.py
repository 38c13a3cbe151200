# SPDX-License-Identifier: BSD-3-Clause
"""Renders what mpi_f08 and mpi must declare: an abstract interface for each specific
procedure, to which a procedure pointer is assigned; calls by keyword; wrong calls.
"""

import os
from dataclasses import dataclass, replace
from itertools import chain

from common import HANDLES, OF_MPI1, WIDENED, implemented, taken_by, width

from codegen.model import Argument, Callback, Procedure, Spec

OPTIONS = tuple(os.environ.get("FCFLAGS", "").split())
# Then the large specifics would take the same types, so there are none (MPI-4.1 19.2).
WIDE = tuple(o for o in OPTIONS if o == "-fdefault-integer-8")
INTEGER_IS_WIDE = bool(WIDE)
KINDS = {
    "int": "integer",
    "address": "integer(MPI_ADDRESS_KIND)",
    "offset": "integer(MPI_OFFSET_KIND)",
    "count": "integer(MPI_COUNT_KIND)",
}
RESULTS = {"WALL_TIME": "double precision", "TICK_RESOLUTION": "double precision"}
INTRINSIC = "use, intrinsic :: iso_c_binding, only : c_ptr"


@dataclass(frozen=True)
class Specific:
    """One specific procedure that a module must declare."""

    record: Procedure
    module: str  # mpi_f08 or mpi
    is_large: bool = False
    is_cptr: bool = False

    @property
    def name(self) -> str:
        """As MPI-4.1 table 19.1 forms it."""
        has_choice = any(a.kind.name == "BUFFER" for a in self.record.arguments)
        if self.module == "mpi":
            suffix = "_CPTR" if self.is_cptr else "_FTS" if has_choice else ""
            return self.record.name.upper() + suffix
        suffix = "_f08ts" if has_choice else "_f08"
        return self.record.name + ("_c" if self.is_large else "") + suffix

    @property
    def generic(self) -> str:
        """What programs call."""
        is_other = any(a.kind.name == "POLYFUNCTION" for a in self.record.arguments)
        return self.record.name + ("_c" if self.is_large and is_other else "")

    @property
    def arguments(self) -> list[Argument]:
        """The arguments without ierror."""
        language = "f08" if self.module == "mpi_f08" else "f90"
        return taken_by(self.record, language, self.is_large)

    @property
    def has_ierror(self) -> bool:
        """It is a subroutine with an error code."""
        return self.record.returns.name == "ERROR_CODE" and not self.record.silent

    @property
    def result(self) -> str:
        """The type of a function's value, "" for a subroutine."""
        name = self.record.returns.name
        if name in ("ERROR_CODE", "NOTHING"):
            return ""
        return RESULTS.get(name) or KINDS[width(name, self.is_large)]

    def type(self, argument: Argument) -> str:
        """The type of an argument's value, without attributes."""
        kind = argument.kind.name
        is_f08 = self.module == "mpi_f08"
        match argument.kind.kind_class.value:
            case "handle":
                return f"type({HANDLES[kind]})" if is_f08 else "integer"
            case "choice":
                return "type(*), dimension(..)"
            case "pointer":
                is_c = is_f08 or self.is_cptr
                return "type(c_ptr)" if is_c else KINDS["address"]
            case "fstatus":
                is_type = kind == "F08_STATUS"
                return "type(MPI_Status)" if is_type else "integer"
            case "status":
                return "type(MPI_Status)" if is_f08 else "integer"
            case "detached":
                return "type(c_ptr)" if is_f08 else "type(*)"
            case "string":
                length = argument.length if is_f08 and argument.length else "*"
                return f"character(len={length})"
            case "logical" | "literal":
                return "logical"
            case "state" | "attribute":
                return KINDS["int" if kind in OF_MPI1 else "address"]
            case "callback":
                name = f"oriel_{argument.callback}"
                name += "_c" if self.is_large and kind == "POLYFUNCTION" else ""
                return f"procedure({name})" if is_f08 else "external"
            case _:
                return KINDS[width(kind, self.is_large, True)]

    def declare(self, argument: Argument) -> str:
        """The declaration of a dummy argument."""
        sort = argument.kind.kind_class.value
        parts = [self.type(argument)]
        is_only_out = argument.is_out and not argument.is_in
        is_silent = sort == "callback" or (sort == "choice" and argument.is_out)
        is_silent = is_silent or (sort == "status" and is_only_out)
        if self.module == "mpi_f08" and argument.has_intent and not is_silent:
            parts.append(f"intent({argument.direction.value})")
        if argument.is_async:
            parts.append("asynchronous")
        kind = argument.kind.name
        extents = [argument.columns] if argument.columns else []
        if self.module == "mpi" and sort == "status" or kind == "F90_STATUS":
            extents.append("MPI_STATUS_SIZE")
        if argument.length and sort != "string":
            extents.append(argument.length if self.module == "mpi_f08" else "*")
        if self.module == "mpi" and sort == "detached":
            extents.append("*")
        shape = f"({','.join(extents)})" if extents else ""
        return f"{', '.join(parts)} :: {argument.name}{shape}"


def is_same_when_large(record: Procedure) -> bool:
    """The large specific would take the same types, so there is none (MPI-4.1 19.2)."""
    widths = [WIDENED[a.kind.name] for a in record.arguments if a.kind.name in WIDENED]
    return all(narrow == "address" and wide == "count" for narrow, wide in widths)


def calls_large(record: Procedure) -> bool:
    """Its small specifics call the large C function, since INTEGERs hold large counts."""
    is_other = any(
        a.is_large_only or a.kind.name == "POLYFUNCTION" for a in record.arguments
    )
    return INTEGER_IS_WIDE and record.is_large and not is_other


def specifics(spec: Spec, module: str) -> list[Specific]:
    """All that the module must have, without their twins for tools."""
    found = []
    language = "f08" if module == "mpi_f08" else "f90"
    for record in implemented(spec, language):
        found.append(Specific(record, module))
        is_pointer = any(a.kind.name == "C_BUFFER" for a in record.arguments)
        has_large = record.is_large and not is_same_when_large(record)
        if module == "mpi_f08" and has_large and not INTEGER_IS_WIDE:
            found.append(Specific(record, module, is_large=True))
        if module == "mpi" and is_pointer:
            found.append(Specific(record, module, is_cptr=True))
    return found


def body(name: str, dummies: list[str], lines: list[str], result: str) -> list[str]:
    """An interface body."""
    sort = "function" if result else "subroutine"
    head = f"{sort} {name}({', '.join(dummies)})"
    value = [f"{result} :: {name}"] if result else []
    return [head, "import", *lines, *value, f"end {sort} {name}"]


def interface(specific: Specific) -> list[str]:
    """The abstract interface that a specific must have."""
    dummies = [a.name for a in specific.arguments]
    lines = [specific.declare(a) for a in specific.arguments]
    if specific.has_ierror:
        dummies.append("ierror")
        is_f08 = specific.module == "mpi_f08"
        lines.append(f"integer{', optional, intent(out)' if is_f08 else ''} :: ierror")
    return body(f"like_{specific.name}", dummies, lines, specific.result)


def prototype(callback: Callback) -> list[str]:
    """The abstract interface of a procedure that the program gives to mpi_f08."""
    taken = [a for a in callback.arguments if "f08" in a.languages]
    is_large = callback.name.endswith("_c")
    as_record = Specific(callback, "mpi_f08", is_large)  # type: ignore[arg-type]
    # Addresses of elements are given as the values that they are.
    values = {a: ", value" if a.kind.name == "C_BUFFER4" else "" for a in taken}
    lines = [f"{as_record.type(a)}{values[a]} :: {a.name}" for a in taken]
    dummies = [a.name for a in taken]
    if callback.returns.name == "ERROR_CODE":
        dummies.append("ierror")
        lines.append("integer :: ierror")
    return body(f"oriel_{callback.name}", dummies, lines, "")


def callbacks(spec: Spec) -> list[Callback]:
    """The prototypes that mpi_f08 has."""
    known = [c for c in spec.callbacks.values() if "f08" in c.languages]
    known = [c for c in known if not c.planned]
    large = [c for c in known if any(a.kind.name in WIDENED for a in c.arguments)]
    return known + [replace(c, name=c.name + "_c") for c in large]


def assignments(spec: Spec, module: str) -> list[tuple[str, str]]:
    """Each abstract interface with a procedure that must have it."""
    found = specifics(spec, module)
    pairs = [(f"like_{s.name}", p + s.name) for s in found for p in ("", "P")]
    if module == "mpi_f08":
        known = [c.name for c in callbacks(spec)]
        functions = [c for c in spec.constants.values() if c.callback in known]
        pairs += [(f"oriel_{c.callback}", c.name) for c in functions]
        pairs += [(f"oriel_{name}", f"a_{name}") for name in known]
    return pairs


def characteristics(spec: Spec, module: str) -> str:
    """A program that a compiler accepts if all characteristics are right."""
    prototypes = callbacks(spec) if module == "mpi_f08" else []
    lines = [f"module expected\n{INTRINSIC}\nuse {module}\nimplicit none"]
    lines.append("abstract interface")
    lines += chain.from_iterable(prototype(c) for c in prototypes)
    lines += chain.from_iterable(interface(s) for s in specifics(spec, module))
    lines.append("end interface\nend module expected")
    lines.append(f"subroutine assign()\nuse {module}\nuse expected\nimplicit none")
    pairs = assignments(spec, module)
    lines += [f"procedure({c.name}), pointer :: a_{c.name}" for c in prototypes]
    likes = dict.fromkeys(like for like, _ in pairs)
    lines += [f"procedure({like}), pointer :: p_{like}" for like in likes]
    lines += [f"nullify(a_{c.name})" for c in prototypes]
    lines += [f"p_{like} => {actual}" for like, actual in pairs]
    return "\n".join([*lines, "end subroutine assign", ""])
