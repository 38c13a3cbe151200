// SPDX-License-Identifier: BSD-3-Clause
// The least allocation that comes from the shared heap: as large as one for which the C
// library asks the system at first.
#include "begin.h"

const size_t shared_minimum = (size_t)128 << 10;
