// SPDX-License-Identifier: BSD-3-Clause
// State of the layer for the process; the predefined datatypes and operations.
#pragma once

#include "datatype/datatype.h"

// Where an array section may stay open for its next use.
struct kept_section {
    struct open_section open; // its users are the calls and, if it holds one, the place
    struct datatype *type;
    MPI_Count count;
    struct section section;
};
enum { KEPT_SECTIONS_BITS = 6 };

// Lies in .bss, so that an array section is looked up at a constant address.
extern struct datatypes {
    struct kept_section kept[1 << KEPT_SECTIONS_BITS];
    atomic_flag kept_lock; // for writing there; who finds it taken does without
    pthread_mutex_t lock;  // guards what follows, and the commit of datatypes
    struct parameterized *parameterized; // datatypes for Fortran's kinds of numbers
} datatypes;

void parameterized_forget(void);

// Generated from spec.
extern struct datatype predefined_datatypes[];
struct datatype *predefined_type(MPI_Datatype type); // also before they are opened
extern const uint16_t predefined_datatype_codes[];   // their ABI codes
extern const int predefined_datatype_count;
extern struct op predefined_ops[];
extern const int predefined_op_count;
