# SPDX-License-Identifier: BSD-3-Clause
"""python3 -m codegen: makes every binding from the table in spec/."""

import argparse
import sys
from pathlib import Path

from codegen.check import check
from codegen.changes import Changes, changes
from codegen.check_languages import check_languages
from codegen.expand import expand
from codegen.facts import digest, has_constants, read_forum
from codegen.forum import compare
from codegen.importing import Importer, newest_facts_of
from codegen.importing_constants import (
    ConstantChanges,
    ConstantImporter,
    constant_changes,
)
from codegen.language import load_languages
from codegen.load import load, spec_files
from codegen.model import Spec
from codegen.position import SpecError
from codegen.reference.records import load_reference
from codegen.show import find, show
from codegen.symbol_plan import symbol_plan
from codegen.write import stale, write

ROOT = Path(__file__).resolve().parent.parent


def _table(arguments: argparse.Namespace) -> Spec:
    """The table, checked; all that is wrong is printed before this gives up."""
    spec = load(arguments.root / "spec")
    languages = load_languages(arguments.root / "bindings", spec)
    errors = [*check(spec), *check_languages(spec, languages)]
    for error in errors[:-1]:
        print(error, file=sys.stderr)
    if errors:
        raise errors[-1]
    return spec


def _generate(arguments: argparse.Namespace) -> int:
    from codegen.render import render  # needs Jinja2, which the other commands do not

    outputs = render(arguments.root, expand(_table(arguments), arguments.root))
    if not arguments.check:
        for name in write(arguments.output, outputs):
            print(f"wrote {name}")
        return 0
    return _report(stale(arguments.output, outputs), "generate")


def _report(names: list[str], command: str) -> int:
    """Say which files are not what the command would write."""
    for name in names:
        print(f"{name} is stale or was edited; run: python3 -m codegen {command}")
    return 1 if names else 0


def _check(arguments: argparse.Namespace) -> int:
    spec = _table(arguments)
    symbol_plan(expand(spec, arguments.root))
    load_reference(arguments.root / "spec", spec)
    folder = arguments.forum or arguments.root / "spec" / "forum"
    waivers = arguments.root / "spec" / "forum.waivers"
    errors = compare(spec, folder, waivers, "spec/forum.waivers")
    for error in errors:
        print(error, file=sys.stderr)
    return 1 if errors else 0


def _digest(arguments: argparse.Namespace) -> int:
    folder = arguments.root / "spec" / "forum"
    facts = digest(arguments.folder)
    if arguments.check:
        return _report(stale(folder, facts), "digest")
    for name in write(folder, facts):
        print(f"wrote {name}")
    return 0


def _document(arguments: argparse.Namespace) -> int:
    from codegen.reference.outputs import reference

    root = arguments.root
    bindings = expand(_table(arguments), root)
    files = reference(root, bindings, arguments.version, arguments.guides)
    if arguments.check:
        return _report(stale(arguments.output, files), "document")
    print(f"wrote {len(write(arguments.output, files))} of {len(files)} files")
    return 0


def _import(arguments: argparse.Namespace) -> int:
    root = arguments.root
    waivers = root / "spec" / "forum.waivers"
    spec, table = _table(arguments), arguments.forum
    found: Changes | ConstantChanges
    if has_constants(read_forum(table)):
        found = constant_changes(spec, table, waivers)
        imported = ConstantImporter(root, spec, found).run()
    else:
        found = changes(spec, table, waivers, "spec/forum.waivers")
        imported = Importer(root, spec, found, arguments.into).run()
    for line in found.lines():
        print(line)
    for question in imported.questions:
        print(f"asks {question}")
    if arguments.write:
        imported.files |= newest_facts_of(root, table)
        for name in write(root, imported.files):
            print(f"wrote {name}")
    return 0


def _show(arguments: argparse.Namespace) -> int:
    spec = _table(arguments)
    languages = load_languages(arguments.root / "bindings", spec)
    try:
        procedure = find(spec, languages, arguments.name)
    except KeyError as error:
        print(error.args[0], file=sys.stderr)
        return 1
    print(show(procedure, languages), end="")
    return 0


def _list(arguments: argparse.Namespace) -> int:
    from codegen.reference.outputs import reference_inputs
    from codegen.render import inputs, output_names

    if arguments.reference:
        paths = reference_inputs(arguments.root)
    elif arguments.inputs:
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
    checking = commands.add_parser(
        "check", help="check the table, and compare it with the standard's facts"
    )
    checking.add_argument(
        "--forum", type=Path, help="folder of the Forum's own files, to compare with"
    )
    checking.set_defaults(run=_check)
    digesting = commands.add_parser("digest", help="make spec/forum")
    digesting.add_argument("folder", type=Path, help="folder of the Forum's own files")
    digesting.add_argument(
        "--check", action="store_true", help="only compare; 1 if they differ"
    )
    digesting.set_defaults(run=_digest)
    document = commands.add_parser("document", help="write the reference")
    document.add_argument("--output", type=Path, required=True, help="output folder")
    document.add_argument("--version", default="0", help="that pages are to name")
    document.add_argument(
        "--guides", action="store_true", help="with docs/*.md, by Python-Markdown"
    )
    document.add_argument(
        "--check", action="store_true", help="only compare; 1 if stale"
    )
    document.set_defaults(run=_document)
    importing = commands.add_parser(
        "import", help="show what a new table of the Forum changes, and write it"
    )
    importing.add_argument(
        "--forum", type=Path, required=True, help="mpi-VERSION-apis.json or -abi.json"
    )
    importing.add_argument(
        "--into", default="spec/procedures/99_new.spec", help="file for new records"
    )
    importing.add_argument(
        "--write", action="store_true", help="change the records; what to answer is `?`"
    )
    importing.set_defaults(run=_import)
    page = commands.add_parser("show", help="print a procedure as the standard does")
    page.add_argument("name", help="in any language, with or without MPI_, in any case")
    page.set_defaults(run=_show)
    listing = commands.add_parser("list", help="print paths, for the build")
    listing.add_argument("--output", type=Path, required=True, help="output folder")
    which = listing.add_mutually_exclusive_group(required=True)
    which.add_argument("--outputs", action="store_true", help="what generate writes")
    which.add_argument("--inputs", action="store_true", help="what generate reads")
    which.add_argument(
        "--reference", action="store_true", help="what document reads besides"
    )
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
