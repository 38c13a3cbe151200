# SPDX-License-Identifier: BSD-3-Clause
"""Properties of every procedure with such an argument, as calls of the real library:
arrays of length 0, null pointers, MPI_PROC_NULL, calls that move nothing, MPI_IN_PLACE,
keys that have been freed, error handlers given as arguments. Each follows from kinds,
clauses and domains of the record.
"""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from common import ADDRESSES, implemented, sizes, table
from property_objects import handlers, keys, null_handles, strings
from property_text import (
    SHARED,
    SHARED_CLAIM,
    SOMEWHERE,
    condition,
    gives_back,
    on_each,
)
from property_values import (
    AMOUNTS,
    ROOMS,
    Use,
    allows,
    has_rule,
    numbers,
    plain,
    slot,
    takes_null,
)

from codegen.model import Argument, Spec
from codegen.rules import Above, AtLeast, Predefined, RankOf, RootOf


def accesses(use: Use) -> bool:
    """It communicates over a window, which needs an epoch."""
    kinds = {a.kind.name for a in use.arguments}
    return "WINDOW" in kinds and "RMA_DISPLACEMENT_NNI" in kinds


def in_epoch(use: Use, lines: list[str]) -> list[str]:
    """The statements with the epoch that they need around them."""
    if not accesses(use):
        return lines
    return ["open_epoch(TO_ALL);", *lines, "close_epoch(TO_ALL);"]


def lengths(use: Use) -> dict[str, list[Argument]]:
    """The arguments that say how long arrays are, and these; told ones too."""
    found: dict[str, list[Argument]] = {}
    for argument in use.arguments:
        counter = argument.count
        if argument.told:
            counter = use.record.argument(argument.told.array).count
        if argument.is_array and counter in {a.name for a in use.arguments}:
            found.setdefault(counter, []).append(argument)
    return found


# ---- arrays of length 0 --------------------------------------------------------------
def may_be_zero(argument: Argument) -> bool:
    """Its domain lets it be 0."""
    for domain in argument.domains:
        match domain.rule:
            case AtLeast(minimum) if minimum > 0:
                return False
            case Above(bound) if bound >= 0:
                return False
    return not argument.is_out


def zero_lengths(use: Use) -> Iterator[list[str]]:
    """An array of length 0 may be NULL: the call ends as with an address. With all
    lengths 0, or one, it succeeds."""
    record = use.record
    known = {n: a for n, a in lengths(use).items() if may_be_zero(record.argument(n))}
    if not known:
        return
    choices: list[tuple[str, ...]] = [(name,) for name in known]
    if len(known) > 1:
        choices.append(tuple(known))
    block = [SHARED_CLAIM]
    for names in choices:
        zeros = {name: "0" for name in names}
        nulls = {a.name: "NULL" for name in names for a in known[name]}
        lines = [
            condition(f"{' and '.join(names)} 0"),
            f"CALL({use.call(zeros)});",
            *gives_back(use),
            "int other = outcome;",
            condition(f"{' and '.join(nulls)} NULL of length 0"),
            f"CALL({use.call({**zeros, **nulls})});",
            *gives_back(use),
            "gives(other);",
            SHARED,
        ]
        block += on_each(use, lines)
    yield block


# The communicators that have none.
OF_NOTHING = {
    "dimension": "FLAT",
    "source": "NEIGHBORLESS",
    "destination": "NEIGHBORLESS",
}


def nothing_of_object(use: Use) -> Iterator[list[str]]:
    """An array that has an element for each of what an object has none of."""
    arrays = [a for a in use.arguments if a.is_array and a.per]
    arrays = [a for a in arrays if a.per and a.per.what in OF_NOTHING]
    if not arrays:
        return
    assert arrays[0].per
    nulls = {a.name: "NULL" for a in arrays}
    lines = [
        f"use_comm({OF_NOTHING[arrays[0].per.what]});",
        condition(f"{' and '.join(nulls)} NULL: there is no {arrays[0].per.what}"),
        f"CALL({use.call(nulls)});",
        *gives_back(use),
        "gives(MPI_SUCCESS);",
        "use_comm(0);",
    ]
    yield lines


# ---- null pointers -------------------------------------------------------------------
def is_address(argument: Argument) -> bool:
    """C passes an address that is no choice buffer's and no state's."""
    way = argument.kind.kind_class.value
    if argument.is_choice or way in ("state", "arguments") or argument.by_value:
        return False
    if way == "attribute":
        return argument.is_out
    by_address = argument.is_out or argument.is_array or argument.by_pointer
    return by_address or way in ("string", "callback", "status", "fstatus", "literal")


def is_of_no_length(use: Use, argument: Argument) -> bool:
    """Nothing that the call is given says how many elements it has."""
    return argument.is_array and not (argument.is_counted or argument.told)


def nulls(use: Use) -> Iterator[list[str]]:
    """NULL is refused where there must be something."""
    for argument in use.arguments:
        if not is_address(argument) or takes_null(use, argument):
            continue
        own = {a.name: "me" for a in use.arguments if has_rule(a, RootOf)}
        given = {**own, argument.name: "NULL"}
        has_topology = argument.per and argument.per.what in OF_NOTHING
        lines = [f"use_comm({'GRID' if has_topology else '0'});"]
        lines += [condition(f"{argument.name} NULL"), f"CALL({use.call(given)});"]
        if use.record.is_raw:
            # A tool leaves out results that it does not want (MPI-4.1 15.3.3).
            is_needed = argument.is_in and argument.kind.name == "STRING"
            lines.append("fails();" if is_needed else "returns();")
        elif use.record.errors == "none" or is_of_no_length(use, argument):
            lines.append("returns();")
        else:
            lines.append("gives(MPI_ERR_ARG);")
        yield lines


def null_strings(use: Use) -> Iterator[list[str]]:
    """A string for which there is no room may be NULL; with room it must be there."""
    rooms = [a for a in use.arguments if a.kind.name in ROOMS and a.is_in and a.is_out]
    strings = [a for a in use.arguments if a.kind.name == "STRING" and a.is_out]
    if len(rooms) != len(strings) or use.record.is_raw:
        return
    for room, string in zip(rooms, strings, strict=True):
        for name, value, claim in (
            ("0", "0", "gives(MPI_SUCCESS);"),
            ("above 0", "64", "gives(MPI_ERR_ARG);"),
        ):
            given = {string.name: "NULL", room.name: numbers(use, room, value)}
            what = f"{string.name} NULL, {room.name} {name}"
            yield [condition(what), f"CALL({use.call(given)});", claim]


# ---- MPI_PROC_NULL -------------------------------------------------------------------
def to_nobody(use: Use) -> Iterator[list[str]]:
    """A call with MPI_PROC_NULL succeeds, in any epoch, and moves nothing."""
    ranks = [a for a in use.arguments if allows(a, "MPI_PROC_NULL")]
    ranks = [a for a in ranks if has_rule(a, RankOf)]
    if not ranks:
        return
    given = {
        a.name: numbers(use, a, "MPI_PROC_NULL") if a.is_array else "MPI_PROC_NULL"
        for a in ranks
    }
    call = [f"CALL({use.call(given)});", *gives_back(use)]
    call.append('holds(are_buffers_untouched(), "nothing moves");')
    start = condition(f"{' and '.join(given)} MPI_PROC_NULL")
    if not any(a.kind.name == "WINDOW" for a in use.arguments):
        yield [start, *call, "gives(MPI_SUCCESS);", *status_of_nobody(use)]
        return
    has_request = any(a.kind.name == "REQUEST" for a in use.arguments)
    epochs = "TO_NOBODY"
    most = "PASSIVE" if has_request else "EPOCHS"
    claim = "gives(MPI_SUCCESS);"
    if not accesses(use):
        epochs, claim = "0", SOMEWHERE
    range_ = f"int epoch = {epochs}; epoch < {most} && open_epoch(epoch)"
    loop = f"for ({range_}; epoch++) {{"
    body = [f"    {line}" for line in (start, *call, claim, "close_epoch(epoch);")]
    yield on_each(use, [loop, *body, "}"])


def status_of_nobody(use: Use) -> list[str]:
    """A receive from MPI_PROC_NULL tells that (MPI-4.1 3.10)."""
    is_receive = any(allows(a, "MPI_ANY_SOURCE") for a in use.arguments)
    if not is_receive:
        return []
    results = [a for a in use.arguments if a.is_out and not a.is_choice]
    found = {a.kind.name: slot(use, a) for a in results}
    claims = []
    status = "&the_status" if "REQUEST" in found else ""
    if "STATUS" in found:
        status = f"(void *){found['STATUS']}"
    if status:
        claims.append((f"is_of_nobody({status})", "its status is empty"))
    if "LOGICAL" in found:
        claims.append((f"*(int *){found['LOGICAL']} == 1", "its flag is true"))
    if "MESSAGE" in found:
        one = f"*(MPI_Message *){found['MESSAGE']} == MPI_MESSAGE_NO_PROC"
        claims.append((one, "its message is MPI_MESSAGE_NO_PROC"))
    return [f'holds({claim}, "{words}");' for claim, words in claims]


def neighbors_are_nobody(use: Use) -> Iterator[list[str]]:
    """Nothing comes from a neighbor that is MPI_PROC_NULL."""
    if not any(a.is_choice and a.per and a.per.what == "source" for a in use.arguments):
        return
    yield [
        "use_comm(ALONE);",
        condition("all neighbors MPI_PROC_NULL"),
        f"CALL({use.call({})});",
        *gives_back(use),
        "gives(MPI_SUCCESS);",
        'holds(are_buffers_untouched(), "nothing moves");',
        "use_comm(0);",
    ]


# ---- calls that move nothing ---------------------------------------------------------
def real_ranks(use: Use) -> dict[str, str]:
    """Processes in place of MPI_PROC_NULL: this one, or one that may be elsewhere."""
    rank = "next_rank" if accesses(use) else "me"
    ranks = [a for a in use.arguments if has_rule(a, RankOf) and not a.is_array]
    return {a.name: rank for a in ranks}


def with_partner(use: Use, lines: list[str]) -> list[str]:
    """The statements with the other end of the message around them."""
    ranks = [a for a in use.arguments if has_rule(a, RankOf) and not a.is_array]
    is_message = any(a.kind.name == "TAG" for a in use.arguments)
    if not is_message or len(ranks) != 1 or use.record.collective:
        return lines
    is_receive = allows(ranks[0], "MPI_ANY_SOURCE")
    start = "send_message();" if is_receive else "expect_message();"
    return [start, *lines, "end_message();"]


def moves_nothing(use: Use) -> Iterator[list[str]]:
    """What moves nothing succeeds with any address: counts of 0, empty datatypes."""
    buffers = [a for a in use.arguments if a.is_choice]
    kinds = (*AMOUNTS, *ROOMS)
    amounts = [a for a in use.arguments if a.is_in and a.kind.name in kinds]
    if not buffers or not amounts or use.record.is_raw:
        return
    given = real_ranks(use) | {a.name: "NULL" for a in buffers}
    zeros = {a.name: numbers(use, a, "0") if a.is_array else "0" for a in amounts}
    yield from _moves_nothing(use, "counts 0", given | zeros)
    if accesses(use):
        yield from _moves_nothing_of_types(use, given | zeros)
    types = [a for a in use.arguments if a.kind.name == "DATATYPE" and a.is_in]
    is_reduction = any(a.kind.name == "OPERATION" for a in use.arguments)
    if not types or is_reduction or any(has_rule(a, Predefined) for a in types):
        return
    empty = {
        a.name: numbers(use, a, "empty_type") if a.is_array else "empty_type"
        for a in types
    }
    yield from _moves_nothing(use, "empty datatypes", given | empty)


def _moves_nothing_of_types(use: Use, given: Mapping[str, str]) -> Iterator[list[str]]:
    """What the datatypes are does not matter then, nor whether operations take them."""
    types = [a.name for a in use.arguments if a.kind.name == "DATATYPE"]
    ranks = {name: "MPI_PROC_NULL" for name in real_ranks(use)}
    for first, last in (("MPI_BYTE", "MPI_DOUBLE"), ("MPI_DOUBLE", "MPI_BYTE")):
        others = {name: last for name in types} | {types[0]: first}
        nobodies: tuple[dict[str, str], ...] = ({}, ranks)
        for nobody in nobodies:
            what = f"counts 0 of {first} and {last}{' to MPI_PROC_NULL' * bool(nobody)}"
            yield from _moves_nothing(use, what, {**given, **others, **nobody})


def _moves_nothing(
    use: Use, what: str, given: Mapping[str, str]
) -> Iterator[list[str]]:
    call = [f"CALL({use.call(given)});", *gives_back(use)]
    lines = with_partner(use, in_epoch(use, call))
    is_reserve = any("MPI_BUFFER_AUTOMATIC" in a.may_be for a in use.arguments)
    if is_reserve:
        lines = ["take_back_buffers();", *lines, "take_back_buffers();"]
        lines.append("MPI_Buffer_attach(reserve, sizeof reserve);")
    lines.append(SOMEWHERE)
    yield on_each(use, [condition(f"{what}, buffers NULL"), *lines])


# ---- MPI_IN_PLACE --------------------------------------------------------------------
def foreign_addresses(use: Use, argument: Argument) -> list[str]:
    """Constants that only other buffers may be, and that are no address."""
    known = [c.name for c in use.spec.constants_in("BUFFER_ADDR_CONSTANTS")]
    return [n for n in known if n != "MPI_BOTTOM" and n not in argument.may_be]


def awaits(use: Use) -> list[str]:
    """Statements that wait for what a call has begun, which may fail."""
    requests = [a for a in use.arguments if a.kind.name == "REQUEST" and not a.is_in]
    return [f"await({slot(use, a)});" for a in requests]


def tells_address(use: Use) -> bool:
    """The result is where the buffer is, whatever is there."""
    return any(a.is_out and a.kind.name in ADDRESSES for a in use.arguments)


def in_place(use: Use) -> Iterator[list[str]]:
    """MPI_IN_PLACE and the like are refused where a buffer cannot be that, whatever
    process is concerned; where it can, the call succeeds. Each has an address."""
    if use.record.is_raw:
        return
    given_for_it = "MPI_SUCCESS" if tells_address(use) else "MPI_ERR_BUFFER"
    for argument in use.arguments:
        if not argument.is_choice:
            continue
        for constant in foreign_addresses(use, argument):
            own = {a.name: "me" for a in use.arguments if has_rule(a, RootOf)}
            given = own | real_ranks(use) | {argument.name: constant}
            lines = [condition(f"{argument.name} {constant}")]
            # The first access to a process may go another way than later ones.
            before = [f"CALL({use.call(real_ranks(use))});", *awaits(use)]
            call = [f"CALL({use.call(given)});"]
            lines += in_epoch(use, [*before, *call] if accesses(use) else call)
            yield on_each(use, [*lines, f"gives({given_for_it});"])
        if "MPI_IN_PLACE" in argument.may_be:
            yield _is_in_place(use, argument)


def _is_in_place(use: Use, argument: Argument) -> list[str]:
    here = "MPI_IN_PLACE"
    operation = {a.name: "MPI_MAX" for a in use.arguments if a.kind.name == "OPERATION"}
    if any(has_rule(a, RootOf) for a in use.arguments):
        here = f"me == 0 ? MPI_IN_PLACE : (void *){plain(use, argument)}"
    return [
        condition(f"{argument.name} MPI_IN_PLACE"),
        f"CALL({use.call({**operation, argument.name: here})});",
        *gives_back(use),
        "gives(MPI_SUCCESS);",
        'holds(are_buffers_untouched(), "equal values stay equal");',
    ]


# ---- buffers that are not there ------------------------------------------------------
def told_by(use: Use, argument: Argument) -> tuple[Argument, Argument] | None:
    """The count and the datatype of a buffer, if they stand right behind it and not
    behind two buffers at once."""
    behind = use.arguments[use.arguments.index(argument) + 1 :][:2]
    before = use.arguments[: use.arguments.index(argument)][-1:]
    if len(behind) < 2 or behind[1].kind.name != "DATATYPE" or behind[1].is_array:
        return None
    is_alone = not any(a.is_choice for a in (*before, behind[0]))
    return (behind[0], behind[1]) if is_alone and not behind[0].is_array else None


def no_buffer(use: Use) -> Iterator[list[str]]:
    """Data cannot be at NULL, nor where a datatype without addresses begins from there;
    but they can with a datatype of addresses. Neighbors there may be none of, and a
    message may be known to be nobody's."""
    kinds = {a.kind.name for a in use.arguments}
    if any(a.per and a.per.what in OF_NOTHING for a in use.arguments):
        return
    for argument in use.arguments:
        if not argument.is_choice or use.record.is_raw or "MESSAGE" in kinds:
            continue
        told = told_by(use, argument)
        if told or has_one_element(use):
            own = {a.name: "me" for a in use.arguments if has_rule(a, RootOf)}
            given = own | real_ranks(use) | {argument.name: "NULL"}
            start = condition(f"{argument.name} NULL")
            call = in_epoch(use, [f"CALL({use.call(given)});"])
            yield on_each(use, [start, *call, "gives(MPI_ERR_BUFFER);"])
        if told:
            yield _of_addresses(use, argument, told[1])


def has_one_element(use: Use) -> bool:
    """It accesses one element, so that it needs no counts."""
    return accesses(use) and not any(a.kind.name in AMOUNTS for a in use.arguments)


def _of_addresses(use: Use, argument: Argument, datatype: Argument) -> list[str]:
    own = {a.name: "MPI_MAX" for a in use.arguments if a.kind.name == "OPERATION"}
    given = own | real_ranks(use)
    given |= {argument.name: "MPI_BOTTOM", datatype.name: "absolute_type"}
    # Between nodes the request of an access to what is not attached fails.
    end = awaits(use) if accesses(use) else gives_back(use)
    call = [f"CALL({use.call(given)});", *end]
    lines = with_partner(use, in_epoch(use, call))
    start = condition(f"{argument.name} MPI_BOTTOM")
    return on_each(use, [start, *lines, SOMEWHERE])


# ---- the program ---------------------------------------------------------------------
def of_use(use: Use) -> Iterator[list[str]]:
    """All calls of a procedure."""
    yield from zero_lengths(use)
    yield from nothing_of_object(use)
    yield from nulls(use)
    yield from null_strings(use)
    yield from to_nobody(use)
    yield from neighbors_are_nobody(use)
    yield from moves_nothing(use)
    yield from in_place(use)
    yield from no_buffer(use)
    yield from handlers(use)
    yield from strings(use)
    yield from null_handles(use)


def function(name: str, blocks: list[list[str]]) -> list[str]:
    """A C function with blocks of calls, [] if there are none."""
    if not blocks:
        return []
    lines = [f'    procedure = "{name}";']
    for block in blocks:
        lines += ["    {", *(f"        {line}" for line in block), "    }"]
    return [f"static void calls_of_{name}(void)", "{", *lines, "}", ""]


def uses(spec: Spec) -> Iterator[Use]:
    """Every procedure that returns an error code, small and large."""
    for record in implemented(spec, "c"):
        if record.returns_error:
            for is_large in sizes(record):
                yield Use(spec, record, is_large)


def properties_c(spec: Spec) -> str:
    """The program."""
    functions = [function(use.name, list(of_use(use))) for use in uses(spec)]
    functions.append(function("keys", list(keys(spec))))
    lines = [line for one in functions for line in one]
    names = [one[0].removeprefix("static void ") for one in functions if one]
    calls = [f"    {name.removesuffix('(void)')}();" for name in names]
    return "\n".join(['#include "main.h"', "", *lines, *_main(calls)])


def _main(calls: list[str]) -> list[str]:
    start = ["int main(void)", "{", "    begin();"]
    return [*start, *calls, "    return end();", "}", ""]


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(properties_c(table()), "utf-8")
