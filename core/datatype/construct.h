// SPDX-License-Identifier: BSD-3-Clause
// The making of datatypes: an empty one, one from contents, its commit and its handle.
#pragma once

#include "datatype/datatype.h"

struct contents;

// An empty datatype without a handle, for its maker to fill; NULL after
// fail(MPI_ERR_NO_MEM).
struct datatype *datatype_new(void);
// The datatype that has these contents, without a handle; takes them over, also on
// failure, and passes on NULL after fail(MPI_ERR_NO_MEM). The second one has the bounds
// given instead of those that follow from its components.
int datatype_make(struct contents *contents, struct datatype **type);
int datatype_make_resized(struct contents *contents, MPI_Count lb, MPI_Count extent,
                          struct datatype **type);
// Gives a new datatype to the program.
int datatype_open(struct datatype *made, struct datatype **type);
// The one way to commit a datatype.
void datatype_commit(struct datatype *type);
