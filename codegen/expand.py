# SPDX-License-Identifier: BSD-3-Clause
"""From records to everything that templates may use."""

from collections.abc import Iterable
from pathlib import Path

from codegen.entries import Length, callback_entries
from codegen.language import Bindings, load_languages
from codegen.model import Procedure, Spec


def _lengths(procedures: tuple[Procedure, ...]) -> tuple[Length, ...]:
    """Each once; who copies an array, of handles or of INTEGERs, asks for it."""
    found = [
        Length(procedure.argument(a.per.argument).kind, a.per.what)
        for procedure in procedures
        for a in procedure.arguments
        if a.per
    ]
    return tuple({length.name: length for length in found}.values())


def _with_core(procedures: Iterable[Procedure]) -> tuple[Procedure, ...]:
    """Those of which each has a core function of its own; a renamed one shares it."""
    return tuple({p.core: p for p in procedures}.values())


def expand(spec: Spec, root: Path) -> Bindings:
    """All entries of the table, in its order, in the languages below `root`/bindings."""
    languages = load_languages(root / "bindings", spec)
    done = tuple(p for p in spec.procedures.values() if not p.planned)
    named = {
        name: [p for p in done if name in p.languages and not p.is_conversion]
        for name, language in languages.items()
        if language.calls_core
    }
    return Bindings(
        spec=spec,
        languages=languages,
        procedures=done,
        entries={
            name: tuple(e for p in done for e in language.entries(p))
            for name, language in languages.items()
        },
        undeclared={
            name: tuple(e for p in done for e in language.undeclared(p))
            for name, language in languages.items()
        },
        core=_with_core(p for procedures in named.values() for p in procedures),
        callbacks=tuple(
            entry
            for callback in spec.callbacks.values()
            for entry in callback_entries(callback)
            if not callback.planned
        ),
        lengths=_lengths(done),
    )
