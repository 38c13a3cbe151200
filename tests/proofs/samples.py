# SPDX-License-Identifier: BSD-3-Clause
"""What calls are given: for each argument a value that no other argument has, inside its
domain; and for each domain the values just outside.
"""

from dataclasses import dataclass
from enum import Enum

from common import ADDRESSES, prototype_name, sizes, width

from codegen.model import Argument, Procedure, Spec
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
)


class Case(Enum):
    """What is special about a call."""

    PLAIN = "plain"  # values and objects that differ in everything
    EDGE = "edge"  # the least values, null handles, results of zero
    SPECIAL = "special"  # constants that stand for something else
    FAILS = "fails"  # the core returns an error
    WIDE = "wide"  # results that do not fit into a small procedure
    SECTION = "section"  # array sections as buffers
    FIRST = "first"  # an array section as the first buffer only
    LAST = "last"  # an array section as the last buffer only
    IN_PLACE = "in place"  # a section that has more blocks because of MPI_IN_PLACE


LENGTH = 3  # of arrays whose length is an argument
SPACE = 64  # elements of the variables that hold arrays
ROOM = 40  # for strings whose room is an argument
OWN_RANK = 1  # in every communicator
ERROR = 16  # what a core that fails returns: MPI_ERR_OTHER
RANKS = 20, 4  # of the object with number 0, and how many more each next one has
OF_GROUP = "rank", "member"
PER = {
    "dimension": 3,
    "source": 5,
    "destination": 7,
}  # of object 0, one more of each next
RAW = 6  # the number of a datatype that is not committed
RESULT = 7  # the number of the first object that is a result
STALE = 2**30 + 77  # a handle that nothing has had
FOREIGN = -2  # stands for it among the numbers of objects
OF_SECTION = 15  # the number of the datatype of an array section
MOST = {
    "int": 2**31 - 1,
    "address": 2**63 - 1,
    "offset": 2**63 - 1,
    "count": 2**63 - 1,
}


@dataclass(frozen=True)
class Call:
    """One call of one procedure in one language."""

    spec: Spec
    record: Procedure
    language: str  # c, f08 or f90
    case: Case
    is_large: bool = False
    is_cptr: bool = False
    prefix: str = ""  # P of the twin for tools

    @property
    def c_name(self) -> str:
        """The C function that the call arrives in, as it calls itself in errors."""
        return self.record.name + ("_c" if self.is_large else "")

    @property
    def label(self) -> str:
        """What the transcript calls it."""
        cptr = "_CPTR" if self.is_cptr else ""
        name = f"{self.prefix}{self.c_name}{cptr}"
        return f"{self.language} {name} {self.case.value}"

    @property
    def results(self) -> int:
        """The first of the numbers that the core gives as results."""
        match self.case:
            case Case.WIDE:
                return 2**40
            case Case.EDGE:
                return -6000
            case _:
                return 5000 + (2**33 if self.is_large else 0)

    @property
    def has_objects(self) -> bool:
        """Results that are objects are given, and flags are true."""
        return self.case is not Case.EDGE

    @property
    def error(self) -> int:
        """What the core returns."""
        return ERROR if self.case is Case.FAILS else 0

    @property
    def sections(self) -> list[Argument]:
        """The buffers that are array sections."""
        buffers = [a for a in self.record.arguments if a.is_choice]
        match self.case:
            case Case.SECTION:
                return buffers
            case Case.FIRST:
                return buffers[:1]
            case Case.LAST:
                return buffers[-1:]
            case Case.IN_PLACE:
                return [b for b in buffers if b.per and b.per.only_if]
            case _:
                return []

    @property
    def succeeds(self) -> bool:
        """Results come back."""
        return self.case is not Case.FAILS


def is_whole(argument: Argument) -> bool:
    """A buffer that must be contiguous."""
    return argument.descriptor is not None and argument.descriptor.value == "contig"


def position(record: Procedure, argument: Argument) -> int:
    """Where it stands in the record; makes values differ."""
    return [a.name for a in record.arguments].index(argument.name)


def is_room(argument: Argument) -> bool:
    """It says how long a string may get and, afterwards, how long it is."""
    is_string_length = argument.kind.name in ("INFO_VALUE_LENGTH", "STRING_LENGTH")
    return is_string_length and argument.is_in and argument.is_out


def room_of(record: Procedure, argument: Argument) -> Argument | None:
    """The argument that says how long a string may get."""
    rooms = [a for a in record.arguments if is_room(a) or a.name == argument.length]
    return rooms[0] if rooms else None


def is_length(record: Procedure, argument: Argument) -> bool:
    """Other arguments have as many elements as it says."""
    return any(a.is_array and a.count == argument.name for a in record.arguments)


def is_narrow(argument: Argument, is_large: bool) -> bool:
    """A result that the core gives wider than the procedure can return."""
    kind = argument.kind
    is_number = kind.is_integral and argument.is_out and not argument.is_in
    is_int = width(kind.name, is_large) == "int" != width(kind.name, True)
    return is_number and is_int and not argument.is_array


# ---- objects -------------------------------------------------------------------------
def ranks_of(number: int) -> int:
    """The size of the group of the object with that number."""
    return RANKS[0] + RANKS[1] * number


def object_number(call: Call, argument: Argument) -> int:
    """The number of the object that a handle argument is given."""
    alike = [a for a in call.record.arguments if a.kind is argument.kind and a.is_in]
    number = 0 if call.case is Case.EDGE else alike.index(argument)
    rules = [d.rule for d in argument.domains]
    return number + (3 if any(isinstance(r, Predefined) for r in rules) else 0)


def is_ignored(call: Call, argument: Argument) -> bool:
    """Another argument says that this one does not count."""
    root = argument.at_root
    if root and number(call, call.record.argument(root.rank)) != OWN_RANK:
        return True
    if call.case is not Case.SPECIAL:
        return False
    on = [call.record.argument(c.argument) for c in argument.ignored_if]
    return any(a.is_choice for a in on)


# ---- numbers -------------------------------------------------------------------------
def value_of(spec: Spec, name: str) -> int:
    """The value of a constant."""
    value = spec.constants[name].value
    assert value is not None, f"{name} has no value"
    return value


def _special(call: Call, domain: Domain) -> int | None:
    """A constant that the domain allows, and that is no edge."""
    if domain.also:
        return value_of(call.spec, domain.also[-1])
    match domain.rule:
        case Mask(bits):
            return value_of(call.spec, bits[0])
        case OneOf(values):
            return value_of(call.spec, values[len(values) // 2])
    return None


def _least(call: Call, rule: object) -> int:
    match rule:
        case AtLeast(minimum):
            return minimum
        case Above(bound):
            return bound + 1
        case Mask():
            return 0
        case OneOf(values):
            return value_of(call.spec, values[-1])
        case RankOf(name) | RootOf(name):
            return ranks_of(object_number(call, call.record.argument(name))) - 1
    raise AssertionError(f"no sample for {rule}")


def _ample(call: Call, rule: object, most: int, distance: int) -> int:
    match rule:
        case AtLeast() | Above():
            return most - distance if most < 2**32 else 2**33 + distance
        case Mask(bits):
            return sum(value_of(call.spec, bit) for bit in bits)
        case OneOf(values):
            return value_of(call.spec, values[0])
        case RankOf():
            return 2 + distance // 10
        case RootOf():
            return OWN_RANK
    raise AssertionError(f"no sample for {rule}")


def _most(call: Call, argument: Argument) -> int:
    """The largest number that an argument can be."""
    is_fortran = call.language != "c"
    return MOST[width(argument.kind.name, call.is_large, is_fortran)]


def number(call: Call, argument: Argument) -> int:
    """The value of an integer argument."""
    if is_length(call.record, argument):
        rules = [d.rule for d in argument.domains]
        least = _least(call, rules[0]) if rules else 0
        return least if call.case is Case.EDGE else LENGTH
    if any(room_of(call.record, a) is argument for a in call.record.arguments):
        return 0 if call.case is Case.EDGE else ROOM
    distance = 10 * position(call.record, argument)
    most = _most(call, argument)
    if not argument.domains:
        far = 700 if most < 2**32 else 2**40
        return -far - distance if call.case is Case.EDGE else far + distance
    domain = argument.domains[0]
    if call.case is Case.SPECIAL:
        special = _special(call, domain)
        if special is not None:
            return special
    if call.case is Case.EDGE:
        return _least(call, domain.rule)
    return _ample(call, domain.rule, most, distance)


def numbers(call: Call, argument: Argument) -> list[int]:
    """The elements of an array of integers. One that tells how long others are says that
    they are as long as itself."""
    for told in [a.told for a in call.record.arguments if a.told]:
        if told.array == argument.name:
            count = elements(call, argument)
            return [1] * count if told.how == "sum" else list(range(1, count + 1))
    first = number(call, argument)
    rules = [d.rule for d in argument.domains]
    are_few = any(isinstance(rule, (OneOf, Mask)) for rule in rules)
    at_edge = call.case is Case.EDGE and rules != []
    step = 0 if at_edge or are_few or call.case is Case.SPECIAL else 1
    return [first - step * i for i in range(elements(call, argument))]


def counter_of(record: Procedure, argument: Argument) -> str:
    """What says how many elements an array has, or the array that tells it; "" if none."""
    told = argument.told
    return record.argument(told.array).count if told else argument.count


def elements(call: Call, argument: Argument) -> int:
    """How many elements an array has; where nothing says it, the core looks at some."""
    record = call.record
    if argument.per:
        owner = object_number(call, record.argument(argument.per.argument))
        return (
            ranks_of(owner)
            if argument.per.what in OF_GROUP
            else owner + PER[argument.per.what]
        )
    count = counter_of(record, argument)
    if count in call.spec.constants:
        return value_of(call.spec, count)
    if not count:
        return LENGTH
    counter = record.argument(count)
    is_absent = counter.is_large_only and not call.is_large
    return 0 if is_absent else number(call, counter)


def array_counted_by(record: Procedure, argument: Argument) -> Argument | None:
    """The array of whose elements it says how many have been set."""
    arrays = [a for a in record.arguments if a.from_one_up_to == argument.name]
    return arrays[0] if arrays else None


def refused_numbers(call: Call, argument: Argument, domain: Domain) -> list[int]:
    """Values just outside of a domain, and constants that mean something elsewhere."""
    known = [c.value for c in call.spec.constants_in("ASSORTED_CONSTANTS")]
    also = [value_of(call.spec, name) for name in domain.also]
    foreign = [n for n in known if n is not None and n < 0 and n not in also]
    match domain.rule:
        case AtLeast(minimum):
            least = -_most(call, argument) - 1
            outside = [minimum - 1, least, *foreign]
        case Above(bound):
            outside = [bound, *foreign]
        case Mask(bits):
            union = sum(value_of(call.spec, bit) for bit in bits)
            outside = [1 << i for i in range(31) if not union & 1 << i]
            outside.append(union | outside[0])
        case OneOf(names):
            values = [value_of(call.spec, name) for name in names]
            outside = [max(values) + 1, min(values) - 1]
            outside += [n for n in foreign if n not in values]
        case RankOf(name) | RootOf(name):
            size = ranks_of(object_number(call, call.record.argument(name)))
            outside = [size, *foreign]
        case _:
            raise AssertionError(f"no bad sample for {domain.rule}")
    return list(dict.fromkeys(n for n in outside if n not in also))


def allowed_numbers(call: Call, domain: Domain) -> list[int]:
    """Values at the edge of a domain, and each constant that it lists."""
    also = [value_of(call.spec, v) for v in domain.also]
    match domain.rule:
        case Mask(bits):
            return [value_of(call.spec, v) for v in bits] + also
        case OneOf(values):
            return [value_of(call.spec, v) for v in values] + also
        case RankOf() | RootOf():
            return [0, _least(call, domain.rule), *also]
    return [_least(call, domain.rule), *also]


def refused_object(domain: Domain, given: int) -> int:
    """The number of an object outside of a domain of handles."""
    match domain.rule:
        case Committed():
            return RAW
        case Predefined():
            return given % 3
        case NotPredefined():
            return given % 3 + 3
    raise AssertionError(f"no bad object for {domain.rule}")


# ---- strings and buffers -------------------------------------------------------------
def text(call: Call, argument: Argument) -> str:
    """A string; blanks around it count in C only."""
    if call.case is Case.EDGE:
        return ""
    blanks = "  " if call.case is Case.PLAIN else ""
    return f"{blanks}a string, {position(call.record, argument)}{blanks}"


def special_address(call: Call, argument: Argument) -> str:
    """The constant that is given for a buffer."""
    return argument.may_be[0] if argument.may_be else "MPI_BOTTOM"


def tells_address(record: Procedure) -> bool:
    """The result is where the buffer is, and each constant is somewhere."""
    return any(a.is_out and a.kind.name in ADDRESSES for a in record.arguments)


def refused_addresses(spec: Spec, argument: Argument) -> list[str]:
    """Constants that are given for other buffers."""
    known = [c.name for c in spec.constants_in("BUFFER_ADDR_CONSTANTS")]
    return [n for n in known if n != "MPI_BOTTOM" and n not in argument.may_be]


def predefined_callback(call: Call, argument: Argument) -> str:
    """A constant of the prototype with a value of its own, "" if there is none."""
    known = call.spec.constants.values()
    found = [c for c in known if c.callback == argument.callback]
    found.sort(key=lambda c: c.value or 0)
    return found[-1].name if found else ""


def callback_number(call: Call, argument: Argument) -> int:
    """The number of the program's own procedure of the prototype."""
    name = prototype_name(argument, call.is_large)
    return own_procedures(call.spec).index(name)


def own_procedures(spec: Spec) -> list[str]:
    """The prototypes of which programs have a procedure, large ones too."""
    known = [c for c in spec.callbacks.values() if not c.planned]
    return [c.name + ("_c" if large else "") for c in known for large in sizes(c)]
