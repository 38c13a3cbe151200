# SPDX-License-Identifier: BSD-3-Clause
"""Compares the table with the MPI Forum's data: its list of procedures and the
constants of the standard ABI, read field by field, never used. spec/forum has what is
compared as facts; the Forum's own files can be compared, too (facts.py).

Differences that are meant are in spec/forum.waivers, one a line:

    CHECK  NAME ARGUMENT FIELD  "reason"      CHECK: forum or abi; ARGUMENT: - if none
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from codegen.facts import (
    LANGUAGES,
    LARGE,
    Json,
    constants_in,
    file_in,
    read_forum,
    tables,
    version_in,
)
from codegen.model import Argument, Callback, Constant, Form, Procedure, Spec
from codegen.position import Position, SpecError
from codegen.tokens import Cursor, Sort, read_lines


@dataclass(frozen=True)
class Difference:
    """One field in which the table and the Forum's data differ."""

    name: str
    argument: str  # "-" for the record itself
    field: str
    ours: str
    theirs: str
    position: Position

    def error(self) -> SpecError:
        """The difference as a complaint about the record."""
        where = f"argument '{self.argument}': " if self.argument != "-" else ""
        return SpecError(
            self.position,
            f"{where}{self.field} is '{self.ours}' here but '{self.theirs}' in the "
            "Forum's data; correct it or waive it in forum.waivers",
            self.name,
        )


@dataclass(frozen=True)
class Waiver:
    """A difference that is meant. A NAME may end in `*`."""

    name: str
    argument: str
    field: str
    reason: str
    position: Position

    def covers(self, difference: Difference) -> bool:
        """It is about this difference."""
        same_name = difference.name == self.name or (
            self.name.endswith("*") and difference.name.startswith(self.name[:-1])
        )
        return same_name and (self.argument, self.field) == (
            difference.argument,
            difference.field,
        )


def load_waivers(path: Path, name: str, check: str, data: Path) -> list[Waiver]:
    """The waivers of one check with a file of the Forum's, whose name has a version."""
    waivers = []
    for line in read_lines(path, name):
        cursor = Cursor(line)
        which = cursor.word("forum or abi")
        if which not in ("forum", "abi"):
            raise cursor.error(f"unknown check '{which}'; use forum or abi")
        is_of_all = cursor.peek().sort is not Sort.NUMBER
        version = "" if is_of_all else cursor.dotted("a version")
        record = cursor.record = cursor.word("a name")
        position = cursor.place
        record += "*" if cursor.accept("*") else ""
        argument = "-" if cursor.accept("-") else cursor.word("an argument, or -")
        field = cursor.word("a field")
        reason = cursor.string("the reason, in quotes")
        cursor.expect_end()
        if which == check and version in data.name:
            waivers.append(Waiver(record, argument, field, reason, position))
    return waivers


def compare(spec: Spec, folder: Path, waivers: Path, name: str) -> list[SpecError]:
    """What differs from the files in a folder, facts or the Forum's own, and is not
    waived; `name` is how messages call the file of waivers."""
    errors: list[SpecError] = []
    constants = constants_in(folder)
    for file in (*tables(folder), constants):
        path = file_in(folder, file)
        if file == constants:
            known = load_waivers(waivers, name, "abi", path)
            errors += judge(compare_constants(spec, path), known)
        else:
            known = load_waivers(waivers, name, "forum", path)
            errors += judge(compare_procedures(spec, path), known)
    # What several tables say differently is one mistake.
    return list({str(error): error for error in errors}.values())


def judge(differences: list[Difference], waivers: list[Waiver]) -> list[SpecError]:
    """What is neither equal nor waived, and the waivers that nothing needs."""
    errors = [d.error() for d in differences if not any(w.covers(d) for w in waivers)]
    for waiver in waivers:
        if not any(waiver.covers(difference) for difference in differences):
            message = "this waiver is not needed; remove it"
            errors.append(SpecError(waiver.position, message, waiver.name))
    return errors


# ---- procedures and callbacks --------------------------------------------------------
def _languages(ours: tuple[str, ...]) -> str:
    """Those that the Forum knows, too."""
    return " ".join(x for x in ours if x in LANGUAGES)


def _argument_fields(
    ours: Argument, record: Procedure | Callback, theirs: Json
) -> Iterator[tuple[str, str, str]]:
    """Field, our value, theirs."""
    words = str(theirs["suppress"]).split()
    known_to_all = _languages(record.languages).split()
    those = " ".join(x for x in known_to_all if f"{x}_parameter" not in words)
    known = {f"{x}_parameter" for x in LANGUAGES} | {"f08_intent", "lis_paren"}
    yield "kind", ours.kind.name, theirs["kind"]
    yield "direction", ours.direction.value, theirs["param_direction"]
    yield "lis_direction", ours.lis_direction.value, theirs["lis_direction"]
    yield "const", str(ours.is_const), str(bool(theirs["constant"]))
    yield "async", str(ours.is_async), str(theirs["asynchronous"])
    length = theirs["length"] or ""
    lengths = ours.length + (f" {ours.columns}" if ours.columns else "")
    yield "length", lengths, " ".join(length) if isinstance(length, list) else length
    yield "calls", ours.callback, theirs["func_type"]
    yield "pointer", str(ours.by_pointer), str(bool(theirs["pointer"]))
    yield "intent", str(ours.has_intent), str("f08_intent" not in words)
    yield "word", str(ours.has_word), str("lis_paren" not in words)
    yield "languages", _languages(ours.languages), those
    yield "root_only", str(ours.at_root is not None), str(theirs["root_only"])
    yield "large_only", str(ours.is_large_only), str(theirs["large_only"])
    yield "array_type", "", theirs["array_type"]
    yield "unknown", "", " ".join(word for word in words if word not in known)


def _record_fields(
    ours: Procedure | Callback, theirs: Json, arguments: list[Json]
) -> Iterator[tuple[str, str, str]]:
    attributes = theirs["attributes"]
    yield "name", ours.name, theirs["name"]
    yield "returns", ours.returns.name, theirs["return_kind"]
    yield "callback", str(isinstance(ours, Callback)), str(attributes["callback"])
    expressible = " ".join(x for x in LANGUAGES if attributes[f"{x}_expressible"])
    yield "languages", _languages(ours.languages), expressible
    names = " ".join(argument["name"] for argument in arguments)
    yield "arguments", " ".join(argument.name for argument in ours.arguments), names
    is_in_mpif = ours.is_in_mpif if isinstance(ours, Procedure) else True
    is_in_mpif = is_in_mpif or "f90" not in ours.languages
    yield "mpif", str(not is_in_mpif), str(attributes["not_with_mpif"])
    is_large = any(a["kind"].startswith(LARGE) for a in arguments)
    if isinstance(ours, Procedure):
        yield "large", str(ours.is_large), str(is_large)
        has_cptr = ours.gives_pointer and "f90" in ours.languages
        yield "cptr", str(has_cptr), str(attributes["f90_index_overload"] is not None)


def _is_ierror(parameter: Json) -> bool:
    """The error code that only Fortran has; we do not write it."""
    is_code = parameter["name"] in ("ierror", "ierr")
    return is_code and "c_parameter" in str(parameter["suppress"]).split()


def forum_arguments(theirs: Json) -> list[Json]:
    """The arguments of a record of the Forum that a record of ours has, too."""
    return [p for p in theirs["parameters"] if not _is_ierror(p)]


def _record(ours: Procedure | Callback, theirs: Json) -> Iterator[Difference]:
    arguments = forum_arguments(theirs)
    for field, mine, other in _record_fields(ours, theirs, arguments):
        if mine != other:
            yield Difference(ours.name, "-", field, mine, other, ours.position)
    by_name = {argument["name"]: argument for argument in arguments}
    for argument in ours.arguments:
        if argument.name not in by_name:
            continue  # "arguments" differs already
        fields = _argument_fields(argument, ours, by_name[argument.name])
        for field, mine, other in fields:
            if mine != other:
                position = argument.position
                yield Difference(ours.name, argument.name, field, mine, other, position)


def _not_in_table(spec: Spec, theirs: Json) -> Iterator[Difference]:
    """What only the Forum's data have."""
    known = {*spec.procedures, *spec.callbacks, *spec.constants}
    nowhere = Position("spec/procedures", 1)
    for other in theirs.values():
        if other["name"] not in known:
            yield Difference(other["name"], "-", "missing", "-", "given", nowhere)


def _may_be_gone(record: Procedure | Callback, path: Path) -> bool:
    """It was deprecated when the table was made, or before."""
    version = version_in(path.name)
    since = tuple(map(int, record.deprecated.split("."))) if record.deprecated else ()
    return bool(since) and version >= since


def compare_procedures(spec: Spec, path: Path) -> list[Difference]:
    """All records, planned ones too, and the predefined callbacks, both ways."""
    theirs: Json = read_forum(path)
    differences = [*_not_in_table(spec, theirs)]
    records = spec.records
    versions = {record.since for record in records if record.name.lower() in theirs}
    for record in records:
        other = theirs.get(record.name.lower())
        if other is None and record.since not in versions:
            continue  # the data are those of an older standard
        if other is None and _may_be_gone(record, path):
            continue
        if other is None:
            where = record.position
            differences.append(
                Difference(record.name, "-", "missing", "given", "-", where)
            )
        else:
            differences += _record(record, other)
    for constant in spec.constants.values():
        other = theirs.get(constant.name.lower())
        if constant.form is Form.FUNCTION and other is not None:
            prototype = other["attributes"]["predefined_function"]
            if prototype != constant.callback:
                differences.append(
                    _constant(constant, "calls", constant.callback, prototype)
                )
    return differences


# ---- constants -----------------------------------------------------------------------
def _constant(constant: Constant, field: str, ours: str, theirs: str) -> Difference:
    return Difference(constant.name, "-", field, ours, theirs, constant.position)


def _value(constant: Constant) -> str:
    if constant.form is Form.KIND:
        return f"\\code{{{constant.fortran_type}}}"
    return str(constant.value)


def _c_type(spec: Spec, constant: Constant) -> str:
    """The constant's own type in C."""
    category = constant.category
    if "c" not in category.languages:
        return "None"
    match constant.form:
        case Form.HANDLE:
            return spec.kinds[constant.kind].handle
        case Form.BUFFER:
            return "void *"
        case Form.IGNORE | Form.ENUM:
            return constant.c_type.replace(" ", "")
        case Form.FUNCTION:
            return constant.callback + ("_c" if constant.is_large else "") + " *"
        case _:
            return "int"


def own_type(theirs: Json) -> str:
    """What a constant is in C; "" if C does not have it."""
    return str(theirs["handle_types"]["c"]["type"] or "")


def stands_for(theirs: Json) -> dict[str, str]:
    """The types that a datatype stands for, by the clauses of a record that say so. The
    Forum has abbreviations for some."""
    types, found = theirs["datatypes"], {}
    c_type = (types.get("c") or {}).get("type")
    if c_type and "any" not in c_type:
        plain = c_type.removeprefix("signed ") if c_type != "signed char" else c_type
        found["c"] = plain
    fortran = (types.get("f08") or {}).get("type")
    if fortran in ("ADDRESS", "COUNT", "OFFSET"):
        fortran = f"INTEGER(KIND=MPI_{fortran}_KIND)"
    return {**found, "fortran": fortran} if fortran else found


def _stands_for(theirs: Json, ours: Constant) -> Iterator[tuple[str, str, str]]:
    known = {"c": ours.c_type, "fortran": ours.fortran_type}
    for clause, type_ in stands_for(theirs).items():
        yield clause, known[clause], type_


def compare_constants(spec: Spec, path: Path) -> list[Difference]:
    """All constants, both ways."""
    theirs: Json = read_forum(path)["constants"]
    by_name: Json = {other["name"]: other for other in theirs.values()}
    differences = []
    for constant in spec.constants.values():
        other = by_name.get(constant.name)
        if other is None:
            differences.append(_constant(constant, "missing", "given", "-"))
            continue
        fields = [
            ("category", constant.category.name, other["category"]),
            ("value", _value(constant), str(other["abi_value"])),
            ("type", _c_type(spec, constant), str(other["handle_types"]["c"]["type"])),
            *_stands_for(other, constant),
        ]
        differences += [_constant(constant, *f) for f in fields if f[1] != f[2]]
    nowhere = Position("spec/constants.spec", 1)
    for name in by_name:
        if name not in spec.constants:
            differences.append(Difference(name, "-", "missing", "-", "given", nowhere))
    return differences
