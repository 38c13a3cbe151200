# SPDX-License-Identifier: BSD-3-Clause
"""Conversions of the arguments of Fortran besides choice buffers, in an entry point in
C: a row for each class of arguments and direction. A class or direction without a row
cannot be generated.

In the cells: {name}; {type}, C's; {number}, what Fortran has for it; {value}, that as
C's; {n}, the length of an array.
"""

from bindings.fortran.conversion import Conversion

CONVERSIONS: dict[str, Conversion] = {
    "handle in": Conversion(
        fortran_type="const fortran_integer *",
        actual="({type})(intptr_t)*{name}",
    ),
    "handle out": Conversion(
        fortran_type="fortran_integer *",
        local="{type} c_{name};",
        actual="&c_{name}",
        after="*{name} = (fortran_integer)(intptr_t)c_{name};",
    ),
    "handle inout": Conversion(
        fortran_type="fortran_integer *",
        local="{type} c_{name} = ({type})(intptr_t)*{name};",
        actual="&c_{name}",
        always="*{name} = (fortran_integer)(intptr_t)c_{name};",
    ),
    "handle array in": Conversion(
        fortran_type="const fortran_integer *",
        local="{type} c_{name}[{n} + 1]; // not empty",
        before="for (int i = 0; i < {n}; i++)\n"
        "        c_{name}[i] = ({type})(intptr_t){name}[i];",
        actual="c_{name}",
    ),
    "integer in": Conversion(
        fortran_type="const {number} *",
        actual="{value}",
    ),
    "integer out": Conversion(
        fortran_type="{number} *",
        local="{type} c_{name};",
        actual="&c_{name}",
        after="*{name} = c_{name};",
    ),
    "short integer out": Conversion(
        fortran_type="fortran_integer *",
        local="{type} c_{name};",
        actual="&c_{name}",
        after="*{name} = (fortran_integer)c_{name};",
    ),
    "integer inout": Conversion(
        fortran_type="{number} *",
        local="{type} c_{name} = {value};",
        actual="&c_{name}",
        always="*{name} = c_{name};",
    ),
    "integer array in": Conversion(
        fortran_type="const {number} *",
        actual="{name}",
    ),
    "status out": Conversion(
        fortran_type="void *",
        local="MPI_Status c_{name};",
        actual="status_to_c({name}, &c_{name})",
        always="status_to_fortran(&c_{name}, {name});",
    ),
    "string in": Conversion(
        fortran_type="const char *",
        local="char c_{name}[{name}_length + 1];",
        before="string_to_c({name}, {name}_length, c_{name});",
        actual="c_{name}",
    ),
}
