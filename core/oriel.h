// SPDX-License-Identifier: BSD-3-Clause
// oriel.h: all that the generated bindings know of the core, and the only header they
// include besides mpi.h. The core's functions (oriel_put and so on) are declared in
// oriel_core.h, generated from the records: handles arrive as resolved objects, counts
// as MPI_Count, arguments already valid.
#pragma once

#include "object/object.h"
#include "window/window.h"
#include "oriel_core.h"
