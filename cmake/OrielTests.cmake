# SPDX-License-Identifier: BSD-3-Clause
# Helper functions for tests. A test program exits with 0, with 77 when it does not apply
# here, with anything else when it has failed.

# The procedures that a test program calls count for docs/coverage.md.
function(oriel_test_objects target)
    set_property(GLOBAL APPEND PROPERTY ORIEL_TEST_OBJECTS $<TARGET_OBJECTS:${target}>)
endfunction()

# Runs a program under mpiexec: once for each number of ranks, and once more with its
# ranks split into two nodes that talk over libfabric (tests/fabric/quick_start.c).
#   RANKS numbers; NODES ranks for the run as two nodes, 0 for none; LABELS; TIMEOUT
#   PROGRAM path, if it is not the target `name`; FIXTURE that it needs
#   SAYS what must be printed by a program that ends the job with an error
# It counts for docs/coverage.md, unless scripts/test leaves it out.
function(oriel_mpi_test name)
    cmake_parse_arguments(PARSE_ARGV 1 T "" "NODES;TIMEOUT;PROGRAM;FIXTURE;SAYS"
                          "RANKS;LABELS")
    if(NOT T_TIMEOUT)
        set(T_TIMEOUT 600)
    endif()
    if(NOT T_PROGRAM)
        set(T_PROGRAM $<TARGET_FILE:${name}>)
        if(NOT T_LABELS MATCHES "large|soak")
            oriel_test_objects(${name})
        endif()
    endif()
    foreach(ranks IN LISTS T_RANKS)
        add_test(NAME ${name}_${ranks} COMMAND mpiexec -n ${ranks} ${T_PROGRAM})
        set_tests_properties(${name}_${ranks} PROPERTIES PROCESSORS ${ranks})
        list(APPEND tests ${name}_${ranks})
    endforeach()
    if(T_NODES)
        set(two_nodes ${name}_${T_NODES}_two_nodes)
        add_test(NAME ${two_nodes}
                 COMMAND mpiexec -n ${T_NODES} ${ORIEL_QUICK_START} -env ORIEL_FAKE_NODES 2
                         ${T_PROGRAM})
        set_tests_properties(${two_nodes} PROPERTIES PROCESSORS ${T_NODES})
        list(APPEND tests ${two_nodes})
    endif()
    set_tests_properties(${tests} PROPERTIES LABELS "${T_LABELS}" TIMEOUT ${T_TIMEOUT}
                                             SKIP_RETURN_CODE 77
                                             FIXTURES_REQUIRED "${T_FIXTURE}"
                                             PASS_REGULAR_EXPRESSION "${T_SAYS}")
endfunction()
