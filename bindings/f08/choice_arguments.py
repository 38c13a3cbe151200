# SPDX-License-Identifier: BSD-3-Clause
"""The arguments of a Fortran procedure with choice buffers, in an entry point in C.
Choice buffers are the compiler's own descriptors.
"""

from collections.abc import Callable, Iterator

from bindings.f08.buffer_steps import Buffer
from codegen.buffers import size
from bindings.c.text import CText
from bindings.f08.choice_conversions import CONVERSIONS
from bindings.fortran.conversion import Conversion, ConvertedArguments, row
from codegen.entries import Entry, Parameter
from codegen.kinds import KindClass
from codegen.model import Argument, Descriptor, Per
from codegen.plan import count_of
from codegen.rules import Condition
from codegen.steps import ObjectCount


def is_section(p: Parameter) -> bool:
    """A choice buffer that may be any section."""
    return p.argument.is_choice and p.argument.descriptor is Descriptor.WALK


class ChoiceArguments(ConvertedArguments):
    """The arguments of one entry in C."""

    def __init__(self, entry: Entry, c: CText) -> None:
        super().__init__(entry)
        self._c = c
        self.sections = tuple(p for p in entry.parameters if is_section(p))

    # ---- arguments besides buffers ---------------------------------------------------
    def fortran_number(self, p: Parameter) -> str:
        """The type of a number in Fortran, as C names it."""
        c_type = self._c.type(p)
        return "fortran_integer" if c_type == "int" else c_type

    @property
    def converted(self) -> tuple[Parameter, ...]:
        return tuple(p for p in self.entry.parameters if not p.argument.is_choice)

    def cells(self, p: Parameter) -> Conversion:
        way = "integer" if p.kind.is_integral else p.kind.kind_class.value
        array = " array" if p.argument.is_array else ""
        short = "short " if p.kind.is_short else ""
        key = f"{short}{way}{array} {p.argument.direction.value}"
        return row(CONVERSIONS, key, p.argument, self.procedure)

    def fill(self, p: Parameter, cell: str) -> str:
        count = count_of(self.procedure, p.argument)
        is_int = self._c.type(p) == "int"
        return cell.format(
            name=p.name,
            type=self._c.type(p),
            number=self.fortran_number(p),
            value=f"to_int(*{p.name})" if is_int else f"*{p.name}",
            n=self._length(count) if isinstance(count, ObjectCount) else "",
        )

    @staticmethod
    def _length(count: ObjectCount) -> str:
        """As many elements as an array has: what the C library says of an object."""
        function = f"oriel_{count.owner.kind.object}_{count.what}"
        return f"{function}((uintptr_t)*{count.owner.name})"

    def _lengths(self) -> list[str]:
        """Lengths of strings, which come last."""
        way = KindClass.STRING
        strings = [p for p in self.entry.parameters if p.kind.kind_class is way]
        return [f"{p.name}_length" for p in strings]

    def _fortran_type(self, p: Parameter) -> str:
        return self.fill(p, self.cells(p).fortran_type)

    def parameters(self, buffer: str = "const struct descriptor *") -> str:
        """The arguments as Fortran passes them, with that type for buffers."""
        declared = [
            f"{buffer if p.argument.is_choice else self._fortran_type(p)}{p.name}"
            for p in self.entry.parameters
        ]
        declared += ["fortran_integer *ierror"] if self.entry.has_ierror else []
        return ", ".join(declared + [f"size_t {name}" for name in self._lengths()])

    def names(self, replaced: dict[str, str] | None = None) -> str:
        """The same as actual arguments, with others in the place of some."""
        others = replaced or {}
        actuals = [others.get(p.name, p.name) for p in self.entry.parameters]
        actuals += ["ierror"] if self.entry.has_ierror else []
        return ", ".join(actuals + self._lengths())

    # ---- buffers ---------------------------------------------------------------------
    def way(self, p: Parameter) -> Buffer:
        """The buffer that a section becomes."""
        if self.procedure.is_typed(p.argument):
            return Buffer.TYPED
        return Buffer.KEPT if p.argument.is_async else Buffer.COPIED

    def _named(self, name: str) -> Parameter:
        return next(p for p in self.entry.parameters if p.name == name)

    def told(self, p: Parameter) -> tuple[Parameter, ...]:
        """The arguments that tell the contents of a buffer: those behind it, or behind
        the buffers that follow it."""
        behind = self.entry.parameters[self.entry.parameters.index(p) + 1 :]
        return tuple(other for other in behind if not other.argument.is_choice)

    def address(self, p: Parameter) -> str:
        """The address of a buffer that is no section, or of all the memory that the
        call is to use."""
        if p.argument.descriptor is not Descriptor.CONTIG:
            return f"address_of({p.name})"
        argument = size(self.procedure, p.argument)
        given = self.actual(self._named(argument.name)) if argument else "0"
        return f"address_of_whole({p.name}, {given})"

    def compared(self, condition: Condition) -> str:
        """The value that a condition compares; objects are not asked."""
        p = self._named(condition.argument)
        return f"address_of({p.name})" if p.argument.is_choice else self.actual(p)

    def uses(self, p: Parameter) -> tuple[str, ...]:
        """The conditions under which a buffer is used: its own, and those of what tells
        how far."""
        arguments = [p.argument, *(other.argument for other in self.told(p)[:1])]
        terms = [term for argument in arguments for term in self._terms(argument)]
        return tuple(dict.fromkeys(terms))

    def _terms(self, argument: Argument) -> Iterator[str]:
        for condition in argument.ignored_if:
            yield f"{self.compared(condition)} != {condition.constant}"
        if argument.at_root:
            root = self.actual(self._named(argument.at_root.rank))
            yield f"oriel_is_root((uintptr_t)*{argument.at_root.argument}, {root})"

    def opening(self, p: Parameter) -> str:
        """The call that opens a section."""
        way, told = self.way(p), self.told(p)
        if way is Buffer.TYPED:
            given = ", ".join(self.actual(other) for other in told[:2])
            return f"buffer_typed(&c_{p.name}, {p.name}, {given})"
        members = ", ".join(self._demand(p, told))
        demand = f"&(struct demand){{{members}}}"
        function = "buffer_kept" if way is Buffer.KEPT else "buffer_copied"
        return f'{function}(&c_{p.name}, {p.name}, "{p.name}", {demand})'

    def _demand(self, p: Parameter, told: tuple[Parameter, ...]) -> Iterator[str]:
        """One block, or as many as the buffer is said to have, each of so many
        elements, or of as many as an array says. A number without a datatype is one of
        bytes."""
        counts, per = told[0], p.argument.per
        behind = told[1 : 3 if counts.argument.is_array else 2]
        yield f".blocks = {self._blocks(per)}"
        if counts.argument.is_array:
            own = f" + {self._own_block(per)}" if per and per.only_if else ""
            yield f".counts = NUMBERS({counts.name}{own})"
            for displacements in behind:
                if displacements.kind.is_integral:
                    yield f".displacements = NUMBERS({displacements.name})"
        else:
            yield f".count = {self.actual(counts)}"
        types = [other for other in behind if other.kind.is_datatype]
        for other in types:
            member = ".types" if other.argument.is_array else ".type"
            yield f"{member} = {self.actual(other)}"
        if not types:
            yield ".type = MPI_BYTE"

    def _blocks(self, per: Per | None) -> str:
        if per is None:
            return "1"
        owner = self.procedure.argument(per.argument)
        number = self._length(ObjectCount(owner, per.what + "s"))
        if per.only_if is None:
            return number
        return f"{self._has_all(per.only_if)} ? {number} : 1"

    def _own_block(self, per: Per) -> str:
        """The first block of a buffer that may have only this process's."""
        has_all = self._has_all(per.only_if) if per.only_if else "true"
        return f"({has_all} ? 0 : oriel_own_rank((uintptr_t)*{per.argument}))"

    def _has_all(self, condition: Condition) -> str:
        return f"{self.compared(condition)} == {condition.constant}"

    def closing(self, p: Parameter, is_fortran: bool) -> str:
        """The call that closes a section when C, or a procedure in Fortran, is done."""
        is_changed = "true" if p.argument.is_out else "false"
        way = self.way(p)
        if way is Buffer.TYPED:
            return f"typed_buffer_close(&c_{p.name})"
        if way is Buffer.COPIED:
            return f"buffer_close(&c_{p.name}, {is_changed})"
        name = next(q.name for q in self.entry.parameters if q.kind.is_request)
        request = f"(MPI_Request)(intptr_t)*{name}" if is_fortran else f"c_{name}"
        kept = f"code ? MPI_REQUEST_NULL : {request}"
        return f"kept_buffer_close(&c_{p.name}, {is_changed}, {kept})"

    # ---- calls -----------------------------------------------------------------------
    def simple_call(self, prefix: str) -> str:
        """The call when every section is simple."""
        return self._call(prefix, "descriptor_address", self.address)

    def call_of_addresses(self, prefix: str) -> str:
        """The call when every buffer is an address."""
        return self._call(
            prefix, "sentinel_address", lambda p: f"sentinel_address({p.name})"
        )

    def _call(
        self, prefix: str, function: str, other: Callable[[Parameter], str]
    ) -> str:
        actuals = []
        for p in self.entry.parameters:
            if is_section(p):
                actuals.append(f"{function}({p.name})")
            else:
                actuals.append(other(p) if p.argument.is_choice else self.actual(p))
        return f"{prefix}{self.entry.c_name}({', '.join(actuals)})"

    def call(self, prefix: str) -> str:
        """The call with the sections that were opened."""
        actuals: list[str] = []
        replaced: dict[str, str] = {}
        for place, p in enumerate(self.entry.parameters):
            if is_section(p):
                actuals.append(f"c_{p.name}.address")
                if self.way(p) is Buffer.TYPED:
                    count, datatype = self.entry.parameters[place + 1 : place + 3]
                    replaced[count.name] = f"({self._c.type(count)})c_{p.name}.count"
                    replaced[datatype.name] = f"c_{p.name}.type"
            elif p.argument.is_choice:
                actuals.append(self.address(p))
            else:
                actuals.append(replaced.get(p.name) or self.actual(p))
        return f"{prefix}{self.entry.c_name}({', '.join(actuals)})"

    def fortran_call(self, procedure: str) -> str:
        """The call of the procedure that takes addresses. A section has another count
        and datatype, maybe another address; a variable that stands for a constant stays
        what it is."""
        replaced = {}
        for p in self.entry.parameters:
            if not p.argument.is_choice:
                continue
            address = f"c_{p.name}.address" if is_section(p) else self.address(p)
            replaced[p.name] = f"address_for_fortran({address}, {p.name})"
            if is_section(p) and self.way(p) is Buffer.TYPED:
                count, datatype = self.told(p)[:2]
                replaced[count.name] = f"&{p.name}_count"
                replaced[datatype.name] = f"&{p.name}_type"
        return f"{procedure}({self.names(replaced)})"
