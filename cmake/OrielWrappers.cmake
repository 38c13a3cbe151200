# SPDX-License-Identifier: BSD-3-Clause
# Compiler wrappers and pkg-config files.

# Configures NAME of a template and installs it. CMake writes through a symbolic link, which
# another version may have in its place: that goes first, so that the file that it leads to
# stays as it is.
function(oriel_install_script NAME template)
    set(script ${CMAKE_CURRENT_BINARY_DIR}/${NAME})
    if(IS_SYMLINK ${script})
        file(REMOVE ${script})
    endif()
    configure_file(${template} ${script} @ONLY
                   FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ
                                    GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    install(CODE "
        set(place \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/${NAME}\")
        if(IS_SYMLINK \"\${place}\")
            file(REMOVE \"\${place}\")
        endif()")
    install(PROGRAMS ${script} DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# Makes and installs the wrapper script `name` and its other names.
#   LANGUAGE, COMPILER (path), SUFFIX (of the environment variables that name another one),
#   CHOICE (the option that does), COMPILE_FLAGS, LINK_FLAGS (shell words), SETUP (shell
#   lines), ALIASES
function(oriel_wrapper NAME)
    cmake_parse_arguments(PARSE_ARGV 1 W ""
                          "LANGUAGE;COMPILER;SUFFIX;CHOICE;COMPILE_FLAGS;LINK_FLAGS;SETUP"
                          "ALIASES")
    foreach(field LANGUAGE COMPILER SUFFIX CHOICE COMPILE_FLAGS LINK_FLAGS SETUP)
        set(${field} "${W_${field}}")
    endforeach()
    set(INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR})
    set(LIBDIR ${CMAKE_INSTALL_LIBDIR})
    oriel_install_script(${NAME} wrapper.in)
    oriel_documents(${CMAKE_CURRENT_BINARY_DIR}/${NAME})
    foreach(alias IN LISTS W_ALIASES)
        file(CREATE_LINK ${NAME} ${CMAKE_CURRENT_BINARY_DIR}/${alias} SYMBOLIC)
        install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${alias}
                DESTINATION ${CMAKE_INSTALL_BINDIR})
    endforeach()
endfunction()

# Makes and installs a script for each of `names` that refuses: LANGUAGE, REMEDY.
function(oriel_no_wrappers LANGUAGE REMEDY)
    foreach(NAME IN LISTS ARGN)
        oriel_install_script(${NAME} no_language.in)
    endforeach()
endfunction()

# Makes and installs the script `name` of name.in.
function(oriel_script name)
    set(INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR})
    set(LIBDIR ${CMAKE_INSTALL_LIBDIR})
    set(DATADIR ${CMAKE_INSTALL_DATADIR})
    oriel_install_script(${name} ${name}.in)
    oriel_documents(${CMAKE_CURRENT_BINARY_DIR}/${name})
endfunction()

# Makes and installs NAME.pc. Arguments: DESCRIPTION, CFLAGS, LIBS, REQUIRES.
function(oriel_pkgconfig NAME)
    cmake_parse_arguments(PARSE_ARGV 1 PC "" "DESCRIPTION;CFLAGS;LIBS;REQUIRES" "")
    file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/${NAME}.pc
"prefix=\${pcfiledir}/../..
includedir=\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}
libdir=\${prefix}/${CMAKE_INSTALL_LIBDIR}

Name: ${NAME}
Description: ${PC_DESCRIPTION}
Version: ${PROJECT_VERSION}
Requires: ${PC_REQUIRES}
Cflags: ${PC_CFLAGS}
Libs: ${PC_LIBS}
")
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${NAME}.pc
            DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
