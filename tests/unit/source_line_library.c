// SPDX-License-Identifier: BSD-3-Clause
// A library in Oriel's place: it says from which source line it has been called.
#include "base/base.h"

#include <string.h>

__attribute__((visibility("default"))) void library_called_from(char *text, int bytes);

void library_called_from(char *text, int bytes)
{
    char line[SOURCE_TEXT_BYTES];
    memset(text, ' ', (size_t)bytes);
    source_line_text(calling_address(), line);
    memcpy(text, line, strlen(line));
}
