# SPDX-License-Identifier: BSD-3-Clause
# Finds libfabric 1.17 or newer and makes the target oriel::fabric.

find_package(PkgConfig REQUIRED)
pkg_check_modules(FABRIC REQUIRED IMPORTED_TARGET libfabric>=1.17)
add_library(oriel::fabric ALIAS PkgConfig::FABRIC)
