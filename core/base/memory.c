// SPDX-License-Identifier: BSD-3-Clause
// Sizes of this machine's memory.
#include "base/base.h"

#include <unistd.h>

size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

size_t machine_bytes(void)
{
    return (size_t)sysconf(_SC_PHYS_PAGES) * page_bytes();
}
