# SPDX-License-Identifier: BSD-3-Clause
# Finds the headers of libfabric 1.17 or newer and makes the target oriel::fabric. The
# library itself is loaded at run time, in jobs that need a network (core/net/library.c).

find_package(PkgConfig REQUIRED)
pkg_check_modules(FABRIC REQUIRED libfabric>=1.17)
add_library(oriel_fabric INTERFACE)
add_library(oriel::fabric ALIAS oriel_fabric)
target_include_directories(oriel_fabric SYSTEM INTERFACE ${FABRIC_INCLUDE_DIRS})
