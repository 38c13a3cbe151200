// SPDX-License-Identifier: BSD-3-Clause
// Datatypes of array sections and of what calls use of buffers, without handles.
#pragma once

#include "datatype/datatype.h"

// Makes the datatype of an array section.
int section_make(const struct section *section, MPI_Count count, struct datatype *type,
                 struct datatype **whole);
// The bytes of all its elements.
MPI_Count section_bytes(const struct section *section);
void sections_forget(void); // closes those that were kept open
