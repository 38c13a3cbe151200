# SPDX-License-Identifier: BSD-3-Clause
"""The repository follows the house rules, and each rule finds what breaks it."""

from __future__ import annotations

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import lint  # noqa: E402

SPDX = "// SPDX-License-Identifier: BSD-3-Clause\n"


def rules_broken_by(name: str, text: str) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        file.parent.mkdir(parents=True)
        file.write_text(text, encoding="utf-8")
        return [finding.rule for finding in lint.lint(Path(folder))]


class EachRuleFindsWhatBreaksIt(unittest.TestCase):
    def test_an_upward_include(self) -> None:
        self.assertEqual(
            rules_broken_by("core/shm/a.c", SPDX + '#include "rma/rma.h"\n'), ["layer"]
        )

    def test_a_sideways_include(self) -> None:
        self.assertEqual(
            rules_broken_by("core/rma/a.c", SPDX + '#include "sync/sync.h"\n'),
            ["layer"],
        )

    def test_a_private_header_of_a_lower_folder(self) -> None:
        self.assertEqual(
            rules_broken_by("core/rma/a.c", SPDX + '#include "shm/heap.h"\n'), ["layer"]
        )

    def test_an_upward_include_in_a_template(self) -> None:
        self.assertEqual(
            rules_broken_by("core/shm/a.c.j2", '#include "rma/rma.h"\n'), ["layer"]
        )

    def test_an_include_of_what_lies_above_all_folders(self) -> None:
        self.assertEqual(
            rules_broken_by("core/rma/a.c", SPDX + '#include "process.h"\n'), ["layer"]
        )

    def test_a_private_header_included_above_all_folders(self) -> None:
        self.assertEqual(
            rules_broken_by("core/a.c", SPDX + '#include "shm/heap.h"\n'), ["layer"]
        )

    def test_a_condition_outside_base(self) -> None:
        self.assertEqual(
            rules_broken_by("core/rma/a.c", SPDX + "#ifdef X\n#endif\n"), ["condition"]
        )

    def test_a_long_macro(self) -> None:
        text = "#define X \\\n" + "    y; \\\n" * 6 + "    z\n"
        self.assertEqual(rules_broken_by("core/rma/a.h", SPDX + text), ["macro"])

    def test_a_call_of_mpi_in_the_core(self) -> None:
        text = "int f(void)\n{\n    return MPI_Barrier(0);\n}\n"
        self.assertEqual(rules_broken_by("core/rma/a.c", SPDX + text), ["calls"])

    def test_a_procedure_named_in_a_template(self) -> None:
        self.assertEqual(rules_broken_by("bindings/c/a.h.j2", "MPI_Put\n"), ["names"])

    def test_a_procedure_named_in_the_generator(self) -> None:
        text = SPDX.replace("//", "#") + 'NAME = "MPI_Put"\n'
        self.assertEqual(rules_broken_by("codegen/a.py", text), ["names"])

    def templates_broken(self, *texts: str) -> None:
        for text in texts:
            self.assertEqual(rules_broken_by("core/a.h.j2", text), ["template"], text)

    def test_a_template_that_computes(self) -> None:
        self.templates_broken(
            "{% do found.append(1) %}\n",
            "{% set name = first ~ last %}\n",
            "{% set name = first %}\n",
            "{% set name %}{{ first }}{% endset %}\n",
            "{% set names = [first] %}\n",
        )
        text = "{% set is_wide = true %}\n{% set sizes = [1, 2] %}\n"
        self.assertEqual(rules_broken_by("core/a.h.j2", text), [])

    def test_a_long_macro_of_a_template(self) -> None:
        def macro(lines: int) -> str:
            return "{% macro a() %}\n" + "b\n" * (lines - 2) + "{% endmacro %}\n"

        self.assertEqual(rules_broken_by("core/a.h.j2", macro(15)), [])
        self.templates_broken(macro(16))

    def test_an_if_inside_an_if(self) -> None:
        inner = "{% if b %}c{% endif %}"
        self.templates_broken(
            f"{{% if a %}}{inner}{{% endif %}}",
            f"{{% if a %}}d{{% else %}}{inner}{{% endif %}}",
            f"{{% if a %}}d{{% elif e %}}{inner}{{% endif %}}",
            f"{{% if a %}}{{% for e in a %}}{inner}{{% endfor %}}{{% endif %}}",
            "{{ a if b else (c if d else e) }}",
        )
        text = "{% if a %}b{% elif c %}d{% else %}e{% endif %}" + inner
        self.assertEqual(rules_broken_by("core/a.h.j2", text), [])

    def test_a_long_function(self) -> None:
        text = "int f(void)\n{\n" + "    g();\n" * 120 + "}\n"
        self.assertIn("size", rules_broken_by("core/rma/a.c", SPDX + text))

    def test_a_long_file(self) -> None:
        self.assertEqual(
            rules_broken_by("core/rma/a.c", SPDX + "int a;\n" * 501), ["size"]
        )

    def test_a_file_without_licence_line(self) -> None:
        self.assertEqual(rules_broken_by("core/rma/a.c", "int a;\n"), ["opening"])


HEADER = """
struct counted {
    int count;
    struct {
        _Atomic(int) left;
    } parts[2];
};
struct place {
    struct counted *counted;
    void (*tell)(struct place *place, int count);
};
extern struct place place;
"""


class EachMemberOfStateHasOneWriter(unittest.TestCase):
    def owners_broken(self, table: str, code: str) -> list[str]:
        with tempfile.TemporaryDirectory() as name:
            top = Path(name)
            for file, text in (
                ("tests/lint/owners.spec", table),
                ("core/shm/shm.h", SPDX + "#pragma once" + HEADER),
                ("core/shm/own.c", SPDX),
                ("core/rma/a.c", SPDX + code),
            ):
                (top / file).parent.mkdir(parents=True, exist_ok=True)
                (top / file).write_text(text, encoding="utf-8")
            return [f"{finding.rule}: {finding.text}" for finding in lint.lint(top)]

    def check_is_write(self, member: str, code: str) -> None:
        table = "core/shm counted\ncore/shm place\n"
        expected = [f"owner: {member} is written by core/shm alone"]
        self.assertEqual(self.owners_broken(table, code), expected, code)

    def test_every_form_of_a_write_is_found(self) -> None:
        for write in (
            "c->count = 1;",
            "c->count += 1;",
            "c->count <<= 1;",
            "c->count++;",
            "--c->count;",
        ):
            self.check_is_write(
                "counted.count", f"void f(struct counted *c)\n{{\n    {write}\n}}\n"
            )

    def test_an_atomic_write_to_a_struct_without_a_name(self) -> None:
        code = "void f(struct counted *const c)\n{\n    atomic_store(&c->parts[n[0]].left,\n 1);\n}\n"
        self.check_is_write("counted.parts", code)

    def test_a_write_through_a_global(self) -> None:
        self.check_is_write(
            "counted.count", "void f(void)\n{\n    place.counted->count = 1;\n}\n"
        )

    def test_a_write_through_a_pointer_to_a_pointer(self) -> None:
        self.check_is_write(
            "counted.count", "void f(struct counted **c)\n{\n    (*c)->count = 1;\n}\n"
        )

    def test_a_write_to_a_pointer_to_a_function(self) -> None:
        self.check_is_write(
            "place.tell", "void f(void)\n{\n    place.tell = NULL;\n}\n"
        )

    def test_what_is_read_or_of_another_struct_is_no_write(self) -> None:
        code = """void f(const struct counted *c, struct other *o)
{
    bool is_one = c->count == 1 && c->count <= 2;
    o->count = atomic_load(&c->parts[0].left); // c->count = 1;
}
"""
        self.assertEqual(self.owners_broken("core/shm counted\n", code), [])

    def test_a_member_may_have_another_writer_than_the_rest(self) -> None:
        table = "core/shm counted\ncore/rma/a.c counted count\n"
        code = "void f(struct counted *c)\n{\n    c->count = 1;\n}\n"
        self.assertEqual(self.owners_broken(table, code), [])

    def test_a_table_that_does_not_fit_the_tree(self) -> None:
        for table, text in (
            ("core/shm/gone.c counted\n", "core/shm/gone.c does not exist"),
            ("core/shm gone\n", "there is no struct gone"),
            (
                "core/shm counted\ncore/shm counted gone\n",
                "struct counted has no member gone",
            ),
            ("core/shm counted count\n", "counted.parts has no writer"),
            (
                "core/shm counted\ncore/shm counted count\ncore/rma counted count\n",
                "counted.count has two writers",
            ),
        ):
            self.assertEqual(self.owners_broken(table, ""), [f"owner: {text}"])


class NamesAreMadeOfTheWords(unittest.TestCase):
    TABLE = "| term | meaning | not |\n| local peer | in a node | `mate`, `struct order` |\n"

    def words_broken(self, *sources: str) -> list[str]:
        with tempfile.TemporaryDirectory() as name:
            top = Path(name)
            files = {
                f"core/shm/{i}.c": SPDX + source for i, source in enumerate(sources)
            }
            for file, text in ({"docs/words.md": self.TABLE} | files).items():
                (top / file).parent.mkdir(parents=True, exist_ok=True)
                (top / file).write_text(text, encoding="utf-8")
            return [f"{finding.rule}: {finding.text}" for finding in lint.lint(top)]

    def test_an_unused_word_in_a_name(self) -> None:
        for name in ("mate", "mates", "mate_count", "MATE_ALIVE"):
            text = f"words: {name}: docs/words.md has another word for mate"
            self.assertEqual(self.words_broken(f"extern int {name};\n"), [text])

    def test_an_unused_word_within_a_word_or_a_text_is_none(self) -> None:
        code = 'const char *material = "mate"; // mate\nint order;\n'
        self.assertEqual(self.words_broken(code), [])

    def test_an_unused_tag(self) -> None:
        text = "words: docs/words.md has another word for struct order"
        self.assertEqual(self.words_broken("struct order;\n"), [text])

    def test_a_static_function_without_a_noun(self) -> None:
        text = "words: static find: the name has no noun"
        for head in (
            "static int find(",
            "static inline __attribute__((cold))\n    int *find(",
        ):
            code = f"{head}int a,\n    int b)\n{{\n    return 0;\n}}\n"
            self.assertEqual(self.words_broken(code), [text])

    def test_a_static_function_called_as_one_of_another_file(self) -> None:
        code = "static int pair_find(void)\n{\n    return 0;\n}\n"
        self.assertEqual(self.words_broken(code), [])
        self.assertEqual(
            self.words_broken(code, code),
            [
                "words: static pair_find: the name is also that of one in core/shm/1.c",
                "words: static pair_find: the name is also that of one in core/shm/0.c",
            ],
        )

    def test_a_static_variable_is_no_function(self) -> None:
        code = "static const int table[] = {(1)};\nstatic struct pair pair = {.find = (2)};\n"
        self.assertEqual(self.words_broken(code), [])

    def test_a_header_without_a_subject(self) -> None:
        self.assertEqual(rules_broken_by("core/shm/private.h", SPDX), ["words"])


class TheVersionIsSaidOnce(unittest.TestCase):
    def version_broken(self, name: str, text: str) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            project = Path(folder) / "CMakeLists.txt"
            project.write_text("project(Oriel VERSION 1.20.3 LANGUAGES C)\n")
            file = Path(folder) / name
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
            return [str(finding) for finding in lint.lint(Path(folder))]

    def test_in_another_file(self) -> None:
        text = "docs/a.md:2: version: 1.20.3 is said in CMakeLists.txt alone"
        self.assertEqual(self.version_broken("docs/a.md", "It\nis 1.20.3.\n"), [text])
        self.assertEqual(self.version_broken("docs/a.md", "It\nis 1.20.3\n"), [text])

    def test_another_number_that_looks_like_it(self) -> None:
        self.assertEqual(self.version_broken("docs/a.md", "11.20.3 1.20.33\n"), [])

    def test_a_change_log_without_it(self) -> None:
        text = "debian/changelog:1: version: the newest entry is not that of 1.20.3"
        entries = "oriel (1.20.3-1) unstable\n\noriel (1.20.2-1) unstable\n"
        self.assertEqual(self.version_broken("debian/changelog", entries), [])
        entries = "oriel (1.20.4-1) unstable\n\noriel (1.20.3-1) unstable\n"
        self.assertEqual(self.version_broken("debian/changelog", entries), [text])


class TheRepository(unittest.TestCase):
    def test_follows_the_rules(self) -> None:
        findings = lint.lint(Path(__file__).resolve().parents[2])
        self.assertEqual([], [str(finding) for finding in findings])


if __name__ == "__main__":
    unittest.main()
