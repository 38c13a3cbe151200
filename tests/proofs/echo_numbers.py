# SPDX-License-Identifier: BSD-3-Clause
"""How numbers are echoed: what a C or Fortran program declares, passes and shows, and what
the transcript then must say. `Sort` is the base of all classes of arguments.
"""

import samples
from c_claims import pointed
from common import width
from fortran_claims import Specific
from samples import Call, Case

from codegen.model import Argument


def wrapped(value: int, is_int: bool) -> int:
    """As C stores it in an int."""
    return (value + 2**31) % 2**32 - 2**31 if is_int else value


class Sort:
    """A number that goes in, by value; other classes differ from it."""

    constant = ""  # given instead of the sample
    is_ignored = False  # another argument says that it does not count
    is_absent = False  # this procedure does not have it; the core gets zero or NULL
    is_missing = False  # C gives NULL

    def __init__(self, call: Call, argument: Argument) -> None:
        self.call = call
        self.argument = argument
        self.name = argument.name
        self.is_out = argument.is_out
        self.is_fortran = call.language != "c"
        self.position = samples.position(call.record, argument)
        self.value = self._value()

    def _value(self) -> int:
        return samples.number(self.call, self.argument) if self.argument.is_in else -77

    @property
    def is_int(self) -> bool:
        """The number is a plain one here."""
        kind = self.argument.kind.name
        return width(kind, self.call.is_large, self.is_fortran) == "int"

    @property
    def result(self) -> int:
        """The number that the core gives."""
        given = self.call.results + 10 * self.position
        core_is_int = width(self.argument.kind.name, True) == "int"
        return wrapped(given, core_is_int)

    # ---- C ----
    def c_variable(self) -> str:
        """A declaration with the value."""
        kind = pointed(self.argument, self.call.is_large)
        least = "INT64_MIN" if self.value == -(2**63) else ""
        return f"{kind} {self.name} = {least or self.value}"

    def c_actual(self) -> str:
        """What stands in the call."""
        return f"&{self.name}" if self.is_out else self.name

    def c_got(self) -> list[str]:
        """Statements that show the result."""
        return [f'echo_number("got", "{self.name}", {self.name});']

    # ---- Fortran ----
    def f_type(self) -> str:
        """The type of the variable."""
        module = "mpi_f08" if self.call.language == "f08" else "mpi"
        record, is_large, is_cptr = (
            self.call.record,
            self.call.is_large,
            self.call.is_cptr,
        )
        return Specific(record, module, is_large, is_cptr).type(self.argument)

    def f_variable(self) -> str:
        """A declaration."""
        return f"{self.f_type()} :: {self.name}"

    def f_given(self) -> list[str]:
        """Statements before the call."""
        return [f"{self.name} = {f_number(self.value, self.is_int)}"]

    def f_actual(self) -> str:
        """What stands in the call."""
        return self.name

    def f_got(self) -> list[str]:
        """Statements that show the result."""
        return [f"call got('{self.name}', {self.name})"]

    # ---- the transcript ----
    def saw(self) -> list[str]:
        """What the core must see."""
        return [f"saw {self.name} {self.value}"] if self.argument.is_in else []

    def got(self) -> list[str]:
        """What the caller must get."""
        return [f"got {self.name} {self.result}"]

    def kept(self) -> list[str]:
        """What a C caller has when the call failed: the value from before."""
        return [f"got {self.name} {self.value}"]


def f_number(value: int, is_int: bool) -> str:
    """A literal of default or 64-bit kind."""
    return str(value) if is_int else f"{value}_int64"


class Number(Sort):
    """Integers of all sorts."""

    used: int | None = None  # what the core finds the number of elements to be

    def saw(self) -> list[str]:
        """A section is one element of the datatype that is made for it."""
        counts = [count for _, count, _ in typed_sections(self.call)]
        return [f"saw {self.name} 1"] if self.name in counts else super().saw()

    def got(self) -> list[str]:
        """The number, or what stands for one that does not fit."""
        result = self.result
        array = samples.array_counted_by(self.call.record, self.argument)
        if array:
            elements = samples.elements(self.call, array)
            result = elements if self.used is None else self.used
        if self.argument.from_one and self.is_fortran and result >= 0:
            result += 1
        if self.argument.overflow and self.is_int and result != wrapped(result, True):
            result = samples.value_of(self.call.spec, self.argument.overflow)
        return [f"got {self.name} {wrapped(result, self.is_int)}"]


class Room(Sort):
    """The length of a string's buffer. Fortran counts no final NUL (MPI-4.1 10)."""

    def saw(self) -> list[str]:
        """One more in C."""
        more = 1 if self.is_fortran and self.value > 0 else 0
        return [f"saw {self.name} {self.value + more}"]

    def got(self) -> list[str]:
        """One less in Fortran."""
        less = max(self.result - 1, 0) if self.is_fortran else self.result
        return [f"got {self.name} {less}"]


class Numbers(Sort):
    """Arrays of integers."""

    def __init__(self, call: Call, argument: Argument) -> None:
        super().__init__(call, argument)
        count = samples.elements(call, argument)
        if argument.may_be and call.case is Case.SPECIAL:
            self.constant = argument.may_be[0]
        self.given = (
            samples.numbers(call, argument) if argument.is_in else [-77] * count
        )
        self.used = count  # elements that the core looks at

    def _value(self) -> int:
        return -77

    def c_variable(self) -> str:
        values = ", ".join(str(n) for n in self.given)
        kind = pointed(self.argument, self.call.is_large)
        value = f"{kind} {self.name}[{samples.SPACE}] = {{{values or 0}}}"
        return "" if self.constant else value

    def c_actual(self) -> str:
        return self.constant or self.name

    def c_got(self) -> list[str]:
        show = 'echo_number("got", "{0}", {0}[{1}]);'
        shown = 0 if self.constant else len(self.given)
        return [show.format(self.name, i) for i in range(shown)]

    def f_variable(self) -> str:
        return f"{self.f_type()} :: {self.name}({samples.SPACE})"

    def f_literals(self) -> str:
        """The elements as an array."""
        return ", ".join(f_number(n, self.is_int) for n in self.given)

    def f_given(self) -> list[str]:
        """One statement, since compilers need long for many."""
        if self.constant or not self.given:
            return []
        return [f"{self.name}(:{len(self.given)}) = [{self.f_literals()}]"]

    def f_actual(self) -> str:
        return self.constant or self.name

    def f_got(self) -> list[str]:
        show = "call got('{0}', {0}({1}))"
        shown = 0 if self.constant else len(self.given)
        return [show.format(self.name, i + 1) for i in range(shown)]

    def saw(self) -> list[str]:
        if self.constant:
            value = samples.value_of(self.call.spec, self.constant)
            return [f"saw {self.name} address {value}"]
        given = self.given[: self.used] if self.argument.is_in else []
        return [f"saw {self.name} {n}" for n in given]

    def got(self) -> list[str]:
        first = self.result + (1 if self.argument.from_one and self.is_fortran else 0)
        results = [first + i for i in range(len(self.given))]
        results[self.used :] = self.given[self.used :]
        if self.constant:
            return []
        return [f"got {self.name} {n}" for n in results]

    def kept(self) -> list[str]:
        return [f"got {self.name} {n}" for n in self.given]


class Table(Numbers):
    """Arrays of arrays of integers."""

    def __init__(self, call: Call, argument: Argument) -> None:
        super().__init__(call, argument)
        self.columns = int(argument.columns)
        first = samples.number(call, argument)
        self.given = [first - i for i in range(self.used * self.columns)]
        self.used *= self.columns

    def c_variable(self) -> str:
        values = ", ".join(str(n) for n in self.given)
        return f"int {self.name}[{samples.SPACE}][{self.columns}] = {{{values or 0}}}"

    def f_variable(self) -> str:
        return f"{self.f_type()} :: {self.name}({self.columns}, {samples.SPACE})"

    def f_given(self) -> list[str]:
        rows = len(self.given) // self.columns
        given = f"reshape([{self.f_literals()}], [{self.columns}, {rows}])"
        return [f"{self.name}(:, :{rows}) = {given}"] if rows else []


class Flags(Numbers):
    """Arrays of logicals."""

    def __init__(self, call: Call, argument: Argument) -> None:
        super().__init__(call, argument)
        if argument.is_in:
            self.given = [i % 2 for i in range(self.used)]

    def f_literals(self) -> str:
        return ", ".join(".true." if n else ".false." for n in self.given)

    def f_given(self) -> list[str]:
        return super().f_given() if self.argument.is_in else []

    def got(self) -> list[str]:
        results = [int(self.call.has_objects)] * self.used
        return [f"got {self.name} {n}" for n in results + self.given[self.used :]]


class Absent(Sort):
    """What only the large procedure has, in a call of the small one."""

    is_absent = True

    def _value(self) -> int:
        return 0

    def saw(self) -> list[str]:
        is_seen = self.argument.is_in and not self.argument.is_array
        return [f"saw {self.name} 0"] if is_seen else []

    def got(self) -> list[str]:
        return []

    def kept(self) -> list[str]:
        return []


class Flag(Sort):
    """Logicals."""

    def _value(self) -> int:
        is_true = self.call.case is not Case.EDGE
        return int(is_true) if self.argument.is_in else -77

    def f_given(self) -> list[str]:
        if not self.argument.is_in:
            return []
        return [f"{self.name} = .{'true' if self.value else 'false'}."]

    def got(self) -> list[str]:
        return [f"got {self.name} {int(self.call.has_objects)}"]


class Literal(Flag):
    """LOGICALs by their addresses; C has none, and gives an int of the same bytes."""

    def c_variable(self) -> str:
        return f"int {self.name} = {self.value}"

    def c_actual(self) -> str:
        return f"&{self.name}"


def walked_sections(call: Call) -> list[Argument]:
    """Those that the call looks at, in order."""
    found = []
    for section in call.sections:
        if section.descriptor and section.descriptor.value == "walk":
            found.append(section)
    return found


def typed_sections(call: Call) -> list[tuple[str, str, str]]:
    """Buffer, count and datatype of each section that becomes a datatype."""
    found = []
    arguments = call.record.arguments
    for section in filter(call.record.is_typed, walked_sections(call)):
        i = arguments.index(section)
        found.append((section.name, arguments[i + 1].name, arguments[i + 2].name))
    return found


def demand(call: Call, section: Argument) -> str:
    """What a call uses of a section: the arguments behind it, or behind the buffers that
    follow it, say so."""
    arguments = call.record.arguments
    behind = [a for a in arguments[arguments.index(section) :] if not a.is_choice]
    is_in_place = call.case is Case.IN_PLACE
    has_all = section.per and (is_in_place or section.per.only_if is None)
    blocks = samples.elements(call, section) if has_all else 1
    counts, types = behind[0], "DATATYPE"
    if not counts.is_array:
        told = f"{blocks} of {samples.number(call, counts)}"
        if behind[1].kind.name != types:
            return f"{told} {samples.value_of(call.spec, 'MPI_BYTE')}"
        return f"{told} {types} {samples.object_number(call, behind[1])}"
    first = 0 if has_all else samples.OWN_RANK

    def ends(numbers: Argument) -> str:
        found = samples.numbers(call, numbers)[first:]
        return f"{found[0]} to {found[blocks - 1]}"

    told = f"{blocks} of {ends(counts)}"
    type_ = next(a for a in behind if a.kind.name == types)
    if type_.is_array:
        told += f" {types} 0 {types} {(blocks - 1) % 3}"
    else:
        told += f" {types} {samples.object_number(call, type_)}"
    return told if behind[1] is type_ else f"{told} {ends(behind[1])}"
