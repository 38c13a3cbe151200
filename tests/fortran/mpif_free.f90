! SPDX-License-Identifier: BSD-3-Clause
! mpif.h in free form: windows, sections, attributes, error handlers, strings.
include 'mpif_windows.inc'
