# SPDX-License-Identifier: BSD-3-Clause
"""What a record says, in words for a reader: the comments of declarations, the messages of
entry points and the reference say it alike.
"""

from collections.abc import Iterator

from codegen.model import Argument
from codegen.rules import Condition


def condition_words(condition: Condition) -> str:
    """ "sendbuf is MPI_IN_PLACE", "win's flavor is MPI_WIN_FLAVOR_DYNAMIC"."""
    member = f"'s {condition.member}" if condition.member else ""
    return f"{condition.argument}{member} is {condition.constant}"


def kind_words(argument: Argument) -> str:
    """As the standard says it; "" if it says nothing."""
    return plain_kind(argument) if argument.has_word else ""


def plain_kind(argument: Argument) -> str:
    """ "handle", "array of non-negative integers"."""
    word = argument.kind.word
    plural = word + ("es" if word.endswith("s") else "s")
    return f"array of {plural}" if argument.is_array else word


def domain_demands(argument: Argument) -> Iterator[tuple[str, str]]:
    """What its domains demand, each with the error class of what does not obey."""
    for domain in argument.domains:
        free = f" unless {condition_words(domain.unless)}" if domain.unless else ""
        yield domain.words() + free, domain.error


def freedoms(argument: Argument) -> Iterator[str]:
    """When it does not matter, and what may stand in its place."""
    if argument.null_ok:
        yield f"may be {argument.kind.null or 'NULL'}"
    if argument.ignored_if:
        conditions = " or ".join(condition_words(c) for c in argument.ignored_if)
        yield f"ignored if {conditions}"
    if argument.at_root:
        yield f"ignored but at {argument.at_root.rank}"
    if argument.may_be:
        yield f"may be {' or '.join(argument.may_be)}"
    if argument.overflow:
        yield f"{argument.overflow} if it does not fit"
