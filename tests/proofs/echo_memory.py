# SPDX-License-Identifier: BSD-3-Clause
"""How strings, buffers, pointers and procedures are echoed.
"""

import samples
from common import OF_MPI1, prototype_name
from echo_numbers import Sort, typed_sections, wrapped
from samples import Call, Case

from codegen.model import Argument


class Text(Sort):
    """Strings. Fortran's end with blanks, which are not sent; those of info objects
    do not begin with any either (MPI-4.1 10)."""

    def __init__(self, call: Call, argument: Argument) -> None:
        super().__init__(call, argument)
        room = samples.room_of(call.record, argument)
        self.room = samples.number(call, room) if room else samples.ROOM

    def _value(self) -> int:
        return 0

    @property
    def text(self) -> str:
        """What is given."""
        return samples.text(self.call, self.argument) if self.argument.is_in else "?"

    @property
    def _limit(self) -> str:
        """The constant that says how long it may be."""
        return self.argument.length if self.argument.length.isupper() else ""

    @property
    def is_null(self) -> bool:
        """C gives no string."""
        is_edge = self.call.case is Case.EDGE
        return is_edge and self.argument.null_ok and not self.is_fortran

    def _length(self) -> str:
        is_short = self.call.case is Case.SPECIAL and not self.argument.count
        if is_short and self.is_fortran:
            return "5"
        return self._limit or str(samples.ROOM)

    def c_variable(self) -> str:
        length = self._limit or "MPI_MAX_INFO_KEY"
        return "" if self.is_null else f'char {self.name}[{length}] = "{self.text}"'

    def c_actual(self) -> str:
        return "NULL" if self.is_null else self.name

    def c_got(self) -> list[str]:
        return [f'echo_text("got", "{self.name}", {self.c_actual()});']

    def f_variable(self) -> str:
        length = str(samples.ROOM) if self.argument.is_in else self._length()
        return f"character(len={length}) :: {self.name}"

    def f_given(self) -> list[str]:
        return [f"{self.name} = '{self.text}'"]

    def saw(self) -> list[str]:
        if not self.argument.is_in:
            return []
        text = self.text.rstrip() if self.is_fortran else self.text
        first = self.call.record.arguments[0]
        if self.is_fortran and first.kind.name == "INFO":
            text = text.strip()
        return [f"saw {self.name} [{text}]"]

    def got(self) -> list[str]:
        if self.room == 0 or self.is_null:
            return self.kept()
        text = f"result {self.position}"
        length = self._length()
        return [f"got {self.name} [{text[: int(length)] if length == '5' else text}]"]

    def kept(self) -> list[str]:
        return [f"got {self.name} {'[(null)]' if self.is_null else f'[{self.text}]'}"]


UNFIT_SECTION = 4094  # as core/datatype/language.h has it


class Buffer(Sort):
    """Choice buffers: a column of memory, a constant or, in Fortran, a section."""

    def _value(self) -> int:
        return 0

    def __init__(self, call: Call, argument: Argument) -> None:
        super().__init__(call, argument)
        if call.case is Case.EDGE:
            self.constant = "MPI_BOTTOM"
        elif call.case is Case.SPECIAL:
            self.constant = samples.special_address(call, argument)
        for section in call.sections if call.case is Case.IN_PLACE else ():
            condition = section.per and section.per.only_if
            if condition and condition.argument == argument.name:
                self.constant = condition.constant

    def c_variable(self) -> str:
        return ""

    def c_actual(self) -> str:
        return self.constant or f"echo_column({self.position})"

    def c_got(self) -> list[str]:
        return []

    def f_variable(self) -> str:
        return ""

    def f_given(self) -> list[str]:
        return []

    def f_actual(self) -> str:
        # How much follows an element is not known, so that any size will do.
        rows = "1" if samples.is_whole(self.argument) else ":"
        rows = "2:16:3" if self._is_section else rows
        return self.constant or f"memory({rows}, {self.position})"

    @property
    def _is_section(self) -> bool:
        return self.argument in self.call.sections

    @property
    def _is_copied(self) -> bool:
        is_typed = self.name in [b for b, _, _ in typed_sections(self.call)]
        is_walked = (
            self.argument.descriptor and self.argument.descriptor.value == "walk"
        )
        return bool(self._is_section and is_walked and not is_typed)

    def f_got(self) -> list[str]:
        return [f"call got_column({self.position})"] if self._is_copied else []

    @property
    def _elements(self) -> list[int]:
        return [100 * self.position + row for row in range(16)]

    def saw(self) -> list[str]:
        if self.constant:
            value = samples.value_of(self.call.spec, self.constant)
            return [f"saw {self.name} address {value}"]
        if self._is_copied:
            first = " ".join(str(n) for n in self._elements[1:8:3])
            return [f"saw {self.name} copy {first}"]
        if self._is_section and samples.is_whole(self.argument):
            return [f"saw {self.name} address {UNFIT_SECTION}"]
        row = 1 if self._is_section else 0
        return [f"saw {self.name} buffer {self.position} + {row}"]

    def got(self) -> list[str]:
        if not self._is_copied:
            return []
        elements = self._elements
        if self.is_out:
            results = [wrapped(self.result + i, True) for i in range(3)]
            elements[1:8:3] = results
        return [f"got buffer {self.position} {' '.join(str(n) for n in elements)}"]

    def kept(self) -> list[str]:
        return []

    @property
    def result(self) -> int:
        return self.call.results + 10 * self.position


class Address(Sort):
    """Addresses that come out, as a pointer or a number."""

    def c_variable(self) -> str:
        return f"void *{self.name} = (void *)-77"

    def c_got(self) -> list[str]:
        return [f'echo_number("got", "{self.name}", (intptr_t){self.name});']

    def f_given(self) -> list[str]:
        return []

    @property
    def result(self) -> int:
        return self.call.results + 10 * self.position


class Detached(Address):
    """The same, but mpi and mpif.h have no use for it."""

    def f_variable(self) -> str:
        if self.call.language == "f08":
            return super().f_variable()
        return f"integer :: {self.name}(4)"

    def f_got(self) -> list[str]:
        return super().f_got() if self.call.language == "f08" else []

    def got(self) -> list[str]:
        return [] if self.call.language == "f90" else super().got()


class Function(Sort):
    """Procedures of the program, and constants that stand for one."""

    def __init__(self, call: Call, argument: Argument) -> None:
        super().__init__(call, argument)
        if call.case is Case.EDGE:
            self.constant = samples.predefined_callback(call, argument)

    def _value(self) -> int:
        return samples.callback_number(self.call, self.argument)

    def c_variable(self) -> str:
        return ""

    def c_actual(self) -> str:
        name = prototype_name(self.argument, self.call.is_large)
        return self.constant or f"({name} *)own_{name}"

    def f_variable(self) -> str:
        return ""

    def f_given(self) -> list[str]:
        return []

    def f_actual(self) -> str:
        name = prototype_name(self.argument, self.call.is_large)
        return self.constant or f"own_{name}"

    def saw(self) -> list[str]:
        if self.constant:
            value = samples.value_of(self.call.spec, self.constant)
            return [f"saw {self.name} {value}"]
        return [f"saw {self.name} own {self.value}"]


class Opaque(Sort):
    """What a program gives to its own procedures: pointers in C, integers in Fortran."""

    def _value(self) -> int:
        sign = -1 if self.call.case is Case.EDGE else 1
        far = 2**30 if self.is_int else 2**40
        return sign * (far + self.position) if self.argument.is_in else -77

    @property
    def is_int(self) -> bool:
        return self.is_fortran and self.argument.kind.name in OF_MPI1

    def c_variable(self) -> str:
        return f"void *{self.name} = (void *){self.value}"

    def c_got(self) -> list[str]:
        return [f'echo_number("got", "{self.name}", (intptr_t){self.name});']

    @property
    def result(self) -> int:
        return self.call.results + 10 * self.position

    def got(self) -> list[str]:
        if not self.is_fortran:
            return super().got()
        return (
            [f"got {self.name} {self.result + 1}"]
            if self.call.has_objects
            else self.kept()
        )


class Arguments(Sort):
    """What main got, or nothing. In C only, where the number may go by value."""

    def _value(self) -> int:
        is_null = self.call.case is Case.EDGE or self.is_fortran
        return 0 if is_null else 1 + 10 * self.is_number

    @property
    def is_number(self) -> bool:
        """It is no address."""
        return self.argument.kind.is_integral and self.argument.by_value

    def c_variable(self) -> str:
        if not self.value or self.is_number:
            return ""
        kind = "int " if self.argument.kind.is_integral else "char **"
        return f"{kind}{self.name} = 0"

    def c_actual(self) -> str:
        if self.is_number:
            return str(self.value)
        cast = "(char **)" if self.argument.by_value else ""
        return f"{cast}&{self.name}" if self.value else "NULL"

    def c_got(self) -> list[str]:
        return []

    def saw(self) -> list[str]:
        return [f"saw {self.name} {self.value}"]

    def got(self) -> list[str]:
        return []

    def kept(self) -> list[str]:
        return []


class Variadic(Sort):
    """What C may add for a tool; nobody sees it."""

    def _value(self) -> int:
        return 0

    def c_variable(self) -> str:
        return ""

    def c_actual(self) -> str:
        return f'"added", {self.position}.5'

    def saw(self) -> list[str]:
        return []
