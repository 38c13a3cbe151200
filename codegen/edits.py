# SPDX-License-Identifier: BSD-3-Clause
"""Changes to lines of a spec file that leave the rest as it was written: comments,
order, and what only people know.
"""

import re
from collections.abc import Iterable, Sequence

from codegen.arguments import is_const_anyway
from codegen.facts import LANGUAGES, Json
from codegen.kinds import Kind
from codegen.model import Direction, Spec
from codegen.position import UNQUOTED

ARGUMENT = re.compile(r"(\s*)(\w+)(\s+)(\w+)(\s+)(\w+)(\[[^\]]*\])?(.*)")


# ---- a file --------------------------------------------------------------------------
class Lines:
    """The lines of a file by their numbers, which stay while lines are put between."""

    def __init__(self, text: str) -> None:
        self._rows = [[line] for line in text.splitlines()]

    def __getitem__(self, number: int) -> str:
        return self._rows[number - 1][0]

    def text(self) -> str:
        """The file as it is now."""
        return "\n".join(line for row in self._rows for line in row) + "\n"

    def change(self, number: int, text: str) -> None:
        """Another text for a line."""
        self._rows[number - 1][:1] = [text]

    def insert(self, number: int, lines: Iterable[str]) -> None:
        """Lines behind a line."""
        self._rows[number - 1] += lines

    def append(self, lines: Iterable[str]) -> None:
        """Lines at the end."""
        self._rows[-1] += lines

    def of_record(self, head: int) -> list[int]:
        """The numbers of the lines of the record that a line opens."""
        end = head
        while end < len(self._rows) and self._rows[end][0].startswith(" "):
            end += 1
        return [*range(head, end + 1)]

    def replace_lines(
        self, numbers: Sequence[int], texts: Sequence[str], after: int
    ) -> None:
        """Texts in place of some lines, in order; without lines, behind one."""
        for number, text in zip(numbers, texts, strict=False):
            self.change(number, text)
        for number in numbers[len(texts) :]:
            del self._rows[number - 1][0]
        self.insert(numbers[-1] if numbers else after, texts[len(numbers) :])


def replaced_word(line: str, old: str, new: str) -> str:
    """The line with one word for another, but not in texts and comments."""
    parts = []
    at = 0
    for quoted in [*UNQUOTED.finditer(line), None]:
        end = quoted.start() if quoted else len(line)
        parts.append(re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", new, line[at:end]))
        parts.append(quoted[0] if quoted else "")
        at = quoted.end() if quoted else end
    return "".join(parts)


# ---- the line of an argument ---------------------------------------------------------
def _length(argument: Json) -> str:
    words = argument["length"] or ""
    words = words if isinstance(words, list) else str(words).split()
    return f"[{', '.join(words)}]" if words else ""


def _clauses(spec: Spec, argument: Json, languages: Sequence[str]) -> dict[str, str]:
    """Field to the clause that says it in a record, "" where nothing need be said."""
    suppressed = str(argument["suppress"]).split()
    own = [x for x in languages if f"{x}_parameter" not in suppressed]
    direction = Direction(argument["param_direction"])
    kind = spec.kinds.get(argument["kind"])
    is_const = _is_const(kind, direction, argument)
    clauses = {
        "lis_direction": f"lis {argument['lis_direction']}",
        "async": "async" if argument["asynchronous"] else "",
        "const": "" if argument["constant"] or not is_const else "not const",
        "pointer": "by pointer" if argument["pointer"] else "",
        "intent": "no intent" if "f08_intent" in suppressed else "",
        "word": "no word" if "lis_paren" in suppressed else "",
        "large_only": "large only" if argument["large_only"] else "",
        "root_only": "at ? of ?" if argument["root_only"] else "",
        "calls": f"calls {argument['func_type']}" if argument["func_type"] else "",
        "languages": "" if own == [*languages] else f"only {', '.join(own)}",
    }
    if argument["lis_direction"] == argument["param_direction"]:
        clauses["lis_direction"] = ""
    return clauses


def _is_const(kind: Kind | None, direction: Direction, argument: Json) -> bool:
    """C has a const for it unless the record says otherwise."""
    if kind is None:  # a new one: taken for a number
        return direction is Direction.IN and _length(argument) != ""
    return is_const_anyway(direction, kind, _length(argument))


def argument_line(
    spec: Spec, argument: Json, languages: Sequence[str], asked: Sequence[str]
) -> str:
    """The line of an argument of the table, with clauses that are asked for."""
    words = [argument["param_direction"], argument["name"]]
    words[0:2] = [f"    {words[0]} {words[1]}", argument["kind"] + _length(argument)]
    known = [x for x in languages if x in LANGUAGES]
    words += filter(None, _clauses(spec, argument, known).values())
    return "  ".join([*words, *asked, "?"])


PATTERNS = {
    "lis_direction": r"lis \w+",
    "async": "async",
    "const": "not const",
    "pointer": "by pointer",
    "intent": "no intent",
    "word": "no word",
    "large_only": "large only",
    "root_only": r"at \w+ of \w+",
    "calls": r"calls \w+",
    "languages": r"only \w+(?:, *\w+)*",
}


def edited(
    spec: Spec,
    line: str,
    theirs: Json,
    fields: frozenset[str],
    languages: Sequence[str],
) -> str:
    """The line of an argument with some fields as the table has them."""
    found = ARGUMENT.fullmatch(line)
    assert found is not None, line
    indent, direction, gap, name, space, kind, length, rest = found.groups()
    if "direction" in fields:
        direction = theirs["param_direction"]
    if "kind" in fields:
        kind = theirs["kind"]
    if "length" in fields:
        length = _length(theirs)
    clauses = _clauses(spec, theirs, languages)
    if "direction" in fields:  # what follows from it is to be said anew
        fields |= {"const", "lis_direction"}
    for field in PATTERNS.keys() & fields:
        rest = re.sub(rf"(?<!\w){PATTERNS[field]}(?!\w) ?", "", rest, count=1)
        rest = f"  {clauses[field]}{rest}" if clauses[field] else rest
    return f"{indent}{direction}{gap}{name}{space}{kind}{length or ''}{rest}".rstrip()
