# SPDX-License-Identifier: BSD-3-Clause
"""What the comparison needs of the MPI Forum's data: as the Forum's JSON, or as *facts*,
lines of Oriel's own that hold names, kinds, flags and numbers, and nothing else. The
facts are in spec/forum, made of the JSON by `python3 -m codegen digest FOLDER`.

Procedures; the first line may name a file of an older standard, for what has not changed:

    as FILE
    gone NAME
    NAME: RETURNS LANGUAGE... [callback] [no_mpif] [overloaded] [function=PROTOTYPE]
        ARGUMENT KIND DIRECTION [FLAG...] [WORD=VALUE...]

Constants: NAME | CATEGORY | value | type in C | stands for in C | in Fortran
"""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from codegen.position import Position, SpecError

Json = dict[str, Any]

OLDEST = "mpi-4.1-apis"  # those of later standards hold what has changed
CONSTANTS = "mpi-5.0-abi"  # the first one
HEAD = """\
# SPDX-License-Identifier: BSD-3-Clause
# Facts of the MPI standard, made by `codegen digest`; codegen/facts.py says how to read.
"""
LARGE = "POLY"  # so begin the kinds that are wider in the `_c` procedure
LANGUAGES = ("lis", "c", "f08", "f90")
# Word of a record: the Forum's attribute; of an argument: the Forum's field.
RECORD_FLAGS = {"callback": "callback", "no_mpif": "not_with_mpif"}
FLAGS = {
    "const": "constant",
    "async": "asynchronous",
    "pointer": "pointer",
    "root_only": "root_only",
    "large_only": "large_only",
}
WORDS = {
    "lis": "lis_direction",
    "length": "length",
    "calls": "func_type",
    "array": "array_type",
    "suppress": "suppress",
}


# ---- from the Forum's data -----------------------------------------------------------
def _argument_line(argument: Json) -> str:
    words = [argument["name"], argument["kind"], argument["param_direction"]]
    words += [flag for flag, field in FLAGS.items() if argument[field]]
    for word, field in WORDS.items():
        value = argument[field] or ""
        value = value if isinstance(value, list) else str(value).split()
        if value and (word != "lis" or value != [argument["param_direction"]]):
            words.append(f"{word}={','.join(value)}")
    return "    " + " ".join(words)


def _record_lines(record: Json) -> list[str]:
    attributes = record["attributes"]
    words = [record["return_kind"]]
    words += [x for x in LANGUAGES if attributes[f"{x}_expressible"]]
    words += [word for word, field in RECORD_FLAGS.items() if attributes[field]]
    words += ["overloaded"] if attributes["f90_index_overload"] is not None else []
    if attributes["predefined_function"]:
        words.append(f"function={attributes['predefined_function']}")
    head = f"{record['name']}: {' '.join(words)}"
    return [head, *(_argument_line(a) for a in record["parameters"])]


def _constant_line(constant: Json) -> str:
    types = constant["datatypes"]
    cells = [constant["name"], constant["category"], constant["abi_value"]]
    cells.append(constant["handle_types"]["c"]["type"])
    cells += [(types.get(x) or {}).get("type") for x in ("c", "f08")]
    return " | ".join("-" if cell in (None, "") else str(cell) for cell in cells)


def facts_of(data: Json, older: str = "", old: Json | None = None) -> Iterator[str]:
    """The lines for a file of the Forum's; only what is not the same in an older one."""
    if has_constants(data):
        yield from (_constant_line(c) for c in data["constants"].values())
        return
    known = {key: _record_lines(record) for key, record in (old or {}).items()}
    if older:
        yield f"as {older}"
    for key, record in data.items():
        lines = _record_lines(record)
        if known.get(key) != lines:
            yield from lines
    yield from (f"gone {record['name']}" for record in _gone(old or {}, data))


def _gone(old: Json, data: Json) -> Iterator[Json]:
    return (record for key, record in old.items() if key not in data)


def file_in(folder: Path, name: str) -> Path:
    """A file of the Forum's in a folder, of either form."""
    path = next(folder.glob(f"{name}.*"), None)
    if path is None:
        message = f"has no file {name}; name a folder that has the Forum's data"
        raise SpecError(Position(str(folder), 1), message)
    return path


def version_in(name: str) -> tuple[int, ...]:
    """The standard's version in the name of a file, as in mpi-5.0-apis.json or
    mpi-5.0-abi.json; () if it has none."""
    found = re.match(r"mpi-(\d+)\.(\d+)-(?:apis|abi)\b", name)
    return tuple(map(int, found.groups())) if found else ()


def tables(folder: Path) -> list[str]:
    """The tables of procedures in a folder, the oldest first."""
    return _stems(folder, "apis") or [OLDEST]


def constants_in(folder: Path) -> str:
    """The newest table of constants in a folder."""
    return [CONSTANTS, *_stems(folder, "abi")][-1]


def _stems(folder: Path, sort: str) -> list[str]:
    stems = {path.name.rsplit(".", 1)[0] for path in folder.glob(f"mpi-*-{sort}.*")}
    return sorted(stems, key=version_in)


def digest(folder: Path) -> dict[str, str]:
    """The facts of the Forum's files in a folder: file below spec/forum to text."""
    facts = {}
    older, old = "", None
    for name in tables(folder):
        data = read_forum(file_in(folder, name))
        facts[f"{name}.facts"] = _file(facts_of(data, older, old))
        older, old = f"{name}.facts", data
    name = constants_in(folder)
    constants = read_forum(file_in(folder, name))
    return facts | {f"{name}.facts": _file(facts_of(constants))}


def newest_facts(folder: Path, path: Path) -> dict[str, str]:
    """The facts of one more table, beside those of a folder."""
    older = f"{tables(folder)[-1]}.facts"
    name = f"{path.name.rsplit('.', 1)[0]}.facts"
    data = read_forum(path)
    if has_constants(data):
        return {name: _file(facts_of(data))}
    if name == older or not (folder / older).exists():
        return {}
    return {name: _file(facts_of(data, older, read_forum(folder / older)))}


def has_constants(data: Json) -> bool:
    """It is the table of the ABI's constants, not that of procedures."""
    return "constants" in data


def _file(lines: Iterable[str]) -> str:
    return HEAD + "\n".join(lines) + "\n"


# ---- the same again ------------------------------------------------------------------
def _argument(words: list[str]) -> Json:
    name, kind, direction, *rest = words
    values = dict(word.split("=", 1) for word in rest if "=" in word)
    argument: Json = {"name": name, "kind": kind, "param_direction": direction}
    argument |= {field: flag in rest for flag, field in FLAGS.items()}
    given = {"lis": direction, **values}
    for word, field in WORDS.items():
        argument[field] = " ".join(given.get(word, "").split(","))
    return argument


def _record(name: str, words: list[str]) -> Json:
    functions = [w.partition("=")[2] for w in words if w.startswith("function=")]
    attributes: Json = {f"{x}_expressible": x in words[1:] for x in LANGUAGES}
    attributes |= {field: word in words[1:] for word, field in RECORD_FLAGS.items()}
    attributes["f90_index_overload"] = "" if "overloaded" in words else None
    attributes["predefined_function"] = functions[0] if functions else None
    return {
        "name": name,
        "return_kind": words[0],
        "attributes": attributes,
        "parameters": [],
    }


def _constant(line: str) -> Json:
    cells = [None if cell == "-" else cell for cell in line.split(" | ")]
    name, category, value, own_type, c_type, fortran_type = cells
    types = {"c": {"type": c_type}, "f08": {"type": fortran_type}}
    return {
        "name": name,
        "category": category,
        "abi_value": value,
        "handle_types": {"c": {"type": own_type}},
        "datatypes": types,
    }


def _procedures(lines: list[str], folder: Path) -> Json:
    records: Json = {}
    last: Json = {}
    for line in lines:
        if line.startswith("as "):
            records |= read_forum(folder / line.removeprefix("as "))
        elif line.startswith("gone "):
            del records[line.removeprefix("gone ").lower()]
        elif line.startswith(" "):
            last["parameters"].append(_argument(line.split()))
        else:
            name, words = line.split(": ")
            last = records[name.lower()] = _record(name, words.split())
    return records


def read_forum(path: Path) -> Json:
    """The Forum's data, from a file of either form."""
    text = path.read_text("utf-8")
    if path.suffix == ".json":
        data: Json = json.loads(text)
        return data
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    if " | " in lines[0]:
        constants = [_constant(line) for line in lines]
        return {"constants": {c["name"].lower(): c for c in constants}}
    return _procedures(lines, path.parent)
