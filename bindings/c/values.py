# SPDX-License-Identifier: BSD-3-Clause
"""Values that rules are about, and the words of a refusal, in C."""

from codegen.model import Argument
from codegen.rules import Domain, Value


def lookup(handle: Argument, value: str) -> str:
    """The object of a handle, NULL if there is none."""
    return f"handle_object({handle.kind.tag}, (uintptr_t){value})"


def checked(argument: Argument, group: Argument | None, text: str) -> Value:
    """A value of an argument, `text`, for its rule, which is about a group or not. A
    handle has been found valid."""
    owner = group or argument
    found = f"{owner.name}_object"
    if owner.kind.is_handle and owner.is_array:
        found = f"((struct {owner.kind.object} *){lookup(owner, text)})"
    return Value(text, owner.kind.object, found)


def complaint(domain: Domain, value: Value) -> str:
    """The text and what its format asks for, as arguments of raise_argument. A long text
    is several literals, so that a line can end between them."""
    form, number = domain.rule.detail(value)
    parts = domain.words(form).replace(" or ", '" " or ').replace(", ", '," " ')
    return f'"must be {parts}"' + (f", {number}" if number else "")
