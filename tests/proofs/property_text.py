# SPDX-License-Identifier: BSD-3-Clause
"""How the program of properties is written: statements around calls."""

from property_values import Use, slot

# How the program gives back an object that a call has made.
RELEASES = {
    "COMMUNICATOR": "MPI_Comm_free",
    "GROUP": "MPI_Group_free",
    "WINDOW": "MPI_Win_free",
    "INFO": "MPI_Info_free",
    "ERRHANDLER": "MPI_Errhandler_free",
    "DATATYPE": "MPI_Type_free",
    "OPERATION": "MPI_Op_free",
    "SESSION": "MPI_Session_finalize",
}


# The claim that the last call succeeds for one of several objects, of which a loop
# makes it; or a claim of several such calls.
SOMEWHERE = "static struct claim claim; succeeds_somewhere(&claim);"
SHARED_CLAIM = "static struct claim claim;"
SHARED = "succeeds_somewhere(&claim);"


def condition(text: str) -> str:
    """What is special about the calls that follow."""
    return f'condition = "{text}"; prepare();'


def gives_back(use: Use) -> list[str]:
    """Statements that free what a successful call has made, requests first."""
    made = [a for a in use.arguments if a.kind.is_handle and not a.is_in]
    made = [a for a in made if not a.is_array]
    requests = [a for a in made if a.kind.name == "REQUEST"]
    lines = [f"complete({slot(use, a)});" for a in requests]
    for argument in made:
        release = RELEASES.get(argument.kind.name)
        if release:
            free = f"{release}((void *){slot(use, argument)});"
            lines.append(f"if (outcome == MPI_SUCCESS) {free}")
    return lines


def on_each(use: Use, lines: list[str]) -> list[str]:
    """The statements for the objects of each sort of the kind that the call takes."""
    kinds = {a.kind.name for a in use.record.handles_in}
    loop = "i == 0"
    if "WINDOW" in kinds:
        loop = "use_win(i)"
    elif "COMMUNICATOR" in kinds:
        loop = "use_comm(i)"
    body = [f"    {line}" for line in lines]
    reset = ["use_win(0);", "use_comm(0);"]
    return [f"for (int i = 0; {loop}; i++) {{", *body, "}", *reset]
