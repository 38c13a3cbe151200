# SPDX-License-Identifier: BSD-3-Clause
"""Reads one argument line of a record:

DIRECTION name KIND[length] clause ... domain : MPI_ERR_X ... "description"
"""

from codegen.kinds import Kind
from codegen.model import Argument, Descriptor, Direction, Per, Root, Told
from codegen.rules import Condition, Domain, parse_rule
from codegen.position import SpecError, did_you_mean
from codegen.tokens import Cursor, Sort, pick

FLAGS = (
    *("async", "not const", "by pointer", "by value", "null ok", "frees", "stays"),
    *("no intent", "no word", "large only", "from one", "not first"),
)
CLAUSES = (
    *("lis", "overflow", "calls", "ignored if", "per", "as many as", "told by"),
    *("may be", "up to", "at", "only"),
    *(descriptor.value for descriptor in Descriptor),
)
FIRST_WORDS = tuple(words.split()[0] for words in (*FLAGS, *CLAUSES))


def _length(cursor: Cursor) -> tuple[str, str]:
    """`[n]`, `[*]`, `[n, 3]` or nothing: how many, and how many in each."""
    if not cursor.accept("["):
        return "", ""
    length = "*" if cursor.accept("*") else cursor.word("an argument, constant or *")
    columns = str(cursor.number("a number")) if cursor.accept(",") else ""
    cursor.expect("]", "after the length")
    return length, columns


def _condition(cursor: Cursor) -> Condition:
    """`win.flavor == MPI_X` or `sendbuf == MPI_X`."""
    argument = cursor.word("an argument")
    member = cursor.word("a member of the object") if cursor.accept(".") else ""
    cursor.expect("==", "and a constant")
    return Condition(argument, member, cursor.word("a constant"))


def _conditions(cursor: Cursor) -> tuple[Condition, ...]:
    """CONDITION [or CONDITION ...]"""
    conditions = [_condition(cursor)]
    while cursor.accept("or"):
        conditions.append(_condition(cursor))
    return tuple(conditions)


def _domain(cursor: Cursor) -> Domain | None:
    """RULE [or CONSTANT ...] [unless CONDITION] : MPI_ERR_X, if a rule starts here."""
    position = cursor.next_place
    rule = parse_rule(cursor)
    if rule is None:
        return None
    also: list[str] = []
    while cursor.accept("or"):
        also.append(cursor.word("a constant"))
    unless = _condition(cursor) if cursor.accept("unless") else None
    cursor.expect(":", "and the error class of a violation")
    error = cursor.word("the error class of a violation")
    return Domain(rule, tuple(also), unless, error, position)


class _Clauses:
    """The clauses after the kind, gathered."""

    def __init__(self, direction: Direction, languages: tuple[str, ...]) -> None:
        self.lis_direction = direction
        self.descriptor: Descriptor | None = None
        self.overflow = self.callback = self.description = self.sort = ""
        self.as_many_as = self.from_one_up_to = ""
        self.per: Per | None = None
        self.told: Told | None = None
        self.at_root: Root | None = None
        self.may_be: tuple[str, ...] = ()
        self.languages = languages
        self.flags: list[str] = []
        self.ignored_if: tuple[Condition, ...] = ()
        self.domains: list[Domain] = []

    def is_set(self, flag: str) -> bool:
        """The flag was given."""
        return flag in self.flags

    def read(self, cursor: Cursor) -> None:
        """Take one clause or domain."""
        if cursor.peek().sort is Sort.STRING:
            self.description = cursor.take().text
            cursor.expect_end()
            return
        if cursor.peek().text == "?":
            what = "a clause, a rule or what the argument is"
            raise cursor.unexpected(f"'?' found; write {what} here")
        domain = _domain(cursor)
        if domain is not None:
            self.domains.append(domain)
        elif not self._flag(cursor) and not self._valued(cursor):
            word, others = cursor.peek(), "use one that spec/README.md lists"
            remedy = did_you_mean(word.text, FIRST_WORDS, others)
            raise cursor.unexpected(f"unknown clause {word}; {remedy}")

    def _flag(self, cursor: Cursor) -> bool:
        for flag in FLAGS:
            if cursor.accept(*flag.split()):
                if flag in self.flags:
                    raise cursor.error(f"'{flag}' is given twice; remove one")
                self.flags.append(flag)
                return True
        return False

    def _valued(self, cursor: Cursor) -> bool:
        if cursor.accept("lis"):
            self.lis_direction = _direction(cursor)
        elif cursor.accept("overflow"):
            self.overflow = cursor.word("the constant for a value that does not fit")
        elif cursor.accept("calls"):
            self.callback = cursor.word("the callback's prototype")
        elif cursor.accept("ignored", "if"):
            self.ignored_if = _conditions(cursor)
        elif cursor.accept("per"):
            what = cursor.word("what there is an element for")
            cursor.expect("of", "and the argument that has them")
            owner = cursor.word("the argument that has them")
            condition = _condition(cursor) if cursor.accept("if") else None
            self.per = Per(what, owner, condition)
        elif cursor.accept("as", "many", "as"):
            self.as_many_as = cursor.word("the argument that counts the elements")
        elif cursor.accept("told", "by"):
            how = cursor.word("sum or last")
            cursor.expect("of", "and the array of counts")
            self.told = Told(how, cursor.word("the array of counts"))
        elif cursor.accept("sort"):
            self.sort = cursor.word("a sort of the object")
        elif cursor.accept("may", "be"):
            self.may_be = cursor.listed(",", "a constant")
        elif cursor.accept("up", "to"):
            self.from_one_up_to = cursor.word("the argument that says how many")
        elif cursor.accept("at"):
            rank = cursor.word("the argument that names the root")
            cursor.expect("of", "and the communicator")
            self.at_root = Root(rank, cursor.word("the communicator"))
        elif cursor.accept("only"):
            self.languages = cursor.listed(",", "a language")
        elif cursor.peek().text in [d.value for d in Descriptor]:
            self.descriptor = Descriptor(cursor.take().text)
        else:
            return False
        return True


def _direction(cursor: Cursor) -> Direction:
    return Direction(pick(cursor, "direction", tuple(d.value for d in Direction)))


def is_const_anyway(direction: Direction, kind: Kind, length: str) -> bool:
    """What C's const follows from unless the line says otherwise."""
    is_reference = kind.is_by_reference and not kind.is_callback
    is_array = length != "" and not kind.is_pointer
    return direction is Direction.IN and (is_reference or is_array)


def parse_argument(
    cursor: Cursor, kinds: dict[str, Kind], languages: tuple[str, ...]
) -> Argument:
    """The argument of one line; `languages` are those of its record."""
    direction = _direction(cursor)
    name = cursor.word("the argument's name")
    position = cursor.place
    kind_name = cursor.word("the argument's kind")
    if kind_name not in kinds:
        remedy = did_you_mean(kind_name, kinds, "add it to kinds.spec")
        message = f"argument '{name}' has unknown kind '{kind_name}'; {remedy}"
        raise cursor.error(message)
    kind = kinds[kind_name]
    length, columns = _length(cursor)
    clauses = _Clauses(direction, languages)
    while not cursor.at_end():
        clauses.read(cursor)
    is_const = is_const_anyway(direction, kind, length)
    if clauses.is_set("not const") and not is_const:
        message = f"argument '{name}' is not const anyway; remove 'not const'"
        raise SpecError(position.at("not const"), message, cursor.record)
    return Argument(
        name=name,
        kind=kind,
        direction=direction,
        lis_direction=clauses.lis_direction,
        description=clauses.description,
        length=length,
        columns=columns,
        per=clauses.per,
        as_many_as=clauses.as_many_as,
        told=clauses.told,
        from_one=clauses.is_set("from one"),
        from_one_up_to=clauses.from_one_up_to,
        at_root=clauses.at_root,
        is_large_only=clauses.is_set("large only"),
        may_be=clauses.may_be,
        domains=tuple(clauses.domains),
        descriptor=clauses.descriptor,
        is_async=clauses.is_set("async"),
        is_const=is_const and not clauses.is_set("not const"),
        by_pointer=clauses.is_set("by pointer"),
        by_value=clauses.is_set("by value"),
        null_ok=clauses.is_set("null ok"),
        frees=clauses.is_set("frees"),
        stays=clauses.is_set("stays"),
        not_first=clauses.is_set("not first"),
        has_intent=not clauses.is_set("no intent"),
        has_word=not clauses.is_set("no word"),
        ignored_if=clauses.ignored_if,
        overflow=clauses.overflow,
        callback=clauses.callback,
        sort=clauses.sort,
        languages=clauses.languages,
        position=position,
    )
