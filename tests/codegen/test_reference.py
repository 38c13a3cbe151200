# SPDX-License-Identifier: BSD-3-Clause
"""The reference is whole: pages, links, syntax; and a mistake in what it is made of is
reported with its place."""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Iterator, Mapping
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from posixpath import dirname, join, normpath

from common import HERE, TOP, TreeTest

from codegen.expand import expand
from codegen.language import Bindings, load_languages
from codegen.load import load
from codegen.position import SpecError
from codegen.reference.costs import load_costs
from codegen.reference.outputs import reference
from codegen.write import write

# Besides those of the chapter about one-sided communication.
MOST_USED = {
    *("MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Abort", "MPI_Wtime"),
    *("MPI_Comm_rank", "MPI_Comm_size", "MPI_Comm_split", "MPI_Comm_dup"),
    *("MPI_Comm_split_type", "MPI_Comm_free", "MPI_Comm_set_errhandler"),
    *("MPI_Send", "MPI_Recv", "MPI_Isend", "MPI_Irecv", "MPI_Sendrecv", "MPI_Probe"),
    *("MPI_Wait", "MPI_Waitall", "MPI_Test", "MPI_Get_count"),
    *("MPI_Barrier", "MPI_Bcast", "MPI_Reduce", "MPI_Allreduce", "MPI_Gather"),
    *("MPI_Scatter", "MPI_Allgather", "MPI_Alltoall"),
    *("MPI_Type_vector", "MPI_Type_commit", "MPI_Type_free", "MPI_Type_create_struct"),
    *("MPI_Alloc_mem", "MPI_Free_mem", "MPI_Get_address", "MPI_Info_create"),
    *("MPI_Info_set", "MPI_Error_string"),
}
VOID = {"meta", "link", "input", "br", "hr", "img"}


@cache
def bindings() -> Bindings:
    """Oriel's own table."""
    return expand(load(TOP / "spec"), TOP)


@cache
def files() -> Mapping[str, str]:
    """Its reference."""
    return reference(TOP, bindings(), "0")


class Page(HTMLParser):
    """Collects the links and the ids of a page, and what is wrong with its tags."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.wrong: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        self.wrong += [f"<{tag}> has no end" for tag in self._open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value is not None:
                self.links.append(value)
            if name == "id" and value is not None:
                self.ids.append(value)
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.wrong.append(f"</{tag}> at {self.getpos()} ends something else")


def mistakes(texts: Mapping[str, str]) -> Iterator[str]:
    """What is wrong with the web pages among these files."""
    pages = {n: Page(text) for n, text in texts.items() if n.endswith(".html")}
    for name, page in pages.items():
        yield from (f"{name}: {text}" for text in page.wrong)
        if len(page.ids) != len(set(page.ids)):
            yield f"{name}: two ids are the same"
        for link in page.links:
            path, _, place = link.partition("#")
            target = normpath(join(dirname(name), path)) if path else name
            if "//" not in link and target not in texts:
                yield f"{name}: there is no {link}"
            elif place and target in pages and place not in pages[target].ids:
                yield f"{name}: there is no place {link}"


class Reference(unittest.TestCase):
    """Oriel's own."""

    def test_every_procedure_has_a_man_page_and_a_web_page(self) -> None:
        for procedure in bindings().procedures:
            self.assertIn(f"man/man3/{procedure.name}.3", files())
            self.assertIn(f"html/procedures/{procedure.name}.html", files())
            large = f"man/man3/{procedure.name}_c.3"
            self.assertEqual(large in files(), procedure.is_large, large)

    def test_every_language_with_a_page_is_on_the_page(self) -> None:
        languages = load_languages(TOP / "bindings", bindings().spec)
        for procedure in bindings().procedures:
            page = files()[f"html/procedures/{procedure.name}.html"]
            for language in languages.values():
                mark = f'data-language="{language.title or language.name}"'
                if any(language.page(procedure)):
                    self.assertIn(mark, page, procedure.name)

    def test_what_is_used_most_has_an_example_in_c_and_in_fortran(self) -> None:
        data = json.loads(files()["reference.json"])
        for procedure in data["procedures"]:
            is_one_sided = procedure["section"].startswith("12.")
            if is_one_sided or procedure["name"] in MOST_USED:
                self.assertEqual(set(procedure["examples"]), {"c", "f08"}, procedure)
        names = {procedure["name"] for procedure in data["procedures"]}
        self.assertLessEqual(MOST_USED, names)

    def test_forms_of_a_collective_call_say_what_it_does(self) -> None:
        data = json.loads(files()["reference.json"])
        said = {p["name"]: p["description"] for p in data["procedures"]}
        for name in ("MPI_Igather", "MPI_Gather_init"):
            self.assertNotEqual(said[name], [])
            self.assertEqual(said[name], said["MPI_Gather"])

    def test_pages_say_whether_threads_may_call_at_once(self) -> None:
        for name, words in (
            ("MPI_Comm_rank", "Several threads may call it at once"),
            ("MPI_Wait", "but not with the same"),
            ("MPI_Win_fence", "Two threads must not call collective procedures of"),
        ):
            self.assertIn(words, files()[f"html/procedures/{name}.html"])

    def test_every_row_of_the_page_about_the_network_is_on_some_page(self) -> None:
        rows = set(load_costs(TOP))
        used = {
            call
            for procedure in bindings().procedures
            for call in procedure.texts.counted
        }
        self.assertEqual(rows, used)

    def test_constants_error_classes_and_info_keys_have_pages(self) -> None:
        for constant in bindings().spec.constants.values():
            is_error = constant.category.name == "ERROR_CLASSES"
            folder = "errors" if is_error else "constants"
            self.assertIn(f"html/{folder}/{constant.name}.html", files())
        data = json.loads(files()["reference.json"])
        for key in data["info_keys"]:
            self.assertIn(f"html/keys/{key['name']}.html", files())
        for procedure in data["procedures"]:
            for error in procedure["errors"]:
                self.assertIn(f"html/errors/{error}.html", files())

    def test_no_web_page_has_a_dead_link_or_an_open_tag(self) -> None:
        self.assertEqual(list(mistakes(files())), [])

    def test_the_search_knows_every_page_of_its_own(self) -> None:
        text = files()["html/index.js"]
        index = json.loads(text.removeprefix("const INDEX = ").rstrip().rstrip(";"))
        found = {f"html/{page}" for _, page, *_ in index}
        folders = ("procedures", "constants", "errors", "callbacks", "keys")
        own = {n for n in files() if n.startswith(tuple(f"html/{f}/" for f in folders))}
        self.assertEqual(found, own)

    def test_man_pages_have_nothing_that_mandoc_complains_about(self) -> None:
        if not shutil.which("mandoc"):
            self.skipTest("there is no mandoc here")
        with tempfile.TemporaryDirectory(prefix="oriel-man-") as folder:
            pages = {n: t for n, t in files().items() if n.startswith("man/")}
            write(Path(folder), pages)
            names = [name for name, text in pages.items() if text.startswith(".\\")]
            lint = ["mandoc", "-T", "lint", *names]
            done = subprocess.run(
                lint, cwd=folder, capture_output=True, text=True, check=False
            )
            self.assertEqual(done.stdout + done.stderr, "")


class Site(unittest.TestCase):
    """scripts/site."""

    def test_guides_and_reference_have_no_dead_link(self) -> None:
        folder = Path(tempfile.mkdtemp(prefix="oriel-site-"))
        self.addCleanup(shutil.rmtree, folder)
        for python in filter(shutil.which, (sys.executable, "/usr/bin/python3")):
            has = [python, "-c", "import jinja2, markdown"]
            done = subprocess.run(has, capture_output=True, check=False)
            if done.returncode == 0:
                break
        else:
            self.skipTest("there is no Python-Markdown here")
        command = [python, "-m", "codegen", "document", "--guides"]
        command += ["--output", str(folder)]
        subprocess.run(command, cwd=TOP, check=True, capture_output=True)
        paths = [path for path in folder.rglob("*") if path.is_file()]
        texts = {p.relative_to(folder).as_posix(): p.read_text("utf-8") for p in paths}
        self.assertIn("html/guides/running.html", texts)
        self.assertEqual(list(mistakes(texts)), [])


class Mistakes(TreeTest):
    """In what only the reference reads."""

    def assert_complains(self, message: str) -> None:
        with self.assertRaises(SpecError) as caught:
            reference(self.root, expand(load(self.root / "spec"), self.root), "0")
        said = str(caught.exception).splitlines()[0]
        self.assertEqual(re.sub(r"^(\S+:\d+):\d+:", r"\1:", said), message)

    def test_an_unknown_word_in_a_record(self) -> None:
        self.replace("spec/reference.spec", "chapter 3", "chapters 3")
        text = "unknown record 'chapters'; did you mean 'chapter'?"
        self.assert_complains(f"spec/reference.spec:8: {text}")

    def test_a_chapter_that_is_missing(self) -> None:
        self.replace("spec/reference.spec", "chapter 3 ", "chapter 4 ")
        text = "MPI_Move: chapter 3 has no title; add it to reference.spec"
        self.assert_complains(f"spec/procedures/all.spec:2: {text}")

    def test_a_version_without_a_day(self) -> None:
        self.replace("spec/reference.spec", "standard 4.1", "standard 4.2")
        text = "MPI_Move: MPI-4.1 has no date; add it to reference.spec"
        self.assert_complains(f"spec/procedures/all.spec:2: {text}")

    def test_an_unknown_text(self) -> None:
        self.replace("spec/procedures/all.spec", "completes later", "completes soon")
        text = "MPI_Open: unknown text 'soon'; add it to reference.spec"
        self.assert_complains(f"spec/procedures/all.spec:12: {text}")

    def test_a_row_that_nobody_counts(self) -> None:
        self.replace("docs/network.md", "| move of 8 B |", "| move of 9 B |")
        text = "docs/network.md has no row 'move of 8 B'; correct 'counted'"
        self.assert_complains(f"spec/procedures/all.spec:2: MPI_Move: {text}")

    def test_a_key_that_says_nothing(self) -> None:
        self.replace("spec/info_keys.spec", '    effect "How large it is."\n', "")
        text = "size: 'effect' is missing; add it to this record"
        self.assert_complains(f"spec/info_keys.spec:9: {text}")

    def test_a_key_of_no_procedure(self) -> None:
        self.replace("spec/info_keys.spec", "MPI_Open, MPI", "MPI_Shut, MPI")
        text = "no_wait: unknown procedure 'MPI_Shut'; did you mean 'MPI_Set'?"
        self.assert_complains(f"spec/info_keys.spec:2: {text}")

    def test_an_example_of_no_procedure(self) -> None:
        example = "docs/examples/reference/moves.c"
        self.replace(example, "example: MPI_Open,", "example: MPI_Shut,")
        text = "'MPI_Shut' is no procedure; correct the region's names"
        self.assert_complains(f"reference/moves.c:8: {text}")

    def test_an_example_without_end(self) -> None:
        example = "docs/examples/reference/moves.c"
        self.replace(example, "// end of example", "// ends here")
        text = "the region has no end; add 'end of example'"
        self.assert_complains(f"reference/moves.c:8: {text}")

    def test_an_example_inside_another(self) -> None:
        example = "docs/examples/reference/moves.c"
        self.replace(example, "    for (", "    // example: MPI_Move\n    for (")
        text = "a region begins inside another; end that before"
        self.assert_complains(f"reference/moves.c:10: {text}")


class Command(TreeTest):
    """codegen document."""

    def run_document(self, *options: str) -> tuple[int, str]:
        out = ["--output", str(self.folder / "out"), *options]
        command = ["python3", "-m", "codegen", "--root", str(HERE / "tiny"), "document"]
        done = subprocess.run(
            [*command, *out], cwd=TOP, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout

    def test_writes_what_has_changed_and_notices_what_is_stale(self) -> None:
        code, text = self.run_document()
        self.assertEqual((code, text.split()[0]), (0, "wrote"))
        self.assertEqual(self.run_document()[1].split()[:2], ["wrote", "0"])
        self.assertEqual(self.run_document("--check"), (0, ""))
        (self.folder / "out" / "html" / "index.html").unlink()
        code, text = self.run_document("--check")
        self.assertEqual((code, text.split()[0]), (1, "html/index.html"))
