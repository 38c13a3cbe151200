! SPDX-License-Identifier: BSD-3-Clause
! mpif.h in fixed form: windows, sections, attributes, error handlers, strings.
      INCLUDE 'mpif_windows.inc'
