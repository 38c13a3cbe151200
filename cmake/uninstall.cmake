# SPDX-License-Identifier: BSD-3-Clause
# Removes the files that MANIFEST lists, and the folders of Oriel that are empty then.
# DESTDIR in the environment is put before each path, as at the installation.

if(NOT EXISTS "${MANIFEST}")
    message(FATAL_ERROR "There is no ${MANIFEST}: nothing was installed from this build")
endif()
file(STRINGS "${MANIFEST}" installed)
foreach(path IN LISTS installed)
    set(path "$ENV{DESTDIR}${path}")
    file(REMOVE "${path}")
    get_filename_component(folder "${path}" DIRECTORY)
    while(IS_DIRECTORY "${folder}" AND folder MATCHES "/[Oo]riel")
        file(GLOB rest "${folder}/*" "${folder}/.*")
        list(FILTER rest EXCLUDE REGEX "/[.][.]?$")
        if(rest)
            break()
        endif()
        file(REMOVE_RECURSE "${folder}")
        get_filename_component(folder "${folder}" DIRECTORY)
    endwhile()
endforeach()
list(LENGTH installed count)
message(STATUS "Removed ${count} files")
