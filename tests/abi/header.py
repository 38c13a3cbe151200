# SPDX-License-Identifier: BSD-3-Clause
"""Renders the constants of an mpi.h from the MPI Forum's list for the standard ABI, with
nothing of Oriel's, and after them the types and prototypes that another file has.

usage: header.py MPI-ABI.JSON TYPES.H PROTOTYPES.H
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def constant(record: dict[str, Any]) -> str:
    """Its definition, or "" if C does not have it."""
    kind = record["handle_types"]["c"]["type"]
    name, value = record["name"], record["abi_value"]
    if not kind or kind.startswith("MPI_T_"):
        return ""
    if kind == "int":
        return f"enum {{ {name} = {value} }};"
    return f"#define {name} (({kind}){value})"


def main() -> int:
    data, types, prototypes = (Path(name).read_text("utf-8") for name in sys.argv[1:])
    records = json.loads(data)["constants"].values()
    print("#pragma once")
    print(types)
    print("\n".join(filter(None, map(constant, records))))
    print(prototypes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
