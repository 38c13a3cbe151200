# SPDX-License-Identifier: BSD-3-Clause
"""python3 -m codegen: makes every binding from the table in spec/."""

import argparse
import sys
from pathlib import Path

from codegen.check import check
from codegen.expand import expand
from codegen.forum import compare_constants, compare_procedures, judge, load_waivers
from codegen.language import load_tables
from codegen.load import load, spec_files
from codegen.model import Spec
from codegen.position import SpecError
from codegen.render import inputs, output_names, render
from codegen.show import show
from codegen.symbols import symbol_plan
from codegen.write import stale, write

ROOT = Path(__file__).resolve().parent.parent


def _table(arguments: argparse.Namespace) -> Spec:
    """The table, checked; all that is wrong is printed before this gives up."""
    spec = load(arguments.root / "spec")
    errors = check(spec)
    for error in errors[:-1]:
        print(error, file=sys.stderr)
    if errors:
        raise errors[-1]
    return spec


def _generate(arguments: argparse.Namespace) -> int:
    outputs = render(arguments.root, expand(_table(arguments)))
    if not arguments.check:
        for name in write(arguments.output, outputs):
            print(f"wrote {name}")
        return 0
    names = stale(arguments.output, outputs)
    for name in names:
        print(f"{name} is stale or was edited; run: python3 -m codegen generate")
    return 1 if names else 0


def _check(arguments: argparse.Namespace) -> int:
    spec = _table(arguments)
    load_tables(arguments.root / "bindings", spec)
    symbol_plan(expand(spec), arguments.root / "bindings")
    waivers = arguments.root / "spec" / "forum.waivers"
    checks = (
        ("forum", arguments.forum, compare_procedures),
        ("abi", arguments.abi, compare_constants),
    )
    errors: list[SpecError] = []
    for name, path, compare in checks:
        if path is not None:
            known = load_waivers(waivers, "spec/forum.waivers", name, path)
            errors += judge(compare(spec, path), known)
    for error in errors:
        print(error, file=sys.stderr)
    return 1 if errors else 0


def _show(arguments: argparse.Namespace) -> int:
    spec = _table(arguments)
    wanted = arguments.name.lower()
    for procedure in spec.procedures.values():
        if procedure.name.lower() in (wanted, "mpi_" + wanted):
            print(
                show(procedure, load_tables(arguments.root / "bindings", spec)), end=""
            )
            return 0
    print(f"{arguments.name}: no such procedure in the table", file=sys.stderr)
    return 1


def _list(arguments: argparse.Namespace) -> int:
    if arguments.inputs:
        own = sorted((ROOT / "codegen").rglob("*.py"))
        paths = [*spec_files(arguments.root / "spec"), *inputs(arguments.root), *own]
    else:
        paths = [arguments.output / name for name in output_names(arguments.root)]
    print("\n".join(str(path) for path in paths))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="codegen", description=__doc__)
    parser.add_argument("--root", type=Path, default=ROOT, help="tree to read from")
    commands = parser.add_subparsers(dest="command", required=True)
    generate = commands.add_parser("generate", help="write all outputs that changed")
    generate.add_argument("--output", type=Path, required=True, help="output folder")
    generate.add_argument(
        "--check", action="store_true", help="only compare; 1 if stale"
    )
    generate.set_defaults(run=_generate)
    checking = commands.add_parser("check", help="check the table")
    checking.add_argument(
        "--forum", type=Path, help="compare with a list of procedures"
    )
    checking.add_argument("--abi", type=Path, help="compare with a list of constants")
    checking.set_defaults(run=_check)
    page = commands.add_parser("show", help="print a procedure as the standard does")
    page.add_argument("name", help="with or without MPI_, in any case")
    page.set_defaults(run=_show)
    listing = commands.add_parser("list", help="print paths, for the build")
    listing.add_argument("--output", type=Path, required=True, help="output folder")
    which = listing.add_mutually_exclusive_group(required=True)
    which.add_argument("--outputs", action="store_true", help="what generate writes")
    which.add_argument("--inputs", action="store_true", help="what generate reads")
    listing.set_defaults(run=_list)
    return parser


def main() -> int:
    """Run one command; 0 success, 1 a check failed or the table is wrong."""
    arguments = _parser().parse_args()
    try:
        return int(arguments.run(arguments))
    except SpecError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
