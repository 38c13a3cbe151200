# SPDX-License-Identifier: BSD-3-Clause
"""Faults in what the MPI Forum's data do not say of a procedure: error classes, domains,
whose handler is raised, what may be null, what is ignored, what happens to sections.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from codegen.model import Argument, Descriptor, Procedure, Spec
from codegen.rules import (
    Above,
    AtLeast,
    Committed,
    Domain,
    Mask,
    NotPredefined,
    OneOf,
    Predefined,
    RankOf,
    RootOf,
    Rule,
)

OTHER_ERRORS = ("MPI_ERR_UNKNOWN", "MPI_ERR_ARG", "MPI_ERR_OTHER")
OTHER_CONSTANTS = ("MPI_UNDEFINED", "MPI_ROOT")


@dataclass(frozen=True)
class FactMutant:
    """A procedure's record with one fault."""

    record: Procedure
    fault: str

    @property
    def name(self) -> str:
        """The procedure."""
        return self.record.name


def _rules(
    rule: Rule, record: Procedure, bits: list[str]
) -> Iterator[tuple[str, Rule]]:
    """Other rules of the same sort."""
    match rule:
        case AtLeast(minimum):
            yield "minimum + 1", AtLeast(minimum + 1)
            yield "minimum - 1", AtLeast(minimum - 1)
        case Above(bound):
            yield "bound + 1", Above(bound + 1)
            yield "bound - 1", Above(bound - 1)
        case Mask(known):
            for bit in known if len(known) > 1 else ():
                yield f"no {bit}", Mask(tuple(b for b in known if b != bit))
            yield "one bit more", Mask(
                (*known, next(b for b in bits if b not in known))
            )
        case OneOf(values):
            for value in values:
                yield f"no {value}", OneOf(tuple(v for v in values if v != value))
            yield "one value more", OneOf((*values, "MPI_ROOT"))
        case RankOf(name):
            kind = record.argument(name).kind
            alike = [a for a in record.arguments if a.kind is kind and a.is_in]
            for other in alike:
                if other.name != name:
                    yield f"rank of {other.name}", RankOf(other.name)
        case Committed():
            yield "predefined", Predefined()
        case Predefined():
            yield "not predefined", NotPredefined()
        case NotPredefined():
            yield "predefined", Predefined()


def _domains(
    domain: Domain, record: Procedure, bits: list[str]
) -> Iterator[tuple[str, Domain]]:
    """Other domains in the place of one."""
    for error in OTHER_ERRORS:
        if error != domain.error:
            yield error, replace(domain, error=error)
    for fault, rule in _rules(domain.rule, record, bits):
        yield fault, replace(domain, rule=rule)
    for constant in domain.also:
        others = tuple(c for c in domain.also if c != constant)
        yield f"not or {constant}", replace(domain, also=others)
    if isinstance(domain.rule, (AtLeast, RankOf, RootOf)):
        more = next(c for c in OTHER_CONSTANTS if c not in domain.also)
        yield f"or {more}", replace(domain, also=(*domain.also, more))
    if domain.unless:
        yield "no unless", replace(domain, unless=None)


def _of_argument(
    argument: Argument, record: Procedure, bits: list[str]
) -> Iterator[tuple[str, Argument]]:
    """Faults of an argument."""
    domains = argument.domains
    for i, domain in enumerate(domains):
        yield "no domain", replace(argument, domains=domains[:i] + domains[i + 1 :])
        for fault, other in _domains(domain, record, bits):
            changed = (*domains[:i], other, *domains[i + 1 :])
            yield fault, replace(argument, domains=changed)
    if argument.kind.is_handle and argument.is_in:
        for error in OTHER_ERRORS[:2]:
            kind = replace(argument.kind, error=error)
            yield f"handle of nothing is {error}", replace(argument, kind=kind)
    is_result = argument.is_out and not (argument.is_choice or argument.is_ignorable)
    if argument.is_in if argument.kind.is_handle else is_result:
        yield "null ok flipped", replace(argument, null_ok=not argument.null_ok)
    if argument.kind.is_handle and (argument.frees or argument.stays):
        turned = replace(argument, frees=argument.stays, stays=argument.frees)
        yield "stays" if argument.frees else "frees", turned
    if argument.ignored_if:
        yield "never ignored", replace(argument, ignored_if=())
    if argument.overflow:
        yield "no overflow", replace(argument, overflow="")
        yield "other overflow", replace(argument, overflow="MPI_ROOT")
    if argument.is_choice and argument.per:
        yield "one block", replace(argument, per=None)
        if argument.per.only_if:
            always = replace(argument.per, only_if=None)
            yield "always all blocks", replace(argument, per=always)
    if argument.is_choice:
        others = () if argument.may_be else ("MPI_IN_PLACE",)
        yield "may be flipped", replace(argument, may_be=others)
    if argument.descriptor:
        for way in Descriptor:
            if way is not argument.descriptor:
                yield way.value, replace(argument, descriptor=way)


def mutants_of(spec: Spec, record: Procedure) -> Iterator[FactMutant]:
    """All mutants of a record."""
    bits = [c.name for c in spec.constants_in("MODE_CONSTANTS")]
    for i, argument in enumerate(record.arguments):
        for fault, other in _of_argument(argument, record, bits):
            arguments = (*record.arguments[:i], other, *record.arguments[i + 1 :])
            changed = replace(record, arguments=arguments)
            yield FactMutant(changed, f"{argument.name}: {fault}")
    handles = [a.name for a in record.arguments if a.kind.is_handle and a.is_in]
    for errors in (*handles, "self"):
        sorts = {a.name: a.kind.name for a in record.arguments}
        can_raise = errors == "self" or sorts[errors] in ("COMMUNICATOR", "WINDOW")
        if errors != record.errors and can_raise and record.returns_error:
            yield FactMutant(replace(record, errors=errors), f"errors {errors}")
    yield FactMutant(replace(record, anytime=not record.anytime), "anytime flipped")
    collective = "" if record.collective else "all"
    yield FactMutant(replace(record, collective=collective), "collective flipped")
