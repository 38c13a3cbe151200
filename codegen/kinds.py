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
    position: Position

    @property
    def is_large(self) -> bool:
        """Its type in C and mpi_f08 is wider in the `_c` procedure."""
        return self.name.startswith("POLY")

    @property
    def is_handle(self) -> bool:
        """A handle of an object."""
        return self.kind_class is KindClass.HANDLE

    @property
    def is_datatype(self) -> bool:
        """A handle of a datatype."""
        return self.name == "DATATYPE"

    @property
    def is_mask(self) -> bool:
        """A union of constants."""
        return self.kind_class is KindClass.MASK

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
