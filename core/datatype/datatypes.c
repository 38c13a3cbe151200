// SPDX-License-Identifier: BSD-3-Clause
// Start and stop of the layer: the datatypes and operations that MPI provides.
#include "datatype/construct.h"
#include "datatype/datatypes.h"
#include "datatype/section.h"

struct datatypes datatypes = {.lock = PTHREAD_MUTEX_INITIALIZER};

void datatypes_start(void)
{
    for (int i = 0; i < predefined_datatype_count; i++) {
        struct datatype *type = &predefined_datatypes[i];
        object_open_predefined(&type->object, KIND_DATATYPE,
                               predefined_datatype_codes[i]);
        if (type->size <= 8) {
            type->kernel_row = (uint16_t)basic_row(type->basic);
            type->kernel_inside = (uint8_t)(type->size - 1);
        }
        datatype_commit(type);
    }
    for (int i = 0; i < predefined_op_count; i++)
        object_open_predefined(&predefined_ops[i].object, KIND_OP,
                               (uintptr_t)predefined_ops[i].code);
}

void datatypes_stop(void)
{
    sections_forget();
    parameterized_forget();
}
