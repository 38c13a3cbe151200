# SPDX-License-Identifier: BSD-3-Clause
"""Pages as immutable records: everything that an output says, in no output's syntax. Texts
may hold names of MPI and `words` between back quotes (markup.py).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from codegen.expand import Bindings
from codegen.language import Language
from codegen.model import Argument, Callback, Category, Constant, Procedure, Spec
from codegen.reference.costs import Cost
from codegen.reference.examples import Example
from codegen.reference.markup import names_in
from codegen.reference.records import Chapter, InfoKey, Records, Section
from codegen.position import SpecError
from codegen.words import condition_words, domain_demands, freedoms, kind_words
from codegen.wrap import fill

ERROR_CLASSES = "ERROR_CLASSES"
NEIGHBOURS = 8  # procedures of the same section that a page names at most
WIDTH = 76


@dataclass(frozen=True)
class Binding:
    """What programs in one language write."""

    language: str
    title: str
    usage: str
    code: str


@dataclass(frozen=True)
class Failure:
    """An error class, and what is wrong then; the class's own text if nothing is said."""

    error: str
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class ArgumentRow:
    """What a reader is told of an argument."""

    name: str
    direction: str
    kind: str  # "non-negative integer"
    description: str
    demands: tuple[str, ...]  # "must be >= 0"
    languages: tuple[str, ...]  # titles of those that have it; () if all


@dataclass(frozen=True)
class ProcedurePage:
    """The page of a procedure."""

    procedure: Procedure
    chapter: Chapter
    others: tuple[str, ...]  # more names of it: those of large counts
    bindings: tuple[Binding, ...]
    arguments: tuple[ArgumentRow, ...]
    facts: tuple[str, ...]  # sentences: who calls it, whose error handler is raised
    completes: str
    failures: tuple[Failure, ...]
    keys: tuple[InfoKey, ...]
    costs: tuple[Cost, ...]
    examples: tuple[Example, ...]
    see_also: tuple[str, ...]

    @property
    def cost_tables(self) -> tuple[tuple[tuple[str, ...], tuple[Cost, ...]], ...]:
        """The rows of its costs by the columns that they have."""
        tables: dict[tuple[str, ...], tuple[Cost, ...]] = {}
        for cost in self.costs:
            tables[cost.columns] = (*tables.get(cost.columns, ()), cost)
        return tuple(tables.items())

    @property
    def names(self) -> tuple[str, ...]:
        """All names of it."""
        return (self.name, *self.others)

    @property
    def has_notes(self) -> bool:
        """This library is worth a note."""
        return bool(self.procedure.texts.notes or self.keys or self.costs)

    @property
    def name(self) -> str:
        """The procedure's."""
        return self.procedure.name

    @property
    def summary(self) -> str:
        """The procedure's."""
        return self.procedure.summary


@dataclass(frozen=True)
class ConstantPage:
    """The page of a constant or of an error class."""

    constant: Constant
    users: tuple[str, ...]  # procedures that take it or, of an error class, give it

    @property
    def name(self) -> str:
        """The constant's."""
        return self.constant.name

    @property
    def is_error(self) -> bool:
        """It is an error class."""
        return self.constant.category.name == ERROR_CLASSES

    @property
    def summary(self) -> str:
        """What to show in a list."""
        constant = self.constant
        types = [_literal(t) for t in (constant.c_type, constant.fortran_type) if t]
        stands_for = f"datatype of {' and '.join(types)}" if constant.size else ""
        return sentence(
            constant.text or stands_for or f"one of: {constant.category.title}"
        )

    @property
    def is_plain(self) -> bool:
        """It says what it is."""
        return bool(self.constant.text or self.constant.size)

    @property
    def rows(self) -> tuple[tuple[str, str], ...]:
        """What its record says, for a table."""
        constant = self.constant
        value = "" if constant.value is None else str(constant.value)
        size = "" if constant.size is None else f"{constant.size} bytes"
        pairs = (
            ("Value", value),
            ("C type", _literal(constant.c_type)),
            ("Type of the index", _literal(constant.index_type)),
            ("Fortran", _literal(constant.fortran_type)),
            ("Size of the data", size),
            ("Defined on types of", _listed(constant.operands)),
            ("Also takes types of", _listed(constant.also)),
            ("Prototype", constant.callback),
            ("One of", constant.category.title),
        )
        return tuple((name, text) for name, text in pairs if text)


@dataclass(frozen=True)
class CallbackPage:
    """The page of the prototype of a procedure that a program gives."""

    callback: Callback
    bindings: tuple[Binding, ...]
    arguments: tuple[ArgumentRow, ...]
    users: tuple[str, ...]

    @property
    def name(self) -> str:
        """The prototype's."""
        return self.callback.name

    @property
    def summary(self) -> str:
        """What to show in a list."""
        return f"Prototype of a procedure that is given to {self.users[0]}."


@dataclass(frozen=True)
class ChapterPage:
    """The page of a chapter: its procedures by section."""

    chapter: Chapter
    sections: tuple[tuple[Section, tuple[ProcedurePage, ...]], ...]

    @property
    def count(self) -> int:
        """How many procedures it has."""
        return sum(len(procedures) for _, procedures in self.sections)


def sentence(text: str) -> str:
    """With a capital letter and a full stop; nothing stays nothing."""
    stop = "" if not text or text.endswith(".") else "."
    return text[:1].upper() + text[1:] + stop


def _literal(text: str) -> str:
    return f"`{text}`" if text else ""


def _listed(words: tuple[str, ...]) -> str:
    return ", ".join(word.replace("_", " ") for word in words)


# ---- parts of a page -----------------------------------------------------------------
def wrapped(line: str, width: int = WIDTH) -> Iterator[str]:
    """A line of a declaration, broken after commas; it goes on below its parenthesis."""
    indent = len(line) - len(line.lstrip())
    column = line.find("(") + 1
    hang = column if 0 < column <= width // 2 else indent + 4
    first, *rest = fill(line, width, width - hang, (",",))
    yield from [first, *(" " * hang + more.lstrip() for more in rest)]


def _code(lines: list[str]) -> str:
    """Declarations as readers get them: without the page's indentation, which ends with
    what stands at its margin."""
    text: list[str] = []
    is_indented = True
    for line in lines:
        is_indented = is_indented and line.startswith("  ")
        line = line[2:] if is_indented else line
        is_new = bool(text) and not line.startswith(" ") and text[-1].startswith(" ")
        text += ["", *wrapped(line)] if is_new and is_indented else wrapped(line)
    return "\n".join(text)


def bindings_of(
    lines: Mapping[str, list[str]], languages: Mapping[str, Language]
) -> tuple[Binding, ...]:
    """The pages that languages have of a record, but for their headings."""
    found = []
    for name, language in languages.items():
        if lines[name]:
            code = _code(lines[name][1:] or lines[name])
            found.append(Binding(name, language.title or name, language.usage, code))
    return tuple(found)


def _demands(argument: Argument) -> Iterator[str]:
    for words, _ in domain_demands(argument):
        yield f"must be {words}"
    yield from freedoms(argument)
    if argument.frees:
        null = argument.kind.null
        yield f"is freed and set to {null}"
    if argument.is_large_only:
        yield "only in the procedure that ends in _c"


def argument_rows(
    arguments: tuple[Argument, ...], languages: Mapping[str, Language]
) -> tuple[ArgumentRow, ...]:
    """The rows of a procedure or a callback."""
    rows = []
    for argument in arguments:
        having = [n for n in languages if argument.is_in_language(n)]
        titles = [languages[n].title or n for n in having]
        rows.append(
            ArgumentRow(
                argument.name,
                argument.direction.value,
                kind_words(argument) or argument.kind.word,
                argument.description,
                tuple(_demands(argument)),
                () if len(having) == len(languages) else tuple(titles),
            )
        )
    return tuple(rows)


def _failures(procedure: Procedure) -> tuple[Failure, ...]:
    """Classes in the order of the arguments, then those that the record names."""
    reasons: dict[str, list[str]] = {}
    for argument in procedure.arguments:
        if argument.is_in and argument.kind.error and not procedure.is_raw:
            word = "handle" if argument.kind.is_handle else "key"
            text = f"`{argument.name}` is no valid {word}"
            reasons.setdefault(argument.kind.error, []).append(text)
        for words, error in domain_demands(argument):
            text = f"`{argument.name}` must be {words}"
            reasons.setdefault(error, []).append(text)
    for error in procedure.texts.fails:
        reasons.setdefault(error, [])
    return tuple(Failure(error, tuple(why)) for error, why in reasons.items())


def _facts(procedure: Procedure) -> Iterator[str]:
    if procedure.collective == "all":
        yield "It is collective: all processes call it."
    elif procedure.collective:
        yield f"It is collective: all processes of `{procedure.collective}` call it."
    else:
        yield "It is not collective."
    if procedure.anytime:
        yield "It may be called before initialization and after finalization."
    raised = procedure.raised_on
    if raised:
        yield f"Its errors are raised on the {raised.kind.object} `{raised.name}`."
    elif procedure.errors == "self":
        yield "Its errors are raised on MPI_COMM_SELF."
    elif procedure.is_raw:
        yield "Its errors are returned, and call no error handler."


# ---- all pages -----------------------------------------------------------------------
class Pages:
    """All pages, in the order of the table."""

    def __init__(
        self,
        bindings: Bindings,
        records: Records,
        costs: Mapping[str, Cost],
        examples: tuple[Example, ...],
    ) -> None:
        self.spec: Spec = bindings.spec
        self.records = records
        self._languages = bindings.languages
        self._costs = costs
        self._examples = examples
        self._procedures = {p.name: p for p in bindings.procedures}
        self._siblings: dict[str, list[str]] = {}
        for procedure in bindings.procedures:
            self._siblings.setdefault(procedure.section, []).append(procedure.name)
        self._check_examples()

    def _check_examples(self) -> None:
        for example in self._examples:
            for name in example.procedures:
                if name not in self._procedures:
                    message = f"'{name}' is no procedure; correct the region's names"
                    raise SpecError(example.position, message)

    # ---- procedures ------------------------------------------------------------------
    @cached_property
    def procedures(self) -> tuple[ProcedurePage, ...]:
        """One for each procedure that is not planned."""
        return tuple(map(self._procedure, self._procedures.values()))

    def _procedure(self, procedure: Procedure) -> ProcedurePage:
        lines = {n: [*l.page(procedure)] for n, l in self._languages.items()}
        keys = self.records.keys.values()
        examples = [e for e in self._examples if procedure.name in e.procedures]
        return ProcedurePage(
            procedure=procedure,
            chapter=self.records.chapter_of(procedure.section),
            others=(procedure.name + "_c",) if procedure.is_large else (),
            bindings=bindings_of(lines, self._languages),
            arguments=argument_rows(procedure.arguments, self._languages),
            facts=tuple(_facts(procedure)),
            completes=self._completes(procedure),
            failures=_failures(procedure),
            keys=tuple(k for k in keys if procedure.name in k.procedures),
            costs=tuple(
                self._cost(procedure, call) for call in procedure.texts.counted
            ),
            examples=tuple(examples),
            see_also=self._see_also(procedure),
        )

    def _completes(self, procedure: Procedure) -> str:
        """What the record says; else what its form as a collective operation says."""
        texts = procedure.texts
        kinds = [argument.kind for argument in procedure.arguments]
        form = ""
        if procedure.plan and any(kind.is_request for kind in kinds):
            is_kept = any(kind.is_info for kind in kinds)
            form = "persistent" if is_kept else "nonblocking"
        form = texts.completion or ("" if texts.completes else form)
        return self.records.completions[form] if form else texts.completes

    def _cost(self, procedure: Procedure, call: str) -> Cost:
        if call not in self._costs:
            message = f"docs/network.md has no row '{call}'; correct 'counted'"
            raise SpecError(procedure.position, message, procedure.name)
        return self._costs[call]

    def _see_also(self, procedure: Procedure) -> tuple[str, ...]:
        """Those that the record names, other forms of it, those that its texts name, its
        neighbours in the standard."""
        texts = procedure.texts
        said = (procedure.summary, *procedure.doc, texts.completes, *texts.notes)
        forms = [p.name for p in self._procedures.values() if p.plan == procedure.plan]
        neighbours = self._siblings[procedure.section]
        names = [
            *texts.see,
            *(forms if procedure.plan else []),
            *(name for text in said for name in names_in(text)),
            *(neighbours if len(neighbours) <= NEIGHBOURS else []),
        ]
        known = {name: 0 for name in names if name in self._procedures}
        known.pop(procedure.name, None)
        return tuple(known)

    # ---- constants -------------------------------------------------------------------
    @cached_property
    def constants(self) -> tuple[ConstantPage, ...]:
        """One for each constant, error classes too."""
        users: dict[str, dict[str, int]] = {}
        for page in self.procedures:
            for name in self._constants_of(page):
                users.setdefault(name, {})[page.name] = 0
        return tuple(
            ConstantPage(constant, tuple(users.get(constant.name, ())))
            for constant in self.spec.constants.values()
        )

    @staticmethod
    def _constants_of(page: ProcedurePage) -> Iterator[str]:
        """The constants that a procedure has to do with."""
        yield from (failure.error for failure in page.failures)
        texts = page.procedure.texts
        for text in (page.completes, *page.procedure.doc, *texts.notes):
            yield from names_in(text)
        for argument in page.procedure.arguments:
            yield from (argument.overflow, *argument.may_be)
            yield argument.kind.null if argument.null_ok or argument.frees else ""
            yield from (c.constant for c in argument.ignored_if)
            yield from names_in(argument.description)
            for domain in argument.domains:
                yield from (*domain.also, *domain.rule.constants)
                yield from names_in(
                    condition_words(domain.unless) if domain.unless else ""
                )

    @cached_property
    def categories(self) -> tuple[tuple[Category, tuple[ConstantPage, ...]], ...]:
        """The constants by category, without error classes."""
        return tuple(
            (
                category,
                tuple(p for p in self.constants if p.constant.category is category),
            )
            for category in self.spec.categories.values()
            if category.name != ERROR_CLASSES
        )

    @cached_property
    def errors(self) -> tuple[ConstantPage, ...]:
        """One for each error class."""
        return tuple(page for page in self.constants if page.is_error)

    def hints(self, section: str) -> tuple[InfoKey, ...]:
        """The keys that programs give where a section says so, or a part of it."""
        return tuple(
            key
            for key in self.records.keys.values()
            if key.is_hint and f"{key.section}.".startswith(f"{section}.")
        )

    # ---- callbacks and chapters ------------------------------------------------------
    @cached_property
    def callbacks(self) -> tuple[CallbackPage, ...]:
        """One for each prototype that a procedure takes."""
        return tuple(
            page
            for page in map(self._callback, self.spec.callbacks.values())
            if page.users
        )

    def _callback(self, callback: Callback) -> CallbackPage:
        users = [
            procedure.name
            for procedure in self._procedures.values()
            if any(a.callback == callback.name for a in procedure.arguments)
        ]
        having = {n: l for n, l in self._languages.items() if n in callback.languages}
        lines = {n: [*l.callback_page(callback)] for n, l in having.items()}
        return CallbackPage(
            callback,
            bindings_of(lines, having),
            argument_rows(callback.arguments, having),
            tuple(users),
        )

    @cached_property
    def chapters(self) -> tuple[ChapterPage, ...]:
        """One for each chapter."""
        return tuple(map(self._chapter, self.records.chapters.values()))

    def _chapter(self, chapter: Chapter) -> ChapterPage:
        """A procedure is in the first section whose number its own begins with."""
        left = [page for page in self.procedures if page.chapter is chapter]
        sections = []
        for section in (*chapter.sections, Section(chapter.number, "")):
            start = section.number + "."
            inside = [p for p in left if (p.procedure.section + ".").startswith(start)]
            left = [page for page in left if page not in inside]
            if inside:
                sections.append((section, tuple(inside)))
        return ChapterPage(chapter, tuple(sections))
