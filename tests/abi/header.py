# SPDX-License-Identifier: BSD-3-Clause
"""Renders the constants of an mpi.h from the facts of the standard ABI (spec/forum), with
nothing else of Oriel's, and after them the types and prototypes that another file has.

usage: header.py MPI-ABI.FACTS TYPES.H PROTOTYPES.H
"""

from __future__ import annotations

import sys
from pathlib import Path


def constant(line: str) -> str:
    """Its definition, or "" if C does not have it."""
    name, _, value, kind, *_ = line.split(" | ")
    if kind == "-" or kind.startswith("MPI_T_"):
        return ""
    if kind == "int":
        return f"enum {{ {name} = {value} }};"
    return f"#define {name} (({kind}){value})"


def main() -> int:
    data, types, prototypes = (Path(name).read_text("utf-8") for name in sys.argv[1:])
    lines = [line for line in data.splitlines() if not line.startswith("#")]
    print("#pragma once")
    print(types)
    print("\n".join(filter(None, map(constant, lines))))
    print(prototypes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
