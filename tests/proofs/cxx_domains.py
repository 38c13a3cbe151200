# SPDX-License-Identifier: BSD-3-Clause
"""Calls of members of namespace MPI that are refused: for each argument one value outside
of each of its domains, a handle of nothing, a pointer to nowhere. The error must be raised
as the same call from C raises it, and nothing may reach the core.
"""

from collections.abc import Iterator

import samples
from common import echoed
from cxx_members import is_of
from cxx_programs import cxx_block, cxx_program
from domain_probes import SORTS_OF_PROBES, Probe
from echo_numbers import Sort
from samples import Call, Case

from codegen.model import Argument, Spec


def is_pointer(argument: Argument) -> bool:
    """C++ takes an address, and no reference."""
    return argument.is_array or is_of(argument, "string")


def can_be_made(taken: tuple[Sort, ...]) -> bool:
    """C++ can express a call with these arguments: only pointers can lead nowhere."""
    return all(is_pointer(s.argument) for s in taken if s.is_missing)


def _first_of_each(found: Iterator[Probe]) -> Iterator[Probe]:
    """One probe for each argument and error, at the level that checks all."""
    seen = set()
    for probe in found:
        if len(probe.refused) < 2 or probe.level != "FULL" or probe.before:
            continue
        said, error = probe.refused
        what = (said.split()[1], error)
        if what not in seen and can_be_made(probe.taken):
            seen.add(what)
            yield probe


def cxx_probes(spec: Spec) -> list[Probe]:
    """All calls, of the members for large counts too."""
    found: list[Probe] = []
    for record in echoed(spec, "c"):
        is_called = "cxx" in record.languages and record.returns_error
        if not is_called or any(a.callback for a in record.arguments):
            continue
        for is_large in (False, True)[: 1 + record.is_large]:
            call = Call(spec, record, "c", Case.PLAIN, is_large)
            for some in SORTS_OF_PROBES:
                found += _first_of_each(some(call))
    return found


def probe_block(probe: Probe) -> list[str]:
    """One call from C++."""
    lines = cxx_block(probe.call, list(probe.taken), False)
    return [x.replace(f'"{probe.call.label}"', f'"{probe.label}"') for x in lines]


def probe_transcript(probe: Probe) -> list[str]:
    """What must be said; results of a call that fails are not defined in C++."""
    said, error = probe.refused
    code = samples.value_of(probe.call.spec, error)
    return [f"call {probe.label}", said, probe.raised(code)]


def domains_cxx(found: list[Probe]) -> str:
    """The program that makes all these calls."""
    blocks: dict[str, list[str]] = {}
    for probe in found:
        blocks.setdefault(probe.call.record.name, []).extend(probe_block(probe))
    return cxx_program(blocks)
