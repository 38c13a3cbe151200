# SPDX-License-Identifier: BSD-3-Clause
"""The reference as data, for editors and other tools."""

from dataclasses import asdict

from codegen.reference.markup import plain
from codegen.reference.all_pages import Pages
from codegen.reference.pages import CallbackPage, ConstantPage, ProcedurePage
from codegen.reference.records import InfoKey


def _procedure(page: ProcedurePage) -> dict[str, object]:
    procedure = page.procedure
    return {
        "name": page.name,
        "other_names": list(page.others),
        "standard": procedure.standard,
        "section": procedure.section,
        "since": procedure.since,
        "deprecated": procedure.deprecated or None,
        "summary": plain(page.summary),
        "description": [plain(text) for text in page.doc],
        "completes": plain(page.completes),
        "collective": procedure.collective or None,
        "errors_on": procedure.errors,
        "arguments": [asdict(row) for row in page.arguments],
        "bindings": {b.language: b.code for b in page.bindings},
        "errors": {f.error: [plain(r) for r in f.reasons] for f in page.failures},
        "info_keys": [key.name for key in page.keys],
        "notes": [plain(text) for text in procedure.texts.notes],
        "sent_between_nodes": {
            cost.call: dict(zip(_columns(cost.columns), cost.cells, strict=True))
            for cost in page.costs
        },
        "examples": {e.language: e.code for e in page.examples},
        "see_also": list(page.see_also),
    }


def _columns(columns: tuple[str, ...]) -> list[str]:
    """The columns with the group that each belongs to."""
    group, named = "", []
    for column in columns:
        group = column.rpartition(": ")[0] or group
        named.append(f"{group}: {column.rpartition(': ')[2]}")
    return named


def _constant(page: ConstantPage) -> dict[str, object]:
    constant = page.constant
    return {
        "name": constant.name,
        "value": constant.value,
        "category": constant.category.title,
        "summary": plain(page.summary),
        "description": plain(constant.doc),
        "procedures": list(page.users),
    }


def _callback(page: CallbackPage) -> dict[str, object]:
    return {
        "name": page.name,
        "section": page.callback.section,
        "arguments": [asdict(row) for row in page.arguments],
        "bindings": {b.language: b.code for b in page.bindings},
        "procedures": list(page.users),
    }


def _key(key: InfoKey) -> dict[str, object]:
    return {
        "name": key.name,
        "section": key.section or None,
        "of": key.of,
        "is_hint": key.is_hint,
        "values": plain(key.values),
        "default": key.default or None,
        "is_changeable": key.is_changeable,
        "effect": plain(key.effect),
        "procedures": list(key.procedures),
    }


def facts(pages: Pages, version: str) -> dict[str, object]:
    """What reference.json holds."""
    return {
        "library": "Oriel",
        "version": version,
        "chapters": {c.number: c.title for c in pages.records.chapters.values()},
        "procedures": [_procedure(page) for page in pages.procedures],
        "callbacks": [_callback(page) for page in pages.callbacks],
        "constants": [_constant(p) for p in pages.constants if not p.is_error],
        "error_classes": [_constant(page) for page in pages.errors],
        "info_keys": [_key(key) for key in pages.records.keys.values()],
    }
