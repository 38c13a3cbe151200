# SPDX-License-Identifier: BSD-3-Clause
"""Renders the templates.

Every `NAME.j2` below bindings/ and core/ whose name does not begin with `_` becomes the
file of the same path, without `.j2`, in the output folder. Those that begin with `_`
are macros to import. Templates may use, besides Jinja's own:

    notice                    the line that an output begins with, after the SPDX line
    spec                      the whole table (model.Spec), planned records too
    procedures                records that are not planned
    core_procedures           those of them that have a core function
    callback_entries          entries.CallbackEntry, those that are not planned
    lengths                   entries.Length: what Fortran asks the core
    symbols                   the symbol plan (symbols.Symbol)
    forms                     collective operations (codegen.forms)
    kernels                   kernels of the operations (kernels.Kernels)
and the names and filters of the languages (bindings/*/language.py), and
`steps | printed("FILE")`: the steps of a plan, each by the macro of its name in FILE.
"""

from collections.abc import Container, Iterable
from pathlib import Path

from jinja2 import (
    Environment,
    FileSystemLoader,
    StrictUndefined,
    TemplateError,
    TemplateRuntimeError,
    pass_environment,
)

from codegen import forms
from codegen.kernels import Kernels
from codegen.language import Bindings
from codegen.position import Position, SpecError
from codegen.steps import Step
from codegen.symbol_plan import symbol_plan
from codegen.symbols import plan_text

ROOTS = ("bindings", "core")


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
    """Templates, macro files, and what a language is made of: what a build depends on."""
    patterns = [(root / top, "*.j2") for top in ROOTS]
    patterns += [(root / "bindings", pattern) for pattern in ("*.spec", "*.py")]
    return sorted(path for top, pattern in patterns for path in top.rglob(pattern))


def _globals(bindings: Bindings) -> dict[str, object]:
    names: dict[str, object] = {
        "spec": bindings.spec,
        "procedures": bindings.procedures,
        "callback_entries": bindings.callbacks,
        "lengths": bindings.lengths,
        "core_procedures": bindings.core,
        "forms": forms,
        "kernels": Kernels(bindings.spec),
        "symbols": symbol_plan(bindings),
    }
    for language in bindings.languages.values():
        names |= language.names(bindings)
    return names


def _environment(root: Path, bindings: Bindings) -> Environment:
    environment = Environment(
        loader=FileSystemLoader(root),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    for language in bindings.languages.values():
        environment.filters.update(language.filters())
    environment.filters["printed"] = _printed
    environment.globals.update(_globals(bindings))
    return environment


def output_names(root: Path) -> list[str]:
    """The paths of all outputs below the output folder."""
    return [p.with_suffix("").as_posix() for p in templates(root)] + ["symbols.txt"]


def render(
    root: Path, bindings: Bindings, wanted: Container[str] | None = None
) -> dict[str, str]:
    """Outputs, all or those wanted: path below the output folder to text."""
    environment = _environment(root, bindings)
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
    outputs["symbols.txt"] = plan_text(symbol_plan(bindings))
    return outputs


def _line_of(error: BaseException, path: Path) -> int:
    """The template's line in the traceback of an error raised while it was rendered."""
    trace, line = error.__traceback__, 1
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
