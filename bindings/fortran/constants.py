# SPDX-License-Identifier: BSD-3-Clause
"""Constants and predefined callbacks in Fortran.

A sentinel is a variable in a common block whose address stands for it;
bindings/f08/sentinels.h.j2 has the same blocks.
"""

from collections.abc import Iterator

from bindings.fortran.text import F08Text, F90Text, fortran_case
from codegen.entries import CallbackEntry
from codegen.kinds import KindClass
from codegen.model import Callback, Constant, Form, Spec

_ROOMS = "MAX_STR_SIZE_CONSTANTS"  # no final NUL in Fortran (MPI-4.1 19.3.9)
_SENTINELS = (Form.BUFFER, Form.IGNORE)


class FortranConstants:
    """The constants of a table."""

    def __init__(self, spec: Spec, f08: F08Text, f90: F90Text) -> None:
        self._spec = spec
        self._f08 = f08
        self._f90 = f90

    def having(self, language: str, *forms: str) -> tuple[Constant, ...]:
        """The constants of these forms that a language has."""
        return tuple(
            c
            for c in self._spec.constants.values()
            if language in c.category.languages and c.form.value in forms
        )

    def plain(self, language: str) -> tuple[Constant, ...]:
        """The constants that are the same wherever they are declared."""
        others = [form.value for form in Form if form not in _SENTINELS]
        return self.having(language, *others)

    def sentinels(self, language: str) -> tuple[Constant, ...]:
        """The variables whose addresses mean something."""
        return self.having(language, *(form.value for form in _SENTINELS))

    # ---- statements ------------------------------------------------------------------
    def statements(self, constant: Constant, language: str) -> tuple[str, ...]:
        """The statements that declare a constant."""
        if constant.form in _SENTINELS:
            block = f"oriel_{constant.name.lower()}"
            return (
                f"{self._sentinel_type(constant, language)} :: {constant.name}",
                f"common /{block}/ {constant.name}",
                f'bind(C, name="{block}") :: /{block}/',
            )
        if constant.form is Form.FUNCTION:
            is_known = not self._spec.callbacks[constant.callback].planned
            return (f"external :: {constant.name}",) if is_known else ()
        kind, value = self._parameter(constant, language)
        return (f"{kind}, parameter :: {constant.name} = {value}",)

    def in_upper_case(self, constant: Constant, language: str) -> Iterator[str]:
        """The same for fixed form; names for the linker stay as they are."""
        for line in self.statements(constant, language):
            yield line if line.startswith("bind") else line.upper()

    def _parameter(self, constant: Constant, language: str) -> tuple[str, str]:
        """Type and value of a named constant."""
        text = constant.fortran_type
        if constant.form is Form.HANDLE and language == "f08":
            handle = self._spec.kinds[constant.kind].handle
            return f"type({handle})", f"{handle}({constant.value})"
        if constant.form is Form.LOGICAL:
            return "logical", text.lower()
        if constant.form is Form.KIND:  # mpif.h cannot use the names of iso_c_binding
            return "integer", text if "(" in text else "selected_int_kind(18)"
        if constant.category.name == _ROOMS and constant.value is not None:
            return "integer", str(constant.value - 1)
        return "integer", str(constant.value)

    @staticmethod
    def _sentinel_type(constant: Constant, language: str) -> str:
        """Type of a sentinel; statuses are arrays where there are no derived types."""
        text = constant.fortran_type or "INTEGER"
        if language == "f08" or not text.startswith("TYPE(MPI_Status)"):
            return fortran_case(text)
        more = "" if text == "TYPE(MPI_Status)" else ", 1"
        return f"integer, dimension(MPI_STATUS_SIZE{more})"

    # ---- predefined callbacks --------------------------------------------------------
    def predefined(self, language: str = "f90") -> tuple[Constant, ...]:
        """The predefined callbacks whose prototype a language has."""
        known = [c for c in self._spec.constants.values() if c.form is Form.FUNCTION]
        return tuple(
            c
            for c in known
            if not self.callback(c).planned
            and (language == "f90" or language in self.callback(c).languages)
        )

    def callback(self, constant: Constant) -> Callback:
        """The prototype of a predefined callback."""
        return self._spec.callbacks[constant.callback]

    def names(self, constant: Constant) -> str:
        """The names in its parentheses."""
        arguments = self.callback(constant).arguments_in("f90")
        return ", ".join([*(a.name for a in arguments), "ierror"])

    def f08_declarations(self, constant: Constant) -> Iterator[str]:
        """The declarations of its arguments in mpi_f08."""
        entry = CallbackEntry(self.callback(constant), constant.is_large)
        for declaration in self._f08.callback_declarations(entry):
            yield fortran_case(str(declaration))

    def f90_declarations(self, constant: Constant) -> Iterator[str]:
        """The declarations of its arguments in mpi."""
        for argument in self.callback(constant).arguments_in("f90"):
            yield f"{fortran_case(self._f90.result(argument.kind))} :: {argument.name}"
        yield "integer :: ierror"

    def effects(self, constant: Constant) -> Iterator[str]:
        """Its statements. Only those that copy have a flag; 1 copies the value, 0 does
        nothing."""
        arguments = self.callback(constant).arguments
        way = KindClass.ATTRIBUTE
        values = [a.name for a in arguments if a.kind.kind_class is way]
        flags = [a.name for a in arguments if a.kind.kind_class is KindClass.LOGICAL]
        for flag in flags:
            yield f"{flag} = {'.true.' if constant.value == 1 else '.false.'}"
            if constant.value == 1:
                yield f"{values[1]} = {values[0]}"
        yield "ierror = 0"
