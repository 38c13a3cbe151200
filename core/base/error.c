// SPDX-License-Identifier: BSD-3-Clause
// Details of errors, one per thread, that explain an MPI error class.
#include "base/base.h"

#include <string.h>

static _Thread_local struct {
    int error_class;
    char text[MPI_MAX_ERROR_STRING];
} last;

int fail(int error_class, const char *format, ...)
{
    char text[sizeof last.text]; // the arguments may point into last.text
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);

    memcpy(last.text, text, sizeof text);
    last.error_class = error_class;
    return error_class;
}

const char *error_detail(int *error_class)
{
    *error_class = last.error_class;
    return last.text;
}
