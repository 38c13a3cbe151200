# SPDX-License-Identifier: BSD-3-Clause
# Helper functions for tests. A test program exits with 0, with 77 when it does not apply
# here, with anything else when it has failed.

# Runs the executable target under mpiexec: once for each number of ranks, and once more
# with its ranks split into two nodes that talk over libfabric.
#   RANKS numbers; NODES ranks for the run as two nodes, 0 for none; LABELS; TIMEOUT
function(oriel_mpi_test target)
    cmake_parse_arguments(PARSE_ARGV 1 T "" "NODES;TIMEOUT" "RANKS;LABELS")
    if(NOT T_TIMEOUT)
        set(T_TIMEOUT 60)
    endif()
    foreach(ranks IN LISTS T_RANKS)
        add_test(NAME ${target}_${ranks} COMMAND mpiexec -n ${ranks} $<TARGET_FILE:${target}>)
        list(APPEND tests ${target}_${ranks})
    endforeach()
    if(T_NODES)
        add_test(NAME ${target}_${T_NODES}_two_nodes
                 COMMAND mpiexec -n ${T_NODES} -env ORIEL_FAKE_NODES 2
                         $<TARGET_FILE:${target}>)
        list(APPEND tests ${target}_${T_NODES}_two_nodes)
    endif()
    set_tests_properties(${tests} PROPERTIES LABELS "${T_LABELS}" TIMEOUT ${T_TIMEOUT}
                                             SKIP_RETURN_CODE 77)
endfunction()
