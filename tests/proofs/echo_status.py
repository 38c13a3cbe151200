# SPDX-License-Identifier: BSD-3-Clause
"""How statuses are echoed: as eight integers, whatever a language calls them."""

import samples
from echo_numbers import Sort, wrapped
from samples import Call, Case

from codegen.model import Argument

INTS = 8


class Status(Sort):
    """One status, or the constant that asks for none."""

    def __init__(self, call: Call, argument: Argument) -> None:
        super().__init__(call, argument)
        is_left_out = call.case in (Case.EDGE, Case.SPECIAL)
        if is_left_out and argument.is_ignorable:
            self.constant = "MPI_STATUS_IGNORE"

    def _value(self) -> int:
        return 300 + 10 * samples.position(self.call.record, self.argument)

    def _ints(self, first: int) -> str:
        """Eight numbers."""
        return " ".join(str(wrapped(first + i, True)) for i in range(INTS))

    def _list(self) -> str:
        return self._ints(self.value).replace(" ", ", ")

    @property
    def result(self) -> int:
        return self.call.results + 10 * self.position

    def c_variable(self) -> str:
        numbers = self._list().split(", ")
        first, rest = ", ".join(numbers[:3]), ", ".join(numbers[3:])
        value = f"MPI_Status {self.name} = {{{first}, {{{rest}}}}}"
        return "" if self.constant else value

    def c_actual(self) -> str:
        return self.constant or f"&{self.name}"

    def c_got(self) -> list[str]:
        show = f'echo_status("got", "{self.name}", &{self.name});'
        return [] if self.constant else [show]

    def f_variable(self) -> str:
        shape = "" if self.call.language == "f08" else "(MPI_STATUS_SIZE)"
        return f"{self.f_type()} :: {self.name}{shape}"

    def f_given(self) -> list[str]:
        given = f"[{self._list()}]"
        if self.call.language == "f08":
            given = f"transfer({given}, {self.name})"
        return [f"{self.name} = {given}"]

    def f_actual(self) -> str:
        return self.constant or self.name

    def f_got(self) -> list[str]:
        show = f"call got_status('{self.name}', transfer({self.name}, 0, 8))"
        return [] if self.constant else [show]

    def saw(self) -> list[str]:
        if self.constant:
            return [f"saw {self.name} nothing"]
        return [f"saw {self.name} {self._ints(self.value)}"]

    def got(self) -> list[str]:
        text = f"got {self.name} {self._ints(self.result)}"
        return [] if self.constant else [text]

    def kept(self) -> list[str]:
        text = f"got {self.name} {self._ints(self.value)}"
        return [] if self.constant else [text]


class Statuses(Status):
    """An array of statuses."""

    def __init__(self, call: Call, argument: Argument) -> None:
        super().__init__(call, argument)
        if self.constant:
            self.constant = "MPI_STATUSES_IGNORE"
        self.count = self.used = samples.elements(call, argument)

    def c_variable(self) -> str:
        size = samples.LENGTH + 1
        numbers = self._list().split(", ")
        first, rest = ", ".join(numbers[:3]), ", ".join(numbers[3:])
        one = f"{{{first}, {{{rest}}}}}"
        values = ", ".join([one] * size)
        return "" if self.constant else f"MPI_Status {self.name}[{size}] = {{{values}}}"

    def c_actual(self) -> str:
        return self.constant or self.name

    def c_got(self) -> list[str]:
        show = 'echo_status("got", "{0}", &{0}[{1}]);'
        count = 0 if self.constant else self.count
        return [show.format(self.name, i) for i in range(count)]

    def f_variable(self) -> str:
        size = samples.LENGTH + 1
        shape = f"{size}" if self.call.language == "f08" else f"MPI_STATUS_SIZE, {size}"
        return f"{self.f_type()} :: {self.name}({shape})"

    def f_given(self) -> list[str]:
        lines = []
        for i in range(self.count):
            if self.call.language == "f08":
                given = f"transfer([{self._list()}], {self.name}(1))"
                lines.append(f"{self.name}({i + 1}) = {given}")
            else:
                lines.append(f"{self.name}(:, {i + 1}) = [{self._list()}]")
        return lines

    def f_got(self) -> list[str]:
        one = "({})" if self.call.language == "f08" else "(:, {})"
        show = "call got_status('{0}', transfer({0}{1}, 0, 8))"
        count = 0 if self.constant else self.count
        return [show.format(self.name, one.format(i + 1)) for i in range(count)]

    def saw(self) -> list[str]:
        if self.constant:
            return [f"saw {self.name} nothing"]
        return super().saw() * self.used

    def got(self) -> list[str]:
        results = [
            f"got {self.name} {self._ints(self.result + i)}" for i in range(self.used)
        ]
        kept = super().kept() * (self.count - self.used)
        return [] if self.constant else results + kept

    def kept(self) -> list[str]:
        return super().kept() * self.count
