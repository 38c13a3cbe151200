# SPDX-License-Identifier: BSD-3-Clause
"""Plans what an entry point that calls the core does: one `EntryPlan` per callable, an
ordered list of steps. Nothing here knows how a language prints them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from codegen.buffers import contents, is_location, partner, told
from codegen.entries import Entry, Parameter
from codegen.kinds import KindClass
from codegen.model import Argument, Procedure, Spec
from codegen.rules import Condition, RootOf
from codegen.steps import (
    Activate,
    Answer,
    AtRoot,
    AwaitObject,
    BufferUse,
    Call,
    CheapChecks,
    Check,
    CheckAddress,
    Clear,
    Convert,
    Count,
    Equal,
    ForEach,
    ForEachIf,
    Forward,
    HasRoom,
    Identify,
    NamedCount,
    Narrow,
    NarrowOr,
    NoMemory,
    ObjectCount,
    Part,
    Passed,
    Positive,
    RefuseConstant,
    RefuseNull,
    Require,
    Resolve,
    ResolveIf,
    Step,
    Store,
    Succeed,
    Terms,
    ThoroughChecks,
    ToldCount,
    Unequal,
    UseBuffers,
    Validate,
    Way,
    Widen,
)


@dataclass(frozen=True)
class EntryPlan:
    """The steps of one callable, in order."""

    entry: Entry
    steps: tuple[Step, ...]


# ---- when, and how many --------------------------------------------------------------
def unless(procedure: Procedure, condition: Condition) -> Unequal:
    """The condition does not hold."""
    argument = procedure.argument(condition.argument)
    return Unequal(argument, condition.constant, condition.member)


def use(procedure: Procedure, argument: Argument) -> Terms:
    """The conditions under which an argument is used, () if it always is."""
    terms: Terms = tuple(unless(procedure, c) for c in argument.ignored_if)
    root = argument.at_root
    if root is None:
        return terms
    communicator = procedure.argument(root.argument)
    return (*terms, AtRoot(communicator, procedure.argument(root.rank)))


def count_of(procedure: Procedure, argument: Argument) -> Count | None:
    """The number of elements of an array, None if it is unknown before the call."""
    if argument.per:
        owner = procedure.argument(argument.per.argument)
        return ObjectCount(owner, argument.per.what + "s")
    if argument.told:
        return ToldCount(argument.told.how, procedure.argument(argument.told.array))
    return NamedCount(argument.count) if argument.count else None


# ---- handles -------------------------------------------------------------------------
def _lookup_terms(procedure: Procedure, handle: Argument) -> Terms:
    """The conditions under which a handle is looked up: otherwise it stands for
    nothing, or for the same object as its twin."""
    terms: Terms = (Unequal(handle, handle.kind.null),) if handle.null_ok else ()
    terms += use(procedure, handle)
    twin = procedure.twin(handle)
    return (*terms, Unequal(handle, twin.name)) if twin else terms


def _resolve(
    procedure: Procedure, handle: Argument, raiser: Argument | None
) -> Iterator[Step]:
    if handle.is_out or handle.by_pointer:
        yield Require(handle, (), raiser)
    terms = _lookup_terms(procedure, handle)
    if handle.is_raw_handle:
        yield Validate(handle, terms, raiser)
    elif terms:
        yield ResolveIf(handle, terms, procedure.twin(handle), raiser)
    else:
        yield Resolve(handle, raiser)


def raiser_of(procedure: Procedure) -> Argument | None:
    """The handle whose object's error handler is raised; None for a handle that the
    core may change: the core says what its object was."""
    raised_on = procedure.raised_on
    return None if raised_on is None or raised_on.is_raw_handle else raised_on


def _resolve_all(procedure: Procedure) -> Iterator[Step]:
    """The handle whose error handler is raised comes first: later errors need it."""
    for handle in procedure.handles_in:
        is_first = handle is procedure.raised_on
        yield from _resolve(
            procedure, handle, None if is_first else raiser_of(procedure)
        )


def _activate(procedure: Procedure) -> Iterator[Step]:
    is_proven = any(not handle.is_optional for handle in procedure.handles_in)
    if procedure.is_meeting or not (procedure.anytime or is_proven):
        yield Activate(raiser_of(procedure))


# ---- checks --------------------------------------------------------------------------
def room_of(procedure: Procedure) -> Argument | None:
    """The argument that says how much of a string that comes out is written."""
    arguments = procedure.arguments
    if not any(a.is_out and a.kind.kind_class is KindClass.STRING for a in arguments):
        return None
    sizes = (a for a in arguments if a.is_in and a.is_out and a.kind.is_integral)
    return next(sizes, None)


def _room(procedure: Procedure, argument: Argument) -> Argument | None:
    is_string = argument.kind.kind_class is KindClass.STRING
    return room_of(procedure) if is_string and argument.is_out else None


class CorePlanner:
    """Plans the entries of a table that call the core."""

    def __init__(self, spec: Spec) -> None:
        constants = [c for c in spec.constants.values() if c.callback]
        # Zero is a predefined callback of these, so that NULL means something.
        self._null_callbacks = {c.callback for c in constants if c.value == 0}
        self._spec = spec

    def plan(self, entry: Entry) -> EntryPlan:
        """The plan of an entry."""
        procedure = entry.procedure
        if procedure.is_raw:
            given = tuple(Passed(p, Way.VALUE) for p in entry.parameters)
            return EntryPlan(entry, (Forward(entry, given),))
        if procedure.is_conversion:
            return EntryPlan(entry, (Convert(entry, entry.parameters[0]),))
        if entry.is_function:
            return EntryPlan(entry, (Answer(entry, _passed(entry)),))
        return EntryPlan(entry, tuple(self._steps(entry)))

    def _steps(self, entry: Entry) -> Iterator[Step]:
        procedure = entry.procedure
        yield Identify(entry, procedure.raised_on)
        yield from _resolve_all(procedure)
        yield from _activate(procedure)
        arguments = [p.argument for p in entry.parameters]
        cheap = [c for a in arguments for c in self._cheap_checks(procedure, a)]
        if cheap:
            yield CheapChecks(tuple(cheap))
        thorough = [c for a in arguments for c in _array_checks(procedure, a)]
        if thorough:
            yield ThoroughChecks(tuple(thorough))
        yield from _locals(entry)
        uses = tuple(_uses(entry))
        goes_on = any(a.kind.is_request for a in procedure.arguments)
        yield from () if goes_on else uses
        yield Call(entry, _passed(entry), raiser_of(procedure))
        yield from uses if goes_on else ()
        yield from _results(entry)
        yield Succeed()

    def _cheap_checks(self, procedure: Procedure, argument: Argument) -> Iterator[Step]:
        """Checks of a few instructions."""
        raiser = raiser_of(procedure)
        if self._is_required(procedure, argument):
            yield Require(argument, _need(procedure, argument), raiser)
        if argument.is_choice and not is_location(procedure, argument):
            yield self._address_check(procedure, argument)
        if not argument.is_array:
            yield from _domain_checks(procedure, argument, use(procedure, argument))

    def _is_required(self, procedure: Procedure, argument: Argument) -> bool:
        """It is passed by address and needs one, at least sometimes."""
        if argument.by_value or argument.is_choice:
            return False
        if argument.kind.is_handle:
            is_resolved = argument.is_in and not argument.is_array
            return (argument.is_out or argument.is_array) and not is_resolved
        is_reference = argument.kind.is_by_reference
        if not (argument.is_out or argument.is_array or is_reference):
            return False
        if argument.null_ok and not _room(procedure, argument):
            return False
        is_null_callback = argument.callback in self._null_callbacks
        is_status = argument.kind.kind_class is KindClass.STATUS
        is_ignorable = is_status and argument.is_ignorable
        return not (is_null_callback or is_ignorable)

    def _address_check(self, procedure: Procedure, argument: Argument) -> Step:
        """A buffer is not a constant that only others can be, and has memory if data
        move. Whatever it is then, it is in the first page."""
        raiser = raiser_of(procedure)
        refusals: list[RefuseConstant | RefuseNull] = [
            RefuseConstant(argument, name, raiser)
            for name in self._spec.foreign_addresses(argument)
        ]
        moves = _moves_data(procedure, argument)
        if moves:
            refusals.append(RefuseNull(argument, moves, raiser))
        return CheckAddress(argument, use(procedure, argument), tuple(refusals))


def _need(procedure: Procedure, argument: Argument) -> Terms:
    """The conditions under which an argument needs an address: a string that may be
    NULL has no room then."""
    terms = use(procedure, argument)
    count = count_of(procedure, argument) if argument.is_array else None
    room = _room(procedure, argument) if argument.null_ok else None
    terms += (Positive(count),) if count else ()
    return (*terms, HasRoom(room)) if room else terms


def _moves_data(procedure: Procedure, buffer: Argument) -> Terms:
    """The conditions under which something is read from a buffer or written to it
    although no memory is there, () if the record does not say what is in the buffer."""
    told = contents(procedure, buffer)
    if told is None:
        return ()
    count, datatype = told
    terms = use(procedure, count)
    if terms == use(procedure, buffer):
        terms = ()  # the check of the buffer begins with them
    rank = partner(procedure, buffer)
    terms += (Positive(NamedCount(count.name)),)
    terms += (Unequal(rank, "MPI_PROC_NULL"),) if rank else ()
    return (*terms, NoMemory(buffer, datatype))


def _domain_checks(
    procedure: Procedure, argument: Argument, terms: Terms
) -> Iterator[Step]:
    for domain in argument.domains:
        named, condition = domain.rule.group, domain.unless
        group = procedure.argument(named) if named else None
        free = unless(procedure, condition) if condition else None
        yield Check(argument, domain, group, free, terms, raiser_of(procedure))


def _array_checks(procedure: Procedure, array: Argument) -> Iterator[Step]:
    """Checks that look at every element of an array."""
    if not array.is_array:
        return
    steps: list[Step] = []
    if array.kind.is_handle and array.is_in:
        terms: Terms = (Unequal(array, array.kind.null),) if array.null_ok else ()
        steps.append(Validate(array, terms, raiser_of(procedure)))
    steps += _domain_checks(procedure, array, ())
    count = count_of(procedure, array)
    if not steps or count is None:
        return
    terms = use(procedure, array)
    if terms:
        yield ForEachIf(array, count, tuple(steps), terms)
    else:
        yield ForEach(array, count, tuple(steps))


# ---- what is done with buffers -------------------------------------------------------
def _root_of(procedure: Procedure) -> AtRoot | None:
    for argument in procedure.arguments:
        for domain in argument.domains:
            if isinstance(domain.rule, RootOf):
                return AtRoot(procedure.argument(domain.rule.argument), argument)
    return None


def _terms_of_use(procedure: Procedure, buffer: Argument, counts: Argument) -> Terms:
    """The conditions under which a collective call uses a buffer."""
    terms = [*use(procedure, buffer), *use(procedure, counts)]
    terms += [Unequal(buffer, constant) for constant in buffer.may_be]
    root = _root_of(procedure)
    if root and not (buffer.at_root or buffer.is_in and buffer.is_out):
        terms.append(Unequal(root.rank, "MPI_ROOT"))  # that is only the others' root
    if buffer.not_first:
        terms.append(Unequal(procedure.argument(procedure.collective), "0", "rank"))
    return tuple(dict.fromkeys(terms))


def _buffer_use(entry: Entry, buffer: Argument) -> BufferUse | None:
    """What a collective call does with a choice buffer where nothing is in place, None
    without a datatype."""
    procedure = entry.procedure
    counts, *behind = told(procedure, buffer)
    behind = behind[: 2 if counts.is_array else 1]
    datatype = next((a for a in behind if a.kind.is_datatype), None)
    if datatype is None:
        return None
    given = {p.name: p for p in entry.parameters}
    return BufferUse(
        buffer,
        _terms_of_use(procedure, buffer, counts),
        buffer.is_out,
        _root_of(procedure) if buffer.is_in and buffer.is_out else None,
        Part.ALL,
        count_of(procedure, buffer) if buffer.per else None,
        given[counts.name],
        next((given[a.name] for a in behind if a.kind.is_integral), None),
        datatype,
        procedure.argument(procedure.collective),
    )


def _uses_of(entry: Entry, buffer: Argument) -> Iterator[BufferUse]:
    """What a collective call does with a choice buffer. If data of this process are in
    place they stay there; a reduction in place counts as one that only reads."""
    whole, per = _buffer_use(entry, buffer), buffer.per
    if whole is None:
        return
    others = (a for a in entry.procedure.arguments if a.is_choice and a is not buffer)
    placed = next((a for a in others if "MPI_IN_PLACE" in a.may_be), None)
    if per is None or placed is None or (placed.per and not per.only_if):
        yield whole
        return
    is_free = (*whole.terms, Unequal(placed, "MPI_IN_PLACE"))
    is_placed = (*whole.terms, Equal(placed, "MPI_IN_PLACE"))
    if per.only_if:
        yield replace(whole, terms=is_free, part=Part.FIRST, blocks=None)
        yield replace(whole, terms=is_placed, is_written=False)
        return
    yield replace(whole, terms=is_free)
    yield replace(whole, terms=is_placed, part=Part.OTHERS)
    if buffer.is_out and not buffer.at_root:
        yield replace(whole, terms=is_placed, part=Part.OWN, is_written=False)


def _uses(entry: Entry) -> Iterator[Step]:
    """What a blocking or nonblocking collective call does with its buffers."""
    procedure = entry.procedure
    is_kept = any(a.kind.is_info for a in procedure.arguments)
    if not procedure.collective or is_kept:
        return
    uses = tuple(
        use for a in procedure.arguments if a.is_choice for use in _uses_of(entry, a)
    )
    if uses:
        requests = (a for a in procedure.arguments if a.kind.is_request)
        yield UseBuffers(uses, next(requests, None))


# ---- the call and its results --------------------------------------------------------
def _is_narrowed(parameter: Parameter) -> bool:
    """The core's result is wider than what this entry stores."""
    argument = parameter.argument
    is_number = argument.is_out and not argument.is_array and argument.kind.is_integral
    return is_number and argument.kind.is_large and not parameter.is_large


def _is_new(argument: Argument) -> bool:
    """The core makes an object."""
    is_result = argument.kind.is_handle and argument.is_out and not argument.is_in
    return is_result and not argument.is_raw_handle


def _locals(entry: Entry) -> Iterator[Step]:
    for parameter in entry.parameters:
        if _is_new(parameter.argument):
            yield AwaitObject(parameter.argument)
        elif _is_narrowed(parameter):
            yield Widen(parameter.argument)


def _way(parameter: Parameter) -> Way:
    argument = parameter.argument
    if argument.is_numbers:
        return Way.NUMBERS
    if argument.kind.is_handle and not argument.is_raw_handle:
        return Way.OBJECT if argument.is_in else Way.NEW_OBJECT
    if argument.kind.is_callback:
        return Way.CALLBACK
    return Way.WIDE if _is_narrowed(parameter) else Way.VALUE


def _passed(entry: Entry) -> tuple[Passed, ...]:
    """The arguments of the core's function: one for each of the record."""
    given = {p.name: p for p in entry.parameters}
    passed = []
    for argument in entry.procedure.arguments_in(entry.language):
        if argument.kind.kind_class is KindClass.VARIADIC:
            continue
        if argument.name in given:
            parameter = given[argument.name]
            passed.append(Passed(parameter, _way(parameter)))
        else:
            is_address = argument.is_out or argument.is_array
            way = Way.NO_ADDRESS if is_address else Way.NO_VALUE
            passed.append(Passed(Parameter(argument, False, False), way))
    return tuple(passed)


def _results(entry: Entry) -> Iterator[Step]:
    raiser = raiser_of(entry.procedure)
    for parameter in entry.parameters:
        argument = parameter.argument
        is_freed = argument.kind.is_handle and argument.frees
        if _is_new(argument):
            yield Store(argument)
        elif is_freed and argument.is_out and not argument.is_raw_handle:
            yield Clear(argument)
        elif _is_narrowed(parameter) and argument.overflow:
            yield NarrowOr(parameter, argument.overflow)
        elif _is_narrowed(parameter):
            yield Narrow(entry, parameter, raiser)
