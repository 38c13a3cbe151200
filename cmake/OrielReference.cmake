# SPDX-License-Identifier: BSD-3-Clause
# The reference, made of the table: man pages below share/man, web pages and a file for
# tools below share/doc/oriel. It is made anew, as a whole, when what it is made of changes.

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
