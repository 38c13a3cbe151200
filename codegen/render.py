# SPDX-License-Identifier: BSD-3-Clause
"""Renders the templates.

Every `NAME.j2` below bindings/ and core/ whose name does not begin with `_` becomes the
file of the same path, without `.j2`, in the output folder. Those that begin with `_`
are macros to import. Templates may use, besides Jinja's own:

    notice                    the line that an output begins with, after the SPDX line
    spec                      the whole table (model.Spec), planned records too
    procedures                records that are not planned
    core_procedures           those of them that have a core function
    c_entries, f08_entries, f90_entries     expand.Entry, in the table's order
    c_of(procedure), f08_of, f90_of         those of one record
    implicit_of(procedure)    expand.Entry that f90_of has not: what is called by address
    core_plans                plan.EntryPlan of each of c_entries: its steps
    callback_entries          expand.CallbackEntry, those that are not planned
    prototype_of(constant)    expand.CallbackEntry of a predefined callback
    contents_of(procedure, buffer), partner_of, size_of, is_location  codegen.buffers
    lengths                   expand.Length: what Fortran asks the core
    symbols                   the symbol plan (symbols.Symbol)
    c, f08, f90               declarations (c_steps.CSteps, fortran_text.F08Text, F90Text)
    fortran                   plans of entries in Fortran (fortran_steps.FortranPlanner)
    choice                    entries with choice buffers (choice_steps.ChoicePlanner)
    constants                 constants in Fortran (fortran_constants.FortranConstants)
    tables                    tables.c.cell(kind, "column") of bindings/c/kinds.spec ...

and the filters wrap_c, wrap_c_lines, wrap_fortran, wrap_both and fortran_case, and
`steps | printed("FILE")`: the steps of a plan, each by the macro of its name in FILE.
"""

from collections.abc import Callable, Container, Iterable
from pathlib import Path

from jinja2 import (
    Environment,
    FileSystemLoader,
    StrictUndefined,
    TemplateError,
    TemplateRuntimeError,
    pass_environment,
)

from codegen.buffers import contents, is_location, partner, size
from codegen.choice_steps import ChoicePlanner
from codegen.c_steps import CSteps
from codegen.expand import (
    Bindings,
    c_entries,
    f08_entries,
    f90_entries,
    implicit_entries,
)
from codegen.fortran_constants import FortranConstants
from codegen.fortran_steps import FortranPlanner
from codegen.fortran_text import F08Text, F90Text, fortran_case
from codegen.language import load_tables
from codegen.plan import CorePlanner
from codegen.position import Position, SpecError
from codegen.steps import Step
from codegen.symbols import plan_text, symbol_plan
from codegen.wrap import (
    wrap_both,
    wrap_c,
    wrap_c_lines,
    wrap_fortran,
    wrap_fortran_lines,
)

ROOTS = ("bindings", "core")
_FILTERS: dict[str, Callable[..., str]] = {
    "wrap_c": wrap_c,
    "wrap_c_lines": wrap_c_lines,
    "wrap_fortran": wrap_fortran,
    "wrap_fortran_lines": wrap_fortran_lines,
    "wrap_both": wrap_both,
    "fortran_case": fortran_case,
}


@pass_environment
def _printed(environment: Environment, steps: Iterable[Step], macros: str) -> str:
    """The steps as text, each by the macro of its name; no new line at the end."""
    module = environment.get_template(macros).module
    text = ""
    for step in steps:
        if not hasattr(module, step.macro):
            raise TemplateRuntimeError(f"{macros} has no macro {step.macro}; add one")
        text += getattr(module, step.macro)(step)
    return text.removesuffix("\n")


def templates(root: Path) -> list[Path]:
    """The templates that become files, as paths below `root`."""
    found = [path for top in ROOTS for path in (root / top).rglob("*.j2")]
    return sorted(p.relative_to(root) for p in found if not p.name.startswith("_"))


def inputs(root: Path) -> list[Path]:
    """Templates, macro files and tables of the languages: what a build depends on."""
    patterns = [(root / top, "*.j2") for top in ROOTS] + [(root / "bindings", "*.spec")]
    return sorted(path for top, pattern in patterns for path in top.rglob(pattern))


def _globals(root: Path, bindings: Bindings) -> dict[str, object]:
    tables = load_tables(root / "bindings", bindings.spec)
    c = CSteps(tables["c"], bindings.spec)
    f08, f90 = F08Text(tables["f08"]), F90Text(tables["f90"])
    planner = CorePlanner(bindings.spec)
    return {
        "spec": bindings.spec,
        "procedures": bindings.procedures,
        "c_entries": bindings.c,
        "f08_entries": bindings.f08,
        "f90_entries": bindings.f90,
        "c_of": c_entries,
        "f08_of": f08_entries,
        "f90_of": f90_entries,
        "implicit_of": implicit_entries,
        "callback_entries": bindings.callbacks,
        "contents_of": contents,
        "is_location": is_location,
        "partner_of": partner,
        "size_of": size,
        "core_plans": [planner.plan(entry) for entry in bindings.c],
        "lengths": bindings.lengths,
        "prototype_of": bindings.prototype_of,
        "core_procedures": bindings.core,
        "symbols": symbol_plan(bindings, root / "bindings"),
        "c": c,
        "f08": f08,
        "f90": f90,
        "fortran": FortranPlanner(bindings.spec, c, f08, f90),
        "choice": ChoicePlanner(c),
        "constants": FortranConstants(bindings.spec, f08, f90),
        "tables": tables,
    }


def _environment(root: Path, names: dict[str, object]) -> Environment:
    environment = Environment(
        loader=FileSystemLoader(root),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        extensions=["jinja2.ext.loopcontrols", "jinja2.ext.do"],
    )
    environment.filters.update(_FILTERS)
    environment.filters["printed"] = _printed
    environment.globals.update(names)
    return environment


def output_names(root: Path) -> list[str]:
    """The paths of all outputs below the output folder."""
    return [p.with_suffix("").as_posix() for p in templates(root)] + ["symbols.txt"]


def render(
    root: Path, bindings: Bindings, wanted: Container[str] | None = None
) -> dict[str, str]:
    """Outputs, all or those wanted: path below the output folder to text."""
    environment = _environment(root, _globals(root, bindings))
    outputs = {}
    for path in templates(root):
        source = path.as_posix()
        name = path.with_suffix("").as_posix()
        if wanted is not None and name not in wanted:
            continue
        notice = f"Generated from {source} and spec/. Do not edit."
        try:
            text = environment.get_template(source).render(notice=notice)
        except TemplateError as error:
            line = getattr(error, "lineno", None) or _line_of(error, root / path)
            raise SpecError(Position(source, line), f"template: {error}") from error
        outputs[name] = text
    outputs["symbols.txt"] = plan_text(symbol_plan(bindings, root / "bindings"))
    return outputs


def _line_of(error: BaseException, path: Path) -> int:
    """The template's line in the traceback of an error raised while it was rendered."""
    trace, line = error.__traceback__, 1
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
