# SPDX-License-Identifier: BSD-3-Clause
"""The parts of steps in C, which bindings/c/_steps.j2 prints.

For an argument `x` a function has the locals `x_object`, what a handle stands for, and
`x_wide`, a result before it is narrowed.
"""

from bindings.c.values import checked, complaint, lookup
from bindings.c.text import CText
from bindings.c.reference import arguments, summary
from codegen.entries import Entry, Parameter
from codegen.language import LanguageTable
from codegen.model import Argument, Constant, Procedure, Spec
from codegen.rules import Value
from codegen.steps import (
    Answer,
    AtRoot,
    BufferUse,
    Call,
    Check,
    CheckAddress,
    Count,
    Equal,
    HasRoom,
    NamedCount,
    NoMemory,
    ObjectCount,
    Part,
    Passed,
    Positive,
    Resolve,
    ResolveIf,
    Term,
    Terms,
    ToldCount,
    Unequal,
    Validate,
    Way,
)

_PASSED = {
    Way.VALUE: "{name}",
    Way.NUMBERS: "(struct numbers){{{name}, {is_wide}}}",
    Way.OBJECT: "{name}_object",
    Way.NEW_OBJECT: "&{name}_object",
    Way.CALLBACK: "(generic_function *){name}",
    Way.WIDE: "&{name}_wide",
    Way.NO_VALUE: "0",
    Way.NO_ADDRESS: "NULL",
}
_IN_REGISTERS = 6  # arguments; the others lie on the stack


def value(argument: Argument) -> str:
    """The value of an argument that goes in, or of an element of an array."""
    if argument.is_array:
        return f"{argument.name}[i]"
    is_address = argument.is_out or argument.by_pointer
    is_number = is_address and not argument.is_choice
    return ("*" if is_number else "") + argument.name


def count(how_many: Count) -> str:
    """A number of elements or ranks."""
    match how_many:
        case NamedCount(name):
            return name
        case ObjectCount(owner, what):
            return f"{owner.kind.object}_{what}({owner.name}_object)"
        case ToldCount(how, counts):
            return f"ints_{how}({counts.name}, {counts.count})"


def _term(term: Term) -> str:
    match term:
        case Unequal(argument, other, ""):
            return f"{value(argument)} != {other}"
        case Unequal(argument, other, member):
            return f"{argument.name}_object->{member} != {other}"
        case Equal(argument, constant):
            return f"{value(argument)} == {constant}"
        case AtRoot(communicator, rank):
            name = communicator.name
            return f"{communicator.kind.object}_is_root({name}_object, {rank.name})"
        case Positive(how_many):
            return f"{count(how_many)} > 0"
        case HasRoom(size):
            return f"{value(size)} > 0"
        case NoMemory(buffer, datatype):
            return f"has_no_memory({buffer.name}, {datatype.name}_object)"


def _checked(step: Check) -> Value:
    """The value that a step looks at."""
    return checked(step.argument, step.group, value(step.argument))


class CSteps(CText):
    """Declarations and the parts of steps."""

    def __init__(self, table: LanguageTable, spec: Spec) -> None:
        super().__init__(table)
        self._spec = spec

    def constant_type(self, constant: Constant) -> str:
        """The type of a constant that is no integer."""
        if constant.callback:
            return f"{constant.callback}{'_c' if constant.is_large else ''} *"
        if constant.kind:
            return self._spec.kinds[constant.kind].handle
        return constant.c_type or "void *"

    @staticmethod
    def value(argument: Argument) -> str:
        """The value of an argument that goes in, or of an element of an array."""
        return value(argument)

    @staticmethod
    def count(how_many: Count) -> str:
        """A number of elements or ranks."""
        return count(how_many)

    @staticmethod
    def lookup(handle: Argument) -> str:
        """The object of a handle, NULL if there is none."""
        return lookup(handle, value(handle))

    def refusal(self, step: Validate | Resolve | ResolveIf) -> str:
        """The call that raises an error about a handle."""
        handle = step.handle
        told = f'{handle.kind.error}, "{handle.name}", (uintptr_t){value(handle)}'
        return f"raise_handle(&call, {self.object(step.raiser)}, {told})"

    @staticmethod
    def tag(handle: Argument | None) -> str:
        """The kind of object that a handle stands for, 0 for none."""
        return handle.kind.tag if handle else "0"

    @staticmethod
    def object_type(handle: Argument) -> str:
        """The type of the object that a handle stands for."""
        return f"struct {handle.kind.object}"

    @staticmethod
    def initial(argument: Argument) -> str:
        """The value of a wide local before the call."""
        return value(argument) if argument.is_in else "0"

    @staticmethod
    def object(handle: Argument | None) -> str:
        """The local with the object of a handle."""
        return f"{handle.name}_object" if handle else "NULL"

    @staticmethod
    def all_of(terms: Terms, *others: str) -> str:
        """The terms, and others behind them, as a condition."""
        return " && ".join([*map(_term, terms), *others])

    def is_nowhere(self, step: CheckAddress) -> str:
        """The condition under which a buffer is looked at more closely."""
        first = f"unlikely(is_nowhere((uintptr_t){step.argument.name}))"
        return f"{first} && {self.all_of(step.terms)}" if step.terms else first

    def violation(self, step: Check) -> str:
        """The condition that a value outside of the domain fulfils."""
        domain = step.domain
        bad = domain.rule.violation(_checked(step))
        allowed = [f"{value(step.argument)} != {constant}" for constant in domain.also]
        free = [_term(step.unless)] if step.unless else []
        return self.all_of(step.terms, " && ".join([bad, *allowed, *free]))

    @staticmethod
    def complaint(step: Check) -> str:
        """The refused value and what is wrong with it."""
        cast = "(intptr_t)" if step.argument.kind.is_handle else ""
        return f"{cast}{value(step.argument)}, {complaint(step.domain, _checked(step))}"

    def used(self, use: BufferUse, request: Argument | None) -> str:
        """The call that tells what a collective call does with a buffer."""
        is_written = "true" if use.is_written else "false"
        if use.unless_root is not None:
            is_written = f"!{_term(use.unless_root)}"
        demand = f"&(struct demand){{{self._demand(use)}}}"
        given = f"{use.buffer.name}, {is_written}, {demand}, {self.object(request)}"
        return f"races_use_demand({given})"

    def _demand(self, use: BufferUse) -> str:
        """The blocks of a buffer, as members of struct demand."""
        counts, rank = use.counts, f"{self.object(use.communicator)}->rank"
        first = f" + {rank}" if use.part is Part.FIRST else ""
        members = [f".blocks = {count(use.blocks) if use.blocks else 1}"]
        if use.part in (Part.OTHERS, Part.OWN):
            members += [f".part = DEMAND_{use.part.name}", f".own = {rank}"]
        if counts.argument.is_array:
            members.append(f".counts = {self._numbers(counts, first)}")
        else:
            members.append(f".count = {counts.name}")
        if use.displacements is not None:
            members.append(f".displacements = {self._numbers(use.displacements)}")
        member = ".types" if use.datatype.is_array else ".type"
        return ", ".join([*members, f"{member} = {use.datatype.name}"])

    def _numbers(self, parameter: Parameter, more: str = "") -> str:
        is_wide = "false" if self.type(parameter) == "int" else "true"
        return f"{{{parameter.name}{more}, {is_wide}}}"

    @staticmethod
    def met(step: Call) -> str:
        """The local with the communicator whose members meet in the call, or nothing.
        What has a request is ordered by its messages."""
        procedure = step.entry.procedure
        if any(a.kind.is_request for a in procedure.arguments):
            return ""
        over = [a for a in procedure.arguments if a.name == procedure.collective]
        is_comm = over and over[0].kind.object == "communicator"
        return f"{over[0].name}_object" if is_comm else ""

    def call(self, step: Call | Answer) -> str:
        """The call of the core."""
        values = [self._passed(passed) for passed in step.passed]
        if step.entry.procedure.sized:
            values.append("true" if step.entry.is_large else "false")
        return f"{step.entry.core_name}({', '.join(values)})"

    def _passed(self, passed: Passed) -> str:
        parameter = passed.parameter
        is_wide = "false" if self.type(parameter) == "int" else "true"
        return _PASSED[passed.way].format(name=parameter.name, is_wide=is_wide)

    @staticmethod
    def names(entry: Entry) -> str:
        """The arguments as they were given."""
        return ", ".join(p.name for p in entry.parameters)

    @staticmethod
    def checked_name(entry: Entry) -> str:
        """The checked body of an entry that has a quick one, too."""
        return f"checked_{entry.name}"

    def body_prototype(self, entry: Entry) -> str:
        """The function that the steps are the body of."""
        if not entry.procedure.quick:
            return self.prototype(entry, entry.pmpi_name)
        prototype = self.prototype(entry, self.checked_name(entry))
        return f"static __attribute__((noinline)) {prototype}"

    def comment(self, procedure: Procedure) -> tuple[str, ...]:
        """The comment above a procedure in mpi.h."""
        *lines, last = (*summary(procedure), *arguments(procedure))
        return (*lines, last + " */")

    def quick_prototype(self, entry: Entry) -> str:
        """Arguments that lie on the stack stay there, since the checked body is to find
        them there: else registers were saved and loaded to keep them meanwhile."""
        declared = [self.declare(p) for p in entry.parameters]
        for place, parameter in enumerate(entry.parameters[_IN_REGISTERS:]):
            head = declared[_IN_REGISTERS + place].removesuffix(parameter.name)
            declared[_IN_REGISTERS + place] = f"{head}volatile {parameter.name}"
        return f"{self.returns(entry)} {entry.pmpi_name}({', '.join(declared)})"
