# SPDX-License-Identifier: BSD-3-Clause
# What an installed Oriel is for other builds, find_package(Oriel), and the target
# `uninstall`, which removes what was installed last.

include(CMakePackageConfigHelpers)

function(oriel_package)
    set(place ${CMAKE_INSTALL_LIBDIR}/cmake/Oriel)
    configure_package_config_file(
        cmake/OrielConfig.cmake.in ${PROJECT_BINARY_DIR}/OrielConfig.cmake
        INSTALL_DESTINATION ${place}
        PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
    write_basic_package_version_file(${PROJECT_BINARY_DIR}/OrielConfigVersion.cmake
                                     COMPATIBILITY SameMinorVersion)
    install(FILES ${PROJECT_BINARY_DIR}/OrielConfig.cmake
                  ${PROJECT_BINARY_DIR}/OrielConfigVersion.cmake
            DESTINATION ${place})
    add_custom_target(
        uninstall
        COMMAND ${CMAKE_COMMAND} -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
                -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake
        VERBATIM)
endfunction()
