# SPDX-License-Identifier: BSD-3-Clause
"""oriel-trace: makes what people read of the files that a traced job has written."""

from __future__ import annotations

import argparse
import gc
import shutil
import sys
from pathlib import Path

from chrome import write_chrome
from events import read_trace
from page import write_page
from summary import summary_lines
from totals import Totals


def main() -> int:
    parser = argparse.ArgumentParser(prog="oriel-trace", description=__doc__)
    parser.add_argument("folder", type=Path, help="what mpiexec --trace was given")
    parser.add_argument(
        "--summary", action="store_true", help="print what has waited for what"
    )
    parser.add_argument(
        "--discard", action="store_true", help="print only, and remove the folder"
    )
    arguments = parser.parse_args()
    gc.disable()  # records make no cycles, and millions of them would be visited
    trace = read_trace(arguments.folder)
    if arguments.discard:
        shutil.rmtree(arguments.folder, ignore_errors=True)
    if trace is None:
        print(
            f"oriel-trace: {arguments.folder} has no trace of an MPI program",
            file=sys.stderr,
        )
        return 1
    totals = Totals(trace)
    if not arguments.discard:
        write_chrome(trace, arguments.folder / "trace.json")
        write_page(totals, arguments.folder / "index.html")
    if arguments.summary:
        print("\n".join(summary_lines(totals)), file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
