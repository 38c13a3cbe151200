// SPDX-License-Identifier: BSD-3-Clause
// For tests: all allocations come from the shared heap, those of the library, too.
#include "begin.h"

const size_t shared_minimum = 1;
