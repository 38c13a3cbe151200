# SPDX-License-Identifier: BSD-3-Clause
"""Writes what a new table of the MPI Forum changes into the records. What the table does
not say is written as `?`, which the reader refuses and asks for, and is listed by name.

A record that the table has no longer stays, marked `deprecated VERSION`, so that
programs go on to compile; where only the name is another, `for NEWNAME` follows.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from codegen.changes import Changed, Changes
from codegen.edits import Lines, argument_line, edited, replaced_word
from codegen.facts import (
    LANGUAGES,
    LARGE,
    Json,
    file_in,
    newest_facts,
    read_forum,
    tables,
    version_in,
)
from codegen.forum import compare_procedures, forum_arguments
from codegen.model import Callback, Procedure, Spec

OPEN = "?"
# What follows from other fields of a record, or is none of ours.
UNSAID = ("callback", "array_type", "unknown", "mpif", "cptr")


@dataclass
class Imported:
    """The files to be written: path below the tree to text; and what is to be answered."""

    files: dict[str, str] = field(default_factory=dict)
    questions: list[str] = field(default_factory=list)


# ---- new records ---------------------------------------------------------------------
def _asks_domain(spec: Spec, argument: Json) -> bool:
    kind = spec.kinds.get(argument["kind"])
    is_integral = kind is not None and kind.is_integral
    return is_integral and argument["param_direction"] != "out"


def _usual_domain(spec: Spec, kind: str) -> str:
    """What most arguments of a kind obey, to be considered."""
    arguments = [a for p in spec.procedures.values() for a in p.arguments]
    texts = [
        f"{d.rule.text} : {d.error}"
        for a in arguments
        if a.kind.name == kind and a.is_in
        for d in a.domains
        if not (d.unless or d.also or d.rule.group)
    ]
    return max(sorted(set(texts)), key=texts.count, default="")


def _new_argument(spec: Spec, argument: Json, languages: Sequence[str]) -> str:
    """The line of an argument, with `?` for what the table leaves open."""
    kind = spec.kinds.get(argument["kind"])
    clauses = [OPEN] if kind is not None and kind.is_choice else []
    clauses += [f"{OPEN} : {OPEN}"] if _asks_domain(spec, argument) else []
    return argument_line(spec, argument, languages, clauses)


def _new_record(spec: Spec, record: Json, version: str) -> list[str]:
    """The lines of a procedure or callback."""
    attributes = record["attributes"]
    languages = [x for x in LANGUAGES if attributes[f"{x}_expressible"]]
    is_callback = bool(attributes["callback"])
    words = [f"{'callback' if is_callback else 'proc'} {record['name']}"]
    words += [f"since {version}", f"section {OPEN}"]
    returns = record["return_kind"]
    is_code = returns in spec.kinds and spec.kinds[returns].is_error_code
    words += [] if is_code else [f"returns {returns}"]
    every = [x for x in LANGUAGES if x != "lis"] if is_callback else [*LANGUAGES]
    own = [x for x in languages if x in every]
    words += [] if own == every else [f"only {', '.join(own)}"]
    lines = [" ".join(words[:1]) + "  " + "  ".join([*words[1:], "planned"])]
    if not is_callback:
        errors = OPEN if is_code else "none"
        lines += [f"    summary {OPEN}", f"    {OPEN}  errors {errors}"]
    return lines + [_new_argument(spec, a, own) for a in forum_arguments(record)]


def _questions(spec: Spec, record: Json) -> Iterator[str]:
    """What the table does not say of a new record, by name."""
    name = record["name"]
    if record["attributes"]["callback"]:
        yield f"{name}: section"
    else:
        kind = spec.kinds.get(record["return_kind"])
        errors = ", errors (the argument whose handler is raised)"
        known = "" if kind is None or not kind.is_error_code else errors
        yield f"{name}: section, summary, collective or local{known}"
    for argument in forum_arguments(record):
        yield from _argument_questions(spec, name, argument)


def _argument_questions(spec: Spec, name: str, argument: Json) -> Iterator[str]:
    words = ["what it is"]
    if _asks_domain(spec, argument):
        usual = _usual_domain(spec, argument["kind"])
        words.append(
            f"domain and error (others: {usual})" if usual else "domain and error"
        )
    kind = spec.kinds.get(argument["kind"])
    if kind is not None and kind.is_choice:
        words.append("walk, addr or contig")
    if argument["root_only"]:
        words.append("at which root of what")
    yield f"{name}, argument {argument['name']}: {', '.join(words)}"


# ---- changed records -----------------------------------------------------------------
@dataclass(frozen=True)
class _Pairs:
    """Which argument of ours each of the table's is: by name, else by place."""

    ours: dict[str, str]  # the table's name to ours; "" if it is new

    @classmethod
    def of(cls, change: Changed) -> "_Pairs":
        theirs = [a["name"] for a in forum_arguments(change.theirs)]
        known = [a.name for a in change.record.arguments]
        lost = [name for name in known if name not in theirs]
        pairs = {}
        for index, name in enumerate(theirs):
            same_place = known[index] if index < len(known) else ""
            is_renamed = name not in known and same_place in lost
            is_renamed = is_renamed and len(theirs) == len(known)
            pairs[name] = name if name in known else same_place if is_renamed else ""
        return cls(pairs)

    @property
    def renamed(self) -> dict[str, str]:
        """Our names that the table has otherwise, to its names."""
        return {o: t for t, o in self.ours.items() if o and o != t}


class _Record:
    """The lines of one record in its file, being changed."""

    def __init__(self, spec: Spec, lines: Lines, change: Changed) -> None:
        self._spec = spec
        self._lines = lines
        self._change = change
        self._record = change.record
        self._pairs = _Pairs.of(change)
        self.questions: list[str] = []

    def rewrite(self) -> None:
        """Everything that differs."""
        for d in self._change.differences:
            if d.field in UNSAID:
                text = (
                    f"{d.field} is {d.theirs or 'nothing'} there, which no clause says"
                )
                self.questions.append(f"{d.name}: {text}")
        head = self._record.position.line
        self._lines.change(head, self._head(self._lines[head]))
        by_name = {a.name: a.position.line for a in self._record.arguments}
        texts = [
            self._argument(a, by_name) for a in forum_arguments(self._change.theirs)
        ]
        self._lines.replace_lines(sorted(by_name.values()), texts, after=self._end())
        for old, new in self._pairs.renamed.items():
            for number in self._lines.of_record(head):
                self._lines.change(number, replaced_word(self._lines[number], old, new))

    def _end(self) -> int:
        return self._lines.of_record(self._record.position.line)[-1]

    def _head(self, text: str) -> str:
        """The line that opens the record."""
        fields = self._change.fields("-")
        if "returns" in fields:
            text = re.sub(r"  returns \w+", "", text)
            returns = self._change.theirs["return_kind"]
            if not self._spec.kinds[returns].is_error_code:
                text += f"  returns {returns}"
        if "languages" in fields:
            attributes = self._change.theirs["attributes"]
            own = [x for x in LANGUAGES if attributes[f"{x}_expressible"]]
            text = re.sub(r"  only \w+(, *\w+)*", "", text)
            text += "" if own == [*LANGUAGES] else f"  only {', '.join(own)}"
        return text

    def _argument(self, theirs: Json, by_name: dict[str, int]) -> str:
        """The line of one argument, as the table has it."""
        name = self._pairs.ours[theirs["name"]]
        languages = self._record.languages
        if not name:
            questions = _argument_questions(self._spec, self._record.name, theirs)
            self.questions += questions
            return _new_argument(self._spec, theirs, languages)
        fields = self._change.fields(name)
        if name != theirs["name"]:
            fields = frozenset(self._changed_fields(name, theirs))
        return edited(self._spec, self._lines[by_name[name]], theirs, fields, languages)

    def _changed_fields(self, name: str, theirs: Json) -> Iterator[str]:
        """What differs of an argument whose name does, too."""
        ours = next(a for a in self._record.arguments if a.name == name)
        if ours.kind.name != theirs["kind"]:
            yield "kind"
        if ours.direction.value != theirs["param_direction"]:
            yield "direction"


# ---- the whole table -----------------------------------------------------------------
class Importer:
    """Makes the files of a tree anew."""

    def __init__(self, root: Path, spec: Spec, found: Changes, into: str) -> None:
        self._root = root
        self._spec = spec
        self._found = found
        self._into = into
        self._files: dict[str, Lines] = {}
        self.imported = Imported()

    def run(self) -> Imported:
        """All changes. Lines keep their numbers until all are made."""
        for change in self._found.changed:
            record = _Record(self._spec, self._file(change.record), change)
            record.rewrite()
            self.imported.questions += record.questions
        for gone in self._found.removed:
            self._deprecate(gone, "")
        for renamed in self._found.renamed:
            self._rename(renamed.record, renamed.name)
        for added in self._found.added:
            self._add(added)
        for kind in self._found.kinds:
            self._add_kind(kind)
        self._waive()
        self.imported.files = {name: f.text() for name, f in self._files.items()}
        return self.imported

    def _waive(self) -> None:
        """The tables of older standards are right as they are: what has changed since is
        meant."""
        folder = self._root / "spec" / "forum"
        rows: list[str] = []
        for table in tables(folder) if folder.exists() else ():
            version = ".".join(map(str, version_in(table)))
            if version != self._found.version:
                rows += self._changed_since(file_in(folder, table), version)
        if rows:
            self._lines("spec/forum.waivers").append(["", *rows])

    def _changed_since(self, table: Path, version: str) -> Iterator[str]:
        """Waivers for what an older table has as the records had it."""
        older = compare_procedures(self._spec, table)
        known = {(d.name, d.argument, d.field) for d in older}
        has = read_forum(table)
        for change in self._found.changed:
            for d in change.differences:
                is_known = (d.name, d.argument, d.field) in known
                if d.name.lower() in has and not is_known and d.field not in UNSAID:
                    reason = f"changed in MPI-{self._found.version}"
                    what = f"{d.name}  {d.argument}  {d.field}"
                    yield f'forum {version}  {what}  "{reason}"'

    def _lines(self, name: str) -> Lines:
        """A file of the tree; one that is not there yet has its first line only."""
        if name not in self._files:
            path = self._root / name
            head = "# SPDX-License-Identifier: BSD-3-Clause\n"
            self._files[name] = Lines(
                path.read_text("utf-8") if path.exists() else head
            )
        return self._files[name]

    def _file(self, record: Procedure | Callback) -> Lines:
        return self._lines(record.position.file)

    def _deprecate(self, record: Procedure | Callback, successor: str) -> None:
        lines, line = self._file(record), record.position.line
        text = re.sub(r"  deprecated [\d.]+( for \w+)?", "", lines[line])
        text += f"  deprecated {self._found.version}"
        lines.change(line, text + (f" for {successor}" if successor else ""))

    def _rename(self, record: Procedure, name: str) -> None:
        """A copy under the new name, which calls the same core function."""
        lines, line = self._file(record), record.position.line
        copy = [lines[number] for number in lines.of_record(line)]
        copy[0] = replaced_word(copy[0], record.name, name)
        copy[0] = re.sub(r"since [\d.]+", f"since {self._found.version}", copy[0])
        if not any(re.search(r"\bcore \w+", text) for text in copy):
            row = next(
                i for i, text in enumerate(copy) if re.search(r"\berrors \w+", text)
            )
            copy[row] = re.sub(r"(\berrors \w+)", rf"\1  core {record.core}", copy[row])
        lines.insert(lines.of_record(line)[-1], ["", *copy])
        self._deprecate(record, name)
        self.imported.questions.append(f"{name}: section")

    def _add(self, record: Json) -> None:
        is_callback = bool(record["attributes"]["callback"])
        lines = self._lines("spec/callbacks.spec" if is_callback else self._into)
        lines.append(["", *_new_record(self._spec, record, self._found.version)])
        self.imported.questions += _questions(self._spec, record)

    def _add_kind(self, kind: str) -> None:
        """A kind, and a row for it in each language that has one."""
        traits = "  traits large" if kind.startswith(LARGE) else ""
        line = f'kind {kind}  {OPEN}  "{OPEN}"{traits}'
        self._lines("spec/kinds.spec").append([line])
        self.imported.questions.append(f"kind {kind}: class, word")
        for table in sorted((self._root / "bindings").glob("*/kinds.spec")):
            name = table.relative_to(self._root).as_posix()
            self._lines(name).append([f"{kind} {OPEN}"])
            self.imported.questions.append(f"kind {kind}: its row in {name}")


def newest_facts_of(root: Path, table: Path) -> dict[str, str]:
    """The file of spec/forum with which later runs compare the records."""
    facts = newest_facts(root / "spec" / "forum", table)
    return {f"spec/forum/{name}": text for name, text in facts.items()}
