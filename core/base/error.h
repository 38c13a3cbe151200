// SPDX-License-Identifier: BSD-3-Clause
// Details of errors: what exactly was wrong, with the values, kept per thread until the
// entry point raises the error handler.
#pragma once

#include "base/compiler.h"

// Records what was wrong as this thread's detail and returns error_class, so that a
// core function can say `return fail(MPI_ERR_RMA_RANGE, "...", ...)`. The layer that
// first decides an error calls this; callers pass the class on unchanged.
int fail(int error_class, const char *format, ...) PRINTF_LIKE(2, 3);

// The class and the text of this thread's last fail(); 0 and "" when there was none.
// The text stays valid until the thread's next fail() and may be an argument of it.
const char *error_detail(int *error_class);
