# SPDX-License-Identifier: BSD-3-Clause
"""What the domains of a record mean in C: the words for a good value, and the condition
that a bad one fulfils.
"""

from codegen.model import Argument
from codegen.rules import (
    Above,
    AtLeast,
    Committed,
    Condition,
    Domain,
    Mask,
    NotPredefined,
    OneOf,
    Predefined,
    RankOf,
    RootOf,
)


# ---- what a program reads ------------------------------------------------------------
def _rule_words(domain: Domain) -> str:
    match domain.rule:
        case AtLeast(minimum):
            return f">= {minimum}"
        case Above(bound):
            return f"> {bound}"
        case RankOf(argument):
            return f"a rank in {argument}"
        case RootOf(argument):
            return f"a root in {argument}"
        case Mask(bits):
            return f"a union of {', '.join(bits)}"
        case OneOf(values):
            return " or ".join(values)
        case Committed():
            return "committed"
        case NotPredefined():
            return "other than a predefined one"
        case Predefined():
            return "predefined"


def domain_words(domain: Domain, detail: str = "") -> str:
    """">= 0 or MPI_UNDEFINED"; `detail` stands behind the rule."""
    return " or ".join([_rule_words(domain) + detail, *domain.also])


def condition_words(condition: Condition) -> str:
    """"sendbuf is MPI_IN_PLACE", "win's flavor is MPI_WIN_FLAVOR_DYNAMIC"."""
    member = f"'s {condition.member}" if condition.member else ""
    return f"{condition.argument}{member} is {condition.constant}"


# ---- what the compiler reads ---------------------------------------------------------
def lookup(handle: Argument, value: str) -> str:
    """The object of a handle, NULL if there is none."""
    return f"handle_object({handle.kind.tag}, (uintptr_t){value})"


def _object(argument: Argument, value: str) -> str:
    """The object of a handle that has been found valid."""
    if argument.is_array:
        return f"((struct {argument.kind.object} *){lookup(argument, value)})"
    return f"{argument.name}_object"


def _object_call(what: str, handle: Argument | None) -> str:
    """The head of a call of a function of the object."""
    assert handle is not None
    return f"{handle.kind.object}_{what}({handle.name}_object"


def _ranks(group: Argument | None) -> str:
    """How many ranks the object of a handle has."""
    return _object_call("ranks", group) + ")"


def violation(
    argument: Argument, domain: Domain, group: Argument | None, value: str
) -> str:
    """The condition that a value outside of the domain fulfils."""
    match domain.rule:
        case AtLeast(minimum):
            return f"{value} < {minimum}"
        case Above(bound):
            return f"{value} <= {bound}"
        case RankOf():
            return f"!is_rank({value}, {_ranks(group)})"
        case RootOf():
            return f"!{_object_call('has_root', group)}, {value})"
        case Mask(bits):
            return f"({value} & ~({' | '.join(bits)})) != 0"
        case OneOf(values):
            return " && ".join(f"{value} != {constant}" for constant in values)
        case Committed():
            return f"!{_object(argument, value)}->is_committed"
        case NotPredefined():
            return f"{_object(argument, value)}->object.is_predefined"
        case Predefined():
            return f"!{_object(argument, value)}->object.is_predefined"


def complaint(domain: Domain, group: Argument | None) -> str:
    """The text and what its format asks for, as arguments of raise_argument. A long text
    is several literals, so that a line can end between them."""
    words = domain_words(domain, " (0..%d)" if group else "")
    parts = words.replace(" or ", '" " or ').replace(", ", '," " ')
    return f'"must be {parts}"' + (f", {_ranks(group)} - 1" if group else "")
