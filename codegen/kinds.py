# SPDX-License-Identifier: BSD-3-Clause
"""Kinds of arguments, as spec/kinds.spec has them: what a kind is decides what is done
with an argument, in every language.
"""

from dataclasses import dataclass
from enum import Enum

from codegen.position import Position


class KindClass(Enum):
    """How an argument behaves, whatever its type in a language is."""

    HANDLE = "handle"  # of an opaque object
    INTEGER = "integer"  # any integral value: count, size, rank, displacement, enum
    MASK = "mask"  # integer that is the union of constants
    LOGICAL = "logical"  # int in C, LOGICAL in Fortran
    LITERAL = "literal"  # a LOGICAL by its address, its bytes as they are
    STRING = "string"  # char array in C, CHARACTER(*) in Fortran
    CHOICE = "choice"  # a buffer of any type
    STATUS = "status"  # struct in C, a type or an array of integers in Fortran
    POINTER = "pointer"  # address that comes out as void *, C_PTR or INTEGER
    TOOL = "tool"  # handle of the tool information interface, not in our tables
    FSTATUS = "fstatus"  # a status of Fortran, where it is converted
    DETACHED = "detached"  # the same, but of no use in mpi and mpif.h
    CALLBACK = "callback"  # a procedure of the program
    STATE = "state"  # the program's own pointer for its callback
    ATTRIBUTE = "attribute"  # void * in C, INTEGER(MPI_ADDRESS_KIND) in Fortran
    KEYVAL = "keyval"  # integer that names an attribute key
    ADDRESS = "address"  # an address as a number
    ARGUMENTS = "arguments"  # main's argument vector; C only
    VARIADIC = "variadic"  # the dots at the end of a C callback
    REAL = "real"  # floating-point result
    NOTHING = "nothing"  # returns nothing


BY_REFERENCE = (
    *(KindClass.CHOICE, KindClass.STRING, KindClass.CALLBACK),
    *(KindClass.STATUS, KindClass.FSTATUS, KindClass.LITERAL),
)


class Trait(Enum):
    """What else is true of some kinds, whatever their class."""

    LARGE = "large"  # its type in C and mpi_f08 is wider in the `_c` procedure
    SHORT = "short"  # an INTEGER in Fortran, whatever C has
    CODE = "code"  # an error code: returned unless a record says otherwise
    RANKS = "ranks"  # of an object that has ranks
    RAISES = "raises"  # of an object whose error handler can be raised
    UNMET = "unmet"  # of an object whose processes have perhaps never met
    DATATYPE = "datatype"  # of the object that says what is in a buffer
    OPERATION = "operation"  # of the object that says how data are combined
    REQUEST = "request"  # of the object that a nonblocking operation is waited for by
    MESSAGE = "message"  # of a message that has been matched, so that its size is known
    INFO = "info"  # of hints; blanks around strings that are given with it do not count

    @property
    def is_of_object(self) -> bool:
        """It is true of an object, so that only a handle can have it."""
        return self not in (Trait.LARGE, Trait.SHORT, Trait.CODE)


@dataclass(frozen=True)
class Kind:
    """One argument kind, named as the MPI Forum names it."""

    name: str
    kind_class: KindClass
    word: str  # in the language-independent list: "non-negative integer"
    error: str  # error class of a value that is no such thing at all, "" if none
    handle: str  # class handle or tool: MPI type name, "MPI_Win"
    object: str  # class handle: struct of the core, "window"
    tag: str  # class handle: enum object_kind of the core, "KIND_WIN"
    null: str  # class handle or keyval: constant of the null value
    fields: tuple[str, ...]  # members of the object that conditions may name
    sorts: tuple[str, ...]  # sorts of the object that arguments may name
    traits: frozenset[Trait]
    position: Position

    @property
    def is_large(self) -> bool:
        """Its type in C and mpi_f08 is wider in the `_c` procedure."""
        return Trait.LARGE in self.traits

    @property
    def is_short(self) -> bool:
        """It is an INTEGER in Fortran, whatever C has."""
        return Trait.SHORT in self.traits

    @property
    def is_error_code(self) -> bool:
        """An error code."""
        return Trait.CODE in self.traits

    @property
    def is_callback(self) -> bool:
        """A procedure of the program."""
        return self.kind_class is KindClass.CALLBACK

    @property
    def is_by_reference(self) -> bool:
        """C has its address, whichever way the value goes."""
        return self.kind_class in BY_REFERENCE

    @property
    def is_nothing(self) -> bool:
        """No value is returned."""
        return self.kind_class is KindClass.NOTHING

    @property
    def has_ranks(self) -> bool:
        """A handle of an object that has ranks."""
        return Trait.RANKS in self.traits

    @property
    def has_handler(self) -> bool:
        """A handle of an object whose error handler can be raised."""
        return Trait.RAISES in self.traits

    @property
    def is_unmet(self) -> bool:
        """A handle of an object whose processes have perhaps never met."""
        return Trait.UNMET in self.traits

    @property
    def is_operation(self) -> bool:
        """A handle of an operation that combines data."""
        return Trait.OPERATION in self.traits

    @property
    def is_request(self) -> bool:
        """A handle of a request."""
        return Trait.REQUEST in self.traits

    @property
    def is_message(self) -> bool:
        """A handle of a message that has been matched."""
        return Trait.MESSAGE in self.traits

    @property
    def is_info(self) -> bool:
        """A handle of hints."""
        return Trait.INFO in self.traits

    @property
    def is_handle(self) -> bool:
        """A handle of an object."""
        return self.kind_class is KindClass.HANDLE

    @property
    def is_datatype(self) -> bool:
        """A handle of a datatype."""
        return Trait.DATATYPE in self.traits

    @property
    def is_mask(self) -> bool:
        """A union of constants."""
        return self.kind_class is KindClass.MASK

    @property
    def is_address(self) -> bool:
        """An address as a number."""
        return self.kind_class is KindClass.ADDRESS

    @property
    def is_choice(self) -> bool:
        """A choice buffer."""
        return self.kind_class is KindClass.CHOICE

    @property
    def is_pointer(self) -> bool:
        """An address that comes out: TYPE(C_PTR) or an integer in Fortran."""
        return self.kind_class is KindClass.POINTER

    @property
    def is_integral(self) -> bool:
        """Integer in every language."""
        return self.kind_class in (
            KindClass.INTEGER,
            KindClass.MASK,
            KindClass.KEYVAL,
            KindClass.ADDRESS,
        )
