# SPDX-License-Identifier: BSD-3-Clause
"""The comparison with the MPI Forum's data: its parts on made-up data, and the real
table with the facts of spec/forum. `python3 -m codegen digest FOLDER --check` compares
these with the Forum's own files, which are not part of Oriel.
"""

import json
import unittest
from pathlib import Path
from typing import Any

from common import TOP, TreeTest

from codegen.facts import (
    LANGUAGES,
    CONSTANTS,
    FLAGS,
    WORDS,
    digest,
    facts_of,
    read_forum,
)
from codegen.forum import (
    Difference,
    compare,
    compare_constants,
    compare_procedures,
    judge,
    load_waivers,
)
from codegen.load import load
from codegen.model import Argument, Callback, Procedure, Spec
from codegen.position import SpecError

FACTS = TOP / "spec" / "forum"


def parameter(argument: Argument, languages: tuple[str, ...]) -> dict[str, Any]:
    """The argument as the Forum would write it."""
    absent = [x for x in languages if x not in argument.languages]
    suppress = [f"{x}_parameter" for x in absent]
    suppress += [] if argument.has_intent else ["f08_intent"]
    suppress += [] if argument.has_word else ["lis_paren"]
    return {
        "name": argument.name,
        "kind": argument.kind.name,
        "param_direction": argument.direction.value,
        "lis_direction": argument.lis_direction.value,
        "constant": argument.is_const,
        "asynchronous": argument.is_async,
        "length": [argument.length, argument.columns]
        if argument.columns
        else argument.length or None,
        "func_type": argument.callback,
        "pointer": argument.by_pointer or None,
        "root_only": argument.at_root is not None,
        "large_only": argument.is_large_only,
        "array_type": "",
        "suppress": " ".join(suppress),
    }


def record(ours: Procedure | Callback) -> dict[str, Any]:
    """The record as the Forum would write it."""
    has_cptr = isinstance(ours, Procedure) and ours.gives_pointer
    has_cptr = has_cptr and "f90" in ours.languages
    attributes = {f"{x}_expressible": x in ours.languages for x in LANGUAGES}
    return {
        "name": ours.name,
        "return_kind": ours.returns.name,
        "attributes": {
            **attributes,
            "callback": isinstance(ours, Callback),
            "not_with_mpif": False,
            "f90_index_overload": "INTERFACE" if has_cptr else None,
        },
        "parameters": [parameter(a, ours.languages) for a in ours.arguments],
    }


class Procedures(TreeTest):
    """One field at a time is made to differ."""

    def setUp(self) -> None:
        super().setUp()
        self.spec = load(self.root / "spec")
        records: list[Procedure | Callback] = [*self.spec.procedures.values()]
        records += self.spec.callbacks.values()
        self.data = {r.name.lower(): record(r) for r in records}

    def differences(self) -> list[Difference]:
        """What the comparator finds."""
        path = self.folder / "forum.json"
        path.write_text(json.dumps(self.data), "utf-8")
        return compare_procedures(self.spec, path)

    def fields(self) -> list[tuple[str, str, str]]:
        """The differences, briefly."""
        return [(d.name, d.argument, d.field) for d in self.differences()]

    def test_equal_data_have_no_difference(self) -> None:
        self.assertEqual(self.differences(), [])

    def test_each_field_of_an_argument_is_compared(self) -> None:
        changes = {
            "kind": ("kind", "BUFFER2"),
            "param_direction": ("direction", "out"),
            "lis_direction": ("lis_direction", "inout"),
            "constant": ("const", False),
            "asynchronous": ("async", False),
            "length": ("length", "count"),
            "func_type": ("calls", "MPI_Watch_function"),
            "pointer": ("pointer", True),
            "root_only": ("root_only", True),
            "large_only": ("large_only", True),
            "array_type": ("array_type", "hidden"),
        }
        buffer = self.data["mpi_move"]["parameters"][0]
        for key, (field, value) in changes.items():
            before, buffer[key] = buffer[key], value
            self.assertEqual(self.fields(), [("MPI_Move", "buffer", field)], key)
            buffer[key] = before

    def test_each_word_of_suppress_is_compared(self) -> None:
        buffer = self.data["mpi_move"]["parameters"][0]
        words = {
            "f08_intent": "intent",
            "lis_paren": "word",
            "c_parameter": "languages",
            "tilda": "unknown",
        }
        for word, field in words.items():
            buffer["suppress"] = word
            self.assertEqual(self.fields(), [("MPI_Move", "buffer", field)], word)

    def test_each_field_of_a_record_is_compared(self) -> None:
        ours = self.data["mpi_move"]
        changes: list[tuple[dict[str, Any], str, str, object]] = [
            (ours, "name", "name", "MPI_MOVE"),
            (ours, "return_kind", "returns", "NOTHING"),
            (ours["attributes"], "callback", "callback", True),
            (ours["attributes"], "c_expressible", "languages", False),
            (ours["attributes"], "not_with_mpif", "mpif", True),
            (ours["attributes"], "f90_index_overload", "cptr", "INTERFACE"),
        ]
        for where, key, field, value in changes:
            before, where[key] = where[key], value
            self.assertIn(("MPI_Move", "-", field), self.fields())
            where[key] = before

    def test_order_of_arguments_is_compared(self) -> None:
        self.data["mpi_move"]["parameters"].reverse()
        self.assertEqual(self.fields(), [("MPI_Move", "-", "arguments")])

    def test_unknown_record_is_a_difference(self) -> None:
        del self.data["mpi_open"]
        self.assertEqual(self.fields(), [("MPI_Open", "-", "missing")])

    def test_procedures_that_the_table_lacks_are_found(self) -> None:
        del self.spec.procedures["MPI_Open"]
        self.assertEqual(self.fields(), [("MPI_Open", "-", "missing")])

    def test_prototype_of_a_predefined_callback_is_compared(self) -> None:
        attributes = {"predefined_function": "MPI_Other_function"}
        self.data["mpi_watch_fn"] = {"name": "MPI_WATCH_FN", "attributes": attributes}
        self.assertEqual(self.fields(), [("MPI_WATCH_FN", "-", "calls")])

    def test_difference_says_where_and_what(self) -> None:
        self.data["mpi_move"]["parameters"][3]["kind"] = "RANK_NNI"
        message = (
            "spec/procedures/all.spec:8:9: MPI_Move: argument 'target': kind is 'RANK' "
            "here but 'RANK_NNI' in the Forum's data; correct it or waive it in "
            "forum.waivers"
        )
        errors = judge(self.differences(), [])
        said = [str(error).splitlines()[0] for error in errors]
        self.assertEqual(said, [message])


class Constants(TreeTest):
    """Value, type and category of a constant are compared, both ways."""

    def setUp(self) -> None:
        super().setUp()
        self.spec = load(self.root / "spec")
        types = {
            **{"HANDLES": "MPI_Datatype", "OPERATIONS": "MPI_Op"},
            **{"BUFFERS": "void *", "IGNORED": "int*", "ORDERS": "MPI_Order"},
            **{"KINDS": "None", "METHODS": "None"},  # Fortran alone has them
            **{"MPI_COMM_NULL": "MPI_Comm", "MPI_WIN_NULL": "MPI_Win"},
            "MPI_WATCH_FN": "MPI_Watch_function *",
            "MPI_LATER_FN": "MPI_Later_function *",
            "MPI_SUM_FN": "MPI_Sum_function *",
            "MPI_SUM_FN_C": "MPI_Sum_function_c *",
        }
        self.data: dict[str, dict[str, Any]] = {
            constant.name.lower(): {
                "name": constant.name,
                "category": constant.category.name,
                "abi_value": constant.value,
                "handle_types": {"c": {"type": types.get(constant.name, of_category)}},
                "datatypes": {},
            }
            for constant in self.spec.constants.values()
            for of_category in [types.get(constant.category.name, "int")]
        }
        kind = self.data["mpi_count_kind"]
        kind["abi_value"] = "\\code{selected_int_kind(18)}"
        self.data["mpi_int"]["datatypes"] = {"c": {"type": "signed int"}}

    def fields(self) -> list[tuple[str, str]]:
        """The differences, briefly."""
        path = self.folder / "abi.json"
        path.write_text(json.dumps({"constants": self.data}), "utf-8")
        return [(d.name, d.field) for d in compare_constants(self.spec, path)]

    def test_equal_data_have_no_difference(self) -> None:
        self.assertEqual(self.fields(), [])

    def test_each_field_is_compared(self) -> None:
        ours = self.data["mpi_int"]
        changes: list[tuple[dict[str, Any], str, str, object]] = [
            (ours, "category", "category", "NUMBERS"),
            (ours, "abi_value", "value", 520),
            (ours["handle_types"]["c"], "type", "type", "MPI_Op"),
            (ours["datatypes"]["c"], "type", "c", "long"),
            (ours["datatypes"], "f08", "fortran", {"type": "INTEGER"}),
        ]
        for where, key, field, value in changes:
            before = where.get(key)
            where[key] = value
            self.assertEqual(self.fields(), [("MPI_INT", field)])
            where[key] = before

    def test_missing_constants_are_found_on_either_side(self) -> None:
        self.data["mpi_new"] = {**self.data.pop("mpi_mode_a"), "name": "MPI_NEW"}
        missing = [("MPI_MODE_A", "missing"), ("MPI_NEW", "missing")]
        self.assertEqual(self.fields(), missing)


class Waivers(TreeTest):
    """Waivers take differences away, and must be needed."""

    def waivers(self, text: str) -> list[str]:
        """Complaints about MPI_Move's name and const of its buffer."""
        path = self.folder / "forum.waivers"
        path.write_text(text, "utf-8")
        spec = load(self.root / "spec")
        where = spec.procedures["MPI_Move"].position
        differences = [
            Difference("MPI_Move", "-", "name", "a", "b", where),
            Difference("MPI_Move", "buffer", "const", "True", "False", where),
        ]
        data = Path("mpi-4.1-apis.json")
        waivers = load_waivers(path, "forum.waivers", "forum", data)
        errors = judge(differences, waivers)
        return [str(error) for error in errors]

    def test_waived_difference_is_none(self) -> None:
        text = 'forum MPI_Move - name "so"\nforum MPI_* buffer const "so"\n'
        self.assertEqual(self.waivers(text), [])

    def test_waiver_of_one_argument_leaves_the_other(self) -> None:
        errors = self.waivers('forum MPI_Move buffer const "so"\n')
        self.assertEqual(len(errors), 1)
        self.assertIn("MPI_Move: name is 'a' here", errors[0])

    def test_waiver_of_the_other_check_is_not_looked_at(self) -> None:
        self.assertEqual(len(self.waivers('abi MPI_Move - name "so"\n')), 2)

    def test_needless_waiver_is_an_error(self) -> None:
        text = 'forum MPI_* - name "so"\nforum MPI_* buffer const "so"\n'
        errors = self.waivers(text + 'forum MPI_Open - name "so"\n')
        message = "forum.waivers:3:7: MPI_Open: this waiver is not needed; remove it"
        self.assertEqual([error.splitlines()[0] for error in errors], [message])

    def test_waiver_without_reason_is_an_error(self) -> None:
        with self.assertRaises(SpecError) as caught:
            self.waivers("forum MPI_Move - name\n")
        self.assertIn("write the reason, in quotes here", str(caught.exception))

    def test_waiver_of_another_version_is_not_looked_at(self) -> None:
        text = 'forum 4.1 MPI_Move - name "so"\nforum 5.0 MPI_Move buffer const "so"\n'
        errors = self.waivers(text)
        self.assertEqual(len(errors), 1)
        self.assertIn("MPI_Move: argument 'buffer': const", errors[0])

    def test_unknown_check_is_an_error(self) -> None:
        with self.assertRaises(SpecError) as caught:
            self.waivers('other MPI_Move - name "so"\n')
        self.assertIn("unknown check 'other'; use forum or abi", str(caught.exception))


class RealTable(unittest.TestCase):
    """Oriel's own table agrees with the standard."""

    def complaints(self, spec: Spec) -> list[str]:
        """What differs from the facts and is not waived."""
        waivers = TOP / "spec" / "forum.waivers"
        errors = compare(spec, FACTS, waivers, "spec/forum.waivers")
        return [str(error) for error in errors]

    def test_procedures_and_constants_are_those_of_the_standard(self) -> None:
        self.assertEqual(self.complaints(load(TOP / "spec")), [])

    def test_a_procedure_and_a_constant_left_out_are_missed(self) -> None:
        spec = load(TOP / "spec")
        del spec.procedures["MPI_Put"], spec.constants["MPI_ERR_WIN"]
        names = [text.split(": ")[1] for text in self.complaints(spec)]
        self.assertEqual(names, ["MPI_Put", "MPI_ERR_WIN"])


class Facts(TreeTest):
    """Facts say what the data say that they are made of."""

    def procedures(self) -> dict[str, Any]:
        """Records with every flag, and one of each else."""
        spec = load(self.root / "spec")
        data = {r.name.lower(): record(r) for r in spec.procedures.values()}
        for entry in data.values():
            entry["attributes"] |= {"predefined_function": None}
        attributes = data["mpi_move"]["attributes"]
        attributes |= {"predefined_function": "MPI_Other_fn", "callback": True}
        attributes |= {"not_with_mpif": True, "f90_index_overload": "INTERFACE"}
        argument = data["mpi_move"]["parameters"][0]
        argument |= dict.fromkeys(FLAGS.values(), True)
        argument |= {field: "some words" for field in WORDS.values()}
        return data

    def test_procedures_are_the_same_when_read_again(self) -> None:
        data = self.procedures()
        lines = [*facts_of(data)]
        path = self.folder / "all.facts"
        path.write_text("\n".join(["# a comment", *lines]), "utf-8")
        self.assertEqual([*facts_of(read_forum(path))], lines)
        self.assertIn(" overloaded function=MPI_Other_fn", "\n".join(lines))

    def test_newer_facts_hold_what_has_changed(self) -> None:
        data = self.procedures()
        (self.folder / "old.facts").write_text("\n".join(facts_of(data)), "utf-8")
        new = {k: {**v, "parameters": [*v["parameters"]]} for k, v in data.items()}
        del new["mpi_move"]["parameters"][0]
        lines = [*facts_of(new, "old.facts", data)]
        self.assertEqual([x for x in lines if ":" in x and "MPI_Move" not in x], [])
        path = self.folder / "new.facts"
        path.write_text("\n".join(lines), "utf-8")
        self.assertEqual([*facts_of(read_forum(path))], [*facts_of(new)])

    def test_digest_of_the_files_holds_what_they_do(self) -> None:
        data = self.procedures()
        constant = {"name": "MPI_A", "category": "NUMBERS", "abi_value": 1}
        constant |= {"handle_types": {"c": {"type": "int"}}, "datatypes": {}}
        for name in ("mpi-4.1-apis", "mpi-5.0-apis"):
            (self.folder / f"{name}.json").write_text(json.dumps(data), "utf-8")
        abi = json.dumps({"constants": {"mpi_a": constant}})
        (self.folder / f"{CONSTANTS}.json").write_text(abi, "utf-8")
        for name, text in digest(self.folder).items():
            path = self.folder / name
            path.write_text(text, "utf-8")
            whole = read_forum(path.with_suffix(".json"))
            self.assertEqual([*facts_of(read_forum(path))], [*facts_of(whole)], name)
