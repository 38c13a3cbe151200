# SPDX-License-Identifier: BSD-3-Clause
# Refuses a C compiler that lacks what the core needs, before anything is compiled.

include(CheckCSourceCompiles)

# The operands of Fortran's REAL(2) and COMPLEX(4) are such numbers.
check_c_source_compiles("
    __extension__ typedef _Float16 half;
    __extension__ typedef _Float16 _Complex complex_half;
    int main(void) { return (int)(sizeof(half) + sizeof(complex_half)); }"
    ORIEL_HAS_FLOAT16)
if(NOT ORIEL_HAS_FLOAT16)
    message(FATAL_ERROR "${CMAKE_C_COMPILER} (${CMAKE_C_COMPILER_ID} "
                        "${CMAKE_C_COMPILER_VERSION}) has no _Float16 for this machine; on x86 "
                        "gcc 12 and clang 15 have it. Choose one by -DCMAKE_C_COMPILER=NAME.")
endif()
