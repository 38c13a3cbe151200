# SPDX-License-Identifier: BSD-3-Clause
"""Renders a program that shows every constant of a Fortran binding, one a line, and the
lines that it must leave. What the program declares is accepted only if each constant is
one, and of its type.
"""

from common import HANDLES
from echo_programs import MODULES

from codegen.model import Constant, Form, Spec
from bindings.fortran.wrap import wrap_both

VARIABLES = (Form.BUFFER, Form.IGNORE)  # of which only the addresses matter
# A kind is an expression of iso_c_binding. A descriptor begins with the address of the
# variable (Fortran 2018 18.5.3).
SHOW = """\
module show
    use, intrinsic :: iso_c_binding
    implicit none
    interface
        integer(c_int) function block_at(variable) bind(C)
            import
            type(*), dimension(..) :: variable
        end function block_at
    end interface
contains
    subroutine show_number(name, number)
        character(len=*), intent(in) :: name
        integer, intent(in) :: number
        write (*, '(a, 1x, i0)') name, number
    end subroutine show_number
    subroutine show_logical(name, flag)
        character(len=*), intent(in) :: name
        logical, intent(in) :: flag
        write (*, '(a, 1x, l1)') name, flag
    end subroutine show_logical
    subroutine show_kind(name, ours, theirs)
        character(len=*), intent(in) :: name
        integer, intent(in) :: ours, theirs
        write (*, '(a, 1x, l1)') name, ours == theirs
    end subroutine show_kind
    subroutine show_variable(name, variable)
        character(len=*), intent(in) :: name
        type(*), dimension(..) :: variable
        call show_number(name, int(block_at(variable)))
    end subroutine show_variable
end module show
"""
BLOCK_AT = """\
int block_at(void *const *descriptor)
{
    int count = sizeof blocks / sizeof *blocks;
    for (int i = 0; i < count; i++)
        if (*descriptor == blocks[i])
            return i;
    return -1;
}
"""


def constants(spec: Spec, module: str) -> list[Constant]:
    """Those that the binding has; predefined callbacks are procedures there."""
    language = "f08" if module == "mpi_f08" else "f90"
    known = [c for c in spec.constants.values() if language in c.category.languages]
    return [c for c in known if c.form is not Form.FUNCTION]


def variables(spec: Spec) -> list[str]:
    """The variables whose addresses stand for something."""
    return [c.name for c in spec.constants.values() if c.form in VARIABLES]


def blocks_c(spec: Spec) -> str:
    """A function that says in whose common block a variable lies, by its number."""
    names = [f"oriel_{name.lower()}" for name in variables(spec)]
    lines = [f"extern char {name}[];" for name in names]
    lines.append(f"static char *const blocks[] = {{{', '.join(names)}}};")
    return "\n".join([*lines, BLOCK_AT])


def _type(constant: Constant, module: str) -> str:
    if constant.form is Form.HANDLE and module == "mpi_f08":
        return f"type({HANDLES[constant.kind]})"
    return "logical" if constant.form is Form.LOGICAL else "integer"


def _show(constant: Constant, module: str) -> str:
    """The statement that shows a constant."""
    name = constant.name
    if constant.form in VARIABLES:
        return f"call show_variable('{name}', {name})"
    if constant.form is Form.LOGICAL:
        return f"call show_logical('{name}', {name})"
    if constant.form is Form.KIND:
        return f"call show_kind('{name}', {name}, {constant.fortran_type})"
    is_derived = constant.form is Form.HANDLE and module == "mpi_f08"
    return f"call show_number('{name}', {name}{'%MPI_VAL' if is_derived else ''})"


def constants_program(spec: Spec, module: str) -> str:
    """The program; a copy of a named constant can be one only if that is one."""
    known = constants(spec, module)
    source = MODULES[module]
    uses, includes = ([source], []) if source.startswith("use") else ([], [source])
    lines = ["program shows", "use show", *uses, "implicit none", *includes]
    for number, constant in enumerate(known):
        if constant.form not in VARIABLES:
            kind = _type(constant, module)
            lines.append(f"{kind}, parameter :: c{number} = {constant.name}")
    lines += [_show(constant, module) for constant in known]
    text = "\n".join(wrap_both(line) for line in lines)
    return f"{SHOW}{text}\n      end program shows\n"


def shown(spec: Spec, module: str) -> list[str]:
    """The lines that the program leaves. Strings are one shorter than in C, since they
    have no final NUL (MPI-4.1 19.3.9)."""
    lines = []
    for constant in constants(spec, module):
        match constant.form:
            case Form.BUFFER | Form.IGNORE:
                value = str(variables(spec).index(constant.name))
            case Form.LOGICAL:
                value = constant.fortran_type.strip(".")[0]
            case Form.KIND:
                value = "T"
            case _:
                assert constant.value is not None, f"{constant.name} has no value"
                is_length = constant.category.name == "MAX_STR_SIZE_CONSTANTS"
                value = str(constant.value - is_length)
        lines.append(f"{constant.name} {value}")
    return lines
