# SPDX-License-Identifier: BSD-3-Clause
"""Whether the table is consistent. Each rule yields what it finds wrong, so that one
run shows every mistake; a line's own syntax has been checked by the reader.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from codegen.check_constants import (
    check_category,
    check_constant,
    check_kind,
    is_error_class,
    no_callback,
    no_error_class,
)
from codegen.kinds import KindClass
from codegen.model import (
    NO_ARGUMENT,
    Argument,
    Callback,
    Descriptor,
    Direction,
    Form,
    Procedure,
    Spec,
    Told,
)
from codegen.position import Position, SpecError, did_you_mean
from codegen.rules import Condition, Domain


def check(spec: Spec) -> list[SpecError]:
    """Everything that is wrong."""
    errors: list[SpecError] = []
    for kind in spec.kinds.values():
        errors += check_kind(spec, kind)
    for category in spec.categories.values():
        errors += check_category(spec, category)
    for constant in spec.constants.values():
        errors += check_constant(spec, constant)
    for callback in spec.callbacks.values():
        errors += check_record(spec, callback)
    for procedure in spec.procedures.values():
        errors += check_record(spec, procedure)
    errors += _cores(spec)
    return errors


def check_record(spec: Spec, record: Procedure | Callback) -> Iterator[SpecError]:
    """What is wrong with a record of the table, whatever the others say."""
    if isinstance(record, Callback):
        yield from _Record(spec, record, record.arguments).errors()
    else:
        yield from _procedure(spec, record)


# ---- records -------------------------------------------------------------------------
@dataclass(frozen=True)
class _Record:
    """A procedure or a callback with its arguments."""

    spec: Spec
    record: Procedure | Callback
    arguments: tuple[Argument, ...]

    def wrong(self, message: str, position: Position | None = None) -> SpecError:
        return SpecError(position or self.record.position, message, self.record.name)

    def find(self, name: str) -> Argument | None:
        """The argument of that name, if there is one."""
        return next((a for a in self.arguments if a.name == name), None)

    def _meant(self, name: str, otherwise: str) -> str:
        """The remedy for the name of an argument that is none or does not suit."""
        others = [a.name for a in self.arguments if a.name != name]
        return did_you_mean(name, others, otherwise)

    def errors(self) -> Iterator[SpecError]:
        """What is wrong with any of its arguments."""
        if not self.record.name.startswith("MPI_"):
            yield self.wrong("does not begin with MPI_; rename it")
        names = [argument.name for argument in self.arguments]
        for index, argument in enumerate(self.arguments):
            if argument.name in names[:index]:
                message = f"has two arguments '{argument.name}'; rename one"
                yield self.wrong(message, argument.position)
            yield from self._shape(argument)
            yield from self._clauses(argument)
            for domain in argument.domains:
                yield from self._domain(argument, domain)

    def _shape(self, argument: Argument) -> Iterator[SpecError]:
        """Descriptor, callback, length, languages."""
        name, where = f"argument '{argument.name}'", argument.position
        if not argument.description:
            yield self.wrong(f"{name} has no description; add one in quotes", where)
        is_callback = argument.kind.is_callback
        if isinstance(self.record, Procedure):
            if argument.is_choice != (argument.descriptor is not None):
                message = f"{name}: walk, addr or contig belongs to choice buffers only"
                yield self.wrong(f"{message}, and to each; add or remove it", where)
            yield from self._section(self.record, argument)
            if argument.not_first and not self._meet(self.record, argument):
                message = f"{name}: 'not first' belongs to choice buffers of collective"
                message += " procedures over a communicator; remove it"
                yield self.wrong(message, where.at("not first"))
            by_address = (KindClass.FSTATUS, KindClass.LITERAL)
            is_reference = argument.kind.kind_class in by_address
            can_be_address = argument.kind.is_handle or is_reference
            if argument.by_pointer and not can_be_address:
                message = f"{name}: 'by pointer' belongs to callbacks and handles"
                message += "; remove it"
                yield self.wrong(message, where.at("by pointer"))
        if is_callback != bool(argument.callback):
            message = f"{name}: 'calls' belongs to callback kinds only, and to each"
            yield self.wrong(f"{message}; add or remove it", where)
        elif is_callback and argument.callback not in self.spec.callbacks:
            message = f"{name}: {no_callback(self.spec, argument.callback)}"
            yield self.wrong(message, where.at(argument.callback))
        yield from self._length(argument)
        for language in argument.languages:
            if language not in self.record.languages:
                message = f"{name}: '{language}' does not have this record"
                message += "; remove it from 'only'"
                yield self.wrong(message, where.at("only").at(language))

    def _meet(self, record: Procedure, argument: Argument) -> bool:
        """It is a buffer of processes that a communicator gives ranks."""
        over = self.find(record.collective)
        is_communicator = over is not None and over.kind.object == "communicator"
        return argument.is_choice and is_communicator

    def _section(self, record: Procedure, argument: Argument) -> Iterator[SpecError]:
        """What is done with a section that is walked, and what says how much of it is
        used."""
        if argument.descriptor is not Descriptor.WALK or record.is_typed(argument):
            return
        name, where = f"argument '{argument.name}'", argument.position
        place = record.arguments.index(argument)
        behind = [a for a in record.arguments[place:] if not a.is_choice]
        if argument.is_async and not record.keeps_copies:
            message = f"{name}: sections that MPI may use later need a count and a"
            message += " datatype of their own right behind them, in all processes, or"
            message += " the request of a plan"
            yield self.wrong(f"{message}; use contig", where)
        elif not (behind and behind[0].kind.is_integral and behind[0].is_in):
            message = f"{name}: no count behind it says how much of a section is used"
            yield self.wrong(f"{message}; use contig", where)
        elif behind[0].is_array and not argument.per:
            message = f"{name}: nothing says for whom it has blocks"
            yield self.wrong(f"{message}; add 'per'", where)

    def _length(self, argument: Argument) -> Iterator[SpecError]:
        if not argument.length:
            return
        other = self.find(argument.length)
        is_count = other is not None and other.kind.is_integral and other.is_in
        is_known = argument.length == "*" or argument.length in self.spec.constants
        if not is_count and not is_known:
            message = f"argument '{argument.name}': length '{argument.length}' is "
            message += "neither an integer that goes in nor a constant; "
            known = [*(a.name for a in self.arguments), *self.spec.constants]
            message += did_you_mean(argument.length, known, "correct it")
            yield self.wrong(message, argument.position.at(argument.length))

    def _clauses(self, argument: Argument) -> Iterator[SpecError]:
        """frees, null ok, overflow, ignored if, at."""
        name, where = f"argument '{argument.name}'", argument.position
        can_free = (
            argument.kind.is_handle or argument.kind.kind_class is KindClass.KEYVAL
        )
        if argument.frees and not (can_free and argument.direction is Direction.INOUT):
            message = f"{name}: 'frees' belongs to inout handles and keys; remove it"
            yield self.wrong(message, where.at("frees"))
        is_inout_handle = can_free and argument.direction is Direction.INOUT
        if argument.stays and (argument.is_array or not is_inout_handle):
            message = f"{name}: 'stays' belongs to inout handles; remove it"
            yield self.wrong(message, where.at("stays"))
        can_be_null = argument.kind.is_handle or len(argument.languages) == 1
        can_be_null = can_be_null or argument.kind.kind_class is KindClass.STRING
        if argument.null_ok and not can_be_null:
            message = f"{name}: 'null ok' belongs to handles, strings and what one language has"
            yield self.wrong(f"{message}; remove it", where.at("null ok"))
        if argument.overflow:
            if not (argument.kind.is_large and argument.direction is Direction.OUT):
                message = f"{name}: 'overflow' belongs to POLY kinds that come out"
                yield self.wrong(f"{message}; remove it", where.at("overflow"))
            yield from self._constants(argument, [argument.overflow])
        for condition in argument.ignored_if:
            yield from self._condition(argument, condition)
        if argument.at_root:
            place = where.at("at")
            yield from self._grouped(argument, argument.at_root.argument, place)
            root = argument.at_root.rank
            rank = self.find(root)
            if rank is None or not rank.kind.is_integral or not rank.is_in:
                message = f"{name}: '{root}' is no integer that goes in; "
                message += self._meant(root, "correct 'at'")
                yield self.wrong(message, place.at(root))
        if argument.sort not in ("", *argument.kind.sorts):
            message = f"{name}: {argument.kind.name} has no sort '{argument.sort}'; "
            message += did_you_mean(
                argument.sort, argument.kind.sorts, "add it to 'sorts' in kinds.spec"
            )
            yield self.wrong(message, where.at("sort").at(argument.sort))
        yield from self._elements(argument)
        is_handle_out = argument.kind.is_handle and argument.is_out
        can_be_async = argument.is_choice or argument.is_array or is_handle_out
        if argument.is_async and not can_be_async:
            message = f"{name}: 'async' belongs to what MPI may use later; remove it"
            yield self.wrong(message, where.at("async"))

    def _tells(self, told: Told) -> bool:
        """It names an array of integers."""
        counts = self.find(told.array)
        is_array = counts is not None and counts.is_array and counts.kind.is_integral
        return is_array and told.how in ("sum", "last")

    def _elements(self, argument: Argument) -> Iterator[SpecError]:
        """What is said of the elements of an array."""
        name, where = f"argument '{argument.name}'", argument.position
        is_open = argument.is_array and argument.length == "*"
        is_walked = argument.descriptor is Descriptor.WALK
        is_counted = argument.as_many_as or (argument.per and not is_walked)
        if is_counted and not is_open:
            message = f"{name}: 'per' and 'as many as' count the elements of [*]"
            clause = "as many as" if argument.as_many_as else "per"
            yield self.wrong(f"{message}; remove the clause", where.at(clause))
        if argument.per and argument.per.only_if:
            yield from self._condition(argument, argument.per.only_if)
        if argument.per and self.find(argument.per.argument) is None:
            owner = argument.per.argument
            message = f"{name}: '{owner}' is no argument; "
            message += self._meant(owner, "correct 'per'")
            yield self.wrong(message, where.at("per").at(owner))
        if argument.told and not self._tells(argument.told):
            message = f"{name}: 'told by' is the sum or the last of an array of counts"
            yield self.wrong(f"{message}; name one", where.at("told by"))
        for other in filter(None, (argument.as_many_as, argument.from_one_up_to)):
            count = self.find(other)
            if count is None or not count.kind.is_integral:
                message = f"{name}: '{other}' is no integer argument; "
                message += self._meant(other, "name one")
                yield self.wrong(message, where.at(other))
        needs_count = argument.kind.is_handle or bool(argument.domains)
        if argument.is_array and needs_count and not argument.is_counted:
            message = f"{name}: nothing says how many elements there are to check"
            yield self.wrong(f"{message}; add 'per' or 'as many as'", where)
        if argument.columns and argument.domains:
            message = f"{name}: the elements are arrays and cannot have a domain"
            yield self.wrong(f"{message}; remove it", argument.domains[0].position)
        if argument.is_array and argument.kind.is_large and argument.is_out:
            message = f"{name}: arrays of POLY kinds go in only"
            yield self.wrong(f"{message}; use another kind", where)
        if argument.from_one and not (argument.is_out and not argument.is_in):
            message = f"{name}: 'from one' belongs to what comes out; remove it"
            yield self.wrong(message, where.at("from one"))
        if argument.from_one and argument.is_array != bool(argument.from_one_up_to):
            message = f"{name}: 'up to' belongs to arrays 'from one', and to each"
            yield self.wrong(f"{message}; add or remove it", where.at("from one"))
        yield from self._constants(argument, argument.may_be)
        for constant in argument.may_be if argument.is_choice else ():
            known = self.spec.constants.get(constant)
            if known and known.form is not Form.BUFFER:
                message = f"{name}: '{constant}' is no address that a buffer can be"
                yield self.wrong(f"{message}; name one", where.at(constant))

    def _grouped(
        self, argument: Argument, other: str, where: Position
    ) -> Iterator[SpecError]:
        group = self.find(other)
        if group is None or not group.kind.has_ranks or not group.is_in:
            message = f"argument '{argument.name}': '{other}' is no argument with ranks"
            remedy = self._meant(other, "name a communicator, group or window")
            yield self.wrong(f"{message}; {remedy}", where.at(other))

    def _constants(
        self, argument: Argument, names: Iterable[str]
    ) -> Iterator[SpecError]:
        for name in names:
            if name not in self.spec.constants:
                message = f"argument '{argument.name}': unknown constant '{name}'; "
                known = self.spec.constants
                message += did_you_mean(name, known, "add it to constants.spec")
                yield self.wrong(message, argument.position.at(name))

    def _condition(
        self, argument: Argument, condition: Condition
    ) -> Iterator[SpecError]:
        other = self.find(condition.argument)
        name, where = f"argument '{argument.name}'", argument.position
        yield from self._constants(argument, [condition.constant])
        if other is None or not (other.is_in or other.is_choice):
            message = f"{name}: '{condition.argument}' is no argument that goes in; "
            message += self._meant(condition.argument, "correct the condition")
            yield self.wrong(message, where.at(condition.argument))
        elif condition.member and condition.member not in other.kind.fields:
            message = f"{name}: {other.kind.name} has no field '{condition.member}'; "
            fields, add = other.kind.fields, "add it to 'fields' in kinds.spec"
            message += did_you_mean(condition.member, fields, add)
            yield self.wrong(message, where.at(condition.member))
        elif other.is_choice and condition.constant not in other.may_be:
            message = f"{name}: '{condition.argument}' is never {condition.constant}"
            yield self.wrong(
                f"{message}; add 'may be' there", where.at("if").at(condition.argument)
            )

    def _domain(self, argument: Argument, domain: Domain) -> Iterator[SpecError]:
        name, where = f"argument '{argument.name}'", domain.position
        if not argument.is_in:
            yield self.wrong(
                f"{name} only comes out but has a domain; remove it", where
            )
        if not domain.rule.suits(argument.kind):
            message = f"{name}: this rule does not suit kind {argument.kind.name}"
            yield self.wrong(f"{message}; use another", where)
        if not is_error_class(self.spec, domain.error):
            message = f"{name}: {no_error_class(self.spec, domain.error)}"
            yield self.wrong(message, where.at(domain.error))
        if domain.rule.group:
            yield from self._grouped(argument, domain.rule.group, where)
        yield from self._constants(argument, (*domain.also, *domain.rule.constants))
        if domain.unless:
            yield from self._condition(argument, domain.unless)


# ---- procedures ----------------------------------------------------------------------
def _procedure(spec: Spec, procedure: Procedure) -> Iterator[SpecError]:
    record = _Record(spec, procedure, procedure.arguments)
    yield from record.errors()
    yield from _collective(record, procedure)
    yield from _handler(record, procedure)
    yield from _texts(record, procedure)
    if procedure.sized and not procedure.is_large:
        message = "'sized' belongs to procedures with POLY kinds; remove it"
        yield record.wrong(message, procedure.position.at("sized"))
    if procedure.quick and not procedure.returns_error:
        message = "'quick' is for procedures with an error code; remove it"
        yield record.wrong(message, procedure.position.at("quick"))
    if procedure.again and not procedure.quick:
        message = "'again' belongs to 'quick' procedures; remove it"
        yield record.wrong(message, procedure.position.at("again"))
    if procedure.deprecated and _older(procedure.deprecated, procedure.since):
        message = f"is deprecated in {procedure.deprecated} but since {procedure.since}"
        where = procedure.position.at("deprecated").at(procedure.deprecated)
        yield record.wrong(f"{message}; correct one of the two", where)
    if procedure.successor:
        yield from _successor(record, procedure)
    if procedure.planned:
        return
    for argument in procedure.arguments:
        callback = spec.callbacks.get(argument.callback)
        if callback is not None and callback.planned:
            message = (
                f"argument '{argument.name}' calls '{callback.name}', which is planned"
            )
            where = argument.position.at(callback.name)
            yield record.wrong(f"{message}; plan this record too", where)


def _calls_alike(procedure: Procedure, other: Procedure) -> bool:
    """The same core function can serve both."""
    one, two = (
        [(a.kind, a.direction, a.length) for a in p.arguments] + [p.returns]
        for p in (procedure, other)
    )
    return one == two


def _successor(record: _Record, procedure: Procedure) -> Iterator[SpecError]:
    """What has replaced it, and takes the same."""
    name, known = procedure.successor, record.spec.procedures
    where = procedure.position.at("for").at(name)
    if not procedure.deprecated:
        message = "is not deprecated but has 'for'; add 'deprecated VERSION'"
        yield record.wrong(message, procedure.position.at("for"))
    if name not in known:
        remedy = did_you_mean(name, known, "add its record")
        yield record.wrong(f"unknown procedure '{name}'; {remedy}", where)
    elif not _calls_alike(procedure, known[name]):
        message = f"'{name}' takes other arguments; remove 'for'"
        yield record.wrong(message, where)


def _older(version: str, other: str) -> bool:
    """One version of the standard came before another."""
    return [*map(int, version.split("."))] < [*map(int, other.split("."))]


def _collective(record: _Record, procedure: Procedure) -> Iterator[SpecError]:
    if procedure.collective in ("", "all"):
        return
    over = record.find(procedure.collective)
    if over is None or not over.kind.has_ranks or not over.is_in:
        message = (
            f"'collective {procedure.collective}' names no communicator, group or "
        )
        where = procedure.where("collective", procedure.collective)
        yield record.wrong(message + "window that goes in; correct it", where)


def _handler(record: _Record, procedure: Procedure) -> Iterator[SpecError]:
    if procedure.returns_error == (procedure.errors == "none"):
        yield record.wrong(
            "'errors none' is for procedures that return no error code, and for each "
            "of them; correct 'errors' or 'returns'"
        )
    if procedure.errors in NO_ARGUMENT:
        return
    raised = record.find(procedure.errors)
    if raised is None or not raised.kind.has_handler or not raised.is_in:
        handlers = [a.name for a in procedure.arguments if a.kind.has_handler]
        message = f"'errors {procedure.errors}' names no argument with an error handler"
        remedy = did_you_mean(
            procedure.errors, handlers, "correct it, or write self or none"
        )
        where = procedure.where("errors", procedure.errors)
        yield record.wrong(f"{message} that goes in; {remedy}", where)


def _texts(record: _Record, procedure: Procedure) -> Iterator[SpecError]:
    for name in procedure.texts.fails:
        if not is_error_class(record.spec, name):
            where = procedure.where("fails", name)
            yield record.wrong(no_error_class(record.spec, name), where)
    for name in procedure.texts.see:
        if name not in record.spec.procedures:
            known = record.spec.procedures
            remedy = did_you_mean(name, known, "add its record, or correct 'see'")
            where = procedure.where("see", name)
            yield record.wrong(f"unknown procedure '{name}'; {remedy}", where)


def _cores(spec: Spec) -> Iterator[SpecError]:
    """Each record has a core function of its own."""
    seen: dict[str, Procedure] = {}
    for procedure in spec.procedures.values():
        other = seen.setdefault(procedure.core, procedure)
        is_own = procedure.name in (other.name, other.successor)
        if not is_own and procedure.successor != other.name:
            message = (
                f"core function '{procedure.core}' is that of {other.name} already"
            )
            yield SpecError(
                procedure.position, f"{message}; name another", procedure.name
            )
