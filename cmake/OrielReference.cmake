# SPDX-License-Identifier: BSD-3-Clause
# The reference, made of the table: man pages below share/man, web pages and a file for
# tools below share/doc/oriel. It is made anew, as a whole, when what it is made of changes.
# The man pages of commands are made of what these print when they are asked for help.

function(oriel_reference)
    oriel_listings(. inputs reference)
    oriel_watch_folders(${reference})
    set(folder ${PROJECT_BINARY_DIR}/reference)
    set(stamp ${PROJECT_BINARY_DIR}/reference.stamp)
    add_custom_command(
        OUTPUT ${stamp}
        COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder}
        COMMAND ${ORIEL_CODEGEN} document --output ${folder} --version ${PROJECT_VERSION}
        COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
        DEPENDS ${inputs} ${reference}
        WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
        COMMENT "Writing the reference"
        VERBATIM)
    add_custom_target(reference ALL DEPENDS ${stamp})
    install(DIRECTORY ${folder}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR})
    install(DIRECTORY ${folder}/html ${folder}/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/oriel)
    install(FILES ${folder}/reference.json DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/oriel)
endfunction()

# Names the commands, built files or scripts, that get a man page of section 1.
function(oriel_documents)
    set_property(GLOBAL APPEND PROPERTY ORIEL_DOCUMENTED ${ARGN})
endfunction()

# Writes and installs these pages.
function(oriel_command_pages)
    get_property(commands GLOBAL PROPERTY ORIEL_DOCUMENTED)
    set(script ${PROJECT_SOURCE_DIR}/reference/man/command_pages.py)
    set(folder ${PROJECT_BINARY_DIR}/command_pages)
    add_custom_command(
        OUTPUT ${folder}.stamp
        COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder}
        COMMAND ${ORIEL_PYTHON} -B ${script} ${folder} ${PROJECT_VERSION} ${commands}
        COMMAND ${CMAKE_COMMAND} -E touch ${folder}.stamp
        DEPENDS ${script} ${commands}
        COMMENT "Writing the man pages of commands"
        VERBATIM)
    add_custom_target(command_pages ALL DEPENDS ${folder}.stamp)
    install(DIRECTORY ${folder}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endfunction()
