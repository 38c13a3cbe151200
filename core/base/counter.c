// SPDX-License-Identifier: BSD-3-Clause
// The counters.
#include "base/base.h"

struct counters counters;
