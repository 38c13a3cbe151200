# SPDX-License-Identifier: BSD-3-Clause
# Finds a Python 3.11 or newer that has Jinja2: the one on PATH, then the system's, for
# a distribution's python3-jinja2 serves the distribution's own interpreter.
#
# Sets ORIEL_PYTHON.

function(oriel_find_python)
    find_program(path_python NAMES python3 python NO_CACHE)
    foreach(candidate IN ITEMS "${ORIEL_PYTHON}" "${path_python}" /usr/bin/python3
                               /usr/local/bin/python3)
        if(NOT candidate)
            continue()
        endif()
        execute_process(
            COMMAND ${candidate} -c
                    "import sys, jinja2; sys.exit(sys.version_info < (3, 11))"
            RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
        if(NOT failed)
            set(ORIEL_PYTHON ${candidate} CACHE FILEPATH "Python 3.11 with Jinja2" FORCE)
            message(STATUS "Python with Jinja2: ${candidate}")
            return()
        endif()
    endforeach()
    message(FATAL_ERROR "No Python 3.11 or newer with Jinja2 was found. On Debian and "
                        "Ubuntu: apt-get install python3-jinja2; elsewhere set "
                        "ORIEL_PYTHON.")
endfunction()

oriel_find_python()
