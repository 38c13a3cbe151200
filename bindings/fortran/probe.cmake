# SPDX-License-Identifier: BSD-3-Clause
# Decides whether a Fortran compiler can be used, by what a program does that it has
# compiled: many compilers accept assumed-rank arguments that they pass wrongly.

# Sets ORIEL_DESCRIPTOR: the folders of the header that reads what the compiler passes for
# TYPE(*), DIMENSION(..), and of what that includes.
function(oriel_choose_descriptor)
    set(layouts ${CMAKE_CURRENT_SOURCE_DIR}/../f08/descriptor)
    if(EXISTS ${layouts}/${CMAKE_Fortran_COMPILER_ID})
        set(folders ${layouts}/${CMAKE_Fortran_COMPILER_ID})
    else()
        oriel_find_binding_header(header)
        set(folders ${layouts}/standard ${header})
    endif()
    set(ORIEL_DESCRIPTOR ${folders} CACHE STRING
        "Folders of the header that reads the Fortran compiler's descriptors")
endfunction()

# The folder of the compiler's ISO_Fortran_binding.h and of nothing else: the C compiler
# may be another vendor's. It is empty if that finds its own.
function(oriel_find_binding_header result)
    execute_process(COMMAND ${CMAKE_Fortran_COMPILER} -print-file-name=include
                    OUTPUT_VARIABLE internal OUTPUT_STRIP_TRAILING_WHITESPACE
                    ERROR_QUIET)
    file(REAL_PATH ${CMAKE_Fortran_COMPILER} compiler)
    cmake_path(GET compiler PARENT_PATH folder)
    find_file(header ISO_Fortran_binding.h NO_CACHE NO_DEFAULT_PATH
              PATHS ${internal} ${folder}/../include/flang ${folder}/../include)
    set(own ${CMAKE_CURRENT_BINARY_DIR}/binding_header)
    if(header)
        configure_file(${header} ${own}/ISO_Fortran_binding.h COPYONLY)
    endif()
    set(${result} ${own} PARENT_SCOPE)
endfunction()

# Compiles, links and runs probe/. Sets ORIEL_INTEGER_BYTES: how wide the compiler's
# options make INTEGER. It is fatal if the compiler does something else than the layer
# relies on.
function(oriel_probe_compiler)
    oriel_choose_descriptor()
    set(folder ${CMAKE_CURRENT_SOURCE_DIR}/probe)
    set(program ${CMAKE_CURRENT_BINARY_DIR}/probe/program)
    set(CMAKE_TRY_COMPILE_CONFIGURATION Release) # what optimization changes must hold, too
    try_compile(
        is_built ${CMAKE_CURRENT_BINARY_DIR}/probe
        SOURCES ${folder}/callbacks.f90 ${folder}/entries.f90 ${folder}/main.f90
                ${folder}/descriptors.c
        CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${ORIEL_DESCRIPTOR}"
        OUTPUT_VARIABLE reason COPY_FILE ${program})
    set(status 1)
    if(is_built)
        execute_process(COMMAND ${program} RESULT_VARIABLE status
                        OUTPUT_VARIABLE bytes OUTPUT_STRIP_TRAILING_WHITESPACE
                        ERROR_VARIABLE reason)
    endif()
    if(NOT status EQUAL 0)
        string(REPLACE "\n" "\n  " reason "${reason}") # CMake leaves indented text alone
        message(FATAL_ERROR "The Fortran layer of Oriel cannot be built with "
                            "${CMAKE_Fortran_COMPILER} ${CMAKE_Fortran_FLAGS}:\n"
                            "  ${reason}")
    endif()
    set(ORIEL_INTEGER_BYTES ${bytes} PARENT_SCOPE)
    message(STATUS "Fortran descriptors as C reads them: good; INTEGER has ${bytes} bytes")
endfunction()
