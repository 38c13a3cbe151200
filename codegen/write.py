# SPDX-License-Identifier: BSD-3-Clause
"""Writes outputs, touching only files whose text differs, so that a build redoes only
what depends on a change.
"""

from pathlib import Path


def stale(folder: Path, outputs: dict[str, str]) -> list[str]:
    """Outputs that are missing or differ from what would be written."""
    names = []
    for name, text in outputs.items():
        path = folder / name
        if not path.exists() or path.read_text("utf-8") != text:
            names.append(name)
    return names


def write(folder: Path, outputs: dict[str, str]) -> list[str]:
    """Write what is stale; its names."""
    names = stale(folder, outputs)
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(outputs[name], "utf-8", newline="\n")
    return names
