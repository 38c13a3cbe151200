# SPDX-License-Identifier: BSD-3-Clause
"""How each class of arguments is echoed. A class that is not here is an error: derive one
from echo_numbers.Sort, and let the recording core (echo_core.py) show it.
"""

import samples
from common import HANDLES
from echo_memory import (
    Address,
    Arguments,
    Buffer,
    Detached,
    Function,
    Opaque,
    Text,
    Variadic,
)
from echo_numbers import (
    Absent,
    Flag,
    Flags,
    Literal,
    Number,
    Numbers,
    Room,
    Sort,
    Table,
    typed_sections,
)
from echo_status import Status, Statuses
from samples import Call, Case

from codegen.model import Argument


class Handle(Sort):
    """Handles: numbers of objects, or a constant: a null handle where that is allowed."""

    said = ""  # of the constant

    def _value(self) -> int:
        if not self.argument.is_in:
            return -1
        is_null = self.argument.null_ok and self.call.case is Case.EDGE
        return -1 if is_null else samples.object_number(self.call, self.argument)

    @property
    def kind(self) -> str:
        """As the transcript calls it."""
        return self.argument.kind.tag.removeprefix("KIND_")

    @property
    def null(self) -> int:
        """The number of the null handle."""
        return samples.value_of(self.call.spec, self.argument.kind.null)

    def c_variable(self) -> str:
        kind = HANDLES[self.argument.kind.name]
        given = f'({kind})echo_handle_of("{self.kind}", {self.value})'
        null = self.argument.kind.null if self.value < 0 else ""
        if self.value == samples.FOREIGN:
            null = f"({kind})(uintptr_t){samples.STALE}"
        return f"{kind} {self.name} = {self.constant or null or given}"

    def c_actual(self) -> str:
        is_pointer = self.is_out or self.argument.by_pointer
        return f"&{self.name}" if is_pointer else self.name

    def c_got(self) -> list[str]:
        return [f'echo_handle("got", "{self.name}", (uintptr_t){self.name});']

    @property
    def _f_number(self) -> str:
        is_f08 = self.call.language == "f08"
        return f"{self.name}%MPI_VAL" if is_f08 else self.name

    def f_given(self) -> list[str]:
        if self.value < 0:
            return [f"{self.name} = {self.argument.kind.null}"]
        return [f"{self._f_number} = handle_of('{self.kind}', {self.value})"]

    def f_got(self) -> list[str]:
        return [f"call got_handle('{self.name}', {self._f_number})"]

    def _is_section(self) -> bool:
        """It says what a buffer holds that is a section."""
        return self.name in [t for _, _, t in typed_sections(self.call)]

    def saw(self) -> list[str]:
        if not self.argument.is_in:
            return []
        if self.constant:
            return [f"saw {self.name} {self.said}"]
        if self.argument.is_raw_handle:
            return [self.kept()[0].replace("got", "saw")]
        is_ignored = self.is_ignored or samples.is_ignored(self.call, self.argument)
        if self.value < 0 or is_ignored:
            return [f"saw {self.name} nothing"]
        number = samples.OF_SECTION if self._is_section() else self.value
        return [f"saw {self.name} {self.kind} {number}"]

    def got(self) -> list[str]:
        if self.argument.frees:
            return [f"got {self.name} {self.null}"]
        if self.argument.is_in and not self.argument.is_raw_handle:
            return self.kept()
        if not self.call.has_objects:
            return [f"got {self.name} {self.null}"]
        return [f"got {self.name} {self.kind} {samples.RESULT + self.position % 8}"]

    def kept(self) -> list[str]:
        value = f"{self.kind} {self.value}" if self.value >= 0 else self.null
        if self.value == samples.FOREIGN:
            value = samples.STALE
        return [f"got {self.name} {self.said or value}"]


class Handles(Sort):
    """Arrays of handles."""

    def __init__(self, call: Call, argument: Argument) -> None:
        super().__init__(call, argument)
        self.given = [i % 3 for i in range(samples.elements(call, argument))]
        if argument.null_ok and call.case is Case.SPECIAL and self.given:
            self.given[-1] = -1
        self.used = len(self.given)  # elements that the core looks at

    def _value(self) -> int:
        return 0

    def _element(self, number: int) -> Handle:
        """A handle of the same kind."""
        one = Handle(self.call, self.argument)
        one.value = number
        return one

    @property
    def _f_part(self) -> str:
        """The number in a handle."""
        return "%MPI_VAL" if self.call.language == "f08" else ""

    def c_variable(self) -> str:
        kind = HANDLES[self.argument.kind.name]
        values = [self._element(n).c_variable().partition(" = ")[2] for n in self.given]
        size = samples.SPACE
        return f"{kind} {self.name}[{size}] = {{{', '.join(values) or '0'}}}"

    def c_actual(self) -> str:
        return self.name

    def c_got(self) -> list[str]:
        show = 'echo_handle("got", "{0}", (uintptr_t){0}[{1}]);'
        return [show.format(self.name, i) for i in range(len(self.given))]

    def f_variable(self) -> str:
        return f"{self.f_type()} :: {self.name}({samples.SPACE})"

    def f_given(self) -> list[str]:
        """One statement for all elements, then one for each null handle."""
        if not self.given:
            return []
        numbers = ", ".join(str(max(n, 0)) for n in self.given)
        value = f"handle_of('{self._element(0).kind}', [{numbers}])"
        lines = [f"{self.name}(:{len(self.given)}){self._f_part} = {value}"]
        for i, number in enumerate(self.given):
            if number < 0:
                lines.append(f"{self.name}({i + 1}) = {self.argument.kind.null}")
        return lines

    def f_got(self) -> list[str]:
        show = "call got_handle('{0}', {0}({1}){2})"
        part = self._f_part
        return [show.format(self.name, i + 1, part) for i in range(len(self.given))]

    def saw(self) -> list[str]:
        given = self.given[: self.used] if self.argument.is_in else []
        return [self._element(n).kept()[0].replace("got", "saw") for n in given]

    def got(self) -> list[str]:
        lines = []
        for i in range(len(self.given)):
            one = self._element(self.given[i])
            one.position += i
            lines.append((one.got() if i < self.used else one.kept())[0])
        return lines

    def kept(self) -> list[str]:
        return [self._element(n).kept()[0] for n in self.given]


SORTS: dict[str, type[Sort]] = {
    "integer": Number,
    "mask": Number,
    "keyval": Number,
    "address": Number,
    "integer array": Numbers,
    "address array": Numbers,
    "integer table": Table,
    "logical array": Flags,
    "handle": Handle,
    "handle array": Handles,
    "status": Status,
    "status array": Statuses,
    "detached": Detached,
    "logical": Flag,
    "literal": Literal,
    "string": Text,
    "choice": Buffer,
    "pointer": Address,
    "callback": Function,
    "state": Opaque,
    "attribute": Opaque,
    "arguments": Arguments,
    "variadic": Variadic,
}


def sort_name(argument: Argument) -> str:
    """The key of an argument in SORTS."""
    shape = " table" if argument.columns else " array" if argument.is_array else ""
    return argument.kind.kind_class.value + shape


def sort(call: Call, argument: Argument) -> Sort:
    """How the argument of this call is echoed."""
    if samples.is_room(argument):
        return Room(call, argument)
    if argument.is_large_only and not call.is_large:
        return Absent(call, argument)
    if argument.languages == ("c",):
        return Arguments(call, argument)
    name = sort_name(argument)
    assert name in SORTS, f"{call.record.name}: echo does not know a {name}; add it"
    return SORTS[name](call, argument)
