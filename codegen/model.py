# SPDX-License-Identifier: BSD-3-Clause
"""What the table says, as immutable records. Nothing here knows a language's syntax.

A `Spec` holds four tables: kinds of arguments, constants by category, callback
prototypes and procedures. Whatever follows from a record by rule is a property.
"""

from dataclasses import dataclass, field
from enum import Enum

from codegen.kinds import Kind, KindClass
from codegen.position import Position
from codegen.rules import Condition, Domain


class Direction(Enum):
    """Which way a value goes."""

    IN = "in"
    OUT = "out"
    INOUT = "inout"


class Descriptor(Enum):
    """What the Fortran layer does with the array section given for a choice buffer."""

    WALK = "walk"  # any section: its elements, in order, are the buffer
    ADDR = "addr"  # only the address of its first element matters
    CONTIG = "contig"  # must be simply contiguous, else an error


@dataclass(frozen=True)
class Told:
    """`told by sum of degrees`: the number of elements follows from an array."""

    how: str  # "sum" or "last" of its elements
    array: str


@dataclass(frozen=True)
class Per:
    """`per rank of comm`: an array has an element, a choice buffer a block, for each of
    what an object has."""

    what: str
    argument: str
    only_if: Condition | None = None  # a buffer has one block, this process's, if not


@dataclass(frozen=True)
class Root:
    """`at root of comm`: an argument matters in the process that is the root."""

    rank: str  # the argument that names the root
    argument: str  # the communicator


@dataclass(frozen=True)
class Named:
    """`named LANGUAGE NAME of ARGUMENT taking ARGUMENT, ...`: what a language calls it
    instead of what the language's rules say."""

    language: str
    name: str
    of: str  # the argument whose object it is called on, "" if the rules say that
    taking: tuple[str, ...]  # the other arguments, where the order is another
    position: Position


def _named(names: tuple[Named, ...], language: str) -> Named | None:
    return next((named for named in names if named.language == language), None)


@dataclass(frozen=True)
class Argument:
    """One argument of a procedure or callback."""

    name: str
    kind: Kind
    direction: Direction
    lis_direction: Direction  # of the object meant, in the language-independent list
    description: str
    length: str  # of an array or string: argument, constant, "*"; "" if there is none
    columns: str  # of an array of arrays: the length of each; "" if there is none
    per: Per | None  # length "*": what the elements belong to
    as_many_as: str  # length "*": the argument that counts the elements, or ""
    told: Told | None  # length "*": what tells the number to who needs it
    from_one: bool  # it names places in an array, which Fortran counts from one
    from_one_up_to: str  # an array of places: the argument that says how many, or ""
    at_root: Root | None  # it matters in one process only
    is_large_only: bool  # only the `_c` procedure has it
    may_be: tuple[str, ...]  # constants that stand in for the array or buffer
    domains: tuple[Domain, ...]
    descriptor: Descriptor | None  # choice buffers only
    is_async: bool
    is_const: bool
    by_pointer: bool  # callbacks: C passes it by address
    by_value: bool  # C passes it by value although it comes out elsewhere
    null_ok: bool  # a null handle (or NULL pointer) is allowed
    frees: bool  # the object is freed and the handle set to null
    stays: bool  # an inout handle is the same afterwards, only its object changes
    not_first: bool  # a choice buffer that the first process does not use
    has_intent: bool  # mpi_f08 states INTENT
    has_word: bool  # the language-independent list states what it is
    ignored_if: tuple[Condition, ...]  # neither checked nor used if any holds
    overflow: str  # out of a large kind: constant when the small type cannot hold it
    callback: str  # class callback: the prototype
    sort: str  # handles: of which sort the object must be, "same" as one given, or ""
    languages: tuple[str, ...]
    position: Position

    @property
    def is_in(self) -> bool:
        """Its value goes in."""
        return self.direction is not Direction.OUT

    @property
    def is_out(self) -> bool:
        """Its value comes out."""
        return self.direction is not Direction.IN

    @property
    def is_array(self) -> bool:
        """It is an array of its kind; a string's length is its own matter."""
        return self.length != "" and self.kind.kind_class not in (
            KindClass.STRING,
            KindClass.ARGUMENTS,
            KindClass.POINTER,
        )

    @property
    def is_counted(self) -> bool:
        """It is an array whose length is known before the call."""
        return self.is_array and (
            self.length != "*" or self.per is not None or self.as_many_as != ""
        )

    @property
    def count(self) -> str:
        """The argument or constant that says how long an array is, "" if none does."""
        return self.as_many_as or ("" if self.length == "*" else self.length)

    @property
    def is_ignorable(self) -> bool:
        """A constant may stand for it, which has an address of its own in Fortran."""
        is_status = self.kind.kind_class is KindClass.STATUS
        return bool(self.may_be) or (is_status and not self.is_in)

    @property
    def is_raw_handle(self) -> bool:
        """The core gets handles, not objects: of an array, or one that it changes."""
        is_kept = self.frees or self.stays
        is_changed = self.is_in and self.is_out and not is_kept
        return self.kind.is_handle and (self.is_array or is_changed)

    @property
    def is_numbers(self) -> bool:
        """An array that goes in and has wider elements in the `_c` procedure."""
        return self.is_array and self.kind.is_large and not self.is_out

    @property
    def is_choice(self) -> bool:
        """A choice buffer."""
        return self.kind.is_choice

    @property
    def is_optional(self) -> bool:
        """There may be nothing behind it."""
        return self.null_ok or bool(self.ignored_if) or self.at_root is not None

    def is_in_language(self, language: str) -> bool:
        """The binding of this language has the argument."""
        return language in self.languages


@dataclass(frozen=True)
class Texts:
    """What only the reference tells of a procedure."""

    completes: str = ""  # what has happened when it returns
    completion: str = ""  # the name of a text in reference.spec that says so, or ""
    fails: tuple[str, ...] = ()  # error classes that no check of an argument gives
    notes: tuple[str, ...] = ()  # paragraphs about this library
    counted: tuple[str, ...] = ()  # rows of docs/network.md: costs between nodes
    see: tuple[str, ...] = ()  # procedures to see besides those that follow by rule


NO_ARGUMENT = ("self", "none", "returned")  # errors that are raised on no argument
INDEPENDENT = "lis"  # the language-independent specification


@dataclass(frozen=True)
class Procedure:
    """One record of the table."""

    name: str
    since: str
    section: str
    summary: str
    doc: tuple[str, ...]  # paragraphs
    arguments: tuple[Argument, ...]
    returns: Kind
    collective: str  # argument whose group must call it, "all" processes, "" local
    errors: str  # argument whose error handler is raised, "self" or "none"
    core: str  # without its prefix
    planned: bool
    anytime: bool  # may be called before initialization and after finalization
    sized: bool  # the core is told whether the `_c` variant was called
    quick: bool  # the core has its usual case as an inline function
    again: bool  # and the next call of a loop, where races are checked
    silent: bool  # Fortran has no ierror although C returns an error code
    deprecated: str  # version, or ""
    successor: str  # of a deprecated one: the procedure that has replaced it, or ""
    languages: tuple[str, ...]
    position: Position
    plan: str = ""  # the collective operation that this is a form of, or ""
    texts: Texts = Texts()
    names: tuple[Named, ...] = ()  # in languages whose rules give it another
    lines: tuple[Position, ...] = ()  # of its properties

    def where(self, clause: str, word: str) -> Position:
        """Where a word stands behind a clause of the record."""
        heads = [line.at(clause) for line in self.lines]
        found = [head.at(word) for head in heads if head.column]
        return next((p for p in found if p.column), self.position)

    @property
    def standard(self) -> str:
        """The version of the standard that has the section."""
        return "MPI-5.0" if self.since == "5.0" else "MPI-4.1"

    def named(self, language: str) -> Named | None:
        """What the language calls it, if the record says that."""
        return _named(self.names, language)

    @property
    def returns_error(self) -> bool:
        """The C function returns an error code; Fortran has an ierror."""
        return self.returns.is_error_code

    @property
    def is_large(self) -> bool:
        """It has a `_c` variant."""
        return self.returns.is_large or any(a.kind.is_large for a in self.arguments)

    @property
    def deprecation(self) -> str:
        """Since when: "since MPI-6.0", and what to use; "" if it is not."""
        instead = f", use {self.successor}" if self.successor else ""
        return f"since MPI-{self.deprecated}{instead}" if self.deprecated else ""

    @property
    def has_choice(self) -> bool:
        """It has a choice buffer."""
        return any(argument.is_choice for argument in self.arguments)

    @property
    def gives_pointer(self) -> bool:
        """An address comes out: a language may overload it for the types of addresses."""
        return any(a.kind.is_pointer and a.is_out for a in self.arguments)

    @property
    def is_function(self) -> bool:
        """It returns a value other than an error code or nothing."""
        return not (self.returns.is_error_code or self.returns.is_nothing)

    @property
    def is_conversion(self) -> bool:
        """It makes a handle of an integer or the reverse."""
        handles = [self.returns, *(a.kind for a in self.arguments)]
        return self.is_function and any(kind.is_handle for kind in handles)

    @property
    def is_raw(self) -> bool:
        """The core gets the arguments as they are: it returns errors, raises none."""
        return self.errors == "returned"

    @property
    def is_meeting(self) -> bool:
        """It brings processes together of which no object says that they have met."""
        group = [a for a in self.arguments if a.name == self.collective]
        return any(argument.kind.is_unmet for argument in group)

    @property
    def trims_strings(self) -> bool:
        """Blanks around its strings do not count: it works on an info object."""
        return bool(self.arguments) and self.arguments[0].kind.is_info

    @property
    def is_in_mpif(self) -> bool:
        """mpif.h can have it: it needs no derived types."""
        return all(a.kind.kind_class is not KindClass.FSTATUS for a in self.arguments)

    @property
    def is_large_by_name(self) -> bool:
        """Only its name tells the large mpi_f08 procedure from the small one.

        They differ in a callback, which does not make them a generic (MPI-4.1 19.2).
        """
        callbacks = [a for a in self.arguments if a.callback]
        return any(argument.kind.is_large for argument in callbacks)

    def is_typed(self, argument: Argument) -> bool:
        """A section as this buffer becomes one element of a datatype: MPI may use it
        later, and right behind it stand a count and a datatype for it alone."""
        is_later = argument.descriptor is Descriptor.WALK and argument.is_async
        if not is_later or argument.per or argument.at_root:
            return False
        place = self.arguments.index(argument)
        behind = self.arguments[place + 1 : place + 3]
        is_told = len(behind) == 2 and behind[1].kind.is_datatype
        is_told = is_told and behind[0].kind.is_integral and not behind[0].is_array
        return is_told and not (place > 0 and self.arguments[place - 1].is_choice)

    @property
    def keeps_copies(self) -> bool:
        """It gives the request of a collective operation, which keeps sections."""
        return self.plan != "" and any(a.kind.is_request for a in self.arguments)

    def argument(self, name: str) -> Argument:
        """The argument of that name."""
        return next(a for a in self.arguments if a.name == name)

    @property
    def raised_on(self) -> Argument | None:
        """The argument whose error handler is raised; None for MPI_COMM_SELF's."""
        return None if self.errors in NO_ARGUMENT else self.argument(self.errors)

    @property
    def handles_in(self) -> tuple[Argument, ...]:
        """The handles that go in, that of the error handler first, then those that tell
        whether others matter; not arrays."""
        asked = {a.at_root.argument for a in self.arguments if a.at_root}
        handles = [
            a for a in self.arguments if a.kind.is_handle and a.is_in and not a.is_array
        ]
        handles.sort(key=lambda a: (a is not self.raised_on, a.name not in asked))
        return tuple(handles)

    def twin(self, handle: Argument) -> Argument | None:
        """An earlier handle of the same kind, which often has the same value. One that
        may stand for nothing has none: its object would not be NULL then."""
        if handle.is_optional:
            return None
        before = self.handles_in[: self.handles_in.index(handle)]
        alike = [a for a in before if a.kind is handle.kind and not a.is_out]
        return next((a for a in alike if not a.is_optional), None)

    def arguments_in(self, language: str) -> tuple[Argument, ...]:
        """The arguments that the binding of this language has; without ierror."""
        return tuple(a for a in self.arguments if a.is_in_language(language))

    def is_in_language(self, language: str) -> bool:
        """The language has this procedure, and the core implements it."""
        return language in self.languages and not self.planned


@dataclass(frozen=True)
class Callback:
    """The prototype of a procedure that the program gives."""

    name: str
    since: str
    section: str
    arguments: tuple[Argument, ...]
    returns: Kind
    planned: bool
    deprecated: str  # version, or ""
    languages: tuple[str, ...]
    position: Position

    @property
    def returns_error(self) -> bool:
        """The C function returns an error code; Fortran has an ierror."""
        return self.returns.is_error_code

    @property
    def is_large(self) -> bool:
        """It has a `_c` variant."""
        return any(argument.kind.is_large for argument in self.arguments)

    def arguments_in(self, language: str) -> tuple[Argument, ...]:
        """The arguments that the prototype of this language has; without ierror."""
        return tuple(a for a in self.arguments if a.is_in_language(language))


class Form(Enum):
    """What a constant is in the languages."""

    INTEGER = "integer"  # enum in C, INTEGER parameter in Fortran
    ENUM = "enum"  # of an enum in C that has a name
    HANDLE = "handle"
    BUFFER = "buffer"  # an address: void * in C, a variable in Fortran
    IGNORE = "ignore"  # an argument left out: pointer in C, a variable in Fortran
    ADDRESS = "address"  # C's variable with the address of one that Fortran ignores
    FUNCTION = "function"  # predefined callback
    MACRO = "macro"  # integer that C's preprocessor knows too
    KIND = "kind"  # kind parameter, Fortran only
    LOGICAL = "logical"  # Fortran only


@dataclass(frozen=True)
class Constant:
    """One named constant of the standard ABI."""

    name: str
    category: "Category" = field(repr=False)
    value: int | None  # None where the value is a language's matter
    text: str  # what it is; error classes: the message
    doc: str  # a paragraph for the reference
    c_type: str  # of datatypes: what it stands for; of the forms ignore, address, enum: its own
    fortran_type: str  # likewise; kind parameters: the expression
    index_type: str  # pairs: the C type of the index
    size: int | None  # datatypes: bytes
    external: int  # datatypes: bytes of its number in external32, 0 if as many as in C
    operand: str  # datatypes: class of operations that take it (`OPERANDS`), or ""
    operands: tuple[str, ...]  # operations: classes they are defined on
    also: tuple[
        str, ...
    ]  # operations: classes that the standard does not list for them
    ignored: str  # form address: the constant of form ignore
    callback: str  # predefined callbacks: prototype
    is_large: bool  # predefined callbacks: of the prototype's `_c` variant
    kind: str  # form handle: the argument kind
    names: tuple[Named, ...]  # in languages whose rules give it another
    position: Position

    def named(self, language: str) -> Named | None:
        """What the language calls it, if the record says that."""
        return _named(self.names, language)

    @property
    def form(self) -> Form:
        """What it is in the languages."""
        return self.category.form

    def takes(self, datatype: "Constant") -> bool:
        """An operation has a kernel for a datatype."""
        return datatype.operand in (*self.operands, *self.also)


@dataclass(frozen=True)
class Category:
    """Constants of one sort, named as the ABI's chapter groups them."""

    name: str
    title: str
    form: Form
    kind: str  # form handle: the argument kind, "" if it differs between constants
    c_type: str  # form enum: its name in C
    languages: tuple[str, ...]
    position: Position


@dataclass(frozen=True)
class Spec:
    """The whole table, in the order in which it is written."""

    languages: tuple[str, ...]  # those that have a folder below bindings
    kinds: dict[str, Kind]
    categories: dict[str, Category]
    constants: dict[str, Constant]
    callbacks: dict[str, Callback]
    procedures: dict[str, Procedure]

    def constants_in(self, category: str) -> tuple[Constant, ...]:
        """The constants of one category."""
        return tuple(c for c in self.constants.values() if c.category.name == category)

    def constants_of(self, form: str) -> tuple[Constant, ...]:
        """The constants of one form."""
        return tuple(c for c in self.constants.values() if c.form.value == form)

    def declared_in(self, category: Category) -> tuple[Constant, ...]:
        """The constants of a category, but for callbacks of a prototype that is planned."""
        planned = {c.name for c in self.callbacks.values() if c.planned}
        found = self.constants_in(category.name)
        return tuple(c for c in found if c.callback not in planned)

    @property
    def records(self) -> tuple["Procedure | Callback", ...]:
        """Callbacks and procedures."""
        return (*self.callbacks.values(), *self.procedures.values())

    @property
    def handle_types(self) -> tuple[str, ...]:
        """The types of handles."""
        return tuple(kind.handle for kind in self.kinds.values() if kind.is_handle)

    def foreign_addresses(self, argument: Argument) -> tuple[str, ...]:
        """Constants that are given for other buffers but cannot be this one.

        MPI_BOTTOM is 0, from where all addresses count; it suits each.
        """
        if not argument.is_choice:
            return ()
        known = [
            c for c in self.constants.values() if c.form is Form.BUFFER and c.value
        ]
        return tuple(c.name for c in known if c.name not in argument.may_be)
