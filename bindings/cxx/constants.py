# SPDX-License-Identifier: BSD-3-Clause
"""Constants in namespace MPI, and those that classes have."""

from bindings.cxx.classes import LIBRARY, Class, Classes
from bindings.cxx.members import LANGUAGE
from bindings.cxx.passing import Types
from codegen.model import Category, Constant, Form, Spec


class Constants:
    """The declarations of constants."""

    def __init__(self, classes: Classes, types: Types, spec: Spec) -> None:
        self._classes = classes
        self._types = types
        self._spec = spec

    def categories(self) -> tuple[Category, ...]:
        """Those that the namespace declares."""
        found = self._spec.categories.values()
        return tuple(c for c in found if self.of_category(c))

    def of_category(self, category: Category) -> tuple[str, ...]:
        """The declarations of a category, without semicolons."""
        if LANGUAGE not in category.languages:
            return ()
        found = (self._declared(c) for c in self._spec.declared_in(category))
        return tuple(text for text in found if text)

    def of_class(self, one: Class) -> tuple[str, ...]:
        """The predefined callbacks of a class."""
        known = [c for c in self._spec.constants.values() if c.form is Form.FUNCTION]
        return tuple(self._function(c, one) for c in known if self._owner(c) is one)

    def _owner(self, constant: Constant) -> Class | None:
        """The class whose callback it is, if C++ has that."""
        callback = self._spec.callbacks[constant.callback]
        is_there = LANGUAGE in callback.languages and not callback.planned
        return self._types.callback_owner(callback) if is_there else None

    def _function(self, constant: Constant, one: Class) -> str:
        kind = self._types.callback_name(constant.callback, one)
        value = f"detail::C_function{{detail::plain({constant.name})}}"
        return f"static inline {kind} *const {one.rest(constant.name)} = {value}"

    def _declared(self, constant: Constant) -> str:
        named = constant.named(LANGUAGE)
        name = named.name if named else constant.name.removeprefix(LIBRARY)
        match constant.form:
            case Form.INTEGER:
                return f"inline constexpr int {name} = {constant.name}"
            case Form.BUFFER:
                return f"inline void *const {name} = {constant.name}"
            case Form.HANDLE:
                return self._object(constant, name)
            case Form.IGNORE if not constant.c_type.startswith(LIBRARY):
                return f"inline {constant.c_type}const {name} = {constant.name}"
        return ""  # of other languages, or the preprocessor's

    def _object(self, constant: Constant, name: str) -> str:
        """Objects that members change are no constants in MPI-2.2, A.1.1."""
        root = self._classes.of_kind(self._spec.kinds[constant.kind])
        if root is None:
            return ""
        is_null = constant.name == root.kind.null
        one = self._classes.null_of(root) if is_null else None
        if not is_null and root.is_cloned:
            return f"inline {self._classes.below(root)[0].name} {name}({constant.name})"
        return f"inline const {(one or root).name} {name}({constant.name})"
