# SPDX-License-Identifier: BSD-3-Clause
# Static libraries (ORIEL_STATIC). An archive has no hidden symbols: each that one of its
# objects needs of another is the whole program's. So the objects become one, of which only
# what the export map lists stays global, and no name of Oriel's can meet one of a program.
# Its code has a section of its own, so that reports tell it from the program's
# (core/base/source_line.c).

# Makes the archive `name` of the objects.
#   MAP (export map), FOLDER (below that of libraries, where it is installed), CODE (name of
#   the section), OBJECTS
function(oriel_static_library name)
    cmake_parse_arguments(PARSE_ARGV 1 S "" "MAP;FOLDER;CODE" "OBJECTS")
    set(renamed)
    foreach(section IN ITEMS .text .text.unlikely .text.hot .text.startup)
        list(APPEND renamed --rename-section ${section}=${S_CODE})
    endforeach()
    set(archive ${CMAKE_CURRENT_BINARY_DIR}/${name}.a)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.o)
    set(exports ${CMAKE_CURRENT_BINARY_DIR}/${name}.exports)
    add_custom_command(
        OUTPUT ${archive}
        COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -o ${object} ${S_OBJECTS}
        # A line of a map is a name and a semicolon, which would divide the list of arguments.
        COMMAND sed -n "s/^ *\\([A-Za-z0-9_]*\\)[^:]$/\\1/p" ${S_MAP} > ${exports}
        COMMAND ${CMAKE_OBJCOPY} --keep-global-symbols=${exports} ${renamed} ${object}
        COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
        COMMAND ${CMAKE_AR} rcs ${archive} ${object}
        DEPENDS ${S_OBJECTS} ${S_MAP}
        COMMENT "Linking ${name}.a"
        COMMAND_EXPAND_LISTS VERBATIM)
    add_custom_target(${name}_static ALL DEPENDS ${archive})
    install(FILES ${archive} DESTINATION ${CMAKE_INSTALL_LIBDIR}/${S_FOLDER})
endfunction()
