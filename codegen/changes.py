# SPDX-License-Identifier: BSD-3-Clause
"""What a new table of the MPI Forum adds to the records, removes and changes. Nothing is
written here (importing.py does); what waivers cover is as meant and no change.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from codegen.facts import Json, read_forum, version_in
from codegen.forum import (
    Difference,
    Waiver,
    compare_procedures,
    forum_arguments,
    load_waivers,
)
from codegen.model import Callback, Procedure, Spec
from codegen.position import Position, SpecError


@dataclass(frozen=True)
class Renamed:
    """A record of ours that the table has under another name only."""

    record: Procedure
    name: str


@dataclass(frozen=True)
class Changed:
    """A record whose arguments or properties the table has otherwise."""

    record: Procedure | Callback
    theirs: Json
    differences: tuple[Difference, ...]

    def fields(self, argument: str) -> frozenset[str]:
        """The fields in which an argument differs; "-": the record itself."""
        return frozenset(d.field for d in self.differences if d.argument == argument)


@dataclass(frozen=True)
class Changes:
    """Everything, in the table's order or that of the records."""

    version: str  # of the standard whose table it is
    added: tuple[Json, ...]
    kinds: tuple[str, ...]  # of arguments, that the records do not have
    removed: tuple[Procedure | Callback, ...]
    renamed: tuple[Renamed, ...]
    changed: tuple[Changed, ...]

    def lines(self) -> Iterator[str]:
        """What a reader is shown."""
        for record in self.added:
            yield f"adds {signature(record)}"
        yield from (f"adds kind {kind}" for kind in self.kinds)
        yield from (f"removes {record.name}" for record in self.removed)
        yield from (f"renames {r.record.name} to {r.name}" for r in self.renamed)
        for change in self.changed:
            for d in change.differences:
                where = f", argument {d.argument}" if d.argument != "-" else ""
                ours, theirs = d.ours or "nothing", d.theirs or "nothing"
                yield f"changes {d.name}{where}: {d.field} from {ours} to {theirs}"


def version_of(path: Path) -> str:
    """The standard's version in the name of a file, as in mpi-5.0-apis.json."""
    version = version_in(path.name)
    if not version:
        message = "has no version in its name; call it like mpi-5.0-apis.json"
        raise SpecError(Position(str(path), 1), message)
    return ".".join(map(str, version))


def signature(record: Json) -> str:
    """A procedure of the Forum in one line."""
    words = [
        f"{a['param_direction']} {a['name']} {a['kind']}"
        for a in forum_arguments(record)
    ]
    return f"{record['name']}({', '.join(words)})"


def _shape(name: str, arguments: Iterable[tuple[str, str, str]]) -> tuple[str, ...]:
    return name, *(" ".join(argument) for argument in arguments)


def _same_but_for_name(record: Procedure | Callback, theirs: Json) -> bool:
    """The table has the record's arguments under a new name."""
    ours = ((a.name, a.kind.name, a.direction.value) for a in record.arguments)
    others = (
        (a["name"], a["kind"], a["param_direction"]) for a in forum_arguments(theirs)
    )
    is_callback = isinstance(record, Callback)
    same = _shape(record.returns.name, ours) == _shape(theirs["return_kind"], others)
    return same and is_callback == bool(theirs["attributes"]["callback"])


class _Comparison:
    """The records beside one table, but for what is waived."""

    def __init__(self, spec: Spec, path: Path, waivers: list[Waiver]) -> None:
        self.spec = spec
        self.theirs = read_forum(path)
        self.version = version_of(path)
        found = compare_procedures(spec, path)
        self.differences = [d for d in found if not any(w.covers(d) for w in waivers)]
        self.records = {record.name: record for record in spec.records}

    def changes(self) -> Changes:
        missing = [d for d in self.differences if d.field == "missing"]
        added = [self.theirs[d.name.lower()] for d in missing if d.theirs == "given"]
        added = [record for record in added if not _is_predefined(record)]
        removed = [self.records[d.name] for d in missing if d.ours == "given"]
        renamed = self._renamed(removed, added)
        names = {r.name for r in renamed}
        sources = {r.record.name for r in renamed}
        changed = [*self._changed()]
        return Changes(
            version=self.version,
            added=tuple(r for r in added if r["name"] not in names),
            kinds=tuple(self._kinds([*added, *(c.theirs for c in changed)])),
            removed=tuple(r for r in removed if r.name not in sources),
            renamed=tuple(renamed),
            changed=tuple(changed),
        )

    def _renamed(
        self, removed: list[Procedure | Callback], added: list[Json]
    ) -> list[Renamed]:
        """Those of the removed that come back under one new name."""
        pairs = []
        for record in removed:
            alike = [other for other in added if _same_but_for_name(record, other)]
            if isinstance(record, Procedure) and len(alike) == 1 and record.arguments:
                pairs.append(Renamed(record, alike[0]["name"]))
        return pairs

    def _changed(self) -> Iterator[Changed]:
        for name, record in self.records.items():
            own = [d for d in self.differences if d.name == name]
            if own and not any(d.field == "missing" for d in own):
                yield Changed(record, self.theirs[name.lower()], tuple(own))

    def _kinds(self, records: list[Json]) -> dict[str, None]:
        """Kinds that some record needs and kinds.spec has not, each once."""
        named = [r["return_kind"] for r in records]
        named += [a["kind"] for r in records for a in forum_arguments(r)]
        return {kind: None for kind in named if kind not in self.spec.kinds}


def _is_predefined(record: Json) -> bool:
    """It is a predefined callback: a constant to us."""
    return bool(record["attributes"]["predefined_function"])


def changes(spec: Spec, path: Path, waivers: Path, name: str) -> Changes:
    """What the table in `path` changes; `name` is how messages call the waivers."""
    known = load_waivers(waivers, name, "forum", path)
    return _Comparison(spec, path, known).changes()
