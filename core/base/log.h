// SPDX-License-Identifier: BSD-3-Clause
// Log lines on standard error.
#pragma once

#include "base/compiler.h"

// One line "oriel: rank R: ..." on standard error, written by a single write(); without
// the rank while it is not known. Longer lines than 1 KiB are cut.
void log_error(const char *format, ...) PRINTF_LIKE(1, 2);
// The same for lines of any length, one write() for all.
void log_lines(const char *text);
// log_error when ORIEL_VERBOSE is set.
void log_verbose(const char *format, ...) PRINTF_LIKE(1, 2);
// The sequence of base/color.h if lines go to a terminal that has colors, else "".
const char *log_color(const char *color);
