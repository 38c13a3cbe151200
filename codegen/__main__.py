# SPDX-License-Identifier: BSD-3-Clause
"""python3 -m codegen: makes every binding from the table in spec/."""

import argparse
import sys
from pathlib import Path

from codegen.expand import expand
from codegen.load import load, spec_files
from codegen.model import SpecError
from codegen.render import inputs, output_names, render
from codegen.write import stale, write

ROOT = Path(__file__).resolve().parent.parent


def _generate(arguments: argparse.Namespace) -> int:
    outputs = render(arguments.root, expand(load(arguments.root / "spec")))
    if not arguments.check:
        for name in write(arguments.output, outputs):
            print(f"wrote {name}")
        return 0
    names = stale(arguments.output, outputs)
    for name in names:
        print(f"{name} is stale or was edited; run: python3 -m codegen generate")
    return 1 if names else 0


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
    generate.add_argument("--check", action="store_true", help="only compare; 1 if stale")
    generate.set_defaults(run=_generate)
    listing = commands.add_parser("list", help="paths of all outputs, for the build")
    listing.add_argument("--output", type=Path, default=Path(), help="output folder")
    listing.add_argument("--inputs", action="store_true", help="paths of all inputs")
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
