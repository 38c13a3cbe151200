# SPDX-License-Identifier: BSD-3-Clause
"""The guides, docs/*.md and README.md, as web pages beside the reference. Links between them
lead to the pages, those to other files of the tree to copies; Python-Markdown renders them.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import unescape
from importlib import import_module
from pathlib import Path
from posixpath import dirname, join, normpath, relpath

from codegen.position import Position, SpecError

FOLDER = "guides"
FIRST = "tutorial"
EXTENSIONS = ("tables", "fenced_code", "toc", "sane_lists")
LINK = re.compile(r'(?<=href=")(?![a-z]+:|#)([^"#]+)')
NAME = re.compile(r"<code>(P?MPI_\w+)</code>")


@dataclass(frozen=True)
class Guide:
    """One guide."""

    source: str  # "docs/running.md"
    title: str
    summary: str  # its first sentence, without the stop
    content: str  # HTML
    is_decision: bool

    @property
    def page(self) -> str:
        """Its web page."""
        return page_of(self.source)

    @property
    def root(self) -> str:
        """What leads from there to the folder of all pages."""
        return "../" * self.page.count("/")


def page_of(source: str) -> str:
    """The web page of a guide: "guides/running.html"."""
    name = source.removeprefix("docs/").removesuffix(".md")
    return f"{FOLDER}/{name.lower()}.html"


def _sources(root: Path) -> Iterator[str]:
    """The first that a reader wants first."""
    yield "README.md"
    for folder in ("docs", "docs/decisions"):
        paths = (root / folder).glob("*.md")
        for path in sorted(paths, key=lambda path: (path.stem != FIRST, path.name)):
            yield f"{folder}/{path.name}"


def _words(html: str) -> str:
    """The text without its tags."""
    return unescape(re.sub(r"<[^>]+>", "", html)).strip()


class Guides:
    """All guides, and the files that they lead to besides each other."""

    def __init__(self, root: Path, link: Callable[[str, str], str]) -> None:
        self._root = root
        self._link = link  # a name of MPI, and what leads to the folder of all pages
        # Only who makes the site needs it.
        self._render = import_module("markdown").markdown
        self._sources = tuple(_sources(root))
        self.files: dict[str, str] = {}
        self.pages = tuple(map(self._guide, self._sources))

    def _guide(self, source: str) -> Guide:
        html = str(self._render(self._text(source), extensions=EXTENSIONS))
        root = "../" * page_of(source).count("/")
        html = LINK.sub(lambda found: self._target(source, found[1]), html)
        html = NAME.sub(lambda found: self._link(found[1], root), html)
        title = re.search(r"<h1[^>]*>(.*?)</h1>", html, re.DOTALL)
        first = re.search(r"<p>(.*?)</p>", html, re.DOTALL)
        return Guide(
            source,
            _words(title[1]) if title else source,
            re.split(r"[.:;](?:\s|$)", _words(first[1]))[0] if first else "",
            html,
            "/decisions/" in source,
        )

    def _text(self, name: str) -> str:
        return (self._root / name).read_text("utf-8")

    def _target(self, source: str, link: str) -> str:
        """Where a link of a guide leads on the site."""
        name = normpath(join(dirname(source), link))
        if name not in self._sources and not (self._root / name).is_file():
            raise SpecError(
                Position(source, 1), f"there is no '{name}'; correct a link"
            )
        page = page_of(name)
        if name not in self._sources:
            page = f"{FOLDER}/files/{name}"
            self.files[page] = self._text(name)
        return relpath(page, dirname(page_of(source)))
