# SPDX-License-Identifier: BSD-3-Clause
"""C: the entries that call the core, and mpi.h."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from bindings.c import entries, keywords
from bindings.c.steps import CSteps
from bindings.c.text import CText
from bindings.c.traced import traced_calls
from bindings.c.wrap import wrap_c, wrap_c_lines
from codegen.entries import Entry, callback_entries
from codegen.language import Bindings, Language
from codegen.model import Callback, Form, Procedure
from codegen.plan import CorePlanner
from codegen.symbols import Symbol

TRACER = "liboriel_trace"  # the library that mpiexec --trace preloads


class C(Language):
    """The language of the core."""

    name = entries.LANGUAGE
    library = "libmpi_abi"
    title = "C"
    usage = "#include <mpi.h>"
    suffix = ".c"
    calls_core = True
    is_weak = True

    def entries(self, procedure: Procedure) -> tuple[Entry, ...]:
        return entries.c_entries(procedure)

    def reserved(self, name: str) -> str:
        return keywords.reserved(name)

    def symbols(self, bindings: Bindings) -> Iterator[Symbol]:
        """Variables that C programs read and the layer of another language sets, and
        what that asks before it copies an array of handles."""
        for constant in bindings.spec.constants.values():
            if constant.form is Form.ADDRESS:
                record = f"address of {constant.ignored}"
                yield self.support_symbol(constant.name, record, constant.position)
        for length in bindings.lengths:
            name, record = f"oriel_{length.name}", "lengths of arrays to be copied"
            yield self.support_symbol(name, record, length.kind.position)
        for call in traced_calls(bindings.entries[self.name]):
            record, position = call.entry.procedure.name, call.entry.procedure.position
            symbol = self.support_symbol(call.entry.name, record, position)
            yield replace(symbol, library=TRACER)

    def names(self, bindings: Bindings) -> Mapping[str, object]:
        """c             declarations and the parts of steps (steps.CSteps)
        c_entries     entries.Entry, in the table's order; c_of(procedure): of one record
        core_plans    plan.EntryPlan of each of c_entries: its steps
        traced        traced.Traced, what the tracer records
        """
        planner = CorePlanner(bindings.spec)
        return {
            "c": CSteps(self.table, bindings.spec),
            "c_entries": bindings.entries[self.name],
            "c_of": entries.c_entries,
            "core_plans": [planner.plan(e) for e in bindings.entries[self.name]],
            "traced": traced_calls(bindings.entries[self.name]),
        }

    def filters(self) -> Mapping[str, Callable[..., str]]:
        return {"wrap_c": wrap_c, "wrap_c_lines": wrap_c_lines}

    def page(self, procedure: Procedure) -> Iterator[str]:
        """The prototypes."""
        text = CText(self.table)
        functions = self.entries(procedure)
        if functions:
            yield "C binding"
        for entry in functions:
            yield "  " + text.prototype(entry)

    def callback_page(self, callback: Callback) -> Iterator[str]:
        """The types of functions."""
        text = CText(self.table)
        yield "C type"
        for entry in callback_entries(callback):
            yield f"  typedef {text.callback(entry)};"


LANGUAGE = C
