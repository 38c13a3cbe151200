# SPDX-License-Identifier: BSD-3-Clause
"""Texts and code as man and as HTML. In a text, a name of MPI and `words` between back
quotes are code, and [words](address) a link.
"""

import re
from collections.abc import Iterator, Mapping
from html import escape
from textwrap import wrap

NAME = re.compile(r"\bP?MPI_\w+")
INLINE = re.compile(
    r"`(?P<code>[^`]+)`|\[(?P<words>[^]]+)\]\((?P<address>[^)]+)\)|(?P<name>\bMPI_\w+)"
)
ROFF_WIDTH = 76


def names_in(text: str) -> Iterator[str]:
    """The names of MPI in a text or in code."""
    for match in NAME.finditer(text):
        yield match[0]


def plain(text: str) -> str:
    """Without back quotes and addresses."""
    return re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", text).replace("`", "")


# ---- man -----------------------------------------------------------------------------
def _roff_escape(text: str, hyphen: str = "-") -> str:
    return text.replace("\\", "\\e").replace("-", hyphen)


def _roff_guard(line: str) -> str:
    """A line that begins with a dot or an apostrophe is no request."""
    return "\\&" + line if line.startswith((".", "'")) else line


def roff(text: str) -> str:
    """Running text: a sentence begins on a line of its own."""

    def inline(match: re.Match[str]) -> str:
        words = match["code"] or match["name"]
        if not words:
            return _roff_escape(match["words"])
        return f"\\fB{_roff_escape(words, BACKSLASH_HYPHEN)}\\fR"

    lines: list[str] = []
    for sentence in re.split(r"(?<=[.;:]) (?=[A-Z`])", text):
        marked, end = "", 0
        for match in INLINE.finditer(sentence):
            marked += _roff_escape(sentence[end : match.start()]) + inline(match)
            end = match.end()
        marked += _roff_escape(sentence[end:])
        lines += wrap(
            marked, ROFF_WIDTH, break_on_hyphens=False, break_long_words=False
        )
    return "\n".join(_roff_guard(line) for line in lines)


BACKSLASH_HYPHEN = "\\-"


def roff_code(text: str) -> str:
    """Code, line by line."""
    lines = _roff_escape(text, BACKSLASH_HYPHEN).split("\n")
    return "\n".join(_roff_guard(line) for line in lines)


# ---- HTML ----------------------------------------------------------------------------
class Html:
    """Texts and code with links to the pages of what they name."""

    def __init__(self, targets: Mapping[str, str]) -> None:
        self._targets = targets  # a name's page, below the folder of all pages

    def link(self, name: str, root: str) -> str:
        """A name as code, with its page behind it if it has one."""
        code = f"<code>{escape(name)}</code>"
        page = self._targets.get(name)
        return f'<a href="{root}{page}">{code}</a>' if page else code

    def prose(self, text: str, root: str) -> str:
        """Running text; `root` leads to the folder of all pages."""
        marked, end = "", 0
        for match in INLINE.finditer(text):
            marked += escape(text[end : match.start()], quote=False)
            words = match["code"] or match["name"]
            marked += self.link(words, root) if words else escape(match["words"])
            end = match.end()
        return marked + escape(text[end:], quote=False)

    def code(self, text: str, root: str) -> str:
        """Code, whose names lead to their pages."""
        marked, end = "", 0
        for match in NAME.finditer(text):
            page = self._targets.get(match[0])
            name = f'<a href="{root}{page}">{match[0]}</a>' if page else match[0]
            marked += escape(text[end : match.start()], quote=False) + name
            end = match.end()
        return marked + escape(text[end:], quote=False)
