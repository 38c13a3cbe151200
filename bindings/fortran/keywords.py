# SPDX-License-Identifier: BSD-3-Clause
"""Words that a dummy argument had better not be called.

Fortran reserves none, but a line that begins with one of these reads as a statement.
Those that the standard itself has as arguments (name, value, result) are left out, and
target, which it speaks of.
"""

STATEMENTS = frozenset(
    """abstract allocatable allocate assign associate asynchronous backspace block call
    case character class close codimension common complex concurrent contains contiguous
    continue critical cycle data deallocate deferred dimension do double elemental else
    elseif elsewhere end endfile enddo endif entry enum enumerator equivalence error event
    exit external final flush forall form format function generic goto if implicit import
    impure inquire integer intent interface intrinsic lock logical module namelist nullify
    only open operator optional parameter pass pause pointer precision print private
    procedure program protected public pure read real recursive return rewind save select
    sequence stop submodule subroutine sync team then type unlock use volatile wait
    where while write""".split()
)
ERROR_CODE = "ierror"


def reserved(name: str) -> str:
    """What the name is if no argument may have it, else ""."""
    if name.lower() == ERROR_CODE:
        return "what Fortran calls the error code"
    return "a keyword of Fortran" if name.lower() in STATEMENTS else ""
