# SPDX-License-Identifier: BSD-3-Clause
"""The parts of a page, made of a record and of what the languages print of it."""

from collections.abc import Iterator, Mapping

from codegen.language import Language
from codegen.model import Argument, Procedure
from codegen.reference.pages import ArgumentRow, Binding, Failure
from codegen.words import domain_demands, freedoms, plain_kind
from codegen.wrap import fill

WIDTH = 76


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
    each = "each " if argument.is_array else ""
    for words, _ in domain_demands(argument):
        yield f"{each}must be {words}"
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
                plain_kind(argument),
                argument.description,
                tuple(_demands(argument)),
                () if len(having) == len(languages) else tuple(titles),
            )
        )
    return tuple(rows)


def failures_of(procedure: Procedure) -> tuple[Failure, ...]:
    """Classes in the order of the arguments, then those that the record names."""
    reasons: dict[str, list[str]] = {}
    if not procedure.returns_error:
        return ()
    for argument in procedure.arguments:
        each, one = ("each of ", "one of ") if argument.is_array else ("", "")
        if argument.is_in and argument.kind.error and not procedure.is_raw:
            word = "handle" if argument.kind.is_handle else "key"
            text = f"{one}`{argument.name}` is no valid {word}"
            reasons.setdefault(argument.kind.error, []).append(text)
        for words, error in domain_demands(argument):
            text = f"{each}`{argument.name}` must be {words}"
            reasons.setdefault(error, []).append(text)
    for error in procedure.texts.fails:
        reasons.setdefault(error, [])
    return tuple(Failure(error, tuple(why)) for error, why in reasons.items())


def _threads_of(procedure: Procedure) -> Iterator[str]:
    """Whether threads of a process may call it at once."""
    over = procedure.collective
    if over == "all" or procedure.is_raw:
        return
    if over:
        yield f"Two threads must not call collective procedures of `{over}` at once."
        return
    handles = [a for a in procedure.arguments if a.kind.is_handle and a.is_in]
    changed = [a.name for a in handles if a.is_out]
    but = f", but not with the same `{changed[0]}`" if changed else ""
    yield f"Several threads may call it at once{but} (MPI_THREAD_MULTIPLE)."


def facts_of(procedure: Procedure) -> Iterator[str]:
    """Who calls it, when, and who is told of its errors."""
    if procedure.collective == "all":
        yield "It is collective: all processes call it."
    elif procedure.collective:
        yield f"It is collective: all processes of `{procedure.collective}` call it."
    else:
        yield "It is not collective."
    yield from _threads_of(procedure)
    if procedure.anytime:
        yield "It may be called before initialization and after finalization."
    raised = procedure.raised_on
    if raised:
        yield f"Its errors are raised on the {raised.kind.object} `{raised.name}`."
    elif procedure.errors == "self":
        yield "Its errors are raised on MPI_COMM_SELF."
    elif procedure.is_raw:
        yield "Its errors are returned, and call no error handler."
