// SPDX-License-Identifier: BSD-3-Clause
// What the files of object/ share among themselves.
#pragma once

#include "object/object.h"

// The text that MPI_Error_string gives for a code, with the detail of this thread's
// last error if it was of that class; false and "" for one that there is not.
bool error_describe(int code, char text[MPI_MAX_ERROR_STRING]);
void errors_forget(void); // classes and codes added by the program

extern struct info info_env;
void info_clear(struct info *info);
// What MPI_INFO_ENV tells (MPI-4.1 11.2.1), as far as this process knows it.
int environment_describe(struct info *info);

// An empty datatype without a handle, for its maker to fill; NULL after
// fail(MPI_ERR_NO_MEM).
struct datatype *datatype_new(void);
// The datatype that has these contents, without a handle; takes them over, also on
// failure, and passes on NULL after fail(MPI_ERR_NO_MEM). The second one has the bounds
// given instead of those that follow from its components.
int datatype_make(struct contents *contents, struct datatype **type);
int datatype_make_resized(struct contents *contents, MPI_Count lb, MPI_Count extent,
                          struct datatype **type);
// MPI_ERR_TRUNCATE unless so many bytes are left in a packed buffer.
int packed_check(MPI_Count size, MPI_Count position, MPI_Count bytes);
// Gives a new datatype to the program.
int datatype_open(struct datatype *made, struct datatype **type);
// The one way to commit a datatype.
void datatype_commit(struct datatype *type);

// Makes the datatype of an array section, without a handle.
int section_make(const struct section *section, MPI_Count count, struct datatype *type,
                 struct datatype **whole);
void sections_forget(void); // those that were kept open
// The bytes of all its elements.
MPI_Count section_bytes(const struct section *section);
// The datatype, without a handle, of all that a call uses of a buffer, which is known to
// be there; NULL if the procedure refuses the arguments.
int demand_type(const struct demand *demand, struct datatype **type);
void parameterized_forget(void);

// Generated from spec.
extern struct datatype predefined_datatypes[];
extern const uint16_t predefined_datatype_codes[]; // their ABI codes
extern const int predefined_datatype_count;
extern struct op predefined_ops[];
extern const int predefined_op_count;
