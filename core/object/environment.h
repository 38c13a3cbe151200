// SPDX-License-Identifier: BSD-3-Clause
// MPI_INFO_ENV: the predefined info object that describes the process (MPI-4.1 11.2.1).
#pragma once

#include "object/object.h"

extern struct info info_env;
void info_clear(struct info *info);
// Adds to an info object what this process knows of how it was started.
int environment_describe(struct info *info);
