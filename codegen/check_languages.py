# SPDX-License-Identifier: BSD-3-Clause
"""Whether the languages can have what the table says: names that each of them can
declare, and a row of its kinds.spec for each kind. A compiler would not find all of it:
Fortran takes two names that differ in case only for one.
"""

from collections.abc import Iterable, Iterator, Mapping

from codegen.entries import callback_entries
from codegen.language import Language
from codegen.model import Callback, Category, Constant, Procedure, Spec
from codegen.kinds import Kind
from codegen.position import Position, SpecError, did_you_mean

LONGEST = 63  # letters of a name (Fortran 2018 6.2.2, C11 5.2.4.1)
Named = Kind | Category | Constant | Callback | Procedure


def check_languages(spec: Spec, languages: Mapping[str, Language]) -> list[SpecError]:
    """Everything that some language cannot have."""
    errors = [*_same_but_for_case(spec)]
    for record in spec.records:
        errors += _arguments(record, languages)
        errors += _too_long(record.position, record.name, _names(record, languages))
    for procedure in spec.procedures.values():
        errors += _called_on(procedure)
    for constant in spec.constants.values():
        errors += _too_long(constant.position, constant.name, [constant.name])
    for language in languages.values():
        errors += _rows(spec, language)
    return errors


# ---- names ---------------------------------------------------------------------------
def _same_but_for_case(spec: Spec) -> Iterator[SpecError]:
    """Names that are one to a language without regard to case."""
    tables: list[Mapping[str, Named]] = [spec.kinds, spec.categories]
    tables.append({**spec.constants, **spec.callbacks, **spec.procedures})
    for table in tables:
        seen: dict[str, Named] = {}
        for entry in table.values():
            other = seen.setdefault(entry.name.lower(), entry)
            if other is not entry:
                where = f"{other.position.file}:{other.position.line}"
                message = f"differs from '{other.name}' at {where} in case only"
                yield SpecError(
                    entry.position, f"{message}; rename one of the two", entry.name
                )


def _arguments(
    record: Procedure | Callback, languages: Mapping[str, Language]
) -> Iterator[SpecError]:
    """What its arguments may not be called."""
    before: dict[str, str] = {}
    for argument in record.arguments:
        name, where = argument.name, argument.position
        other = before.setdefault(name.lower(), name)
        if other != name:
            message = f"argument '{name}' differs from '{other}' in case only"
            yield SpecError(where, f"{message}; rename one of the two", record.name)
        reserved = [
            languages[x].reserved(name) for x in argument.languages if x in languages
        ]
        for what in list(dict.fromkeys(filter(None, reserved)))[:1]:
            message = f"argument '{name}' is {what}; rename it"
            yield SpecError(where, message, record.name)
        yield from _too_long(where, record.name, [name])


def _names(
    record: Procedure | Callback, languages: Mapping[str, Language]
) -> Iterator[str]:
    """What the languages declare for a record."""
    if isinstance(record, Callback):
        yield from (entry.name for entry in callback_entries(record))
        return
    for language in languages.values():
        for entry in (*language.entries(record), *language.undeclared(record)):
            yield entry.pmpi_name


def _called_on(procedure: Procedure) -> Iterator[SpecError]:
    """The arguments that `named` names."""
    known = [argument.name for argument in procedure.arguments]
    for named in procedure.names:
        for name in filter(None, (named.of, *named.taking)):
            if name not in known:
                remedy = did_you_mean(name, known, "name one")
                where = named.position.at("named").at(name)
                message = f"'named': '{name}' is no argument; {remedy}"
                yield SpecError(where, message, procedure.name)


def _too_long(
    where: Position, record: str, names: Iterable[str]
) -> Iterator[SpecError]:
    """The longest of the names, if a compiler may not tell it from another."""
    longest = max(names, key=len, default="")
    if len(longest) > LONGEST:
        message = f"the name '{longest}' has {len(longest)} letters"
        yield SpecError(where, f"{message}; {LONGEST} is the most, shorten it", record)


# ---- rows ----------------------------------------------------------------------------
def _rows(spec: Spec, language: Language) -> Iterator[SpecError]:
    """The kinds of arguments and results that the language cannot spell; each once."""
    missing: dict[str, str] = {}
    for record in spec.records:
        if language.name in record.languages:
            kinds = [a.kind for a in record.arguments_in(language.name)]
            if not (record.returns_error or record.returns.is_nothing):
                kinds.append(record.returns)
            for kind in kinds:
                if kind.name not in language.table.rows:
                    missing.setdefault(kind.name, record.name)
    for kind_name, user in missing.items():
        message = f"has no row, but {user} has a value of this kind; add one"
        yield SpecError(Position(language.table.file, 1), message, kind_name)
