# SPDX-License-Identifier: BSD-3-Clause
"""Calls from C that differ from a plain one in a single respect: a value just outside of
a domain, a handle of nothing, a pointer to nowhere; or such a value where a condition
allows it. Each probe says what the transcript must be.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import samples
from common import HANDLES, echoed, taken_by
from echo_arguments import Handle, Handles
from echo_memory import Arguments, Buffer, Function, Text
from echo_numbers import Number, Numbers, Sort
from echo_status import Status, Statuses
from echo_programs import c_block, c_program, c_sorts, core_lines
from samples import Call, Case

from codegen.model import Argument, Procedure, Spec
from codegen.rules import Condition, Domain, RootOf

STATES = ("NEW", "FINALIZED")  # of the library, in which most calls are refused
LEVELS = ("FULL", "BASIC", "OFF")


@dataclass(frozen=True)
class Probe:
    """One call with what is special about it."""

    call: Call
    what: str
    taken: tuple[Sort, ...]
    refused: tuple[
        str, ...
    ] = ()  # what is said and the error class; nothing: it passes
    level: str = "FULL"
    before: str = ""  # statements around the call
    after: str = ""

    @property
    def label(self) -> str:
        """What the transcript calls it."""
        return f"{self.call.label} {self.level} {self.what}"

    def block(self) -> list[str]:
        """The call in C."""
        setup = f"process.options.check = CHECK_{self.level}; {self.before}"
        lines = c_block(self.call, list(self.taken))
        lines = [x.replace(f'"{self.call.label}"', f'"{self.label}"') for x in lines]
        return [setup, *lines, self.after]

    def transcript(self) -> list[str]:
        """What must be said."""
        lines = [f"call {self.label}"]
        outs = [s for s in self.taken if s.is_out and not s.is_missing]
        if self.refused:
            *said, error = self.refused
            code = samples.value_of(self.call.spec, error)
            kept = [line for s in outs for line in s.kept()]
            return [*lines, *said, self.raised(code), f"got error {code}", *kept]
        lines += core_lines(self.call, list(self.taken))
        got = [line for s in outs for line in s.got()]
        return [*lines, "got error 0", *got]

    def raised(self, code: int) -> str:
        """The line of the error handler: that of the object, if it is known."""
        raised_on = self.call.record.raised_on
        kind, target = "self", "nothing"
        if raised_on:
            kind = raised_on.kind.tag.removeprefix("KIND_")
            one = next(s for s in self.taken if s.name == raised_on.name)
            assert isinstance(one, Handle)
            is_known = one.value >= 0 and not one.constant and not one.is_missing
            is_known = is_known and not raised_on.is_raw_handle
            target = f"{kind} {one.value}" if is_known else target
        return f"raised {code} by {self.call.c_name} for {kind} on {target}"


def _with(call: Call, name: str, **fields: object) -> tuple[Sort, ...]:
    """The arguments with fields of one of them changed."""
    taken = c_sorts(call)
    for one in taken:
        counter = samples.counter_of(call.record, one.argument)
        counted = samples.array_counted_by(call.record, one.argument)
        if counted and counted.count == name:
            assert isinstance(one, Number)
            one.used = int(str(fields["value"]))
        if one.name == name:
            for field, value in fields.items():
                setattr(one, field, value)
        elif one.argument.is_array and counter == name:
            assert isinstance(one, (Numbers, Handles, Statuses))
            one.used = max(int(str(fields["value"])), 0)
        room = samples.room_of(call.record, one.argument)
        if isinstance(one, Text) and room and room.name == name and "value" in fields:
            one.room = max(int(str(fields["value"])), 0)
        root = one.argument.at_root
        if root and root.rank == name and fields.get("value") != samples.OWN_RANK:
            one.is_ignored = True
    return tuple(taken)


def _sort_of(call: Call, argument: Argument) -> Sort:
    return next(s for s in c_sorts(call) if s.name == argument.name)


# ---- domains -------------------------------------------------------------------------
def _outside(
    call: Call, argument: Argument, domain: Domain
) -> Iterator[tuple[str, dict[str, object]]]:
    """What is said of each bad value, and how it is given."""
    one = _sort_of(call, argument)
    if isinstance(one, (Handle, Handles)):
        bad = samples.refused_object(domain, one.value)
        kind = argument.kind.tag.removeprefix("KIND_")
        if isinstance(one, Handles):
            yield f"{kind} {bad}", {"given": [*one.given[:-1], bad]}
        else:
            yield f"{kind} {bad}", {"value": bad}
        return
    for number in samples.refused_numbers(call, argument, domain):
        if isinstance(one, Numbers):
            yield str(number), {"given": [*one.given[:-1], number]}
        else:
            yield str(number), {"value": number}


def _allowed(call: Call, argument: Argument, domain: Domain) -> Iterator[Probe]:
    """Values at the edge of a domain and constants that it lists."""
    one = _sort_of(call, argument)
    if isinstance(one, (Handle, Handles)):
        return
    for number in samples.allowed_numbers(call, domain):
        if isinstance(one, Numbers):
            taken = _with(call, one.name, given=[number] * len(one.given))
        else:
            taken = _with(call, one.name, value=number)
        yield Probe(call, f"{one.name} {number}", taken)


def _unless(call: Call, condition: Condition) -> tuple[str, str]:
    """Statements that make a condition about an object true, and false again."""
    handle = call.record.argument(condition.argument)
    number = samples.object_number(call, handle)
    kind = handle.kind.tag.removeprefix("KIND_")
    target = f'((struct {handle.kind.object} *)echo_object_of("{kind}", {number}))'
    field = f"{target}->{condition.member}"
    return f"{field} = {condition.constant};", f"{field} = 0;"


def of_domains(call: Call) -> Iterator[Probe]:
    """Values in and outside of domains, at all levels of checking."""
    for argument in taken_by(call.record, "c", call.is_large):
        for domain in argument.domains:
            first = True
            for said, fields in _outside(call, argument, domain):
                refused = (f"bad {argument.name} {said}", domain.error)
                taken = _with(call, argument.name, **fields)
                yield Probe(call, f"{argument.name} {said}", taken, refused)
                if not first:
                    continue
                first = False
                at_basic = () if argument.is_array else refused
                what = f"{argument.name} {said}"
                yield Probe(call, what, taken, at_basic, "BASIC")
                yield Probe(call, what, taken, (), "OFF")
                if domain.unless:
                    around = _unless(call, domain.unless)
                    what += f" unless {domain.unless.constant}"
                    yield Probe(call, what, taken, (), "FULL", *around)
            yield from _allowed(call, argument, domain)


# ---- handles -------------------------------------------------------------------------
def _wrong_handles(one: Handle) -> Iterator[tuple[str, str]]:
    """Handles that stand for no object of the kind: how C writes them, what is said."""
    kind = HANDLES[one.argument.kind.name]
    other = "COMM" if one.kind != "COMM" else "GROUP"
    yield f'({kind})echo_handle_of("{other}", 1)', f"{other} 1"
    yield f"({kind})(uintptr_t){samples.STALE}", str(samples.STALE)
    yield f"({kind})0", "0"


def of_handles(call: Call) -> Iterator[Probe]:
    """Handles of nothing are refused whatever the level."""
    for argument in call.record.handles_in:
        one = _sort_of(call, argument)
        assert isinstance(one, Handle)
        wrong = list(_wrong_handles(one))
        if not argument.null_ok:
            wrong.append((argument.kind.null, str(one.null)))
        for constant, said in wrong:
            taken = _with(call, argument.name, constant=constant, value=-1, said=said)
            refused = (f"bad {argument.name} {said}", argument.kind.error)
            for level in LEVELS[::2]:
                yield Probe(call, f"{argument.name} {said}", taken, refused, level)
        if argument.null_ok:
            taken = _with(call, argument.name, value=-1)
            yield Probe(call, f"{argument.name} null", taken)


def of_handle_arrays(call: Call) -> Iterator[Probe]:
    """A handle of nothing in an array is found by the highest level of checking."""
    for argument in call.record.arguments_in("c"):
        if not (argument.kind.is_handle and argument.is_array and argument.is_in):
            continue
        one = _sort_of(call, argument)
        assert isinstance(one, Handles)
        null = samples.value_of(call.spec, argument.kind.null)
        wrong = {-1: null, samples.FOREIGN: samples.STALE}
        for number, said in wrong.items():
            taken = _with(call, argument.name, given=[*one.given[:-1], number])
            refused = (f"bad {argument.name} {said}", argument.kind.error)
            is_allowed = argument.null_ok and number == -1
            what = f"{argument.name} {said}"
            yield Probe(call, what, taken, () if is_allowed else refused)
            yield Probe(call, what, taken, (), "BASIC")


# ---- pointers ------------------------------------------------------------------------
def _needs_memory(one: Sort) -> bool:
    """NULL is refused."""
    if one.is_absent:
        return False
    is_optional = one.argument.null_ok and not one.argument.kind.is_handle
    if isinstance(one, (Buffer, Arguments)) or is_optional:
        return False
    if isinstance(one, Function):
        known = one.call.spec.constants.values()
        same = [c for c in known if c.callback == one.argument.callback]
        return all(c.value != 0 for c in same)
    if isinstance(one, Status):
        return not one.argument.is_ignorable
    is_pointer = one.is_out or one.argument.by_pointer
    return is_pointer or isinstance(one, (Text, Numbers, Handles))


def of_pointers(call: Call) -> Iterator[Probe]:
    """Results need a place, strings and procedures must be there."""
    for one in c_sorts(call):
        if _needs_memory(one):
            taken = _with(call, one.name, is_missing=True)
            refused = (f"bad {one.name} [(null)]", "MPI_ERR_ARG")
            for level in LEVELS[:2]:
                yield Probe(call, f"{one.name} NULL", taken, refused, level)
        nothing = replace(call, case=Case.EDGE)
        is_array = isinstance(one, (Numbers, Handles)) and not one.constant
        if (
            is_array
            and one.argument.count
            and samples.elements(nothing, one.argument) == 0
        ):
            taken = _with(nothing, one.name, is_missing=True)
            yield Probe(nothing, f"{one.name} NULL", taken)


# ---- buffers -------------------------------------------------------------------------
def of_addresses(call: Call) -> Iterator[Probe]:
    """Constants that other buffers may be are refused, but by the lowest level and where
    only the address is asked for."""
    is_allowed = samples.tells_address(call.record)
    for argument in call.record.arguments:
        if not argument.is_choice or call.record.is_raw:
            continue
        for constant in samples.refused_addresses(call.spec, argument):
            taken = _with(call, argument.name, constant=constant)
            refused = (f"bad {argument.name} [{constant}]", "MPI_ERR_BUFFER")
            for level in LEVELS:
                said = () if level == "OFF" or is_allowed else refused
                yield Probe(call, f"{argument.name} {constant}", taken, said, level)


# ---- what depends on something else ----------------------------------------------------
def is_possible(record: Procedure, condition: Condition) -> bool:
    """The argument may have that value; some roots only intercommunicators have."""
    domains = record.argument(condition.argument).domains
    return not any(isinstance(d.rule, RootOf) for d in domains)


def of_ignored(call: Call) -> Iterator[Probe]:
    """Arguments that another one makes meaningless may be anything."""
    conditions = [c for a in call.record.arguments for c in a.ignored_if]
    for condition in dict.fromkeys(conditions):
        if not is_possible(call.record, condition):
            continue
        taken = c_sorts(call)
        before = ""
        for one in taken:
            argument = one.argument
            if one.name == condition.argument:
                one.constant = condition.constant
                if isinstance(one, Number):
                    one.value = samples.value_of(call.spec, condition.constant)
                if isinstance(one, Handle):
                    before = f'echo_place("{one.kind}", (uintptr_t){one.constant});'
                    one.said = str(samples.value_of(call.spec, condition.constant))
            elif condition not in argument.ignored_if:
                continue
            elif isinstance(one, Handle):
                one.value = -1
            elif isinstance(one, (Numbers, Handles)):
                one.given = [-1] * len(one.given)
            elif isinstance(one, Buffer):
                one.constant = samples.refused_addresses(call.spec, argument)[0]
            else:
                for domain in argument.domains:
                    one.value = samples.refused_numbers(call, argument, domain)[0]
        what = f"ignored: {condition.argument} {condition.constant}"
        yield Probe(call, what, tuple(taken), before=before)
        arrays = [s for s in taken if isinstance(s, (Numbers, Handles))]
        for one in arrays:
            one.is_missing = condition in one.argument.ignored_if
            one.used = 0 if one.is_missing else one.used
        if any(one.is_missing for one in arrays):
            yield Probe(call, f"{what} NULL", tuple(taken), before=before)
    roots = {a.at_root.rank for a in call.record.arguments if a.at_root}
    for root in roots:
        taken = c_sorts(call)
        for one in taken:
            if one.name == root:
                one.value = 0
            elif isinstance(one, Handle) and one.argument.at_root:
                one.value = -1
            elif isinstance(one, Numbers) and one.argument.at_root:
                one.given = [-1] * len(one.given)
            elif isinstance(one, Buffer) and one.argument.at_root:
                one.constant = samples.refused_addresses(call.spec, one.argument)[0]
            elif one.argument.at_root and one.argument.domains:
                domain = one.argument.domains[0]
                one.value = samples.refused_numbers(call, one.argument, domain)[0]
        yield Probe(call, "not at the root", tuple(taken))


def of_lifetime(call: Call) -> Iterator[Probe]:
    """Before initialization and after finalization; a handle would be found bad."""
    if any(not a.null_ok for a in call.record.handles_in):
        return
    for state in STATES:
        around = (
            f"process.state = PROCESS_{state};",
            "process.state = PROCESS_ACTIVE;",
        )
        refused = () if call.record.anytime else ("MPI_ERR_OTHER",)
        taken = tuple(c_sorts(call))
        yield Probe(call, state, taken, refused, "FULL", *around)


SORTS_OF_PROBES = (
    of_domains,
    of_handles,
    of_handle_arrays,
    of_pointers,
    of_addresses,
    of_ignored,
    of_lifetime,
)


def probes(spec: Spec) -> Iterator[Probe]:
    """All of them."""
    for record in echoed(spec, "c"):
        if not record.returns_error:
            continue
        for is_large in (False, True)[: 1 + record.is_large]:
            call = Call(spec, record, "c", Case.PLAIN, is_large)
            for some in SORTS_OF_PROBES:
                yield from some(call)


def by_record(spec: Spec) -> dict[str, list[Probe]]:
    """The probes of each procedure."""
    found: dict[str, list[Probe]] = {}
    for probe in probes(spec):
        found.setdefault(probe.call.record.name, []).append(probe)
    return found


def domains_c(spec: Spec, known: dict[str, list[Probe]]) -> str:
    """The program that makes all these calls."""
    blocks = {
        name: [line for probe in found for line in probe.block()]
        for name, found in known.items()
    }
    return c_program(spec, blocks)
