# SPDX-License-Identifier: BSD-3-Clause
"""Every file of the reference: man pages below man/, web pages below html/, the programs of
the examples, reference.json for tools, and the tables of docs/hints.md. The templates are in reference/; they may use,
besides Jinja's own:

    pages, page            all_pages.Pages, and the page that the file is of
    guides                 guides.Guide, if they are wanted
    date, version, notice  of the standard; of Oriel; the line that tells where it is from
    root                   leads from a web page to the folder of all
and the filters of words.py and markup.py.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from codegen.language import Bindings
from codegen.reference.costs import PAGE, load_costs
from codegen.reference.examples import load_examples
from codegen.reference.guides import Guides
from codegen.reference.markup import Html, plain, roff, roff_code
from codegen.reference.all_pages import Pages
from codegen.reference.pages import Failure, sentence
from codegen.reference.records import load_reference, reference_files
from codegen.reference.tools import facts
from codegen.reference.words import (
    argument_text,
    cost_text,
    heading,
    in_list,
    in_table,
    paragraphs,
    phrase,
)

NOTICE = "Generated from spec/ and reference/. Do not edit."
TEMPLATES = Path(__file__).resolve().parents[2] / "reference"
EXAMPLES = Path("docs") / "examples" / "reference"
COPIED = ("style.css", "reference.js")


class Outputs:
    """The files of the reference, each rendered when it is asked for."""

    def __init__(
        self, pages: Pages, templates: Path, version: str, guided: Path | None = None
    ) -> None:
        self._pages = pages
        self._templates = templates
        self._version = version
        html = Html({name: page for name, page, *_ in self._entries()})
        self._guides = Guides(guided, html.link) if guided else None
        guides = self._guides.pages if self._guides else ()
        self._texts = _environment(templates, is_html=False)
        self._html = _environment(templates, is_html=True)
        for environment in (self._texts, self._html):
            environment.filters.update(self._filters())
            environment.globals.update(
                pages=pages, guides=guides, version=version, notice=NOTICE
            )
        self._html.filters.update(_html_filters(html))

    def files(self) -> dict[str, str]:
        """Path below the output folder to text."""
        files = dict(self._man())
        files |= {f"html/{name}": text for name, text in self._web()}
        files["hints.md"] = self._texts.get_template("hints.md.j2").render()
        data = facts(self._pages, self._version)
        files["reference.json"] = json.dumps(data, indent=1, ensure_ascii=False) + "\n"
        return files

    def _filters(self) -> dict[str, Callable[..., object]]:
        texts = {page.name: page.constant.text for page in self._pages.errors}

        def failure_text(failure: Failure) -> str:
            return sentence("; ".join(failure.reasons) or texts[failure.error])

        return {
            "roff": roff,
            "roff_code": roff_code,
            "plain": plain,
            "phrase": phrase,
            "sentence": sentence,
            "heading": heading,
            "in_list": in_list,
            "in_table": in_table,
            "paragraphs": paragraphs,
            "argument_text": argument_text,
            "failure_text": failure_text,
            "cost_text": cost_text,
        }

    # ---- man -------------------------------------------------------------------------
    def _man(self) -> Iterator[tuple[str, str]]:
        page_of = self._texts.get_template("man/procedure.3.j2")
        other = self._texts.get_template("man/other_name.3.j2")
        dates = self._pages.records.dates
        for page in self._pages.procedures:
            date = dates[page.procedure.standard.removeprefix("MPI-")]
            yield f"man/man3/{page.name}.3", page_of.render(page=page, date=date)
            for name in page.others:
                yield f"man/man3/{name}.3", other.render(page=page)

    # ---- web -------------------------------------------------------------------------
    def _entries(self) -> Iterator[tuple[str, str, str, str]]:
        """Name, page, summary and chapter of everything that has a page."""
        pages = self._pages
        for page in pages.procedures:
            path = f"procedures/{page.name}.html"
            for name in (page.name, *page.others):
                yield name, path, plain(page.summary), page.chapter.number
        for constant in pages.constants:
            folder = "errors" if constant.is_error else "constants"
            yield constant.name, f"{folder}/{constant.name}.html", plain(
                constant.summary
            ), ""
        for callback in pages.callbacks:
            yield callback.name, f"callbacks/{callback.name}.html", callback.summary, ""
        for key in pages.records.keys.values():
            yield key.name, f"keys/{key.name}.html", plain(key.summary), ""

    def _indexed(self) -> Iterator[tuple[str, str, str, str]]:
        """What the search knows: each page by one name."""
        known: set[str] = set()
        for name, page, summary, chapter in self._entries():
            if page not in known:
                yield name, page, summary, chapter
            known.add(page)
        for guide in self._guides.pages if self._guides else ():
            yield guide.title, guide.page, guide.summary, ""

    def _guide_files(self) -> Iterator[tuple[str, str]]:
        if self._guides is None:
            return
        yield from self._guides.files.items()
        yield "guides.html", self._html.get_template("html/all_guides.html.j2").render(
            root=""
        )
        template = self._html.get_template("html/guides.html.j2")
        for guide in self._guides.pages:
            yield guide.page, template.render(root=guide.root, page=guide)

    def _web(self) -> Iterator[tuple[str, str]]:
        for name in COPIED:
            yield name, (self._templates / "html" / name).read_text("utf-8")
        yield from self._guide_files()
        index = [list(entry) for entry in self._indexed()]
        yield "index.js", f"const INDEX = {json.dumps(index, ensure_ascii=False)};\n"
        yield "index.html", self._html.get_template("html/index.html.j2").render(
            root=""
        )
        for name in ("constants", "errors", "keys"):
            template = self._html.get_template(f"html/all_{name}.html.j2")
            yield f"{name}.html", template.render(root="")
        for folder, pages in self._folders().items():
            name = "constants" if folder == "errors" else folder
            template = self._html.get_template(f"html/{name}.html.j2")
            for name, page in pages.items():
                yield f"{folder}/{name}.html", template.render(root="../", page=page)

    def _folders(self) -> dict[str, dict[str, object]]:
        """The pages in folders: name to page by template."""
        pages = self._pages
        return {
            "procedures": {page.name: page for page in pages.procedures},
            "constants": {p.name: p for p in pages.constants if not p.is_error},
            "errors": {page.name: page for page in pages.errors},
            "callbacks": {page.name: page for page in pages.callbacks},
            "keys": {key.name: key for key in pages.records.keys.values()},
            "chapters": {page.chapter.name: page for page in pages.chapters},
        }


def reference(
    root: Path, bindings: Bindings, version: str, with_guides: bool = False
) -> dict[str, str]:
    """The whole reference of a table: path below the output folder to text."""
    pages = Pages(
        bindings,
        load_reference(root / "spec", bindings.spec),
        load_costs(root),
        load_examples(root / EXAMPLES, bindings.languages),
    )
    programs = sorted(path for path in (root / EXAMPLES).glob("*") if path.is_file())
    return {
        **Outputs(pages, TEMPLATES, version, root if with_guides else None).files(),
        **{f"examples/{p.name}": p.read_text("utf-8") for p in programs},
    }


def reference_inputs(root: Path) -> list[Path]:
    """What the reference is made of besides the table, for the build."""
    templates = (path for path in TEMPLATES.rglob("*") if path.is_file())
    examples = (root / EXAMPLES).glob("*")
    return sorted([*reference_files(root / "spec"), root / PAGE, *templates, *examples])


def _environment(folder: Path, is_html: bool) -> Environment:
    return Environment(
        loader=FileSystemLoader(folder),
        undefined=StrictUndefined,
        autoescape=is_html,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _html_filters(html: Html) -> dict[str, Callable[..., object]]:
    """Filters that know where the page is from which they lead to others."""

    def rooted(function: Callable[[str, str], str]) -> Callable[..., object]:
        @pass_context
        def marked(context: Context, text: str) -> Markup:
            return Markup(function(text, context["root"]))

        return marked

    return {
        "prose": rooted(html.prose),
        "code": rooted(html.code),
        "link": rooted(html.link),
    }
