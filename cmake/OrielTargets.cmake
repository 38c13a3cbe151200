# SPDX-License-Identifier: BSD-3-Clause
# Helper functions of Oriel's build.

# The command of the generator.
set(ORIEL_CODEGEN ${CMAKE_COMMAND} -E env PYTHONDONTWRITEBYTECODE=1 ${ORIEL_PYTHON}
                  -m codegen)

# Sets a variable of that name to each list of files that the generator is asked for:
# outputs, inputs, reference.
function(oriel_listings generated)
    foreach(listing IN LISTS ARGN)
        execute_process(
            COMMAND ${ORIEL_CODEGEN} list --${listing} --output ${generated}
            WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
            OUTPUT_VARIABLE files RESULT_VARIABLE failed)
        if(failed)
            message(FATAL_ERROR "The table of procedures has errors.")
        endif()
        string(STRIP "${files}" files)
        string(REPLACE "\n" ";" files "${files}")
        set(${listing} ${files} PARENT_SCOPE)
    endforeach()
endfunction()

# A new or vanished file changes its folder; then the lists of files are made anew.
function(oriel_watch_folders)
    set(folders ${ARGN})
    list(TRANSFORM folders REPLACE "/[^/]*$" "")
    list(REMOVE_DUPLICATES folders)
    set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
                                                                 ${folders})
endfunction()

# Makes the target `generate`, which writes everything that follows from the table, and
# sets ORIEL_GENERATED (folder) and ORIEL_OUTPUTS (files) for the caller. It runs when a
# record, a template or the generator has changed, and only then.
function(oriel_generate)
    set(generated ${PROJECT_BINARY_DIR}/generated)
    oriel_listings(${generated} outputs inputs)
    oriel_watch_folders(${inputs})
    set(stamp ${PROJECT_BINARY_DIR}/generate.stamp)
    add_custom_command(
        OUTPUT ${stamp}
        BYPRODUCTS ${outputs}
        COMMAND ${ORIEL_CODEGEN} generate --output ${generated}
        COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
        DEPENDS ${inputs}
        WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
        COMMENT "Generating the bindings from the table"
        VERBATIM)
    add_custom_target(generate DEPENDS ${stamp})
    set(ORIEL_GENERATED ${generated} PARENT_SCOPE)
    set(ORIEL_OUTPUTS ${outputs} PARENT_SCOPE)
endfunction()

# The outputs whose path below the generated folder matches a pattern.
function(oriel_outputs result pattern)
    set(found ${ORIEL_OUTPUTS})
    list(FILTER found INCLUDE REGEX "^${ORIEL_GENERATED}/${pattern}$")
    set(${result} ${found} PARENT_SCOPE)
endfunction()

# The warnings that all of Oriel's C code is compiled with.
function(oriel_warnings target)
    target_compile_options(
        ${target} PRIVATE $<$<COMPILE_LANGUAGE:C>:-Wall -Wextra -Wmissing-prototypes
                          -Wstrict-prototypes -Wshadow>)
    if(ORIEL_WERROR)
        target_compile_options(${target} PRIVATE -Werror)
    endif()
endfunction()
