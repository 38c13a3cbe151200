# SPDX-License-Identifier: BSD-3-Clause
"""Whether each kind and each constant of the table is consistent."""

from collections.abc import Iterator

from codegen.kinds import Kind, KindClass
from codegen.model import Category, Constant, Form, Spec
from codegen.position import SpecError, did_you_mean

ERROR_CLASSES = "ERROR_CLASSES"


def is_error_class(spec: Spec, name: str) -> bool:
    """A constant of that name is an error class."""
    return (
        name in spec.constants and spec.constants[name].category.name == ERROR_CLASSES
    )


def no_error_class(spec: Spec, name: str) -> str:
    """What is wrong with a name that is no error class."""
    classes = [c.name for c in spec.constants_in(ERROR_CLASSES)]
    remedy = did_you_mean(name, classes, "use one of constants.spec")
    return f"'{name}' is no error class; {remedy}"


def check_kind(spec: Spec, kind: Kind) -> Iterator[SpecError]:
    """What is wrong with a kind."""

    def wrong(message: str, word: str = "") -> SpecError:
        return SpecError(kind.position.at(word or kind.name), message, kind.name)

    is_tool = kind.kind_class is KindClass.TOOL
    clauses = {"type": kind.handle, "object": kind.object, "tag": kind.tag}
    for clause, value in clauses.items():
        is_needed = kind.is_handle or (is_tool and clause == "type")
        if is_needed and not value:
            yield wrong(f"is a handle without '{clause}'; add it")
        if not is_needed and value:
            yield wrong(f"is no handle but has '{clause}'; remove it", clause)
    for trait in kind.traits:
        if trait.is_of_object and not kind.is_handle:
            message = f"is no handle but has 'traits {trait.value}'; remove it"
            yield wrong(message, trait.value)
    has_null = kind.is_handle or kind.kind_class is KindClass.KEYVAL
    for clause, value in (("null", kind.null), ("errors", kind.error)):
        if has_null and not value:
            yield wrong(f"has no '{clause}'; add it")
        if not has_null and value:
            yield wrong(f"cannot be null but has '{clause}'; remove it", clause)
    if kind.null and kind.null not in spec.constants:
        remedy = did_you_mean(kind.null, spec.constants, "add it to constants.spec")
        yield wrong(f"unknown constant '{kind.null}'; {remedy}", kind.null)
    if kind.error and not is_error_class(spec, kind.error):
        yield wrong(no_error_class(spec, kind.error), kind.error)


def no_callback(spec: Spec, name: str) -> str:
    """What is wrong with a name that is no callback."""
    remedy = did_you_mean(name, spec.callbacks, "add it to callbacks.spec")
    return f"unknown callback '{name}'; {remedy}"


def _is_of_handles(spec: Spec, kind: str) -> bool:
    return kind in spec.kinds and bool(spec.kinds[kind].handle)


def _no_handles(spec: Spec, kind: str) -> str:
    """What is wrong with a kind that has no handles."""
    known = [k.name for k in spec.kinds.values() if k.handle]
    remedy = did_you_mean(kind, known, "name one of kinds.spec that has a 'type'")
    return f"'{kind}' is no kind of handle; {remedy}"


def check_category(spec: Spec, category: Category) -> Iterator[SpecError]:
    """What is wrong with the line that opens a category."""
    if category.kind and not _is_of_handles(spec, category.kind):
        where = category.position.at(category.kind)
        yield SpecError(where, _no_handles(spec, category.kind), category.name)


def _is_ignored(spec: Spec, name: str) -> bool:
    return name in spec.constants and spec.constants[name].form is Form.IGNORE


def check_constant(spec: Spec, constant: Constant) -> Iterator[SpecError]:
    """What is wrong with a constant."""

    def wrong(message: str, word: str = "") -> SpecError:
        place = constant.position.at(word or constant.name)
        return SpecError(place, message, constant.name)

    form = constant.form
    has_expression = form in (Form.KIND, Form.LOGICAL)
    if not has_expression and form is not Form.ADDRESS and constant.value is None:
        yield wrong("has no value; write it after the name")
    if has_expression and not constant.fortran_type:
        yield wrong("has no Fortran value; add 'fortran \"...\"'")
    if form in (Form.IGNORE, Form.ADDRESS) and not constant.c_type:
        yield wrong("has no C type; add 'c \"...\"'")
    if form is Form.ADDRESS and not _is_ignored(spec, constant.ignored):
        message = f"'{constant.ignored}' is not ignored; name what is after 'at'"
        yield wrong(message, constant.ignored)
    if form is not Form.ADDRESS and constant.ignored:
        yield wrong("is no address but has 'at'; remove it", "at")
    if form is Form.FUNCTION and constant.callback not in spec.callbacks:
        message = no_callback(spec, constant.callback)
        yield wrong(message, constant.callback)
    if form is not Form.FUNCTION and (constant.callback or constant.is_large):
        message = "is no function but has 'calls' or 'large'; remove it"
        yield wrong(message, "calls" if constant.callback else "large")
    if form is Form.HANDLE and not _is_of_handles(spec, constant.kind):
        if not constant.category.kind:  # else its category is wrong
            yield wrong(_no_handles(spec, constant.kind), constant.kind)
        return
    yield from _operands(constant, spec.kinds.get(constant.kind))


def _operands(constant: Constant, kind: Kind | None) -> Iterator[SpecError]:
    def wrong(message: str, word: str = "") -> SpecError:
        place = constant.position.at(word or constant.name)
        return SpecError(place, message, constant.name)

    is_operation = kind is not None and kind.is_operation
    if (constant.operands or constant.also) and not is_operation:
        message = "is no operation but has 'on' or 'also'; remove it"
        yield wrong(message, "on" if constant.operands else "also")
    for group in constant.also:
        if group in constant.operands:
            message = f"has '{group}' after 'on' and 'also'; remove one of the two"
            where = constant.position.at("also").at(group)
            yield SpecError(where, message, constant.name)
    if kind is None or not kind.is_datatype:
        if constant.operand or constant.size is not None or constant.external:
            clauses = {"is": constant.operand, "external": constant.external}
            given = next((clause for clause, value in clauses.items() if value), "size")
            message = "is no datatype but has 'is', 'size' or 'external'; remove it"
            yield wrong(message, given)
        return
    if constant.external and not constant.c_type:
        message = "has no number that external32 could hold; remove 'external'"
        yield wrong(message, "external")
    if constant.operand and (not constant.c_type or constant.size is None):
        yield wrong("operations need its type and size; add 'c' and 'size'")
    if (constant.operand == "pair") != bool(constant.index_type):
        yield wrong("a pair, and only a pair, has the type of its index; see 'with'")
