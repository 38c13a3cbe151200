# SPDX-License-Identifier: BSD-3-Clause
"""The table of datatypes as the kernels of operations see it, and the kernels that
follow from it. Operations take a character as a signed byte, whatever the compiler takes
it as.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from codegen.model import Constant, Spec

T = TypeVar("T")

_CATEGORIES = (
    "PREDEFINED_DATATYPES",
    "OPT_DATATYPES_FORTRAN",
    "REDUCTION_FUNC_DATATYPES_C",
    "REDUCTION_FUNC_DATATYPES_FORTRAN",
)
# Operations that are more than moving data, in C, of `a` from the origin and `b` from
# the target.
_EXPRESSIONS = {
    "SUM": "a + b",
    "PROD": "a * b",
    "MIN": "a < b ? a : b",
    "MAX": "a > b ? a : b",
    "BAND": "a & b",
    "BOR": "a | b",
    "BXOR": "a ^ b",
    "LAND": "a && b",
    "LOR": "a || b",
    "LXOR": "!a != !b",
    "MINLOC": "a.value < b.value || (a.value == b.value && a.index < b.index) ? a : b",
    "MAXLOC": "a.value > b.value || (a.value == b.value && a.index < b.index) ? a : b",
}
_INSTRUCTIONS = {"SUM": "add", "BAND": "and", "BOR": "or", "BXOR": "xor"}
_INTEGERS = (
    *("c_integer", "fortran_integer", "multi_language"),
    *("byte", "character"),
)
_SWAPPABLE = (*_INTEGERS, "logical")  # MPI-4.1 12.3.4, and characters
_WIDEST = 16  # bytes that compare and swap can have


def _short(op: Constant) -> str:
    return op.name.removeprefix("MPI_")


@dataclass(frozen=True)
class Width:
    """Elements of a size that instructions update as one."""

    size: int

    @property
    def is_widest(self) -> bool:
        """It is updated by compare and swap of a pair of registers."""
        return self.size == _WIDEST

    @property
    def bits(self) -> str:
        """The type of its bits."""
        return "struct wide" if self.is_widest else f"uint{8 * self.size}_t"

    @property
    def guess(self) -> str:
        """A guess of what lies at to[i], for the first comparison."""
        if self.is_widest:
            return "wide_guess(&to[i])"
        return "__atomic_load_n(&to[i], __ATOMIC_RELAXED)"


@dataclass(frozen=True)
class Element:
    """A predefined datatype."""

    constant: Constant

    @property
    def is_pair(self) -> bool:
        """A value and an index."""
        return self.constant.index_type != ""

    @property
    def number_type(self) -> str:
        """The C type of the value."""
        is_character = self.constant.operand == "character"
        return "signed char" if is_character else self.constant.c_type

    @property
    def stored(self) -> str:
        """The C type in a name: "unsigned_char", "bytes_8"."""
        if not self.constant.c_type:
            return f"bytes_{self.constant.size}"
        words = f"{self.number_type} {self.constant.index_type}"
        return words.strip().replace(" ", "_")

    @property
    def c_type(self) -> str:
        """The C type of an element."""
        return f"struct {self.stored}" if self.is_pair else self.number_type

    @property
    def basic(self) -> str:
        """The name of what operations see: one for a C type and class of operations."""
        operand = self.constant.operand
        return f"{self.stored}_{operand}" if operand else self.stored

    @property
    def bytes(self) -> str:
        """Its size in C."""
        has_type = self.constant.c_type != ""
        return f"sizeof({self.c_type})" if has_type else str(self.constant.size)

    @property
    def alignment(self) -> str:
        """Its alignment in C."""
        has_type = self.constant.c_type != ""
        return f"_Alignof({self.c_type})" if has_type else str(self.constant.size)

    @property
    def number(self) -> str:
        """Count of its numbers, their bytes here and in external32, their form."""
        c_type = self.constant.c_type or "char"
        is_complex = self.constant.operand == "complex"
        size = f"sizeof({c_type})" + (" / 2" if is_complex else "")
        is_long = c_type.startswith("long double")
        form = "FORM_LONG_DOUBLE" if is_long else "FORM_SAME"
        if self.constant.external:
            form = f"({c_type})-1 > 0 ? FORM_UNSIGNED : FORM_SIGNED"
        external = self.constant.external or size
        return f"{{{2 if is_complex else 1}, {size}, {external}, {form}}}"

    @property
    def width(self) -> Width | None:
        """Its width for instructions, None if they cannot update it as one."""
        size = self.constant.size or 0
        return Width(size) if size in (1, 2, 4, 8, _WIDEST) else None

    @property
    def is_swappable(self) -> bool:
        """It may be compared and swapped."""
        return self.constant.operand in _SWAPPABLE


@dataclass(frozen=True)
class Reduction:
    """The loop of an operation over elements of a C type."""

    element: Element
    op: Constant

    @property
    def name(self) -> str:
        """Its function."""
        return f"{_short(self.op).lower()}_{self.element.stored}"

    @property
    def expression(self) -> str:
        """The result of `a` and `b` in C."""
        return _EXPRESSIONS[_short(self.op)]


@dataclass(frozen=True)
class AtomicUpdate(Reduction):
    """The same, element by element for all to see; `way` is "update" or "fetch"."""

    way: str
    width: Width

    @property
    def name(self) -> str:
        """Its function."""
        return f"{self.way}_{super().name}"

    @property
    def instruction(self) -> str:
        """The instruction that does it, "" if only compare and swap does."""
        is_integer = self.element.constant.operand in _INTEGERS
        is_one = is_integer and not self.width.is_widest
        return _INSTRUCTIONS.get(_short(self.op), "") if is_one else ""


class Kernels:
    """The datatypes, the operations and the kernels of a table."""

    def __init__(self, spec: Spec) -> None:
        # Constants of one value are one object: the first name counts.
        constants: dict[int | None, Constant] = {}
        for category in _CATEGORIES:
            for constant in spec.constants_in(category):
                if constant.size:
                    constants.setdefault(constant.value, constant)
        self.types = tuple(map(Element, constants.values()))
        self.basics = _first_of_each((e.basic, e) for e in self.types)
        self.ops = tuple(c for c in spec.constants_in("COLLECTIVE_OPS") if c.operands)
        self._loops = tuple(op for op in self.ops if _short(op) in _EXPRESSIONS)
        self.pairs = _first_of_each((e.stored, e) for e in self.types if e.is_pair)
        self.widths = tuple(map(Width, (1, 2, 4, 8, _WIDEST)))
        # A kernel updates only, or it also fetches; and the names of their tables.
        self.ways = {"update": "updates", "fetch": "fetches"}

    def place(self, element: Element) -> int:
        """The place of what operations see of a datatype."""
        return [other.basic for other in self.basics].index(element.basic)

    def reductions_of(self, element: Element) -> tuple[Reduction, ...]:
        """The loops of a datatype's operations."""
        loops = (op for op in self._loops if op.takes(element.constant))
        return tuple(Reduction(element, op) for op in loops)

    def updates_of(self, element: Element, way: str) -> tuple[AtomicUpdate, ...]:
        """The atomic updates of elements, none if they are not updated as one."""
        width = element.width
        if width is None:
            return ()
        loops = self.reductions_of(element)
        return tuple(AtomicUpdate(element, loop.op, way, width) for loop in loops)

    @property
    def reductions(self) -> tuple[Reduction, ...]:
        """All loops, each once."""
        found = (loop for e in self.types for loop in self.reductions_of(e))
        return _first_of_each((loop.name, loop) for loop in found)

    @property
    def updates(self) -> tuple[AtomicUpdate, ...]:
        """All atomic updates, each once."""
        found = (
            update
            for element in self.basics
            for pair in zip(
                *(self.updates_of(element, way) for way in self.ways), strict=True
            )
            for update in pair
        )
        return _first_of_each((update.name, update) for update in found)

    def moves(self, way: str) -> tuple[Constant, ...]:
        """The operations that move data; what only reads needs to fetch."""
        moving = (op for op in self.ops if op not in self._loops)
        return tuple(op for op in moving if way == "fetch" or _short(op) != "NO_OP")

    def mover(self, way: str, op: Constant, element: Element) -> str:
        """The function that moves elements of a size."""
        return f"{way}_{_short(op).lower()}_{element.constant.size}"

    def row(self, element: Element, op: Constant) -> int:
        """The place of a kernel in the table of all."""
        return (1 + self.place(element)) * 32 + (op.value or 0) % 32

    @property
    def last_row(self) -> int:
        """The last place there, so that the table has one for every operation."""
        return (1 + len(self.basics)) * 32 - 1


def _first_of_each(named: Iterable[tuple[str, T]]) -> tuple[T, ...]:
    """The first thing of each name."""
    found: dict[str, T] = {}
    for name, thing in named:
        found.setdefault(name, thing)
    return tuple(found.values())
