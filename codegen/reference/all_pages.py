# SPDX-License-Identifier: BSD-3-Clause
"""All pages of the reference, and how they refer to each other."""

from collections.abc import Iterator, Mapping
from functools import cached_property

from codegen.language import Bindings, Language
from codegen.model import Callback, Category, Procedure, Spec
from codegen.position import SpecError
from codegen.reference.costs import Cost
from codegen.reference.examples import Example
from codegen.reference.markup import names_in
from codegen.reference.pages import (
    ERROR_CLASSES,
    CallbackPage,
    ChapterPage,
    ConstantPage,
    ProcedurePage,
)
from codegen.reference.parts import argument_rows, bindings_of, facts_of, failures_of
from codegen.reference.records import Chapter, InfoKey, Records, Section
from codegen.words import condition_words

NEIGHBOURS = 4  # procedures of the same section that a page names, before it and after


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
        having = self._having(procedure.languages)
        lines = {name: [*having[name].page(procedure)] for name in having}
        keys = self.records.keys.values()
        examples = [e for e in self._examples if procedure.name in e.procedures]
        return ProcedurePage(
            procedure=procedure,
            chapter=self.records.chapter_of(procedure.section),
            others=(procedure.name + "_c",) if procedure.is_large else (),
            bindings=bindings_of(lines, having),
            arguments=argument_rows(procedure.arguments, having),
            doc=procedure.doc or self._doc_of_plan(procedure),
            facts=tuple(facts_of(procedure)),
            completes=self._completes(procedure),
            failures=failures_of(procedure),
            keys=tuple(k for k in keys if procedure.name in k.procedures),
            costs=tuple(
                self._cost(procedure, call) for call in procedure.texts.counted
            ),
            examples=tuple(examples),
            see_also=self._see_also(procedure),
        )

    def _doc_of_plan(self, procedure: Procedure) -> tuple[str, ...]:
        """What the blocking form says of the collective operation."""
        forms = [p for p in self._procedures.values() if p.core == procedure.plan]
        return forms[0].doc if forms else ()

    def _having(self, names: tuple[str, ...]) -> dict[str, Language]:
        """The languages that have a record."""
        return {n: found for n, found in self._languages.items() if n in names}

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
        """Those that the record names, other forms of it, those that its texts name, those
        that are explained by it, its neighbours in the standard."""
        texts = procedure.texts
        said = (procedure.summary, *procedure.doc, texts.completes, *texts.notes)
        forms = [p.name for p in self._procedures.values() if p.plan == procedure.plan]
        names = [
            *texts.see,
            *(forms if procedure.plan else []),
            *(name for text in said for name in names_in(text)),
            *self._explained[procedure.name],
            *self._neighbours(procedure),
        ]
        known = {name: 0 for name in names if name in self._procedures}
        known.pop(procedure.name, None)
        return tuple(known)

    @cached_property
    def _explained(self) -> dict[str, list[str]]:
        """Procedures whose summary names another, by that."""
        explained: dict[str, list[str]] = {name: [] for name in self._procedures}
        for procedure in self._procedures.values():
            for name in names_in(procedure.summary):
                explained.get(name, []).append(procedure.name)
        return explained

    def _neighbours(self, procedure: Procedure) -> list[str]:
        """The nearest procedures of the same section."""
        section = self._siblings[procedure.section]
        place = section.index(procedure.name)
        return section[max(place - NEIGHBOURS, 0) : place + NEIGHBOURS + 1]

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
        having = self._having(callback.languages)
        lines = {name: [*having[name].callback_page(callback)] for name in having}
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
