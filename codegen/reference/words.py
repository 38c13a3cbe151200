# SPDX-License-Identifier: BSD-3-Clause
"""Sentences of the reference, made of the parts of a page."""

from codegen.reference.costs import Cost
from codegen.reference.pages import ArgumentRow, ProcedurePage, sentence


def phrase(summary: str) -> str:
    """A sentence as the line of a list: in lower case but for names, without its stop."""
    word = summary.split(" ")[0]
    start = word if word.isupper() or "_" in word else word[:1].lower() + word[1:]
    return (start + summary[len(word) :]).removesuffix(".")


def heading(text: str) -> str:
    """With a capital letter."""
    return text[:1].upper() + text[1:]


def in_list(text: str) -> str:
    """The text as one more part of a list, or nothing."""
    return f", {text}" if text else ""


def in_table(value: str) -> str:
    """A value as a cell of a table."""
    return "not set" if not value else value if " " in value else f"`{value}`"


def paragraphs(page: ProcedurePage) -> list[str]:
    """The description of a procedure."""
    deprecation = page.procedure.deprecation.replace("MPI-", "MPI ")
    said = [
        page.summary,
        *page.doc,
        page.completes,
        " ".join(page.facts),
        f"It is deprecated {deprecation}." if deprecation else "",
    ]
    return [text for text in said if text]


def argument_text(row: ArgumentRow) -> str:
    """What is said of an argument."""
    only = f"only in {' and '.join(row.languages)}" if row.languages else ""
    parts = [row.description, *row.demands, only]
    return sentence("; ".join(part for part in parts if part))


def cost_text(cost: Cost) -> str:
    """The numbers of a row: "hardware: 0 messages, 1 accesses; software: ..."."""
    text = ""
    for column, cell in zip(cost.columns, cost.cells, strict=True):
        group, _, what = column.rpartition(": ")
        is_new = bool(group) and f"{group}: " not in text
        start = ("; " if text else "") + f"{group}: " if is_new else ", "
        text += f"{start}{cell} {what}"
    return text + "."
